"""The report of a run: charts, sentences, tables, one HTML page."""
