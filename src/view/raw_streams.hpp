// Streams of zlib and of gzip that stand anywhere in a file: in documents, packs of objects, file systems, firmware.
//
// Two bytes of a head stand in many places by chance. So what seems to begin with one is inflated: a stream ends, and its
// checksum fits. What has many packed bytes may have a wrong one.
//
// The work of what turns out to be none is counted (scan_work.hpp). When it is done, what is left of the file is plain data.
#pragma once

#include <optional>

#include "bdelta/report.hpp"
#include "view/find_streams.hpp"
#include "view/scan_work.hpp"

namespace bdelta::view {

class RawStreamScan {
 public:
  // Adds the work that so many bytes are worth.
  void allow(std::uint64_t bytes) noexcept;

  // The first stream with its head in [begin, end) of the bytes, of no more than most_raw_bytes; it may end behind that range.
  // Those whose windows are 32 KiB or, by the usual head, 4 KiB. Images in chunks (PNG) are passed over. Nothing, too, where
  // all the work is done and another head is found.
  [[nodiscard]] std::optional<FoundStream> next(ByteSpan bytes, std::uint64_t begin, std::uint64_t end, std::uint64_t most_raw_bytes);

  // Of a stream that was found, and is in vain.
  void count_work_of(const FoundStream& found) noexcept;

  // All of them, one behind the other, with no more than most_raw_bytes together, by the work that the bytes are worth.
  [[nodiscard]] std::vector<FoundStream> find_all(ByteSpan bytes, std::uint64_t most_raw_bytes);

  // Stretches that were not looked at, as the work was done.
  [[nodiscard]] const UnpackReport::Streams& unscanned() const noexcept { return unscanned_; }

 private:
  std::optional<FoundStream> stream_at(ByteSpan bytes, std::size_t pos, std::uint64_t most_raw_bytes);

  ScanWork work_;
  UnpackReport::Streams unscanned_;
  Bytes room_;  // of the inflater
};

}  // namespace bdelta::view
