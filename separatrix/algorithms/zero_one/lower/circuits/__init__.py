"""Lower bounds from circuits: minimal sets of rows that no halfspace gets right."""
