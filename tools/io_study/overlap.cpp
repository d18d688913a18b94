#include "overlap.hpp"

#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "files.hpp"

namespace io_study {
namespace {

using bdelta::Bytes;

// Memory that is used again and again, so that no stage pays for allocation.
struct Block {
  Bytes buffer = Bytes(kOverlapBlockBytes);
  Bytes processed;
  bdelta::ByteSpan bytes;  // what the next stage is to look at
  bool last = false;
};

// A queue from one stage to the next; it never holds more than the blocks there are. `stop` lets both sides go on with
// nothing, after a failure.
class Channel {
 public:
  void put(Block* block) {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(block);
    changed_.notify_one();
  }

  // Null when stopped.
  Block* take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || !blocks_.empty(); });
    if (stopped_) return nullptr;
    Block* const block = blocks_.front();
    blocks_.pop_front();
    return block;
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block*> blocks_;
  bool stopped_ = false;
};

void read_block(bdelta::SequentialReader& from, Block& block) {
  const std::size_t got = must(from.read(block.buffer));
  block.bytes = {block.buffer.data(), got};
  block.last = got < kOverlapBlockBytes;
}

void process_block(const Process& process, Block& block) {
  block.processed.clear();
  block.bytes = process(block.bytes, block.processed, block.last);
}

// Runs stages; the first thing that one throws is kept, and all channels are stopped.
class Stages {
 public:
  template <class Stage>
  void run(Stage&& stage) {
    try {
      stage();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      to_reader.stop();
      to_worker.stop();
      to_writer.stop();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  Channel to_reader;
  Channel to_worker;
  Channel to_writer;

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void run_in_turn(bdelta::SequentialReader& from, bdelta::SequentialWriter& to, const Process& process) {
  Block block;
  do {
    read_block(from, block);
    process_block(process, block);
    must(to.write(block.bytes));
  } while (!block.last);
}

void run_overlapped(bdelta::SequentialReader& from, bdelta::SequentialWriter& to, const Process& process) {
  std::array<Block, kBlocksInTurn> blocks;
  Stages stages;
  for (Block& block : blocks) stages.to_reader.put(&block);
  // A stage ends with the last block. Whether it is the last is asked before it is handed on.
  const auto run_stage = [&stages](Channel& in, Channel& out, const auto& work) {
    stages.run([&] {
      while (Block* const block = in.take()) {
        work(*block);
        const bool last = block->last;
        out.put(block);
        if (last) return;
      }
    });
  };
  std::thread reader(
      [&] { run_stage(stages.to_reader, stages.to_worker, [&](Block& block) { read_block(from, block); }); });
  std::thread worker(
      [&] { run_stage(stages.to_worker, stages.to_writer, [&](Block& block) { process_block(process, block); }); });
  run_stage(stages.to_writer, stages.to_reader, [&](Block& block) { must(to.write(block.bytes)); });
  reader.join();
  worker.join();
  stages.rethrow();
}

}  // namespace io_study
