"""Pages that show where the bytes of patches go: the program bdelta-report.

>>> import bdelta, bdelta.report, pathlib, tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     patch = pathlib.Path(folder, "app.patch")
...     _ = bdelta.create(b"one " * 1000, b"one " * 999 + b"two", patch)
...     page = bdelta.report.page_of([bdelta.report.of_patch(patch)])
>>> page.startswith("<!DOCTYPE html>")
True
"""

from bdelta.report._main import main
from bdelta.report._page import page_of
from bdelta.report._patch import of_patch
from bdelta.report._releases import of_manifest

__all__ = ["main", "of_manifest", "of_patch", "page_of"]
