"""Reading the data of a claim: rows, labels, digest."""
