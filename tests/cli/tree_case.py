"""What tests of directories share: making trees, patching them, and looking at what is there."""
import json
import os
import stat
import subprocess

from support import BDELTA, BPATCH, Case, quick_directory


def tree_of(root):
    """Each entry with its kind, permission bits and content."""
    found = {}
    for directory, names, files in os.walk(root):
        for name in names + files:
            path = os.path.join(directory, name)
            info = os.lstat(path)
            key = os.path.relpath(path, root)
            if stat.S_ISLNK(info.st_mode):
                found[key] = ("link", os.readlink(path))
            elif stat.S_ISDIR(info.st_mode):
                found[key] = ("directory", stat.S_IMODE(info.st_mode))
            elif not stat.S_ISREG(info.st_mode):
                found[key] = ("other", info.st_mode)
            else:
                with open(path, "rb") as file:
                    found[key] = ("file", stat.S_IMODE(info.st_mode), file.read())
    return found


class TreeCase(Case):
    parent = quick_directory()

    def setUp(self):
        super().setUp()
        self.old, self.new, self.made = (self.path(name) for name in ("old", "new", "made"))

    def build(self, root, entries):
        """entries: {name: bytes (a file), str (a link's target), None (a directory) or (bytes, mode)}."""
        os.makedirs(root, exist_ok=True)
        for name, what in entries.items():
            path = os.path.join(root, os.fsencode(name))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if what is None:
                os.makedirs(path, exist_ok=True)
            elif isinstance(what, str):
                os.symlink(os.fsencode(what), path)
            else:
                content, mode = what if isinstance(what, tuple) else (what, 0o644)
                with open(path, "wb") as file:
                    file.write(content)
                os.chmod(path, mode)

    def call(self, program, *arguments, status=0):
        result = subprocess.run([program, "--no-sync", *arguments], capture_output=True, cwd=self.dir, timeout=120, check=False)
        self.assertEqual(status, result.returncode, result.stderr)
        return result.stderr.decode("utf-8", "surrogateescape")

    def round_trip(self, *options):
        self.call(BDELTA, *options, "old", "new", "patch")
        before = tree_of(self.old)
        self.call(BPATCH, "--check", "old", "patch")
        text = self.call(BPATCH, "old", "made", "patch")
        self.assertIn("verified", text)
        self.assertEqual(tree_of(self.new), tree_of(self.made))
        self.assertEqual(before, tree_of(self.old))
        self.assertEqual([b"made", b"new", b"old", b"patch"], self.listing())  # nothing of ours is left
        return os.path.getsize(self.path("patch"))

    def info(self):
        return json.loads(subprocess.run([BPATCH, "--json", "--info", "patch"], capture_output=True, cwd=self.dir, check=True).stdout)
