"""Objectives and dual bounds of the convex models."""
