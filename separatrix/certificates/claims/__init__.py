"""The claims that a certificate can make: one file per family."""
