"""Batches: an experiment becomes a plan, its shards are played by many processes, tables and a manifest remain."""
