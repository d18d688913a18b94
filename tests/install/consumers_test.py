"""Projects of users, in C++ and C, built against the installed tree by find_package and by pkg-config, and run."""
import os
import re
import subprocess
import unittest

import support

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER_OF_C = os.path.join(support.STAGE, "include", "bdelta", "bdelta.h")
FROM_STAGE = {**os.environ, "PKG_CONFIG_PATH": os.path.join(support.LIBDIR, "pkgconfig")}
# How a program holds the library: as a shared one; in itself, from the archive; so, and all that it needs as well.
KINDS = ("shared", "archive", "static")


class Consumers(support.Case):
    def kinds(self):
        """Those that can be had here: not every system has archives of all libraries."""
        source = self.put("nothing.c", b"int main(void) { return 0; }\n")
        libraries = [flag for flag in self.flags("bdelta", "--static") if flag.startswith("-l") and "bdelta" not in flag]
        command = [os.environ["CC"], "-static", source, "-o", self.path("nothing"), *libraries]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return KINDS
        if os.environ.get("CI") == "true":
            self.fail("archives of what the library needs are missing; tools/setup.sh installs them")
        return KINDS[:2]

    def by_find_package(self, name, kind):
        build = self.path(f"{name}-{kind}")
        support.run("cmake", "-S", os.path.join(HERE, name), "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    f"-DCMAKE_PREFIX_PATH={support.STAGE}", f"-Dbdelta_STATIC={'OFF' if kind == 'shared' else 'ON'}",
                    f"-DCMAKE_EXE_LINKER_FLAGS={'-static' if kind == 'static' else ''}",
                    "-DCMAKE_INSTALL_RPATH_USE_LINK_PATH=ON", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
        support.run("cmake", "--build", build)
        support.run("cmake", "--install", build, "--prefix", self.path(f"{name}-{kind}-installed"))
        return self.path(f"{name}-{kind}-installed", "bin")

    def flags(self, module, *options):
        return support.run("pkg-config", *options, "--cflags", "--libs", module, env=FROM_STAGE).split()

    def by_pkg_config(self, source, module, kind):
        """Compiled and linked by one command line, as in a Makefile."""
        compiler = [os.environ["CC"]] if source.endswith(".c") else [os.environ["CXX"], "-std=c++20"]
        program = self.path(f"{os.path.basename(source)}.{kind}")
        flags = self.flags(module, *([] if kind == "shared" else ["--static"]))
        if kind == "archive":
            # -l takes the shared library where both lie in one directory.
            names = ("bdelta", "bdelta-apply")
            archives = {f"-l{name}": os.path.join(support.LIBDIR, f"lib{name}.a") for name in names}
            flags = [archives.get(flag, flag) for flag in flags]
        elif kind == "shared":
            place = support.run("pkg-config", "--variable=libdir", module, env=FROM_STAGE).strip()
            flags.append(f"-Wl,-rpath,{place}")
        else:
            flags.insert(0, "-static")
        support.run(*compiler, os.path.join(HERE, source), "-o", program, *flags)
        return program

    def check_libraries(self, program, kind, name):
        """Which of ours it needs at run time, and that a static one needs nothing."""
        text = support.run(support.setting("BDELTA_READELF"), "-d", program)
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
        self.assertEqual(needed == [], kind == "static")
        ours = [library for library in needed if "bdelta" in library]
        self.assertEqual(ours, [f"lib{name}.so.{support.soversion()}"] if kind == "shared" else [])

    def make_and_update(self, maker, updater):
        old, new = self.pair()
        for name in ("patch", "made"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        support.run(maker, old, new, self.path("patch"))
        support.run(updater, old, self.path("patch"), self.path("made"))
        self.assertEqual(self.get("made"), self.get("new"))

    def test_cpp_by_find_package(self):
        for kind in self.kinds():
            programs = self.by_find_package("consumer_cpp", kind)
            maker, updater = os.path.join(programs, "maker"), os.path.join(programs, "updater")
            self.check_libraries(updater, kind, "bdelta-apply")
            self.check_libraries(maker, kind, "bdelta")
            self.make_and_update(maker, updater)

    def test_cpp_by_pkg_config(self):
        for kind in self.kinds():
            maker = self.by_pkg_config("consumer_cpp/maker.cpp", "bdelta", kind)
            updater = self.by_pkg_config("consumer_cpp/updater.cpp", "bdelta-apply", kind)
            self.check_libraries(updater, kind, "bdelta-apply")
            self.check_libraries(maker, kind, "bdelta")
            self.make_and_update(maker, updater)

    @unittest.skipUnless(os.path.exists(HEADER_OF_C), "this version has no bdelta.h")
    def test_c_by_both(self):
        old, new = self.pair()
        support.run(support.BDELTA, old, new, self.path("patch"))
        for kind in self.kinds():
            updaters = [os.path.join(self.by_find_package("consumer_c", kind), "updater"),
                        self.by_pkg_config("consumer_c/updater.c", "bdelta-apply", kind)]
            for updater in updaters:
                self.check_libraries(updater, kind, "bdelta-apply")
                support.run(updater, old, self.path("patch"), self.path("made"))
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
