"""A static-site generator whose figures replay baked, verified runs."""

__version__ = "0.1.0"
