// Where the records of a version 2 patch end, by the numbers in front of them. Two read them alike: who pulls a patch
// through a reader, and who gets it in pieces and has to know when a record is whole.
#pragma once

#include <memory>

#include "format/native/envelope.hpp"
#include "format/part_framer.hpp"

namespace bdelta::native {

inline constexpr std::size_t kPrefixBytes = 6;  // magic, version, draft

struct GlobalHead {
  std::uint64_t predictor = 0;
  std::uint64_t kinds = 0;
  std::uint64_t image_bytes = 0;
  std::uint64_t label_bytes = 0;
};

struct GlobalFrame {
  std::uint64_t coded_bytes = 0;
  std::uint64_t raw_bytes = 0;
};

// `Cursor` is a ByteCursor or an io::TypedReader: a failure shows in it.
template <class Cursor>
GlobalHead read_global_head(Cursor& in) {
  GlobalHead head;
  head.predictor = in.varint();
  head.kinds = in.varint();
  head.image_bytes = in.varint();
  head.label_bytes = in.varint();
  return head;
}

template <class Cursor>
GlobalFrame read_global_frame(Cursor& in) {
  GlobalFrame frame;
  frame.coded_bytes = in.varint();
  frame.raw_bytes = in.varint();
  return frame;
}

[[nodiscard]] inline bool is_possible_global(const GlobalHead& head, const Header& header) noexcept {
  return head.image_bytes <= kMaxGlobalBytes && head.label_bytes <= kMaxGlobalBytes &&
         head.image_bytes + head.label_bytes <= header.decoder_memory_bytes;
}

// raw_left: raw bytes of the record that are still to come.
[[nodiscard]] inline bool is_possible_frame(const GlobalFrame& frame, std::uint64_t raw_left) noexcept {
  return frame.raw_bytes != 0 && frame.raw_bytes <= kMaxFrameBytes && frame.raw_bytes <= raw_left &&
         frame.coded_bytes <= 2 * kMaxFrameBytes;
}

// Each record is a part, and the first is the head: header and list of digests.
class RecordFramer final : public PartFramer {
 public:
  explicit RecordFramer(std::uint64_t limit_bytes) noexcept : limit_bytes_(limit_bytes) {}

  Result<Measure> measure(ByteSpan bytes) override;
  Status advance(ByteSpan record) override;
  [[nodiscard]] const std::vector<Sha256Digest>& digests() const noexcept override { return digests_; }

 private:
  [[nodiscard]] Measure measure_head(ByteSpan bytes) const;
  [[nodiscard]] Measure measure_record(ByteSpan bytes, std::uint64_t most_bytes) const;
  void accept_head(ByteSpan head);

  std::uint64_t limit_bytes_;  // behind the head less what decoders take
  bool has_head_ = false;
  PieceNumbers numbers_;  // of records that are passed over
  Header header_;
  std::vector<Sha256Digest> digests_;
};

[[nodiscard]] std::unique_ptr<PartFramer> make_framer(std::uint64_t limit_bytes);

// Bytes of the header alone, of a head that is whole.
[[nodiscard]] std::size_t header_bytes_of(ByteSpan head);

}  // namespace bdelta::native
