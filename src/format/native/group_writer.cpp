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
  for (std::size_t begin = 0; begin < raw.size(); begin += kMaxFrameBytes) {
    const std::size_t length = std::min<std::size_t>(kMaxFrameBytes, raw.size() - begin);
    frames.emplace_back();
    Status done = (*encoder)->encode(ByteSpan(raw).subspan(begin, length), begin + length == raw.size(), frames.back());
    if (!done) return std::move(done).error();
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

void append_window(Bytes& head, const WindowRecord& window, const PackedGroup* packed) {
  append_varint(head, window.target_length << 1 | (window.plain ? 0 : 1));
  if (window.plain) {
    append_varint(head, zigzag(window.diagonal_change));
    return;
  }
  append_le(head, window.checksum);
  append_varint(head, window.copy_count);
  if (packed) {
    append_varint(head, window.run_count);
    for (std::size_t i = 0; i <= kResidualValues; ++i) {
      const bool used = (i <= kDiagonals ? window.copy_count : window.run_count) > 0;
      if (used && !packed->scope.has(i)) append_varint(head, window.sizes[i]);
    }
    return;
  }
  std::uint8_t present = 0;
  for (std::size_t i = 0; i < kStreamCount; ++i) present |= static_cast<std::uint8_t>((window.sizes[i] != 0) << i);
  head.push_back(present);
  for (const std::uint64_t size : window.sizes) {
    if (size != 0) append_varint(head, size);
  }
}

std::uint8_t form_of(const GroupDraft& draft, const PackedGroup* packed) {
  if (!packed) return 0;
  return static_cast<std::uint8_t>(kFormPacked | (draft.streams[kLiterals].empty() ? 0 : kFormLiterals) |
                                   packed->scope.table_log << kFormTableShift);
}

Bytes encode_head(const GroupDraft& draft, const CodedStreams& coded) {
  const PackedGroup* packed = coded.packed ? &*coded.packed : nullptr;
  Bytes head;
  head.push_back(form_of(draft, packed));
  if (packed) head.push_back(static_cast<std::uint8_t>(packed->scope.streams));
  append_varint(head, draft.windows.size());
  for (const WindowRecord& window : draft.windows) append_window(head, window, packed);
  // Which streams the group has follows from its form and its windows.
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (draft.streams[i].empty() || (packed && packed->scope.has(i))) continue;
    const CodedStream& stream = coded.streams[i];
    const bool windowed = stream.codec != CodecId::kStore;
    head.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(stream.codec) |
                                             (windowed ? (stream.window_log - kMinWindowLog) << 4 : 0)));
  }
  return head;
}

// A frame on its way into the body.
struct FrameRef {
  std::size_t first_window;  // that needs a byte of it
  std::size_t stream;
  std::size_t index;
  bool is_code;
};

void order_stream(const GroupDraft& draft, std::size_t stream, std::size_t frame_count, std::vector<FrameRef>& order) {
  std::size_t window = 0;
  std::uint64_t end = draft.windows.empty() ? 0 : draft.windows[0].sizes[stream];
  for (std::size_t index = 0; index < frame_count; ++index) {
    while (end <= index * kMaxFrameBytes) end += draft.windows[++window].sizes[stream];
    order.push_back({window, stream, index, false});
  }
}

void order_code(const GroupDraft& draft, const PackedGroup& packed, std::vector<FrameRef>& order) {
  std::size_t window = 0;
  for (std::size_t index = 0; index * kMaxFrameBytes < packed.code.size(); ++index) {
    while (draft.windows[window].plain || packed.taken_bytes[window] <= index * kMaxFrameBytes) ++window;
    order.push_back({window, kCodeFrameId, index, true});
  }
}

// Every frame stands before the first window that needs it: a reader never holds more than its windows ask for. Where
// one window is the first for several, the code stands behind the streams that it is told from and before the literals.
std::vector<FrameRef> frame_order(const GroupDraft& draft, const CodedStreams& coded) {
  std::vector<FrameRef> order;
  for (std::size_t stream = 0; stream < kStreamCount; ++stream) {
    if (coded.packed && stream == kLiterals) order_code(draft, *coded.packed, order);
    if (!coded.packed || !coded.packed->scope.has(stream)) {
      order_stream(draft, stream, coded.streams[stream].frames.size(), order);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const FrameRef& a, const FrameRef& b) { return a.first_window < b.first_window; });
  return order;
}

void append_frame(Bytes& body, const GroupDraft& draft, const CodedStreams& coded, const FrameRef& ref) {
  body.push_back(static_cast<std::uint8_t>(ref.stream));
  const std::uint64_t begin = ref.index * kMaxFrameBytes;
  if (ref.is_code) {
    const Bytes& code = coded.packed->code;
    const std::uint64_t length = std::min<std::uint64_t>(kMaxFrameBytes, code.size() - begin);
    append_varint(body, length);
    append(body, ByteSpan(code).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(length)));
    return;
  }
  const CodedStream& stream = coded.streams[ref.stream];
  const Bytes& frame = stream.frames[ref.index];
  if (stream.codec != CodecId::kStore) append_varint(body, frame.size());
  append_varint(body, std::min<std::uint64_t>(kMaxFrameBytes, draft.streams[ref.stream].size() - begin));
  append(body, frame);
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
    auto fitted = fitted_settings(raw, settings);
    if (!fitted) return std::move(fitted).error();
    auto frames = encode_frames(raw, *fitted);
    if (!frames) return std::move(frames).error();
    if (total_bytes(*frames) < raw.size()) {
      coded.codec = settings.id;
      coded.window_log = window_log_for(raw.size());
      coded.frames = std::move(*frames);
      return coded;
    }
  }
  return store_stream(raw);
}

CodedGroup assemble_group(const GroupDraft& draft, const CodedStreams& coded) {
  const Bytes head = encode_head(draft, coded);
  Bytes body;
  append_varint(body, head.size());
  append(body, head);
  CodedGroup group;
  for (const FrameRef& ref : frame_order(draft, coded)) append_frame(body, draft, coded, ref);
  if (coded.packed) group.memory_bytes += model_memory_bytes(coded.packed->scope);
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (draft.streams[i].empty() || (coded.packed && coded.packed->scope.has(i))) continue;
    group.memory_bytes += decoder_memory_bytes(coded.streams[i].codec, coded.streams[i].window_log);
  }
  group.body_bytes = body.size();
  group.record.push_back(static_cast<std::uint8_t>(RecordTag::kGroup));
  std::uint64_t target_bytes = 0;
  for (const WindowRecord& window : draft.windows) target_bytes += window.target_length;
  append_varint(group.record, target_bytes);
  append_varint(group.record, body.size());
  append(group.record, body);
  return group;
}

}  // namespace bdelta::native
