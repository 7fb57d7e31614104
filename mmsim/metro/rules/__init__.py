"""The rules in plain Python, to be read beside docs/rules; nothing here is compiled."""
