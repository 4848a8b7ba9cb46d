"""From a question to the few records that answer it; ``recall`` reads top to bottom."""
