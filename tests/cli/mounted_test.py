#!/usr/bin/env python3
"""Directories on file systems that are mounted for it, where that is allowed: one that takes names for the same in any case, and
a full one."""
import os
import shutil
import subprocess
import unittest

from support import BDELTA, BPATCH
from tree_case import TreeCase, tree_of

IMAGE_BYTES = 64 << 20


def runs(*command):
    return shutil.which(command[0]) and subprocess.run(command, capture_output=True, check=False).returncode == 0


def contents(root):
    """Without permission bits, of which such a file system may have none."""
    return {name: entry[::2] for name, entry in tree_of(root).items()}


class Mounted(TreeCase):
    def setUp(self):
        super().setUp()
        self.disk, self.image = os.fsdecode(self.path("disk")), os.fsdecode(self.path("image"))
        self.dir_ = os.path.join(os.fsencode(self.disk), b"dir")
        os.mkdir(self.disk)

    def mounted(self, *command):
        if not runs(*command):
            return False
        self.addCleanup(subprocess.run, ["umount", self.disk], check=True)
        return True

    def pair(self, old, new):
        for root, entries in ((self.old, old), (self.new, new)):
            shutil.rmtree(root, ignore_errors=True)
            self.build(root, entries)
        self.call(BDELTA, "--force", "old", "new", "patch")
        shutil.rmtree(self.dir_, ignore_errors=True)
        shutil.copytree(self.old, self.dir_, symlinks=True, copy_function=shutil.copyfile)


class FoldedNames(Mounted):
    def setUp(self):
        super().setUp()
        if not self.has_ext4() and not self.has_exfat():
            self.skipTest("no file system that folds names can be mounted here")
        self.assertTrue(self.folds())

    def format(self, *command):
        with open(self.image, "wb") as image:
            image.truncate(IMAGE_BYTES)
        return runs(*command, self.image)

    def has_ext4(self):
        return (self.format("mkfs.ext4", "-q", "-O", "casefold", "-E", "encoding=utf8") and
                self.mounted("mount", "-o", "loop", self.image, self.disk) and runs("chattr", "+F", self.disk))

    def has_exfat(self):
        if not self.format("mkfs.exfat"):
            return False
        device = subprocess.run(["losetup", "-f", "--show", self.image], capture_output=True, check=False).stdout.decode().strip()
        if not device:
            return False
        self.addCleanup(subprocess.run, ["losetup", "-d", device], check=True)
        return self.mounted("mount.exfat-fuse", device, self.disk)

    def folds(self):
        os.mkdir(os.path.join(self.disk, "Probe"))
        return os.path.exists(os.path.join(self.disk, "pROBE"))

    def test_names_that_change_their_case(self):
        self.pair({"Readme.md": b"1", "Dir/a": b"a", "Dir/b": b"b", "same": b"s", "File": b"f", "Way/x": b"x"},
                  {"README.md": b"2", "dir/a": b"a", "dir/B": b"b", "same": b"s", "file/in": b"f", "WAY": b"x"})
        self.call(BPATCH, "disk/dir", "disk/dir", "patch")
        self.assertEqual(contents(self.new), contents(self.dir_))  # so nothing of ours is left, either
        self.call(BPATCH, "old", "disk/made", "patch")
        self.assertEqual(contents(self.new), contents(os.path.join(self.disk, "made").encode()))

    def test_twins_are_refused(self):
        for twin in ("SAME", "d/Inner"):
            self.pair({"a": b"1", "same": b"s", "d/inner": b"i"}, {"a": b"2", "same": b"s", "d/inner": b"i", twin: b"t"})
            before = contents(self.dir_)
            for new in ("disk/dir", "disk/made"):
                said = self.call(BPATCH, "disk/dir", new, "patch", status=3)
                self.assertIn("takes both names for the same", said)
            self.assertEqual(before, contents(self.dir_))
            self.assertFalse(os.path.exists(os.path.join(self.disk, "made")))


class FullDisk(Mounted):
    def test_no_entries_are_left(self):
        if not self.mounted("mount", "-t", "tmpfs", "-o", "size=4m,nr_inodes=20", "none", self.disk):
            self.skipTest("no file system can be mounted here")
        self.pair({str(number): b"1" for number in range(6)}, {str(number): b"22" for number in range(6)})
        for number in range(4):
            self.build(os.fsencode(self.disk), {f"taken{number}": b""})
        before = tree_of(self.dir_)
        said = self.call(BPATCH, "disk/dir", "disk/dir", "patch", status=2)
        self.assertIn("no space is left", said)
        self.assertIn('"disk/dir/5"', said)
        self.assertEqual(before, tree_of(self.dir_))


if __name__ == "__main__":
    unittest.main()
