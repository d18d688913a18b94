// The geometry of views as a patch has it: where streams of OLD begin, and where those of NEW will stand. FORMAT.md, "View".
//
// OLD's streams tell their sizes themselves, once they are unpacked, and mostly where the next one begins. What is said of
// NEW's streams is how they differ from OLD's. Between the two it says what of OLD its view has as it is, too.
#pragma once

#include "base/byte_cursor.hpp"
#include "view/packed_streams.hpp"
#include "view/zip_directory.hpp"

namespace bdelta::view {

// What stands in the record of one view, as far as it can be told without OLD. OLD and NEW are the files or, of a view of a
// view, what the one before makes of them.
struct ViewPlan {
  StreamKind kind = StreamKind::kDeflate;  // of all streams
  std::uint64_t source_view_bytes = 0;
  std::uint64_t target_view_bytes = 0;
  std::uint64_t source_largest_bytes = 0;  // no stream of OLD has more raw bytes
  std::uint64_t source_count = 0;
  std::uint64_t kept_count = 0;
  std::uint64_t target_count = 0;
  ZipDirectory source_directory;
  ZipDirectory target_directory;
  Bytes geometry;  // source_count positions, kept_count ranges, then target_count streams
  Bytes recipe;    // of NEW's streams (view/deflate, view/png_chunks)
};

inline constexpr std::size_t kMostViews = 4;  // one of the other

// The first is of the files.
using ViewPlans = std::vector<ViewPlan>;

// Goes through OLD's positions. A step is how far a stream begins behind where it is likely to.
class SourcePositions {
 public:
  SourcePositions(ByteSpan file, ByteCursor& from) noexcept : file_(file), from_(from) {}

  // Where the next stream begins, behind `end` of the one before; nothing if what is read can't be.
  [[nodiscard]] bool next(std::uint64_t end, std::uint64_t& pos) noexcept;

 private:
  ByteSpan file_;
  ByteCursor& from_;
};

// Of OLD, for streams that NEW has packed alike and that are read as text, too. Ascending, none overlapping, none empty.
struct KeptRange {
  std::uint64_t file_pos = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] std::uint64_t file_end() const noexcept { return file_pos + bytes; }
};
using KeptRanges = std::vector<KeptRange>;

[[nodiscard]] std::uint64_t bytes_of(const KeptRanges& ranges) noexcept;

// The next one, behind `end` of the one before; nothing if what is read can't be.
[[nodiscard]] bool read_kept_range(ByteCursor& from, std::uint64_t file_bytes, std::uint64_t end, KeptRange& range) noexcept;

// counterparts: for each stream of NEW the number of the one of OLD that it is told by; any if OLD has none.
[[nodiscard]] Bytes encode_geometry(ByteSpan source_file, const PackedStreams& source, const KeptRanges& kept,
                                    const PackedStreams& target, const std::vector<std::size_t>& counterparts);

// Streams of NEW, ascending, inside target_bytes, of no more bytes than deflate can make. kPatchCorrupt.
Result<PackedStreams> decode_target_streams(ByteCursor& from, const PackedStreams& source, std::uint64_t count,
                                            std::uint64_t target_bytes);

}  // namespace bdelta::view
