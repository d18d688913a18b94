// Writing a version 1 patch, for the original bpatch.
#pragma once

#include "delta/cover.hpp"
#include "delta/file_pieces.hpp"
#include "io/spool.hpp"
#include "parallel/watch.hpp"

namespace bdelta::bdt1 {

// kFormatCannotHold if a file is too large for the original; asked before work starts.
Status check_sizes(std::uint64_t source_size, std::uint64_t target_size);

// What the format can say of `covers`: the exact stretches inside them that save more than the 12 bytes of a match.
// Covered bytes are units of `watch`, which may be null.
[[nodiscard]] Covers lower_covers(const FilePieces& source, const FilePieces& target, const Covers& covers,
                                  Watch* watch = nullptr);

// Writes a patch segment by segment: matches and literals go to places of their own, since the format wants all matches
// first. One thread at a time.
class Writer {
 public:
  // All must outlive the writer. A patch of more than limit_bytes ends in kPatchTooLarge.
  Writer(io::Spool& matches, io::Spool& literals, std::uint64_t limit_bytes, Watch& watch)
      : matches_(matches), literals_(literals), limit_bytes_(limit_bytes), watch_(watch) {}

  // The target from where the last call ended up to target_end, which lies in the piece at hand; `exact` are exact covers
  // inside. These target bytes are units of the watch.
  Status add(const FilePieces& target, std::uint64_t target_end, const Covers& exact);

  // Moves the literals, units of the watch, behind the matches; gives what stands before them.
  Result<Bytes> finish(std::uint64_t source_size);

 private:
  Status append_literals(ByteSpan bytes);

  io::Spool& matches_;
  io::Spool& literals_;
  const std::uint64_t limit_bytes_;
  Watch& watch_;
  std::uint64_t source_pos_ = 0;   // end of the last match
  std::uint64_t target_pos_ = 0;   // likewise
  std::uint64_t target_end_ = 0;   // of what was added
  std::uint64_t match_count_ = 0;
};

}  // namespace bdelta::bdt1
