"""Rows from files: CSV, TSV, Parquet, Arrow, svmlight and NumPy, also larger than memory.

A new format is one entry in `formats.FORMATS`: its suffixes, how its first bytes look, what opens it, and its
limits. A format with named columns supplies a `source.Source`, which hands out Arrow batches; `column_names`,
`class_labels` and `streamed_table` do the rest.
"""
