"""What a refusal advises: options meant, the order meant, figures that do, and nothing said twice."""
import json
import os
import re
import unittest

import support

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LEVELS = "levels are -1 to -9 and --ultra"


class Usage(support.Case):
    def setUp(self):
        super().setUp()
        self.standard_pair(41)

    def refused(self, call, arguments, said):
        before = self.snapshot()
        result = self.refuse(call("old", "new", "p", *arguments), 1)
        program = os.path.basename(support.BDELTA if call == self.bdelta else support.BPATCH)
        self.assertEqual(result.stderr.decode(), f"{program}: {said}; see {program} --help\n")
        self.assertEqual(self.snapshot(), before)

    def test_levels(self):
        for words in (["-10"], ["-19"], ["-0"], ["-22"], ["--level", "5"], ["--level=5"], ["--fast"], ["--best"], ["--fast=3"]):
            if len(words) == 2:
                words = words[:1]
            found = words[0].split("=")[0]
            self.refused(self.bdelta, words, f"{LEVELS}, found {found}")
        self.refused(self.bdelta, ["-3", "-6"], "expected one level, found -3 and -6")
        self.refused(self.bdelta, ["--ultra", "-9", "-1"], "expected one level, found -1 and -9 and --ultra")
        for word in ("-6", "-10", "--level", "--ultra"):
            self.refused(self.bpatch, [word], f"levels are for bdelta, and bpatch takes none, found {word}")
        result = self.refuse(self.bdelta("--level", "5", "old", "new", "p"), 1, LEVELS)
        self.assertNotIn(b"5", result.stderr)

    def test_a_file_may_be_called_like_a_level(self):
        os.rename(self.path("new"), self.path("-10"))
        self.succeed(self.bdelta("--", "old", "-10", "p"))
        self.succeed(self.bdelta("old", "./-10", "q"))

    def test_misspelt_options(self):
        for call, word, meant in ((self.bdelta, "--verfy", "--verify"), (self.bdelta, "--no-predcit", "--no-predict"),
                                  (self.bdelta, "--max_ratio", "--max-ratio"), (self.bdelta, "--mem", "--memory"),
                                  (self.bdelta, "--Force", "--force"), (self.bpatch, "--thread", "--threads"),
                                  (self.bpatch, "--chekc", "--check"), (self.bpatch, "--max-ouput", "--max-output")):
            self.refused(call, [word], f"unknown option {word} (did you mean {meant}?)")
            self.refused(call, [word + "=1"], f"unknown option {word} (did you mean {meant}?)")
        for word in ("--bogus", "-x", "--describe", "--xyzzy"):
            self.refused(self.bdelta, [word], f"unknown option {word}")
        self.refused(self.bpatch, ["q"], "expected OLD NEW PATCH, found another argument: q")

    def test_misspelt_values(self):
        for call, word, said in ((self.bdelta, "--format=bdt", "--format: expected bdt2 or bdt1, found bdt (did you mean bdt2?)"),
                                 (self.bdelta, "--format=BDT1", "--format: expected bdt2 or bdt1, found BDT1 (did you mean bdt1?)"),
                                 (self.bdelta, "--format=vcdiff", "--format: expected bdt2 or bdt1, found vcdiff"),
                                 (self.bpatch, "--io=map", "--io: expected mmap or stdio, found map (did you mean mmap?)"),
                                 (self.bpatch, "--io=fast", "--io: expected mmap or stdio, found fast")):
            self.refused(call, [word], said)

    def options_of(self, executable):
        shown = json.loads(self.succeed(self.run_program(executable, "--describe-options")).stdout)["options"]
        return [(name, option.get("value")) for option in shown for name in option["names"] if name.startswith("--")]

    def test_every_option_tells_a_value_that_is_missing_or_too_many(self):
        for call, executable in ((self.bdelta, support.BDELTA), (self.bpatch, support.BPATCH)):
            options = [option for option in self.options_of(executable) if option[0] != "--info"]
            self.assertIn(("--threads", "N"), options)
            self.assertIn(("--force", None), options)
            for name, value in options:
                if value is None:
                    self.refused(call, [name + "=x"], f"{name} takes no value")
                    continue
                self.refused(call, [name], f"{name}: expected {value}, found nothing")
                self.refused(call, [name + "="], f"{name}: expected {value}, found nothing")
        for word, name in (("--memory=64M", "--memory"), ("--temp-dir=.", "--temp-dir"), ("-t1", "--threads")):
            self.refused(self.bpatch, [word] * 2, f"expected {name} once, found it 2 times")
            self.refused(self.bdelta, [word] * 3, f"expected {name} once, found it 3 times")

    def test_figures_out_of_range(self):
        for word in ("x", "1025", "-1", "1.5", "0x10", "+3", "4K", "99999999999999999999"):
            self.refused(self.bdelta, [f"--threads={word}"], f"--threads: expected a number from 0 to 1024, found {word}")
        for word in ("65M", "x", "-1"):
            self.refused(self.bpatch, [f"--io-buffer={word}"], f"--io-buffer: expected a size from 0 to 64M, found {word}")
        self.succeed(self.bdelta("old", "new", "p", "-t", "010"))

    def test_words_that_name_no_option(self):
        for word, found in (("-3=1", "-=1"), ("-f=1", "-=1"), ("--=x", "--=x")):
            self.refused(self.bdelta, [word], f"expected an option, found {found}; one of a single letter takes no =")

    def test_help_opens_with_two_examples_and_how_to_call_it(self):
        for executable in (support.BDELTA, support.BPATCH):
            name = os.path.basename(executable)
            lines = self.succeed(self.run_program(executable, "--help")).stdout.decode().splitlines()
            self.assertEqual([line.split()[0] for line in lines[2:4]], [name, name])
            self.assertIn(f"Usage: {name} [OPTIONS] OLD NEW PATCH", lines[:6])
            self.assertFalse([line for line in lines if re.search(r"\[(OLD|NEW|PATCH)\]|OLD TEXT", line)])

    def test_each_program_speaks_of_its_own_memory(self):
        texts = [re.search(r"--memory SIZE +(.*)\n +(.*)\n", self.succeed(self.run_program(executable, "--help")).stdout.decode())
                 for executable in (support.BDELTA, support.BPATCH)]
        self.assertIn("on any files will do", texts[0].group(2))
        self.assertIn("decoding", texts[1].group(1))
        self.assertIn("256M", texts[1].group(2))


class Order(support.Case):
    """OLD, NEW and PATCH as other tools want them: told, and never acted on."""

    def setUp(self):
        super().setUp()
        self.standard_pair(42)
        self.put("empty", b"")

    def test_bpatch(self):
        for arguments, status in ((["old", "patch", "new"], 3), (["patch", "old", "new"], 3), (["old", "patch", "absent"], 2),
                                  (["patch", "old", "absent"], 2), (["old", "patch", "empty"], 3), (["patch", "new", "-"], 3)):
            for force in ([], ["--force"]):
                self.refuse_untouched(lambda: self.bpatch(*arguments, *force), status,
                                      '"patch" is a patch, and the order is OLD NEW PATCH')
        self.refuse_untouched(lambda: self.bpatch("--check", "patch", "old"), 3, "the order is OLD PATCH")
        self.refuse_untouched(lambda: self.bpatch("old", "made", "new"), 3, "was the order OLD NEW PATCH kept?")

    def test_bdelta(self):
        for arguments in (["patch", "old", "new"], ["old", "patch", "new"]):
            self.refuse_untouched(lambda: self.bdelta(*arguments), 1, '"patch" is a patch, and the order is OLD NEW PATCH')
        for arguments in (["absent", "old", "new"], ["old", "absent", "new"]):
            self.refuse_untouched(lambda: self.bdelta(*arguments), 2, '"new" exists and "absent" does not',
                                  "the order is OLD NEW PATCH")

    def test_other_errors_say_nothing_of_it(self):
        for result in (self.bpatch("absent", "made", "patch"), self.bpatch("old", "new/", "patch"), self.bpatch("--info", "old"),
                       self.bdelta("absent", "new", "p"), self.bdelta("absent", "new", "patch"), self.bdelta("old", "new", "patch"),
                       self.bdelta("absent", "also absent", "new"), self.bpatch("old", "patch", "patch")):
            self.refuse(result, result.returncode)
            self.assertNotIn(b"order", result.stderr)


class Remedies(support.Case):
    def setUp(self):
        super().setUp()
        self.old, self.new = self.standard_pair(43)

    def figure(self, result, option):
        """What the message says would do."""
        return re.search(option.encode() + rb" (\w+)", self.refuse(result, 6, option).stderr).group(1).decode()

    def test_figures_can_be_typed_back(self):
        for way in ("--io=mmap", "--io=stdio"):
            for level in ("-1", "-9"):
                size = self.figure(self.bdelta("old", "new", "p", way, level, "--memory=1M", "-f"), "--memory")
                self.assertRegex(size, r"^\d+M$")
                self.succeed(self.bdelta("old", "new", "p", way, level, "--memory", size, "-f"))
        for option, least in (("--memory", "1"), ("--max-output", "1K")):
            size = self.figure(self.bpatch("old", "made", "patch", option, least), option)
            self.assertRegex(size, r"^\d+[KM]?$")
            self.succeed(self.bpatch("old", "made", "patch", option, size, "-f"))
        info = self.succeed(self.bpatch("--info", "patch")).stdout.decode()
        size = re.search(r"^decoder memory +(\w+)$", info, re.M).group(1)
        self.succeed(self.bpatch("old", "made", "patch", "--memory", size, "-f"))

    def test_json_has_the_figure(self):
        error = json.loads(self.bpatch("old", "made", "patch", "--max-output=1", "--json").stdout)["error"]
        self.assertEqual(error["needed_bytes"], len(self.new))
        self.assertEqual(error["detail"], f'"patch": {len(self.new)} bytes, the limit is 1; accept it with '
                                          f"--max-output {-(-len(self.new) // 1024)}K")

    def test_a_limit_leaves_the_patch_of_before(self):
        for limit, code in (("--timeout=0.000001", 604), ("--max-ratio=0.0001", 605)):
            for call, arguments in ((self.bdelta, ["old", "new", "patch", limit]), (self.bpatch, ["old", "new", "patch", limit])):
                if call == self.bpatch and code == 605:
                    continue
                if call == self.bpatch:
                    self.put("new", b"of before")
                stays = f'what stood at "{arguments[1 + (call == self.bdelta)]}" before stays there as it was'
                result = self.refuse_untouched(lambda: call(*arguments, "--force", "--json"), 7, stays)
                error = json.loads(result.stdout)["error"]
                self.assertEqual((error["code"], error["exit"], error["output_kept"]), (code, 7, True))
                self.assertIn(stays, error["detail"])
        self.put("new", self.new)
        for place in ("p", "-", "/dev/null"):
            result = self.bdelta("old", "new", place, "--max-ratio=0.0001", "--force", "--json")
            self.assertEqual(result.returncode, 7, result.stderr)
            self.assertNotIn("output_kept", json.loads(result.stderr.splitlines()[0] if place == "-" else result.stdout)["error"])
            self.assertNotIn(b"before", result.stderr)
        check = self.refuse(self.bpatch("--check", "old", "new", "patch", "--timeout=0.000001", "--json"), 7)
        self.assertNotIn("output_kept", json.loads(check.stdout)["error"])

    def test_an_old_that_already_is_new(self):
        told = "OLD already is NEW, so nothing is to be done"
        self.refuse_untouched(lambda: self.bpatch("new", "made", "patch"), 4, '"new": OLD is not', told)
        self.refuse_untouched(lambda: self.bpatch("--check", "new", "patch", "--io=stdio"), 4, told)
        other = bytearray(self.old)
        other[1000] ^= 1
        self.put("as long", other)
        self.succeed(self.bdelta("old", "as long", "p"))
        self.refuse_untouched(lambda: self.bpatch("as long", "made", "p"), 4, told)
        self.put("neither", self.new[:-1] + b"x")
        for old, patch in (("neither", "patch"), ("neither", "p")):
            self.assertNotIn(told.encode(), self.refuse(self.bpatch(old, "made", patch), 4).stderr)

    def test_foreign_patches_are_named(self):
        foreign = {"BSDIFF40": b"BSDIFF40" + bytes(24), "BSDIFF43": b"ENDSLEY/BSDIFF43" + bytes(8), "BSDF2": b"BSDF2\x01\x01\x01",
                   "VCDIFF": b"\xd6\xc3\xc4\x00\x00" + bytes(20), "HDiffPatch": b"HDIFF13&zlib&fadler64\0", "zstd": b"\x28\xb5\x2f\xfd" + bytes(9),
                   "Zucchini": b"Zucc" + bytes(24), "gzip": b"\x1f\x8b\x08" + bytes(20), "xz": b"\xfd7zXZ\0" + bytes(20)}
        for name, content in foreign.items():
            self.put("foreign", content)
            for arguments in (["old", "made", "foreign"], ["--check", "old", "foreign"], ["--info", "foreign"]):
                said = self.refuse_untouched(lambda: self.bpatch(*arguments), 3, '"foreign": not a patch', name).stderr
                self.assertNotIn(b"BDT", said)

    def test_the_file_at_fault_comes_first(self):
        for call, arguments, name in ((self.bpatch, ["new", "made", "patch"], "new"), (self.bpatch, ["old", "made", "old"], "old"),
                                      (self.bpatch, ["old", "made", "patch", "--memory=1"], "patch"),
                                      (self.bpatch, ["old", "new/x", "patch"], None), (self.bpatch, ["absent", "made", "patch"], "absent"),
                                      (self.bpatch, ["old", "new", "new", "-f"], "new"), (self.bpatch, ["--info", "old"], "old"),
                                      (self.bdelta, ["old", "new", "patch"], "patch"), (self.bdelta, ["old", "absent", "p"], "absent"),
                                      (self.bdelta, ["old", "new", "p", "--max-ratio=.0001"], "p"),
                                      (self.bdelta, ["old", "new", "old", "-f"], "old"), (self.bdelta, ["old", "new", "."], ".")):
            result = call(*arguments)
            start = rb'^\w+: "' + (re.escape(name.encode()) + rb'": ' if name else rb"")
            self.assertRegex(self.refuse(result, result.returncode).stderr, start)
            said = re.split(r"[:;] ", result.stderr.decode().strip())
            self.assertEqual(len(set(said)), len(said), said)


class Library(unittest.TestCase):
    def test_its_messages_name_no_flags(self):
        found = 0
        for folder, _, names in os.walk(os.path.join(ROOT, "src")):
            for name in names:
                if not name.endswith((".cpp", ".hpp")):
                    continue
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    code = re.sub(r"//.*", "", file.read())
                texts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', code)
                found += len(texts)
                self.assertEqual([text for text in texts if re.search(r"--[a-z]", text)], [], name)
        self.assertGreater(found, 500)


if __name__ == "__main__":
    unittest.main()
