// The header of version 2, both as it comes and with the fields of the input between a magic and a checksum that fit.
// Searches for reads behind the end, and for headers that mean something else once they are written again.
#include "format/native/layout.hpp"
#include "fuzz/fuzz_input.hpp"
#include "io/memory_io.hpp"
#include "support/guard_page.hpp"
#include "support/read_plan.hpp"

namespace bdelta::fuzz {
namespace {

constexpr std::uint64_t kMemoryLimit = 1 << 20;

void open(ByteSpan patch) {
  io::MemorySequentialReader from(patch);
  io::TypedReader reader(from, 64);
  const auto opened = test::open_patch(reader, kMemoryLimit);
  if (!opened) return require(opened.error().code != ErrorCode::kInternal, "no patch is an internal error");
  require((*opened)->info().decoder_memory_bytes <= kMemoryLimit, "the limit of memory holds");
}

void check_fields(ByteSpan fields) {
  const auto header = native::decode_header_fields(fields);
  if (!header) return;
  const Bytes encoded = native::encode_header(*header);
  // Only fields of later versions are left out.
  constexpr std::size_t kBefore = 6;
  const std::size_t length_bytes = encoded[kBefore] < 0x80 ? 1 : 2;
  const ByteSpan kept = ByteSpan(encoded).subspan(kBefore + length_bytes, encoded.size() - kBefore - length_bytes - 4);
  require(kept.size() <= fields.size() && std::equal(kept.begin(), kept.end(), fields.begin()),
          "a header is written as it was read");
}

Bytes framed(ByteSpan fields) {
  Bytes patch;
  patch.reserve(fields.size() + 32);
  append(patch, native::kMagic);
  append_le(patch, native::kVersion);
  patch.push_back(native::kDraft);
  append_varint(patch, fields.size());
  append(patch, fields);
  append_le(patch, xxh3_32(patch));
  return patch;
}

}  // namespace

void run(Input& input) {
  const test::GuardedBytes bytes(input.rest());
  open(bytes.bytes());
  check_fields(bytes.bytes());
  const test::GuardedBytes patch(framed(bytes.bytes()));
  open(patch.bytes());
}

}  // namespace bdelta::fuzz
