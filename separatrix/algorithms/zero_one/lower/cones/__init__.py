"""Lower bounds from cones: an enumeration of the halfspaces through few rows."""
