// Outputs with holes: what is all zeros need not be written.
#pragma once

#include <filesystem>

#include "bdelta/io.hpp"
#include "io/counters.hpp"
#include "io/file_handle.hpp"

namespace bdelta::io {

// As write_fully, but leaves out blocks of zeros, and zeros of blocks that begin or end outside of `bytes`: nothing was
// written there before, so they read as zeros anyway. The file may end too early then.
Status write_around_zeros(const FileHandle& file, std::uint64_t pos, ByteSpan bytes, const std::filesystem::path& path,
                          IoCounters* counters);

}  // namespace bdelta::io
