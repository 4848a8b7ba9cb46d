"""From conversations that a client wrote down to drafts of records."""
