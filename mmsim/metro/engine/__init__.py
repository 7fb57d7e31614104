"""The fast core: one function a rule, all of it compiled."""
