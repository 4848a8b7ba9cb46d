"""Frozen values that flow between the layers; nothing here does I/O."""
