// A number of each stream through the context coder, the others known; and a byte of a codec's own.
#include "base/deciding/prices.hpp"
#include "format/native/group_writer.hpp"
#include "format/native/layout.hpp"
#include "model/window_packer.hpp"
#include "model/window_unpacker.hpp"
#include "prices.hpp"
#include "support/generate.hpp"
#include "support/whole_code.hpp"

namespace bdelta::bench {
namespace {

constexpr std::size_t kSourceBytes = std::size_t{8} << 20;
constexpr std::uint64_t kWindowBytes = std::uint64_t{4} << 20;

// Copies of some hundred bytes, half of them on a diagonal that was there before. Some literals lie between two. Here and
// there a byte differs by one of few values.
struct Edited {
  Bytes target;
  Covers covers;
};
Edited edit(const Bytes& source) {
  test::Random random(1);
  Edited edited;
  std::uint64_t source_pos = 0;
  while (source_pos + 4096 < source.size()) {
    const std::uint64_t length = 16 + random.below(random.below(8) == 0 ? 2048 : 256);
    edited.covers.push_back({source_pos, edited.target.size(), length});
    for (std::uint64_t i = 0; i < length; ++i) {
      const std::uint8_t change = random.below(40) == 0 ? static_cast<std::uint8_t>(8 * random.between(1, 6)) : 0;
      edited.target.push_back(static_cast<std::uint8_t>(source[static_cast<std::size_t>(source_pos + i)] + change));
    }
    source_pos += length;
    const std::uint64_t literals = random.below(2) == 0 ? 0 : random.between(1, 24);
    append(edited.target, test::wordy_bytes(static_cast<std::size_t>(literals), random.next()));
    source_pos += random.below(2) == 0 ? literals : 4 * random.below(16);
  }
  return edited;
}

struct WindowStreams {
  WindowRecord record;
  StreamBytes streams;
};
std::vector<WindowStreams> windows_of(const GroupDraft& draft) {
  std::vector<WindowStreams> windows;
  std::array<std::size_t, kStreamCount> taken{};
  for (const WindowRecord& record : draft.windows) {
    windows.push_back({record, {}});
    for (std::size_t s = 0; s < kStreamCount; ++s) {
      const auto from = draft.streams[s].begin() + static_cast<std::ptrdiff_t>(taken[s]);
      windows.back().streams[s].assign(from, from + static_cast<std::ptrdiff_t>(record.sizes[s]));
      taken[s] += static_cast<std::size_t>(record.sizes[s]);
    }
  }
  return windows;
}

void unpack(const PackedGroup& packed, const std::vector<WindowStreams>& windows) {
  test::WholeCode feed(packed.code);
  WindowUnpacker unpacker(packed.scope, feed);
  for (const WindowStreams& window : windows) {
    WindowRecord record = window.record;
    StreamBytes streams = window.streams;
    if (record.plain) {
      unpacker.plain(record);
    } else {
      expect(static_cast<bool>(unpacker.unpack(record, streams)), "a window of the context coder");
    }
  }
  expect(unpacker.ends_well(), "the end of a code");
}

std::uint64_t number_count(const GroupDraft& draft, std::size_t stream) {
  if (stream == kResidualValues) return draft.streams[stream].size();
  std::uint64_t count = 0;
  for (const WindowRecord& record : draft.windows) count += is_residual(stream) ? record.run_count : record.copy_count;
  return count;
}

void decode(const native::CodedStream& coded, ByteSpan raw) {
  auto decoder = make_decoder(coded.codec, coded.window_log);
  expect(static_cast<bool>(decoder), "a decoder");
  Bytes out;
  for (const Bytes& frame : coded.frames) {
    out.resize(std::min<std::size_t>(native::kMaxFrameBytes, raw.size()));
    expect(static_cast<bool>((*decoder)->decode(frame, out)), "a frame");
    raw = raw.subspan(out.size());
  }
}

}  // namespace

void measure_numbers(Prices& prices) {
  const Bytes source = test::wordy_bytes(kSourceBytes, 1);
  const Edited edited = edit(source);
  const GroupDraft draft = encode_group(source, edited.target, edited.covers, {{0, edited.target.size(), false, 0}}, kWindowBytes);
  const std::vector<WindowStreams> windows = windows_of(draft);
  // Without the work that all of them share: what it takes to hand the windows over.
  const double shared_ns = least_ns([&] { expect(!std::vector<WindowStreams>(windows).empty(), "windows"); });
  for (std::size_t s = 0; s <= kResidualValues; ++s) {
    const PackedGroup packed = pack_group(draft, fitting_scope(draft, 1u << s));
    const double ns = least_ns([&] { unpack(packed, windows); }) - shared_ns;
    prices.push_back({"kNumberNs[" + std::to_string(s) + "]", static_cast<double>(kNumberNs[s]),
                      ns / static_cast<double>(number_count(draft, s))});
  }
  const ByteSpan literals = ByteSpan(edited.target).first(std::size_t{4} << 20);
  const auto coded = native::compress_stream(literals, {CodecId::kLzma, 6, 0});
  expect(coded && coded->codec == CodecId::kLzma, "a stream of LZMA");
  const auto zstd = native::compress_stream(literals, {CodecId::kZstd, 9, 0});
  expect(zstd && zstd->codec == CodecId::kZstd, "a stream of zstd");
  const double raw_ns = least_ns([&] { decode(*zstd, literals); });
  prices.push_back({"kRawByteNs", static_cast<double>(kRawByteNs), raw_ns / static_cast<double>(literals.size())});
  const double ns = least_ns([&] { decode(*coded, literals); });
  prices.push_back({"kCodedByteNs", static_cast<double>(kCodedByteNs), ns / static_cast<double>(native::coded_bytes(*coded))});
}

}  // namespace bdelta::bench
