"""Findings in, a report out: charts, sentences, tables, one page."""
