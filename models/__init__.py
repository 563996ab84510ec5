"""The models behind the figures: networks, data and recipes in PyTorch, one package a chapter."""
