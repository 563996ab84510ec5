"""New sites, chapters, acts and runs: files that are there at once, build as they are, and never replace others.

`site/` is a whole site, as it was baked and verified; `new/` has the texts of single files.
"""

from sitegen.scaffold.parts import new_act, new_chapter, new_run
from sitegen.scaffold.starting import init

__all__ = ["init", "new_act", "new_chapter", "new_run"]
