"""Decoder memory: what the parts of a patch take, held against what its header declares (FORMAT.md, Decoder memory)."""
from cursor import require


class Memory:
    def __init__(self, declared_bytes):
        self.declared_bytes = declared_bytes
        self.held_bytes = 0  # of what is held for all of the patch
        self.group_bytes = 0  # of the group that takes most

    @property
    def needed_bytes(self):
        """Of what has been read so far."""
        return self.held_bytes + self.group_bytes

    @property
    def left_bytes(self):
        return self.declared_bytes - self.needed_bytes

    def hold(self, held_bytes, what):
        self.held_bytes += held_bytes
        self.check(what)

    def take_for_group(self, group_bytes):
        """Each group gives back what it takes."""
        self.group_bytes = max(self.group_bytes, group_bytes)
        self.check("a group")

    def check(self, what):
        require(self.left_bytes >= 0, f"with {what} {self.needed_bytes} bytes are taken, the header says {self.declared_bytes}")
