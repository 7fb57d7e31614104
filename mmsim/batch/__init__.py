"""Batches: an experiment becomes a plan, its parts are played by many processes, tables and a manifest remain."""
