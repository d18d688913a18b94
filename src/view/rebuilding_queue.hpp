// NEW made from its view by several threads: what stands in front of a RebuildingWriter.
//
// Streams are independent of each other. So a stream that isn't large is collected as a whole and made by a worker, while
// the view goes on. The queue has what is collected or made, and what stands between, in the order of NEW. What is done at
// its front is put out by the caller alone, so checksums, headers and digests see NEW in order, as with one thread. While
// the queue is full, the caller makes streams, too.
//
// A large stream begins when the queue is empty. The writer makes it as its text comes, with all threads if it can be shared
// out (deflate::Rebuilder).
//
// The pool has nothing else to do: whoever gives the view may be a task of another pool, and those may wait for it.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "view/rebuilding_writer.hpp"
#include "view/view_positions.hpp"

namespace bdelta::view {

// Of memory, for each thread of the pool. The queue takes 4 MiB, and a thread takes 6 MiB while it makes a stream (matchers,
// text, the tokens of a block). Or it takes 10 MiB for its parts of a large stream, while the matchers of small ones stay.
inline constexpr std::uint64_t kRebuildingThreadBytes = std::uint64_t{16} << 20;

// One thread at a time. The first error in the order of NEW is the one that is given, whichever thread found it, and from then
// on again.
class RebuildingQueue final : public SequentialWriter {
 public:
  // Both must outlive it. No one else gives the writer anything.
  RebuildingQueue(RebuildingWriter& writer, WorkerPool& pool);
  ~RebuildingQueue() override;

  // The next bytes of the view.
  Status write(ByteSpan view) override;

  // Puts all streams that are whole; none is under way afterwards. is_end: no more of the view comes, so it is to be known of
  // what there is of a stream, too, whether it is at fault.
  Status settle(bool is_end);

  // The view has ended: as of the writer.
  Status finish() override;

 private:
  static constexpr std::size_t kNoStream = ~std::size_t{0};

  // Bytes of a gap, or a stream.
  struct Item {
    std::size_t stream = kNoStream;
    std::uint64_t memory_bytes = 0;
    Bytes view;
    std::vector<deflate::TextCopy> copies;
    Bytes packed;
    std::uint32_t crc = 0, adler = 0;  // of its text, as the gap in front may not be at hand yet
    Status status;
    bool is_done = false;  // marked by the pool's task
  };

  enum class Part { kGap, kCollected, kLarge };

  Status take(ByteSpan view);
  Status pass(ByteSpan view);
  void collect(ByteSpan view);
  void begin_gap(std::uint64_t end);
  Status begin_part();
  Status end_part();
  Item& add(std::size_t stream, std::uint64_t memory_bytes);
  Status put_done(std::uint64_t most_bytes);
  void run(Item& item);
  Status make(Item& item, bool whole);
  Status remember(Status status);

  RebuildingWriter& writer_;
  const TargetShape& target_;
  WorkerPool& pool_;
  const std::uint64_t most_bytes_;
  const PackedStreams parts_;     // all that is replaced
  ViewPositions positions_;
  Part part_ = Part::kGap;        // what is at hand
  std::size_t index_ = 0;         // of the stream at hand, or of the next one
  std::uint64_t left_bytes_ = 0;  // of the view, up to the end of what is at hand
  std::uint64_t view_pos_ = 0;    // where the next byte of the view stands
  std::deque<Item> items_;
  std::uint64_t queued_bytes_ = 0;  // of memory
  std::optional<Error> error_;

  std::mutex mutex_;
  bool stopped_ = false;                                     // what is queued need not be made any more
  std::vector<std::unique_ptr<deflate::MatcherSet>> matchers_;  // those no thread uses at the moment
};

}  // namespace bdelta::view
