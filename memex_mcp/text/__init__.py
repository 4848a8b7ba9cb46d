"""Pure functions of text: no store, no settings, no network."""
