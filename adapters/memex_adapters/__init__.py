"""Wires memex into the coding agents of this machine, and takes it out again.

A leaf: it is given the command to enter and the manual's text, and knows nothing of the server.
Read :mod:`memex_adapters.plan` first.
"""
