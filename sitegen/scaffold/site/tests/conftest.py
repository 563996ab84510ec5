"""Tests import the models as the recipes do: from the folder of the site."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
