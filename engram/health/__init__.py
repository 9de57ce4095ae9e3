"""Health checks: state of a vault -> findings, each with one fix; and the review queue."""
