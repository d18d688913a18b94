"""Projects of users, in C++ and C, built against the installed tree by find_package and by pkg-config, and run."""
import os
import unittest

import support

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER_OF_C = os.path.join(support.STAGE, "include", "bdelta", "bdelta.h")
# So that no library of the system can be taken for the one under test.
FROM_STAGE = {**os.environ, "PKG_CONFIG_PATH": os.path.join(support.LIBDIR, "pkgconfig"),
              "LD_LIBRARY_PATH": support.LIBDIR}


class Consumers(support.Case):
    def by_find_package(self, name, static):
        build = self.path(f"{name}-{'static' if static else 'shared'}")
        support.run("cmake", "-S", os.path.join(HERE, name), "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    f"-DCMAKE_PREFIX_PATH={support.STAGE}", f"-Dbdelta_STATIC={'ON' if static else 'OFF'}",
                    "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
        support.run("cmake", "--build", build)
        return build

    def flags(self, module, *options):
        return support.run("pkg-config", *options, "--cflags", "--libs", module, env=FROM_STAGE).split()

    def by_pkg_config(self, source, module, static):
        """Compiled and linked by one command line, as in a Makefile."""
        compiler = [os.environ["CC"]] if source.endswith(".c") else [os.environ["CXX"], "-std=c++20"]
        program = self.path(os.path.basename(source) + (".static" if static else ".shared"))
        flags = self.flags(module, *(["--static"] if static else []))
        if static:
            # -l takes the shared library where both lie in one directory.
            names = ("bdelta", "bdelta-apply")
            archives = {f"-l{name}": os.path.join(support.LIBDIR, f"lib{name}.a") for name in names}
            flags = [archives.get(flag, flag) for flag in flags]
        support.run(*compiler, os.path.join(HERE, source), "-o", program, *flags)
        return program

    def libraries_of(self, program):
        """Those of ours that it needs at run time."""
        text = support.run(support.setting("BDELTA_READELF"), "-d", program)
        needed = [line.split("[")[1].split("]")[0] for line in text.splitlines() if "(NEEDED)" in line]
        return [name for name in needed if "bdelta" in name]

    def make_and_update(self, maker, updater):
        old, new = self.pair()
        for name in ("patch", "made"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        support.run(maker, old, new, self.path("patch"), env=FROM_STAGE)
        support.run(updater, old, self.path("patch"), self.path("made"), env=FROM_STAGE)
        self.assertEqual(self.get("made"), self.get("new"))

    def test_cpp_by_find_package(self):
        for static in (False, True):
            build = self.by_find_package("consumer_cpp", static)
            maker, updater = os.path.join(build, "maker"), os.path.join(build, "updater")
            self.assertEqual(self.libraries_of(updater), [] if static else [f"libbdelta-apply.so.{support.soversion()}"])
            self.assertEqual(self.libraries_of(maker), [] if static else [f"libbdelta.so.{support.soversion()}"])
            self.make_and_update(maker, updater)

    def test_cpp_by_pkg_config(self):
        for static in (False, True):
            maker = self.by_pkg_config("consumer_cpp/maker.cpp", "bdelta", static)
            updater = self.by_pkg_config("consumer_cpp/updater.cpp", "bdelta-apply", static)
            self.assertEqual(self.libraries_of(maker), [] if static else [f"libbdelta.so.{support.soversion()}"])
            self.make_and_update(maker, updater)

    @unittest.skipUnless(os.path.exists(HEADER_OF_C), "this version has no bdelta.h")
    def test_c_by_both(self):
        old, new = self.pair()
        support.run(support.BDELTA, old, new, self.path("patch"))
        for static in (False, True):
            updaters = [os.path.join(self.by_find_package("consumer_c", static), "updater"),
                        self.by_pkg_config("consumer_c/updater.c", "bdelta-apply", static)]
            for updater in updaters:
                support.run(updater, old, self.path("patch"), self.path("made"), env=FROM_STAGE)
                self.assertEqual(self.get("made"), self.get("new"))
                os.remove(self.path("made"))

    def test_an_unknown_component_is_refused(self):
        project = self.path("strange")
        os.mkdir(project)
        self.put("strange/CMakeLists.txt", b"cmake_minimum_required(VERSION 3.22)\nproject(strange LANGUAGES CXX)\n"
                                           b"find_package(bdelta REQUIRED COMPONENTS apply sorcery)\n")
        with self.assertRaisesRegex(AssertionError, "sorcery"):
            support.run("cmake", "-S", project, "-B", self.path("build"), f"-DCMAKE_PREFIX_PATH={support.STAGE}")

    def test_another_minor_version_is_refused(self):
        project = self.path("later")
        os.mkdir(project)
        self.put("later/CMakeLists.txt", b"cmake_minimum_required(VERSION 3.22)\nproject(later LANGUAGES CXX)\n"
                                         b"find_package(bdelta 0.0 REQUIRED)\n")
        with self.assertRaisesRegex(AssertionError, "version"):
            support.run("cmake", "-S", project, "-B", self.path("build"), f"-DCMAKE_PREFIX_PATH={support.STAGE}")


if __name__ == "__main__":
    unittest.main()
