"""What the agent reads.  One folder of texts, the same for every surface that shows them."""
