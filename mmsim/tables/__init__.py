"""Tables: declared columns, rows as NumPy arrays, Polars frames, Parquet files."""
