// Only its path matters.
