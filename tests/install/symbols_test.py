"""Shared libraries export the public API and nothing else, under a SONAME that names it; the half that applies holds
nothing that creates."""
import glob
import os
import re
import sys
import unittest

import support

# Of bdelta/create.hpp, and of bdelta/members.hpp: in the full library alone.
CREATE_ONLY = {"create", "create_file", "create_tree", "estimate_memory", "inspect_bytes", "inspect_members"}
# What a library of some SONAME exports, a line a symbol as the loader knows it. Weak ones are left out: they are of the
# headers, and which of them a compiler puts into the library is its own choice.
RECORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "exports")
LIMIT_BYTES = 1_350_000  # of libbdelta-apply, stripped and without its codecs, which are libraries of their own


def exported(name):
    """Demangled names of the dynamic symbols that a shared library defines."""
    library = os.path.join(support.LIBDIR, f"lib{name}.so")
    text = support.run(support.setting("BDELTA_NM"), "-D", "--defined-only", "-C", library)
    return [line.split(" ", 2)[2] for line in text.splitlines()]


def strong(name):
    """What the library alone defines, mangled."""
    library = os.path.join(support.LIBDIR, f"lib{name}.so")
    text = support.run(support.setting("BDELTA_NM"), "-D", "--defined-only", library)
    return sorted(set(re.findall(r" [TDRB] (\S+)$", text, re.M)))


def soname(name):
    library = os.path.join(support.LIBDIR, f"lib{name}.so")
    text = support.run(support.setting("BDELTA_READELF"), "-d", library)
    return re.search(r"Library soname: \[(.*)\]", text).group(1)


def headers():
    paths = sorted(glob.glob(os.path.join(support.ROOT, "include", "bdelta", "*.hpp")))
    return "\n".join(support.read(path) for path in paths)


def public_functions():
    names = set(re.findall(r"^(?:\[\[nodiscard\]\] )?BDELTA_PUBLIC [^;({]*?(\w+)\(", headers(), re.M))
    assert len(names) > 12, names
    return names


def public_classes():
    return set(re.findall(r"^(?:class|struct) (?:BDELTA_PUBLIC )?(\w+)", headers(), re.M))


def c_functions(which):
    path = os.path.join(support.ROOT, "src", "capi", f"exports_{which}.txt")
    return set(support.read(path).split()) if os.path.exists(path) else set()


class Symbols(support.Case):
    def check(self, library, functions, c_names):
        classes = public_classes()
        self.assertGreater(len(classes), 4)
        found, found_c = set(), set()
        for symbol in exported(library):
            function = re.match(r"bdelta::(\w+)(\[abi:\w+\])?\(", symbol)
            of_class = re.match(r"(?:typeinfo|typeinfo name|vtable) for bdelta::(\w+)$|"
                                r"bdelta::(\w+)::~?\w+(?:\[abi:\w+\])?\(", symbol)
            if function:
                found.add(function.group(1))
            elif of_class:
                self.assertIn(of_class.group(1) or of_class.group(2), classes, symbol)
            else:
                self.assertIn(symbol, c_names, f"{symbol} is neither public C++ nor in the list of C functions")
                found_c.add(symbol)
        self.assertEqual(found, functions)
        self.assertEqual(found_c, c_names)

    def test_the_full_library_exports_the_public_api_alone(self):
        self.check("bdelta", public_functions(), c_functions("full"))

    def test_the_half_that_applies_exports_the_public_api_alone(self):
        self.check("bdelta-apply", public_functions() - CREATE_ONLY, c_functions("apply"))

    def test_the_half_that_applies_uses_no_encoder(self):
        for name in ("libbdelta-apply.so", "libbdelta-apply.a"):
            dynamic = ["-D"] if name.endswith("so") else []
            text = support.run(support.setting("BDELTA_NM"), *dynamic, "-u", os.path.join(support.LIBDIR, name))
            used = set(re.findall(r"U (ZSTD_\w+|lzma_\w+)", text))
            self.assertTrue(used)
            encoders = [symbol for symbol in used if re.search(r"encoder|(?<!de)compress", symbol.lower())]
            self.assertEqual(encoders, [])

    def test_sonames_name_the_interface(self):
        for name in ("bdelta", "bdelta-apply"):
            self.assertEqual(soname(name), f"lib{name}.so.{support.soversion()}")

    @unittest.skipUnless(sys.maxsize > 2**32, "the record has signatures of 64 bits")
    def test_a_soname_has_the_exports_that_are_recorded(self):
        sonames = {soname(name): name for name in ("bdelta", "bdelta-apply")}
        self.assertEqual(set(os.listdir(RECORDS)), set(sonames))
        for record, name in sonames.items():
            self.assertEqual(strong(name), support.read(RECORDS, record).splitlines(), f"""
Where version {support.version()} is released, this needs another version in CMake's project(): the next SONAME if something is
gone or another, else the next one of the same SONAME. Then record it: tests/install/exports/{record}""")

    @unittest.skipUnless(os.environ.get("BDELTA_FOR_SIZE") == "1", "the limit is for builds that compile it for size")
    def test_the_half_that_applies_is_small(self):
        stripped = self.path("stripped")
        support.run(support.setting("BDELTA_STRIP"), "-o", stripped, os.path.join(support.LIBDIR, "libbdelta-apply.so"))
        self.assertLess(os.path.getsize(stripped), LIMIT_BYTES)


if __name__ == "__main__":
    unittest.main()
