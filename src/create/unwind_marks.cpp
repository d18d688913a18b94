#include "create/unwind_marks.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace bdelta {
namespace {

// Where in the file unwind information begins, and where in NEW the first function begins that it belongs to.
struct Unwound {
  std::uint64_t pos = 0;
  std::uint64_t start = 0;
};

// Of a table of functions of PE. lead(address, start) says where in NEW what begins at an address does; false: nowhere.
template <class Lead>
std::vector<Unwound> unwound_by(const exe::Program& program, const exe::SortedTable& table, Lead&& lead) {
  const ByteSpan file = program.file();
  const exe::Images& images = program.images();
  const exe::Image& image = images.all[table.image];
  const std::size_t entry_bytes = exe::entry_bytes(table.kind, image.machine);
  std::vector<Unwound> all;
  for (std::uint64_t at = table.pos; at < table.pos + table.size_bytes; at += entry_bytes) {
    const std::uint64_t start = image.base_address + load_le<std::uint32_t>(file.data() + at);
    const std::uint64_t unwind = image.base_address + load_le<std::uint32_t>(file.data() + at + entry_bytes - 4);
    Unwound one;
    if (unwind % 4 != 0 || !images.layouts[table.image].file_pos_of(unwind, one.pos)) continue;
    if (lead(start, one.start)) all.push_back(one);
  }
  std::sort(all.begin(), all.end(), [](const Unwound& a, const Unwound& b) {
    return std::tie(a.pos, a.start) < std::tie(b.pos, b.start);
  });
  const auto same_pos = [](const Unwound& a, const Unwound& b) { return a.pos == b.pos; };
  all.erase(std::unique(all.begin(), all.end(), same_pos), all.end());
  return all;
}

// Changes the head of unwind information to a number of itself and of the function.
void mark(const std::vector<Unwound>& all, ByteSpan file, MutableByteSpan image) {
  for (const Unwound& one : all) {
    if (image.size() - one.pos < 4) continue;
    const std::uint64_t head = load_le<std::uint32_t>(file.data() + one.pos);
    const std::uint64_t number = (one.start ^ head << 32) * 0x9E3779B97F4A7C15u;
    store_le(image.data() + one.pos, static_cast<std::uint32_t>(number >> 32));
  }
}

}  // namespace

void mark_unwind_of_old(const exe::Program& source, const exe::SortedTable& table, const exe::Predictor& predictor,
                        std::size_t target_image, MutableByteSpan image) {
  const auto lead = [&](std::uint64_t address, std::uint64_t& start) {
    return predictor.lead(table.image, address, target_image, start);
  };
  mark(unwound_by(source, table, lead), source.file(), image);
}

void mark_unwind_of_new(const exe::Program& target, const exe::SortedTable& table, MutableByteSpan image) {
  const auto stay = [](std::uint64_t address, std::uint64_t& start) {
    start = address;
    return true;
  };
  mark(unwound_by(target, table, stay), target.file(), image);
}

}  // namespace bdelta
