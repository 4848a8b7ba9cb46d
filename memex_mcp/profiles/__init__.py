"""What is known of the models that read memory, one TOML file each, with inheritance."""
