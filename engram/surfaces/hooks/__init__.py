"""What agents call on their own: memories given back, and pokes that a transcript has grown."""
