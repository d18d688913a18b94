"""A matrix of patches between releases, made by Dask: the program bdelta-matrix.

Needs the extra `matrix`: pip install 'bdelta[matrix]'.
"""

import sys


def main() -> int:
    """The program."""
    try:
        from bdelta.matrix._main import main as run
    except ImportError as error:
        print(f"bdelta-matrix: {error}; pip install 'bdelta[matrix]' has it", file=sys.stderr)
        return 1
    return run()
