"""The MCP surface; the only package that knows the SDK and pydantic."""
