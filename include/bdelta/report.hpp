// What a call did and where its time went. Filled for every call; costs nothing worth measuring.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bdelta {

// One kind of work; docs/json.md lists them. A thread's time counts for one phase at a time, the innermost that it is in,
// so no second is in two of them. In none are opening files, starting threads, and threads that have nothing to do.
struct Phase {
  std::string name;
  double seconds = 0;       // of this phase and no other, summed over the threads
  double wall_seconds = 0;  // by the clock, while any thread was in this phase or in one inside it
  std::uint64_t bytes = 0;  // gone through, each as often as that happened; 0 = not meaningful
};

// The streams of numbers and bytes of a patch, by name, over all of its groups.
struct StreamReport {
  std::string name;
  std::uint64_t raw_bytes = 0;
  std::uint64_t coded_bytes = 0;
};

// Those digests of a file that are known.
struct KnownDigests {
  std::optional<std::array<std::uint8_t, 16>> xxh3_128;  // canonical, as `xxhsum -H2` prints it
  std::optional<std::array<std::uint8_t, 32>> sha256;
};

// An entry of a directory: a file, a directory or a link.
struct TreeChange {
  std::string path;         // "/" between its parts, in bytes
  std::uint64_t bytes = 0;  // of the file; else 0
  std::string from = {};    // of one that moved: where it was
};

// What an update of a directory changes, in the order of paths.
struct TreeChanges {
  std::vector<TreeChange> changed;
  std::vector<TreeChange> added;
  std::vector<TreeChange> removed;
  std::vector<TreeChange> moved;    // files that go from one place and come to another as they are; not among the two above
  std::uint64_t written_bytes = 0;  // of files that change, come or move
};

// Work that a limit left no room for: one of memory, or one of the time to apply.
struct LeftOut {
  std::string name;                // docs/json.md lists them
  std::uint64_t needed_bytes = 0;  // a limit of memory that leaves room for it, with these files; 0 of the other
  double needed_seconds = 0;       // likewise of the time to apply
};

// What became of the compressed streams that were found in NEW. Streams in others count, too; bytes are packed ones.
struct UnpackReport {
  struct Streams {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;

    void add(std::uint64_t stream_bytes) noexcept {
      ++count;
      bytes += stream_bytes;
    }
    void add(const Streams& others) noexcept {
      count += others.count;
      bytes += others.bytes;
    }
  };
  Streams unpacked;   // what they hold was compared
  Streams same;       // stayed packed, as they stand in OLD alike
  Streams costly;     // … as their encoder is not known, and to say what it did would take too much
  Streams damaged;    // … as they don't decompress to what is said of them
  Streams encrypted;  // … as they are
  Streams no_room;    // … as memory for them would be beyond a limit
  Streams unlike;     // … as what they hold is so new that the patch would be larger
  Streams unscanned;  // stretches where none were looked for, as too much in front only looked like streams; of all their bytes

  // Of those that the patch may be larger for.
  [[nodiscard]] std::uint64_t left_bytes() const noexcept { return costly.bytes + damaged.bytes + encrypted.bytes + no_room.bytes; }
};

struct Report {
  std::uint64_t source_bytes = 0;
  std::uint64_t target_bytes = 0;
  std::uint64_t patch_bytes = 0;
  std::string format;     // of the patch: "bdt2" or "bdt1"
  int level = 0;          // creating only
  unsigned threads = 1;   // that took part
  std::vector<Phase> phases;
  std::vector<StreamReport> streams;  // creating only
  UnpackReport unpack;                // creating only
  std::uint64_t cover_count = 0;      // stretches copied from OLD
  std::uint64_t covered_bytes = 0;    // of NEW that come from OLD
  std::uint64_t literal_bytes = 0;    // of NEW that the patch carries
  std::uint64_t residual_bytes = 0;   // copied bytes that the patch corrects
  std::uint64_t window_count = 0;     // of the patch
  std::uint64_t read_calls = 0;       // system calls that read files; 0 for the caller's readers
  std::uint64_t write_calls = 0;      // likewise, that write
  std::uint64_t decoder_memory_bytes = 0;  // creating only: that applying the patch takes besides its buffers
  std::uint64_t nominal_apply_ns = 0;      // creating only: what applying takes of one thread, by a table and no clock; about
  std::vector<LeftOut> left_out;           // creating only
  double wall_seconds = 0;            // of the call, by a steady clock
  bool up_to_date = false;            // applying: NEW was already there, nothing was written
  std::optional<std::array<std::uint8_t, 32>> head_sha256;  // creating with digests: of the header and their list
  std::uint64_t written_bytes = 0;    // in place: to the file itself; with dry_run those that would be
  std::uint64_t journal_bytes = 0;    // in place: of the journal, which is gone afterwards
  bool verified = false;              // the result was compared or its digest checked
  std::optional<TreeChanges> tree;    // check_tree
  // Creating: XXH3-128 of OLD and NEW, the others where the options ask for them. Applying: what was proven.
  KnownDigests source_digests;
  KnownDigests target_digests;
  KnownDigests patch_digests;
};

}  // namespace bdelta
