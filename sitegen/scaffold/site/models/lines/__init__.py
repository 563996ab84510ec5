"""Straight lines and how they are found."""
