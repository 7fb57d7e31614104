"""Batches: an experiment becomes a plan of parts, processes play the parts, tables and a manifest are the result."""
