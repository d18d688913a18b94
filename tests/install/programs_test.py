"""bpatch is for updaters: it holds the half of the library that applies, and little else."""
import os
import re
import unittest

import support

OWN_BYTES = 300 * 1024  # what bpatch may have beside the library and the runtime of C++

# Streams, paths, threads and the rest of the runtime that any program with options and JSON brings along.
RUNTIME_ALONE = """
#include <filesystem>
#include <iostream>
#include <locale>
#include <sstream>
#include <thread>
int main() {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << 1.5 << std::filesystem::path("a").filename();
  std::thread([] {}).join();
  std::cout << text.str() << std::endl;
}
"""


class Programs(support.Case):
    def stripped_bytes(self, path):
        out = self.path("stripped")
        support.run(support.setting("BDELTA_STRIP"), "-o", out, path)
        return os.path.getsize(out)

    def test_bpatch_uses_no_encoder(self):
        text = support.run(support.setting("BDELTA_NM"), "-D", "-u", support.BPATCH)
        used = set(re.findall(r"U (ZSTD_\w+|lzma_\w+)", text))
        self.assertTrue(used)
        self.assertEqual([name for name in used if re.search(r"encoder|(?<!de)compress", name.lower())], [])

    @unittest.skipUnless(os.environ.get("BDELTA_FOR_SIZE") == "1", "the limit is for builds that compile it for size")
    def test_bpatch_is_the_library_the_runtime_and_little_else(self):
        source = self.put("runtime.cpp", RUNTIME_ALONE.encode())
        runtime = self.path("runtime")
        support.run(support.setting("CXX"), "-std=c++20", "-O2", source, "-o", runtime, "-static-libstdc++", "-static-libgcc")
        library = self.stripped_bytes(os.path.join(support.LIBDIR, "libbdelta-apply.so"))
        limit = library + self.stripped_bytes(runtime) + OWN_BYTES
        self.assertLessEqual(self.stripped_bytes(support.BPATCH), limit)


if __name__ == "__main__":
    unittest.main()
