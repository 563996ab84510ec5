"""The command line: words to calls, values and errors to words. A file has the commands of one group."""

import sys

try:
    from sitegen.cli.program import main
except KeyboardInterrupt:  # nothing has begun
    sys.exit(130)

__all__ = ["main"]
