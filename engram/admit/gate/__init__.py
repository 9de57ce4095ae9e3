"""What is refused before it is compared: what is worth no file, what steers an agent."""
