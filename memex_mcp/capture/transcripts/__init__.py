"""What the lines of a session file say: one module for each client."""
