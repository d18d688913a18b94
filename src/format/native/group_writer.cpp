#include "format/native/group_writer.hpp"

#include <algorithm>

#include "base/deciding/coding.hpp"
#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/compress_probe.hpp"
#include "format/native/layout.hpp"
#include "format/patch_limit.hpp"

namespace bdelta::native {
namespace {

Result<std::vector<Bytes>> encode_frames(ByteSpan raw, const CodecSettings& settings, const CompressContext& context) {
  std::unique_ptr<FrameEncoder> encoder;  // none for bytes that are stored
  if (settings.id != CodecId::kStore) {
    BDELTA_ASSIGN(encoder, make_encoder(settings, raw.size(), context.watch));
  }
  std::vector<Bytes> frames;
  frames.reserve(raw.size() / kMaxFrameBytes + 1);
  Bytes frame;  // codecs want room that few frames use, so what is kept is a copy of the right size
  for (std::size_t begin = 0; begin < raw.size(); begin += kMaxFrameBytes) {
    const std::size_t length = std::min<std::size_t>(kMaxFrameBytes, raw.size() - begin);
    ByteSpan coded = raw.subspan(begin, length);
    if (encoder) {
      frame.clear();
      BDELTA_TRY(encoder->encode(coded, begin + length == raw.size(), frame));
      coded = frame;
    }
    frames.emplace_back(coded.begin(), coded.end());
    if (context.watch) context.watch->advance(context.counts ? length : 0);
    if (context.budget) BDELTA_TRY(context.budget->spend(std::min(length, coded.size())));
  }
  return frames;
}

void append_window(Bytes& head, const WindowRecord& window, const CodedStreams& coded) {
  if (window.plain) {
    append_varint(head, window.target_length << 1);
    append_varint(head, zigzag(window.diagonal_change));
    return;
  }
  const unsigned kind = kWindowCoded | (window.predicted ? kWindowPredicted : 0) | (window.modelled ? kWindowModelled : 0) |
                        (window.covers ? kWindowCovers : 0);
  const unsigned streams = streams_of(window, coded.modelled);
  const auto has = [streams](std::size_t stream) { return (streams >> stream & 1) != 0; };
  append_varint(head, window.target_length << kWindowBits | kind);
  if (!window.covers) append_le(head, window.checksum);
  if (has(kCopyLengths)) append_varint(head, window.copy_count);
  if (coded.packed) {
    if (has(kResidualGaps)) append_varint(head, window.run_count);
    for (std::size_t i = 0; i <= kResidualValues; ++i) {
      const bool used = has(i) && (i <= kDiagonals ? window.copy_count : window.run_count) > 0;
      if (used && !coded.packed->scope.has(i)) append_varint(head, window.sizes[i]);
    }
    if (has(kModelledCode)) append_varint(head, window.sizes[kModelledCode]);
    return;
  }
  std::uint8_t present = 0;
  for (std::size_t i = 0; i < kStreamCount; ++i) present |= static_cast<std::uint8_t>((window.sizes[i] != 0) << i);
  head.push_back(present);
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (present >> i & 1) append_varint(head, window.sizes[i]);
  }
}

std::uint8_t form_of(const StreamSizes& sizes, const CodedStreams& coded) {
  unsigned form = modelled_streams(coded.modelled) != 0 ? kFormModelledBytes : 0;
  if (coded.packed) {
    const ModelScope& scope = coded.packed->scope;
    form |= kFormPacked | (sizes[kLiterals] == 0 ? 0 : kFormLiterals) | scope.table_log << kFormTableShift;
  }
  return static_cast<std::uint8_t>(form);
}

void append_modelled_scope(Bytes& head, const ModelledScope& scope) {
  head.push_back(static_cast<std::uint8_t>((scope.literals ? kModelledLiterals : 0) | (scope.misses ? kModelledMisses : 0) |
                                           (scope.lane_count == 2 ? kModelledTwoLanes : 0)));
  if (scope.literals) head.push_back(kLiteralModel);
  if (!scope.misses) return;
  head.push_back(kMissModel);
  head.push_back(static_cast<std::uint8_t>(scope.miss_log));
}

// Those that a reader needs for the models in the scope.
std::uint64_t modelled_features(const ModelledScope& scope) {
  return (scope.literals ? kFeatureModelledLiterals : 0) | (scope.misses ? kFeatureModelledMisses : 0);
}

Bytes encode_head(const std::vector<WindowRecord>& windows, const StreamSizes& sizes, const CodedStreams& coded) {
  const PackedGroup* packed = coded.packed ? &*coded.packed : nullptr;
  Bytes head;
  head.reserve(16 + 16 * windows.size());
  head.push_back(form_of(sizes, coded));
  if (packed) head.push_back(static_cast<std::uint8_t>(packed->scope.streams));
  if (modelled_streams(coded.modelled) != 0) append_modelled_scope(head, coded.modelled);
  append_varint(head, windows.size());
  for (const WindowRecord& window : windows) append_window(head, window, coded);
  // Which streams the group has follows from its form and its windows.
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (sizes[i] == 0 || (packed && packed->scope.has(i))) continue;
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

void order_stream(const std::vector<WindowRecord>& windows, std::size_t stream, std::size_t frame_count, std::vector<FrameRef>& order) {
  std::size_t window = 0;
  std::uint64_t end = windows.empty() ? 0 : windows[0].sizes[stream];
  for (std::size_t index = 0; index < frame_count; ++index) {
    while (end <= index * kMaxFrameBytes) end += windows[++window].sizes[stream];
    order.push_back({window, stream, index, false});
  }
}

void order_code(const std::vector<WindowRecord>& windows, const PackedGroup& packed, std::vector<FrameRef>& order) {
  std::size_t window = 0;
  for (std::size_t index = 0; index * kMaxFrameBytes < packed.code.size(); ++index) {
    while (windows[window].plain || packed.taken_bytes[window] <= index * kMaxFrameBytes) ++window;
    order.push_back({window, kCodeFrameId, index, true});
  }
}

// Every frame stands before the first window that needs it: a reader never holds more than its windows ask for. Where
// one window is the first for several, the code stands behind the streams that it is told from and before the literals.
std::vector<FrameRef> frame_order(const std::vector<WindowRecord>& windows, const CodedStreams& coded) {
  std::vector<FrameRef> order;
  for (std::size_t stream = 0; stream < kStreamCount; ++stream) {
    if (coded.packed && stream == kLiterals) order_code(windows, *coded.packed, order);
    if (!coded.packed || !coded.packed->scope.has(stream)) {
      order_stream(windows, stream, coded.streams[stream].frames.size(), order);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const FrameRef& a, const FrameRef& b) { return a.first_window < b.first_window; });
  return order;
}

void append_frame(Bytes& body, const StreamSizes& sizes, const CodedStreams& coded, const FrameRef& ref) {
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
  append_varint(body, std::min<std::uint64_t>(kMaxFrameBytes, sizes[ref.stream] - begin));
  append(body, frame);
}

Result<CodedStream> store_stream(ByteSpan raw, const CompressContext& context) {
  CodedStream coded;
  BDELTA_ASSIGN(coded.frames, encode_frames(raw, {}, context));
  return coded;
}

StreamSizes stream_sizes(const std::vector<WindowRecord>& windows) {
  StreamSizes sizes{};
  for (const WindowRecord& window : windows) {
    for (std::size_t i = 0; i < kStreamCount; ++i) sizes[i] += window.sizes[i];
  }
  return sizes;
}

// Takes out what stands apart, and what models have. Without models nothing is modelled.
void keep_own_streams(WindowRecord& window, const ModelledScope& modelled) {
  window.modelled = window.modelled && modelled_streams(modelled) != 0;
  const unsigned streams = streams_of(window, modelled);
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if ((streams >> i & 1) == 0) window.sizes[i] = 0;
  }
}

std::uint64_t target_bytes_of(const std::vector<WindowRecord>& windows) {
  std::uint64_t target_bytes = 0;
  for (const WindowRecord& window : windows) target_bytes += window.target_length;
  return target_bytes;
}

}  // namespace

std::uint64_t coded_bytes(const CodedStream& stream) noexcept {
  std::uint64_t bytes = 0;
  for (const Bytes& frame : stream.frames) bytes += frame.size();
  return bytes;
}

Status FrameBudget::spend(std::uint64_t bytes) {
  spent_bytes_ += bytes;
  return spent_bytes_ <= limit_bytes_ ? Status() : Status(patch_too_large(limit_bytes_));
}

Result<CodedStream> compress_stream(ByteSpan raw, const CodecSettings& settings, const CompressContext& context) {
  if (raw.size() < kShortStreamBytes) return store_stream(raw, context);
  BDELTA_ASSIGN(const CodecSettings codec, codec_worth_trying(raw, settings, context.watch));
  if (codec.id == CodecId::kStore) return store_stream(raw, context);
  CodedStream coded;
  BDELTA_ASSIGN(coded.frames, encode_frames(raw, codec, context));
  if (coded_bytes(coded) >= raw.size()) return store_stream(raw, {});  // the context has counted it
  coded.codec = codec.id;
  coded.window_log = window_log_for(raw.size(), codec.max_window_log);
  return coded;
}

CodedGroup assemble_group(std::vector<WindowRecord> windows, const CodedStreams& coded) {
  for (WindowRecord& window : windows) keep_own_streams(window, coded.modelled);
  const StreamSizes sizes = stream_sizes(windows);
  const Bytes head = encode_head(windows, sizes, coded);
  Bytes body;
  append_varint(body, target_bytes_of(windows));
  append_varint(body, head.size());
  append(body, head);
  CodedGroup group;
  std::size_t frame_bytes = coded.packed ? coded.packed->code.size() : 0;
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (coded.packed && coded.packed->scope.has(i)) continue;
    frame_bytes += coded_bytes(coded.streams[i]) + coded.streams[i].frames.size() * 16;
  }
  body.reserve(body.size() + frame_bytes + 16);
  for (const FrameRef& ref : frame_order(windows, coded)) append_frame(body, sizes, coded, ref);
  if (coded.packed) group.memory_bytes += model_memory_bytes(coded.packed->scope);
  group.features |= modelled_features(coded.modelled);
  if (modelled_streams(coded.modelled) != 0) group.memory_bytes += models_memory_bytes(coded.modelled);
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    if (sizes[i] == 0 || (coded.packed && coded.packed->scope.has(i))) continue;
    group.memory_bytes += decoder_memory_bytes(coded.streams[i].codec, coded.streams[i].window_log);
  }
  group.body = std::move(body);
  return group;
}

}  // namespace bdelta::native
