"""The record of one check and its text."""
