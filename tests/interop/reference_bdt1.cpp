#include "interop/reference_bdt1.hpp"

#include <cstddef>

namespace bdelta::test {
namespace {

std::uint32_t u32_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at]) | static_cast<std::uint32_t>(bytes[at + 1]) << 8 |
         static_cast<std::uint32_t>(bytes[at + 2]) << 16 | static_cast<std::uint32_t>(bytes[at + 3]) << 24;
}

ReferenceResult complain(const char* what) { return {false, what, {}}; }

}  // namespace

ReferenceResult reference_bdt1_apply(const std::vector<std::uint8_t>& old_bytes,
                                     const std::vector<std::uint8_t>& patch) {
  constexpr std::size_t kHeader = 18;
  if (patch.size() < kHeader) return complain("shorter than a header");
  if (patch[0] != 'B' || patch[1] != 'D' || patch[2] != 'T') return complain("not a BDT file");
  if (patch[3] != 1 || patch[4] != 0) return complain("unsupported version");
  if (patch[5] != 4) return complain("unsupported file pointer size");
  const std::uint64_t new_size = u32_at(patch, 10);
  const std::uint64_t match_count = u32_at(patch, 14);
  if ((patch.size() - kHeader) / 12 < match_count) return complain("table of matches is cut off");

  ReferenceResult result;
  std::size_t literal_at = kHeader + static_cast<std::size_t>(match_count) * 12;
  const auto take_literals = [&](std::uint64_t count) {
    if (patch.size() - literal_at < count) return false;
    result.target.insert(result.target.end(), patch.begin() + static_cast<std::ptrdiff_t>(literal_at),
                         patch.begin() + static_cast<std::ptrdiff_t>(literal_at + count));
    literal_at += static_cast<std::size_t>(count);
    return true;
  };

  std::int64_t file_pos = 0;  // of the file of old bytes
  std::uint64_t left = new_size;
  for (std::uint64_t i = 0; i < match_count; ++i) {
    const std::size_t at = kHeader + static_cast<std::size_t>(i) * 12;
    const auto step = static_cast<std::int32_t>(u32_at(patch, at));
    const std::uint64_t literals = u32_at(patch, at + 4);
    const std::uint64_t length = u32_at(patch, at + 8);
    if (literals + length > left) return complain("matches add up to more than the new size");
    left -= literals + length;
    if (!take_literals(literals)) return complain("literals are cut off");
    file_pos += step;  // fseek(ref, (int)copyloc, SEEK_CUR)
    if (file_pos < 0) return complain("seek to before the start");
    for (std::uint64_t k = 0; k < length; ++k, ++file_pos) {
      if (static_cast<std::uint64_t>(file_pos) >= old_bytes.size()) return complain("read beyond the end");
      result.target.push_back(old_bytes[static_cast<std::size_t>(file_pos)]);
    }
  }
  if (!take_literals(left)) return complain("literals are cut off");
  if (literal_at != patch.size()) return complain("bytes are left over");
  result.ok = true;
  return result;
}

}  // namespace bdelta::test
