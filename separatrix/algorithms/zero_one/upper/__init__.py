"""Upper bounds on the fewest training errors: heuristics that find good halfspaces."""
