"""The bake worker, a process of its own: one recipe in, one staged run out. Only here is torch imported."""
