// OLD's streams unpacked by other threads, before the one that makes its view comes to them.
//
// Where a stream ends is known once it is unpacked. The directory at the end of a zip archive says it beforehand, and is
// taken for a guess. What is unpacked ahead is used where the view's maker finds that a stream begins there. Nothing depends
// on it. So the view and the first error are the same as with one thread.
#pragma once

#include <deque>
#include <optional>

#include "parallel/worker_pool.hpp"
#include "view/deflate/inflate.hpp"
#include "view/geometry.hpp"

namespace bdelta::view {

// Of texts that wait to be taken, for each thread.
inline constexpr std::uint64_t kAheadThreadBytes = std::uint64_t{8} << 20;

struct AheadText {
  Bytes bytes;
  deflate::InflatedSizes sizes;
};

// All must outlive it. One thread at a time.
class UnpackAhead {
 public:
  // geometry: in front of what the patch says of OLD.
  UnpackAhead(const FileWindow& file, const ViewPlan& plan, ByteCursor geometry, WorkerPool& pool);
  ~UnpackAhead();
  UnpackAhead(const UnpackAhead&) = delete;
  UnpackAhead& operator=(const UnpackAhead&) = delete;

  // The text of the stream that begins at pos, of no more than most_bytes; nothing if the caller has to unpack it. Positions rise.
  std::optional<AheadText> take(std::uint64_t pos, std::uint64_t most_bytes);

 private:
  // What the archive's directory says of a member.
  struct Hint {
    std::uint64_t header_pos = 0, packed_bytes = 0, raw_bytes = 0;
  };
  struct Item {
    std::uint64_t pos = 0;
    std::uint64_t room_bytes = 0;  // for the text
    std::optional<AheadText> text;
    bool is_done = false;  // marked by the pool's task
  };

  void read_hints();
  [[nodiscard]] const Hint* hint_of(std::uint64_t pos) const;
  void go_on();
  bool find_next();
  void unpack(Item& item);

  FileWindow file_;
  const ViewPlan& plan_;
  ByteCursor geometry_;
  SourcePositions positions_;
  WorkerPool& pool_;
  const std::uint64_t most_bytes_;
  std::vector<Hint> hints_;        // ascending, but for odd archives
  std::deque<Item> items_;         // in the order of the file
  std::uint64_t held_bytes_ = 0;   // of these
  std::uint64_t count_ = 0;        // of streams passed
  std::uint64_t end_ = 0;          // of what is replaced, as far as that was guessed
  std::optional<Item> next_;       // that has no room yet
  bool has_ended_ = false;
};

}  // namespace bdelta::view
