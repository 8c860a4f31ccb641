"""Rows seen through a change (other labels, a shift, a scale), without copying them."""
