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
  std::uint64_t source_directory_count = 0;
  std::uint64_t target_directory_count = 0;
  std::uint64_t entry_bytes = 0;  // of the directories of either file, all together, no more
  Bytes geometry;  // directories of OLD, its streams, ranges of it that are kept, then streams and directories of NEW
  Bytes recipe;    // of NEW's streams (view/deflate, view/png_chunks)

  [[nodiscard]] bool has_directories() const noexcept { return source_directory_count != 0 || target_directory_count != 0; }
};

inline constexpr std::size_t kMostViews = 4;  // one of the other

// The first is of the files.
using ViewPlans = std::vector<ViewPlan>;

// A directory as it is told, by what stands in front of it. All numbers are modulo 2^64.
struct DirectoryShape {
  std::uint64_t stream_step = 0;   // streams in front of it, behind the directory before
  std::uint64_t gap_bytes = 0;     // to what is replaced in front of it, or to the file's start
  std::uint64_t entry_bytes = 0;
  std::uint64_t archive_step = 0;  // where its archive begins, less the end of the directory before
  std::uint64_t description_bytes = 0;
};

// Goes through what is replaced of OLD.
class SourcePositions {
 public:
  // Reads what is said of directories.
  SourcePositions(FileWindow& file, const ViewPlan& plan, ByteCursor& from);

  // Whether a directory stands behind so many streams, and none in front of it is to come.
  [[nodiscard]] bool is_directory_next(std::uint64_t stream_count) const noexcept {
    return next_ < directories_.size() && stream_count == streams_in_front_;
  }
  [[nodiscard]] bool is_at_end() const noexcept { return next_ == directories_.size(); }  // of directories

  // The next of either, behind `end` of what is replaced before; false if what is read can't be.
  [[nodiscard]] bool next_stream(std::uint64_t end, std::uint64_t& pos);
  [[nodiscard]] bool next_directory(std::uint64_t end, ZipDirectory& directory) noexcept;

 private:
  FileWindow& file_;
  ByteCursor& from_;
  DirectoryRoom room_;
  std::vector<DirectoryShape> directories_;
  std::size_t next_ = 0;                // of these
  std::uint64_t streams_in_front_ = 0;  // of the next one
  std::uint64_t directories_end_ = 0;   // of those before
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

// For each stream and directory of NEW the number of the one of OLD that it is told by; any if OLD has none.
struct Counterparts {
  std::vector<std::size_t> streams, directories;
};

[[nodiscard]] Bytes encode_geometry(ByteSpan source_file, const Replacements& source, const KeptRanges& kept, const Replacements& target,
                                    const Counterparts& counterparts);

// What is replaced of NEW, inside target_bytes; streams of no more bytes than deflate can make. kPatchCorrupt.
Result<Replacements> decode_target(ByteCursor& from, const Replacements& source, const ViewPlan& plan, std::uint64_t target_bytes);

}  // namespace bdelta::view
