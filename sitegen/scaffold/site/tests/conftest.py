"""The tests read baked runs and hold them against snapshots."""

pytest_plugins = ["sitegen.testing"]
