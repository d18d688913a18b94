#include "format/native/group_writer.hpp"

#include <algorithm>

#include "base/varint.hpp"
#include "format/native/layout.hpp"

namespace bdelta::native {
namespace {

constexpr std::uint64_t kShortStream = 24;        // no codec earns its own bytes back below
constexpr std::uint64_t kProbeLeast = 256 * 1024;  // bytes of a stream below which no probe is worth it
constexpr std::uint64_t kProbeGain = 500;          // the probe must save one byte in so many

Result<std::vector<Bytes>> encode_frames(const Bytes& raw, const CodecSettings& settings) {
  auto encoder = make_encoder(settings, raw.size());
  if (!encoder) return std::move(encoder).error();
  std::vector<Bytes> frames;
  Bytes frame;  // codecs want room that few frames use, so what is kept is a copy of the right size
  for (std::size_t begin = 0; begin < raw.size(); begin += kMaxFrameBytes) {
    const std::size_t length = std::min<std::size_t>(kMaxFrameBytes, raw.size() - begin);
    frame.clear();
    Status done = (*encoder)->encode(ByteSpan(raw).subspan(begin, length), begin + length == raw.size(), frame);
    if (!done) return std::move(done).error();
    frames.emplace_back(frame.begin(), frame.end());
  }
  return frames;
}

std::uint64_t total_bytes(const std::vector<Bytes>& frames) {
  std::uint64_t total = 0;
  for (const Bytes& frame : frames) total += frame.size();
  return total;
}

// A slow codec is not let loose on what a fast one finds nothing in: data that is compressed or random already.
Result<bool> looks_compressible(const Bytes& raw, const CodecSettings& settings) {
  if (settings.id != CodecId::kLzma || raw.size() < kProbeLeast) return true;
  auto probe = encode_frames(raw, {CodecId::kZstd, 1, 0});
  if (!probe) return std::move(probe).error();
  return total_bytes(*probe) < raw.size() - raw.size() / kProbeGain;
}

void append_window(Bytes& head, const WindowRecord& window) {
  append_varint(head, window.target_length << 1 | (window.plain ? 0 : 1));
  if (window.plain) {
    append_varint(head, zigzag(window.diagonal_change));
    return;
  }
  append_le(head, window.checksum);
  append_varint(head, window.copy_count);
  std::uint8_t present = 0;
  for (std::size_t i = 0; i < kStreamCount; ++i) present |= static_cast<std::uint8_t>((window.sizes[i] != 0) << i);
  head.push_back(present);
  for (const std::uint64_t size : window.sizes) {
    if (size != 0) append_varint(head, size);
  }
}

Bytes encode_head(const GroupDraft& draft, const std::vector<CodedStream>& coded) {
  Bytes head;
  append_varint(head, draft.windows.size());
  for (const WindowRecord& window : draft.windows) append_window(head, window);
  // Which streams the group has follows from its windows.
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (draft.streams[i].empty()) continue;
    const bool windowed = coded[i].codec != CodecId::kStore;
    head.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(coded[i].codec) |
                                             (windowed ? (coded[i].window_log - kMinWindowLog) << 4 : 0)));
  }
  return head;
}

struct FrameRef {
  std::size_t first_window;  // that needs a byte of it
  std::size_t stream;
  std::size_t index;
};

// Every frame stands before the first window that needs it: a reader never holds more than its windows ask for.
std::vector<FrameRef> frame_order(const GroupDraft& draft, const std::vector<CodedStream>& coded) {
  std::vector<FrameRef> order;
  for (std::size_t stream = 0; stream < kStreamCount; ++stream) {
    std::size_t window = 0;
    std::uint64_t end = draft.windows.empty() ? 0 : draft.windows[0].sizes[stream];
    for (std::size_t index = 0; index < coded[stream].frames.size(); ++index) {
      while (end <= index * kMaxFrameBytes) end += draft.windows[++window].sizes[stream];
      order.push_back({window, stream, index});
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const FrameRef& a, const FrameRef& b) { return a.first_window < b.first_window; });
  return order;
}

Result<CodedStream> store_stream(const Bytes& raw) {
  auto frames = encode_frames(raw, {});
  if (!frames) return std::move(frames).error();
  CodedStream coded;
  coded.frames = std::move(*frames);
  return coded;
}

}  // namespace

Result<CodedStream> compress_stream(const Bytes& raw, const CodecSettings& settings) {
  CodedStream coded;
  if (raw.size() >= kShortStream && settings.id != CodecId::kStore) {
    auto worth = looks_compressible(raw, settings);
    if (!worth) return std::move(worth).error();
    if (!*worth) return store_stream(raw);
    auto frames = encode_frames(raw, settings);
    if (!frames) return std::move(frames).error();
    if (total_bytes(*frames) < raw.size()) {
      coded.codec = settings.id;
      coded.window_log = window_log_for(raw.size(), settings.max_window_log);
      coded.frames = std::move(*frames);
      return coded;
    }
  }
  return store_stream(raw);
}

CodedGroup assemble_group(const GroupDraft& draft, const std::vector<CodedStream>& coded) {
  const Bytes head = encode_head(draft, coded);
  Bytes body;
  append_varint(body, head.size());
  append(body, head);
  CodedGroup group;
  std::size_t frame_bytes = 0;
  for (const CodedStream& stream : coded) frame_bytes += total_bytes(stream.frames) + stream.frames.size() * 16;
  body.reserve(body.size() + frame_bytes);
  for (const FrameRef& ref : frame_order(draft, coded)) {
    const Bytes& frame = coded[ref.stream].frames[ref.index];
    const std::uint64_t raw = std::min<std::uint64_t>(kMaxFrameBytes, draft.streams[ref.stream].size() - ref.index * kMaxFrameBytes);
    body.push_back(static_cast<std::uint8_t>(ref.stream));
    if (coded[ref.stream].codec != CodecId::kStore) append_varint(body, frame.size());
    append_varint(body, raw);
    append(body, frame);
  }
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (!draft.streams[i].empty()) group.memory_bytes += decoder_memory_bytes(coded[i].codec, coded[i].window_log);
  }
  group.record.push_back(static_cast<std::uint8_t>(RecordTag::kGroup));
  std::uint64_t target_bytes = 0;
  for (const WindowRecord& window : draft.windows) target_bytes += window.target_length;
  append_varint(group.record, target_bytes);
  append_varint(group.record, body.size());
  group.body = std::move(body);
  return group;
}

}  // namespace bdelta::native
