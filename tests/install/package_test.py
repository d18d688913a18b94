"""The Debian packages: built by cpack, liked by lintian, installed into an empty root, run from there, removed again."""
import glob
import gzip
import os
import re
import shutil
import stat
import tempfile
import unittest

import support

# Debian names the package of a shared library after its SONAME.
LIBRARIES = {f"{name}{support.soversion()}": name for name in ("libbdelta", "libbdelta-apply")}
PACKAGES = (*LIBRARIES, "bdelta", "libbdelta-dev")
# What lintian may remark on: options of the compiler are those of who builds (dpkg-buildflags has Debian's), and a list of
# symbols of C++ differs from compiler to compiler.
REMARKS = {"hardening-no-bindnow", "hardening-no-fortify-functions", "no-symbols-control-file"}


class Package(support.Case):
    files = {}  # of each package; made once

    def setUp(self):
        super().setUp()
        for tool in ("dpkg", "dpkg-deb", "dpkg-shlibdeps"):
            support.need(self, tool)
        if not self.files:
            output = tempfile.mkdtemp(prefix="bdelta-packages-")
            self.addClassCleanup(shutil.rmtree, output, ignore_errors=True)
            support.run("cpack", "-G", "DEB", "-B", output, cwd=support.BUILD)
            for path in glob.glob(os.path.join(output, "*.deb")):
                self.files[os.path.basename(path).split("_")[0]] = path
        self.assertEqual(set(self.files), set(PACKAGES))

    def field(self, package, name):
        return support.run("dpkg-deb", "-f", self.files[package], name).strip()

    def unpack(self, package):
        """Into a directory of its name; returns where its control files are."""
        support.run("dpkg-deb", "--raw-extract", self.files[package], self.path(package))
        return self.path(package, "DEBIAN")

    def names_in(self, package):
        lines = support.run("dpkg-deb", "-c", self.files[package]).splitlines()
        return [line.split(" ./", 1)[1].split(" -> ")[0] for line in lines if not line.endswith("/")]

    def dpkg(self, root, *arguments):
        # Scripts of packages call ldconfig, which has nothing to do with a root apart: a stand-in is found first.
        tools = self.path("tools")
        os.makedirs(tools, exist_ok=True)
        stand_in = os.path.join(tools, "ldconfig")
        with open(stand_in, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nexit 0\n")
        os.chmod(stand_in, stat.S_IRWXU)
        path = os.pathsep.join([tools, os.environ["PATH"], "/usr/sbin", "/sbin"])
        return support.run("dpkg", f"--root={root}", "--force-not-root", "--force-depends", "--force-script-chrootless",
                           f"--log={self.path('log')}", *arguments, env={**os.environ, "PATH": path})

    def test_depends(self):
        for package in ("bdelta", *LIBRARIES):
            depends = self.field(package, "Depends")
            for library in ("libc6", "libzstd1", "liblzma5", "libxxhash0"):
                self.assertRegex(depends, rf"(^|, ){re.escape(library)} ", package)
        self.assertNotIn("libstdc++6", self.field("bdelta", "Depends"), "the programs hold the C++ runtime")
        depends = self.field("libbdelta-dev", "Depends")
        for package in LIBRARIES:
            self.assertIn("libstdc++6", self.field(package, "Depends"))
            self.assertIn(f"{package} (= {self.field(package, 'Version')})", depends)
        for library in ("libzstd-dev", "liblzma-dev", "libxxhash-dev"):
            self.assertIn(library, depends)

    def test_each_has_its_documents(self):
        for package in PACKAGES:
            names = self.names_in(package)
            self.unpack(package)
            documents = self.path(package, "usr", "share", "doc", package)
            self.assertEqual(support.read(documents, "copyright"), support.read("packaging", "copyright"))
            with gzip.open(os.path.join(documents, "changelog.gz"), "rt", encoding="utf-8") as file:
                self.assertEqual(file.read(), support.read("CHANGELOG.md"))
            with gzip.open(os.path.join(documents, "changelog.Debian.gz"), "rt", encoding="utf-8") as file:
                self.assertEqual(file.readline().split()[:2], ["bdelta", f"({self.field(package, 'Version')})"])
            for_people = package in ("bdelta", "libbdelta-dev")
            for name in ("README.md", "SECURITY.md", "docs/library.md", "docs/frontier.svg"):
                self.assertEqual(f"usr/share/doc/{package}/{name}" in names, for_people)
        for page in ("man1/bdelta.1.gz", "man1/bpatch.1.gz", "man5/bdelta-format.5.gz"):
            self.assertIn(f"usr/share/man/{page}", self.names_in("bdelta"))
        for page in ("man3/bdelta.3.gz", "man3/bdelta_apply_file.3.gz"):
            self.assertIn(f"usr/share/man/{page}", self.names_in("libbdelta-dev"))

    def test_versions_are_those_of_the_tree(self):
        for package in PACKAGES:
            self.assertEqual(self.field(package, "Version"), support.version() + "-0local1")
            self.assertEqual(self.field(package, "Source"), "bdelta")

    def test_each_library_is_in_the_package_of_its_name(self):
        for package, name in LIBRARIES.items():
            libraries = [path for path in self.names_in(package) if ".so" in path]
            place = f"usr/{support.setting('BDELTA_LIBDIR')}/{name}.so"
            self.assertEqual(sorted(libraries), [f"{place}.{support.soversion()}", f"{place}.{support.version()}"])
            control = self.unpack(package)
            self.assertEqual(set(os.listdir(control)), {"control", "md5sums", "shlibs", "triggers"})
            self.assertEqual(support.read(control, "triggers").strip(), "activate-noawait ldconfig")
            self.assertEqual(support.read(control, "shlibs").split()[:3], [name, support.soversion(), package])

    def test_lintian_has_no_complaint(self):
        lintian = support.need(self, "lintian")
        options = ["--display-info", "--fail-on", "none", *(["--allow-root"] if os.geteuid() == 0 else [])]
        found = support.run(lintian, *options, *self.files.values())
        remarks = [line for line in found.splitlines() if not line.startswith("N: ")]
        others = [line for line in remarks if line.split()[2] not in REMARKS or not line.startswith("I: ")]
        self.assertEqual(others, [])

    def test_links_in_documents_lead_to_what_is_there(self):
        for package in ("bdelta", "libbdelta-dev"):
            self.unpack(package)
            documents = self.path(package, "usr", "share", "doc", package)
            self.assertIn("docs/library.md", support.files_below(documents))
            self.assertEqual([], support.dead_links(documents))

    def test_none_holds_what_another_has(self):
        names = [name for package in PACKAGES for name in self.names_in(package)]
        self.assertEqual(len(names), len(set(names)))

    def test_installs_runs_and_leaves_nothing(self):
        root = self.path("root")
        admin = os.path.join(root, "var", "lib", "dpkg")
        for part in ("info", "updates", "triggers"):
            os.makedirs(os.path.join(admin, part))
        for name in ("status", "available"):
            with open(os.path.join(admin, name), "w", encoding="ascii"):
                pass
        self.dpkg(root, "--install", *(self.files[package] for package in PACKAGES))
        status = support.run("dpkg-query", f"--admindir={admin}", "-W", "-f", "${Package} ${db:Status-Status}\n")
        self.assertEqual(set(status.split("\n")[:-1]), {f"{package} installed" for package in PACKAGES})

        old, new = self.pair()
        binaries = os.path.join(root, "usr", "bin")
        support.run(os.path.join(binaries, "bdelta"), "--no-sync", old, new, self.path("patch"))
        support.run(os.path.join(binaries, "bpatch"), "--no-sync", old, self.path("made"), self.path("patch"))
        self.assertEqual(self.get("made"), self.get("new"))

        self.dpkg(root, "--purge", *PACKAGES)
        left = [os.path.join(where, name) for where, _, names in os.walk(root) for name in names]
        self.assertEqual([path for path in left if not path.startswith(admin)], [])
        self.assertEqual([name for name in os.listdir(root) if name != "var"], [])
        self.assertEqual([name for name in os.listdir(os.path.join(admin, "info")) if "bdelta" in name], [])


if __name__ == "__main__":
    unittest.main()
