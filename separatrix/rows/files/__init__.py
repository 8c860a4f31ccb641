"""Rows from files: CSV, TSV, Parquet, Arrow, svmlight and NumPy; larger than memory is fine."""
