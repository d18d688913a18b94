// Where the types of kernel modules lie in a file.
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "parallel/watch.hpp"

namespace bdelta::exe {

// The positions of the headers of BTF in the sections of that name of all relocatable ELF objects of the file, ascending.
// They are those of sound lists of types, each with its header behind the list before. Only the first kMostNumberLists
// are given. Little-endian objects, at any offset. The watch may be null.
[[nodiscard]] std::vector<std::uint64_t> find_btf(ByteSpan file, Watch* watch = nullptr);

}  // namespace bdelta::exe
