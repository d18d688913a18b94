#include "base/checked.hpp"
#include "base/try.hpp"
#include "format/native/framing.hpp"
#include "format/native/raw_frames.hpp"
#include "format/native/record_body.hpp"

namespace bdelta::native {

Status read_frames(io::TypedReader& patch, const char* record, std::uint64_t raw_bytes, std::uint64_t memory_bytes,
                   Bytes& out) {
  const unsigned entry = patch.u8();
  if ((entry & 15) >= kCodecCount) return unknown_number(patch, "codec", entry & 15);
  const auto codec = static_cast<CodecId>(entry & 15);
  if (codec == CodecId::kStore && entry >> 4 != 0) return corrupt_record(patch, record, "declares a window of what is stored");
  std::uint64_t needed_bytes = 0;
  if (!checked_add(raw_bytes, decoder_memory_bytes(codec, (entry >> 4) + kMinWindowLog), needed_bytes) ||
      needed_bytes > memory_bytes) {
    return corrupt_record(patch, record, "needs more memory than the header declares");
  }
  BDELTA_ASSIGN(const auto decoder, make_decoder(codec, (entry >> 4) + kMinWindowLog));
  Bytes coded;
  const std::size_t end = out.size() + static_cast<std::size_t>(raw_bytes);
  out.reserve(end);
  while (out.size() < end) {
    const auto [coded_bytes, frame_bytes] = read_global_frame(patch);
    if (!patch.ok() || !is_possible_frame({coded_bytes, frame_bytes}, end - out.size())) {
      return corrupt_record(patch, record, "has a frame of an impossible size");
    }
    renew(coded, static_cast<std::size_t>(coded_bytes));
    if (!patch.read_exact(coded)) return corrupt_record(patch, record, "can't be read");
    const std::size_t before = out.size();
    out.resize(before + static_cast<std::size_t>(frame_bytes));
    BDELTA_TRY(decoder->decode(coded, MutableByteSpan(out).subspan(before)));
  }
  return {};
}

}  // namespace bdelta::native
