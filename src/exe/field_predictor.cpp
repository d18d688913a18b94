#include "exe/field_predictor.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kLargestField = 8;

}  // namespace

void FieldPredictor::predict(std::uint32_t cover, std::uint64_t begin, MutableByteSpan bytes, Cache& cache) const {
  const Cover& whole = map_.covers()[cover];
  const std::uint64_t piece_begin = whole.source_pos + begin;
  const std::uint64_t piece_end = piece_begin + bytes.size();
  // A field that reaches into the piece begins less than its size before it.
  const std::uint64_t from = piece_begin - std::min(begin, kLargestField - 1);
  const std::uint64_t until = std::min(piece_end + kLargestField - 1, whole.source_end());
  source_.for_each_field(from, until, cache.fields_, [&](const Field& field) {
    const std::size_t size = field_bytes(field.form);
    if (!has_kind(kinds_, field.kind) || field.pos + size <= piece_begin || field.pos >= piece_end) return;
    if (cache.predictor_.stays(field, cover)) return;
    Prediction prediction;
    if (!cache.predictor_.predict(field, cover, prediction)) return;
    if (field.pos >= piece_begin && field.pos + size <= piece_end) {
      std::uint8_t* at = bytes.data() + (field.pos - piece_begin);
      (void)write_field(at, field, prediction.origin, prediction.target_address);
      return;
    }
    std::array<std::uint8_t, kLargestField> copy{};
    std::memcpy(copy.data(), source_.file().data() + field.pos, size);
    (void)write_field(copy.data(), field, prediction.origin, prediction.target_address);
    const std::uint64_t first = std::max(field.pos, piece_begin);
    const std::uint64_t last = std::min(field.pos + size, piece_end);
    std::memcpy(bytes.data() + (first - piece_begin), copy.data() + (first - field.pos), last - first);
  });
  put_tables(tables_, piece_begin, bytes);
}

}  // namespace bdelta::exe
