// Windows on their way into the target: executed on all threads, delivered in order.
//
// The caller decodes one window after the other, as the coder's state asks for, and hands each over. A worker executes it,
// proves its checksum and writes it where it belongs. Then it waits for its turn: the target's digest takes the windows in
// order, and so does a target that is a stream. The first error in target order ends everything. Modelled bytes are decoded
// here too, as they are predicted from what copies give. A worker makes the copies of its window and then waits until the
// window before in the same lane is decoded. A window that copies from the target is executed when all windows before have been
// delivered. A window with bytes that are filled in gets them when it has its turn, and is written then. Memory: at most
// threads + 2 windows are under way, with one thread two; plain ones are cut into slices. To these come the lanes of one group,
// and as much of the target as windows may copy from.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "apply/apply_tap.hpp"
#include "apply/modelled_lanes.hpp"
#include "apply/execute.hpp"
#include "apply/filler.hpp"
#include "hash/xxh3.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Where windows go; at most one of the two is set, none checks only.
struct TargetSink {
  PositionedWriter* positioned = nullptr;
  SequentialWriter* sequential = nullptr;
  // Behind the last window, where the patch's digest of NEW is not that of all bytes that went here: what it is of them.
  std::function<Result<Digest128>()> digest = {};
  ApplyTap* tap = nullptr;
  // Hears of copies of the source, in order and before their bytes come. NEW at `pos` has what the source has at `from`, but
  // for bytes that the window or something else changes. May be none.
  std::function<void(std::uint64_t pos, std::uint64_t from, std::uint64_t bytes)> copies = {};
};

// How many are held at a time.
[[nodiscard]] constexpr unsigned windows_under_way(unsigned thread_count) noexcept {
  return thread_count <= 1 ? 2 : thread_count + 2;
}

inline constexpr std::uint64_t kPlainSliceBytes = std::uint64_t{2} << 20;  // of a plain window, executed at a time

class WindowPipeline {
 public:
  // Target bytes are units of the pool's watch, once they are made. `predicted` and `filler` may be null.
  // history_bytes: of the target in front of a window that it may copy from; they are kept in memory.
  WindowPipeline(RandomReader& source, const PredictedCopies* predicted, Filler* filler, std::uint64_t history_bytes,
                 TargetSink sink, WorkerPool& pool);
  ~WindowPipeline();

  // A window whose memory may be refilled; waits until one is free. Null after an error.
  WindowDelta* acquire();

  // Takes over what `acquire` gave last, validated and filled.
  void submit(WindowDelta* window);

  // Waits for everything under way; the first error, if there was one. More may be submitted afterwards.
  Status settle();

  // The same at the end. The digest of all delivered bytes, or the first error.
  Result<Digest128> finish();

  // After finish: copied bytes that modelled bytes have changed.
  [[nodiscard]] std::uint64_t changed_count() const noexcept { return changed_count_; }

  [[nodiscard]] std::uint64_t delivered_bytes() const noexcept { return delivered_; }

 private:
  struct Job {
    WindowDelta window;
    std::shared_ptr<ModelledLanes> lanes;  // of its group; null where nothing is coded
    ByteBuffer out;
    Bytes copied;  // for a tap: the window before models corrected it
    std::uint64_t index = 0;   // in the order of delivery; a slice is a job of its own
    std::uint64_t number = 0;  // of the window in the patch, for the timeline
    Status opened;             // of what was done for it before it was started
    bool fills = false;        // has bytes that are known only when its turn has come
    bool busy = false;
  };

  void submit_slices(const WindowDelta& plain);
  Status open_lanes(Job& job);
  bool wait_for_others(const Job& job);
  static void keep_copied(Job& job, ByteSpan out);
  Status unpack(Job& job, MutableByteSpan out);
  Job* free_job();
  void start(Job& job, Status before = {});
  void run(Job& job);
  Status make(Job& job, ByteSpan& bytes);
  Status prove(const Job& job, ByteSpan bytes) const;
  Status deliver(Job& job, ByteSpan bytes);
  void tell_copies(const WindowDelta& window) const;
  Status pass_on(std::uint64_t pos, ByteSpan bytes, const Job& job);
  bool await_turn(const Job& job);
  void end(Job& job, Status status);

  RandomReader& source_;
  const PredictedCopies* const predicted_;
  Filler* const filler_;
  const TargetSink sink_;
  WorkerPool& pool_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<std::unique_ptr<ExecuteCaches>> caches_;  // those no worker uses at the moment
  std::shared_ptr<ModelledLanes> lanes_;  // of the latest group with modelled bytes
  std::uint64_t changed_count_ = 0;       // of groups before
  Job* acquired_ = nullptr;
  std::uint64_t next_index_ = 0;
  std::uint64_t next_number_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t turn_ = 0;  // index of the window to deliver next
  std::optional<Error> error_;
  Xxh3Hasher hasher_;  // this and the history: by whose turn it is
  TargetHistory history_;
  std::uint64_t delivered_ = 0;
};

}  // namespace bdelta
