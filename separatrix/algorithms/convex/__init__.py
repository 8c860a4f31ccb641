"""What the solvers of the convex models share."""
