"""What the preset `package` compiles and links with gives programs that are hardened as docs/building.md says."""
import json
import platform
import re
import unittest

import support

PROGRAM = b"""
#include <cstdio>
#include <cstring>
int main(int argc, char** argv) {
  char text[16];
  std::memcpy(text, argv[0], static_cast<std::size_t>(argc));
  return std::printf("%.8s", text);
}
"""


class Hardening(support.Case):
    def setUp(self):
        super().setUp()
        support.need(self, "ninja")
        compilers = [f"-DCMAKE_CXX_COMPILER={support.setting('CXX')}", f"-DCMAKE_C_COMPILER={support.setting('CC')}"]
        support.run("cmake", "--preset", "package", "-B", self.path("build"), *compilers, cwd=support.ROOT)

    def flags(self):
        """Of the compiler, which each file of the sources has; of the linker, for bpatch."""
        commands = json.loads(support.read(self.path("build", "compile_commands.json")))
        own = [re.findall(r" (-f\S+|-m\S+|-[DU]_FORTIFY\S*)", one["command"]) for one in commands]
        linking = support.run("ninja", "-C", self.path("build"), "-t", "commands", "bpatch").splitlines()[-1]
        return [flag for flag in own[0] if all(flag in flags for flags in own)], re.findall(r" (-Wl,-z\S+|-pie)", linking)

    def test_programs_are_as_the_page_says(self):
        compiling, linking = self.flags()
        self.assertIn("-fstack-protector-strong", compiling)
        program = self.path("program")
        source = self.put("program.cpp", PROGRAM)
        support.run(support.setting("CXX"), "-O2", "-fPIE", *compiling, *linking, source, "-o", program)
        text = support.run(support.setting("BDELTA_READELF"), "-hldW", "--dyn-syms", program)
        for wanted in (r"Type: +DYN", r"FLAGS_1.*NOW.*PIE", "GNU_RELRO", r"GNU_STACK .* RW ", "__stack_chk_fail",
                       "__memcpy_chk"):
            self.assertRegex(text, wanted)
        marks = {"x86_64": "-fcf-protection=full", "aarch64": "-mbranch-protection=standard"}
        self.assertIn(marks.get(platform.machine(), "-fstack-protector-strong"), compiling)


if __name__ == "__main__":
    unittest.main()
