"""Claims that a model is optimal or nearly so: one file per objective."""
