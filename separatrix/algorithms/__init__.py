"""Methods: one file or folder, one theorem each."""
