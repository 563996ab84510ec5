"""Bakes on the workers of a dask cluster: what each needs goes there as bytes, and its run comes back as bytes."""
