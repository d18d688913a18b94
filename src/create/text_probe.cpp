#include "create/text_probe.hpp"

#include <algorithm>

#include "base/deciding/archives.hpp"
#include "base/deciding/prices.hpp"
#include "create/unpack_streams.hpp"
#include "view/geometry.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kBatchBytes = std::uint64_t{16} << 20;  // of texts that are held at a time

}  // namespace

TextProbe::TextProbe(MissingText& missing, const PartSearch& search, std::uint64_t apply_byte_ns, WorkerPool& pool)
    : missing_(missing), search_(search), apply_byte_ns_(apply_byte_ns), pool_(pool) {
  search_.is_of_view = true;
}

void TextProbe::look(ByteSpan file, const FoundStreams& streams) {
  for (auto next = streams.begin(); next != streams.end();) {
    FoundStreams batch;
    for (std::uint64_t bytes = 0; next != streams.end() && (batch.empty() || bytes + next->raw_bytes <= kBatchBytes); ++next) {
      bytes += next->raw_bytes;
      batch.push_back(*next);
    }
    for (const UnpackedStream& stream : unpack_source_streams(file, batch, pool_)) {
      const Found found = look_into(stream.text, 1);
      const std::uint64_t saved_bytes = found.saved_bits / 8;
      const std::uint64_t unpacking_bytes = apply_byte_ns_ == 0 ? 0 : kUnpackNs * found.raw_bytes / apply_byte_ns_;
      const std::uint64_t taken_bytes = kListedTextBytes + unpacking_bytes;
      if (saved_bytes <= taken_bytes) continue;
      wanted_.of.insert(packed_digest(file, stream.place.file_pos, stream.place.packed_bytes));
      saved_bytes_ += saved_bytes - taken_bytes;
    }
    pool_.advance();
  }
}

// What is packed in a text is unpacked with it.
TextProbe::Found TextProbe::look_into(ByteSpan text, unsigned depth) {
  Found all{missing_.take(text), text.size()};
  search_.most_raw_bytes -= std::min<std::uint64_t>(search_.most_raw_bytes, text.size());
  if (depth == view::kMostViews || search_.most_raw_bytes == 0) return all;
  FoundStreams streams = find_parts(text, {whole_part(text.size())}, search_).streams;
  for (const view::FoundStream& stream : streams) {
    if (stream.raw_bytes > search_.most_raw_bytes) break;
    for (const UnpackedStream& inner : unpack_source_streams(text, {stream}, pool_)) {
      const Found found = look_into(inner.text, depth + 1);
      all.saved_bits += found.saved_bits;
      all.raw_bytes += found.raw_bytes;
    }
  }
  return all;
}

}  // namespace bdelta
