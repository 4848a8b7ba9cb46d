"""What a client's hooks call: one module for each event, and one that runs them."""
