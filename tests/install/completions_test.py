"""Completions: bash's is run, those of zsh and fish are parsed by their shells, and all name every option."""
import os
import re
import subprocess
import unittest

import support

SHARE = os.path.join(support.STAGE, "share")
PLACES = {"bash": "bash-completion/completions/{}", "zsh": "zsh/site-functions/_{}",
          "fish": "fish/vendor_completions.d/{}.fish"}


def script(shell, program):
    return os.path.join(SHARE, PLACES[shell].format(program))


def options_of(program):
    text = support.run(os.path.join(support.STAGE, "bin", program), "--help")
    return set(re.findall(r"(--[a-z][a-z0-9-]+)", text))


class Completions(support.Case):
    def complete(self, program, *words):
        """What bash offers for the last word. `compopt` works during real completion only."""
        code = 'source "$1"; shift; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1"; ' \
               'printf "%s\\n" "${COMPREPLY[@]}"'
        command = [support.need(self, "bash"), "-euc", code, "bash", script("bash", program), program, *words]
        result = subprocess.run(command, cwd=self.dir, capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.split()

    def test_bash_offers_options(self):
        self.assertEqual(self.complete("bdelta", "--max"), ["--max-ratio", "--max-apply-seconds"])
        self.assertEqual(self.complete("bpatch", "--max"), ["--max-output"])
        self.assertEqual(self.complete("bpatch", "--no-"), ["--no-sync"])
        for program in ("bdelta", "bpatch"):
            self.assertLessEqual(options_of(program), set(self.complete(program, "--")))
        self.assertIn("-9", self.complete("bdelta", "-"))
        self.assertNotIn("-9", self.complete("bpatch", "-"))

    def test_bash_offers_values(self):
        self.assertEqual(self.complete("bdelta", "--io", ""), ["mmap", "stdio"])
        self.assertEqual(self.complete("bdelta", "--io", "=", "st"), ["stdio"])
        self.assertEqual(self.complete("bdelta", "--format", "="), ["bdt2", "bdt1"])
        self.assertEqual(self.complete("bpatch", "--memory", "6"), [])

    def test_bash_offers_files(self):
        self.put("new file", b"")
        self.put("old", b"")
        os.mkdir(self.path("directory"))
        self.assertEqual(self.complete("bdelta", "o"), ["old"])
        self.assertEqual(self.complete("bdelta", "--trace", "o"), ["old"])
        self.assertEqual(self.complete("bpatch", "--temp-dir", ""), ["directory"])
        self.assertEqual(self.complete("bdelta", "-6", "old", "ne"), ["new", "file"])

    def test_zsh_and_fish_understand_theirs(self):
        for shell in ("zsh", "fish"):
            path = support.need(self, shell)
            for program in ("bdelta", "bpatch"):
                support.run(path, "-n", script(shell, program))

    def test_fish_offers_options_and_values(self):
        fish = support.need(self, "fish")
        code = f"source {script('fish', 'bdelta')}; complete -C 'bdelta --no-v'; complete -C 'bdelta --io '"
        environment = {**os.environ, "HOME": self.dir, "XDG_CONFIG_HOME": self.dir, "XDG_DATA_HOME": self.dir}
        offered = support.run(fish, "--no-config", "-c", code, env=environment).splitlines()
        self.assertEqual([line.split("\t")[0] for line in offered], ["--no-verify", "mmap", "stdio"])

    def test_each_names_every_option(self):
        for program in ("bdelta", "bpatch"):
            told = options_of(program)
            with open(script("zsh", program), encoding="utf-8") as file:
                self.assertEqual(set(re.findall(r"(?:'|\))(--[a-z][a-z0-9-]+)(?==?\[)", file.read())), told)
            with open(script("fish", program), encoding="utf-8") as file:
                self.assertEqual({"--" + name for name in re.findall(r" -l ([a-z0-9-]+)", file.read())}, told)


if __name__ == "__main__":
    unittest.main()
