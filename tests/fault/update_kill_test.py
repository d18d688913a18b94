"""bpatch updates a directory in its place and is killed (SIGKILL) at random moments, and at random moments again while
--resume completes that. Then the next call makes OLD or NEW of it, and nothing of ours is left. BDELTA_KILLS sets how often."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import support  # noqa: E402
from tree_case import TreeCase, tree_of  # noqa: E402

KILLS = int(os.environ.get("BDELTA_KILLS", "200"))
FILES = 400


class Killed(TreeCase):
    def setUp(self):
        super().setUp()
        rng = random.Random(71)
        files = {f"d{i % 20}/f{i}": rng.randbytes(rng.randrange(1, 5000)) for i in range(FILES)}
        self.build(self.old, files | {"kind/file": b"1", "link": "d1/f1"})
        for i in range(0, FILES, 3):
            files[f"d{i % 20}/f{i}"] = files[f"d{i % 20}/f{i}"][::-1] + b"!"
        for i in range(1, FILES, 11):
            files[f"e{i}/moved"] = files.pop(f"d{i % 20}/f{i}")
        self.build(self.new, files | {"kind": b"2", "link": "kind"})
        self.call(support.BDELTA, "-1", "old", "new", "patch")
        self.states = {"old": tree_of(self.old), "new": tree_of(self.new)}
        self.rng = rng

    def kill(self, after, *arguments, once=None):
        """once: a file that has to be there before the time begins, if the program does not end before."""
        process = subprocess.Popen([support.BPATCH, "--no-sync", *arguments], cwd=self.dir, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                   preexec_fn=support.without_core_files)
        while once and not os.path.exists(once) and process.poll() is None:
            time.sleep(0.0001)
        time.sleep(after)
        process.kill()
        return process.wait(60) == -signal.SIGKILL

    def reset(self):
        shutil.rmtree(self.made, ignore_errors=True)
        subprocess.run(["cp", "-a", self.old, self.made], check=True)

    def test_killed_at_random(self):
        self.reset()
        begun = time.monotonic()
        self.call(support.BPATCH, "made", "made", "patch")
        usual = time.monotonic() - begun
        seen = {"old": 0, "new": 0, "between": 0}
        journal = os.path.join(self.made, b".bdelta", b"journal")
        is_old = False
        for number in range(KILLS):
            if not is_old:
                self.reset()
            if number % 2 == 0:
                self.kill(self.rng.uniform(0, 1.1 * usual), "made", "made", "patch")
            else:
                self.kill(self.rng.uniform(0, 0.003), "made", "made", "patch", once=journal)
            if os.path.exists(journal):
                seen["between"] += 1
                if self.rng.random() < 0.5:
                    self.kill(self.rng.uniform(0, 0.5 * usual), "--resume", "made")
            self.call(support.BPATCH, "--resume", "made")
            made = tree_of(self.made)
            self.assertIn(made, self.states.values(), "neither OLD nor NEW")
            is_old = made == self.states["old"]
            seen["old" if is_old else "new"] += 1
        print(f"{KILLS} kills: {seen}", file=sys.stderr)
        self.assertTrue(all(seen.values()), seen)


if __name__ == "__main__":
    unittest.main()
