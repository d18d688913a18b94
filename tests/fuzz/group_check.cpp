#include "fuzz/group_check.hpp"

#include "delta/op.hpp"
#include "format/native/group_reader.hpp"
#include "io/memory_io.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

constexpr std::uint64_t kMemoryBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kSourceBytes = 1 << 16;

// Ascending and apart, as a reader proves before it uses them.
Covers take_covers(Input& input, std::uint64_t target_bytes) {
  Covers covers;
  std::uint64_t pos = 0;
  for (std::size_t count = input.u8() & 15; count > 0; --count) {
    pos += input.u8();
    const std::uint64_t source_pos = input.u16();
    const std::uint64_t length = std::min<std::uint64_t>(1 + input.u8(), kSourceBytes - source_pos);
    if (pos + length > target_bytes) break;
    covers.push_back({source_pos, pos, length});
    pos += length;
  }
  return covers;
}

// The head's size, then its first byte.
void set_form(MutableByteSpan body, bool packed) {
  std::size_t at = 0;
  while (at < body.size() && body[at] >= 0x80) ++at;
  if (at + 1 >= body.size()) return;
  body[at + 1] = static_cast<std::uint8_t>(packed ? body[at + 1] | native::kFormPacked : 0);
}

struct Target {
  std::uint64_t size = 0;
  std::uint64_t pos = 0;
  std::int64_t diagonal = 0;
  Covers covers;
};

// False where the window is nothing that could be executed; whoever applies a patch ends there.
bool check_window(const WindowRecord& record, GroupKind kind, StreamBytes& streams, Target& target) {
  if (kind == GroupKind::kCovers) {
    const Status decoded = decode_covers(record, streams, target.pos, target.diagonal, target.covers);
    target.pos += record.target_length;
    return static_cast<bool>(decoded);
  }
  WindowDelta window;
  window.target_pos = target.pos;
  if (!decode_window(record, streams, target.diagonal, window)) return false;
  require(window.target_length == record.target_length, "a window is as long as the table says");
  target.pos += window.target_length;
  return static_cast<bool>(validate_window(window, kSourceBytes));
}

void check_body(io::TypedReader& reader, const native::Header& header, std::uint64_t body_bytes, GroupKind kind,
                CoverStreams* covers) {
  native::GroupReader group(reader, header, reader.position() + body_bytes, kind, covers);
  Target target{header.target_size, 0, 0, {}};
  Status status = group.open(target.size);
  if (!status) return require(status.error().code != ErrorCode::kInternal, "no group is an internal error");
  StreamBytes streams;
  while (!group.at_end()) {
    const auto record = group.next(target.pos, target.diagonal, streams);
    if (!record || !check_window(*record, kind, streams, target)) return;
  }
  require(target.pos == target.size, "windows add up to their group");
  (void)group.close();
}

}  // namespace

void check_group(Input& input, bool packed) {
  const GroupKind kind = input.u8() % 2 == 0 ? GroupKind::kWhole : GroupKind::kCovers;
  native::Header header;
  header.target_size = 1 + input.u16();
  header.window_bytes = 1 + input.u16();
  header.decoder_memory_bytes = kMemoryBytes;
  header.required_features = native::kFeaturePrediction;
  const Covers covers = kind == GroupKind::kWhole ? take_covers(input, header.target_size) : Covers();
  CoverStreams cover_streams(covers);
  test::GuardedBytes body(input.rest());
  set_form(body.writable(), packed);
  io::MemorySequentialReader from(body.bytes());
  io::TypedReader reader(from, 256);
  check_body(reader, header, body.bytes().size(), kind, &cover_streams);
}

}  // namespace bdelta::fuzz
