"""Fast replay of the proofs of fewest errors."""
