"""Attention and the Transformer: what the chapter quotes, trains and bakes."""
