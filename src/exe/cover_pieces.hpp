// Covers cut into pieces of bounded size, and these dealt out to tasks. So what goes through the fields of all covers
// gives the same for any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "delta/cover.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta::exe {

struct CoverPiece {
  std::uint32_t cover = 0;
  std::uint64_t begin = 0;  // from the start of the cover
  std::uint64_t length = 0;
};

class CoverPieces {
 public:
  static constexpr std::uint64_t kMostPieceBytes = std::uint64_t{256} << 10;
  static constexpr std::uint64_t kTaskBytes = std::uint64_t{2} << 20;
  static constexpr std::uint64_t kPieceCost = 512;  // going to another place, in bytes that could be gone through

  explicit CoverPieces(const Covers& covers) {
    std::uint64_t task_bytes = kTaskBytes;
    for (std::uint32_t i = 0; i < covers.size(); ++i) {
      for (std::uint64_t begin = 0; begin < covers[i].length; begin += kMostPieceBytes) {
        if (task_bytes >= kTaskBytes) {
          borders_.push_back(pieces_.size());
          task_bytes = 0;
        }
        pieces_.push_back({i, begin, std::min(kMostPieceBytes, covers[i].length - begin)});
        task_bytes += pieces_.back().length + kPieceCost;
      }
    }
    borders_.push_back(pieces_.size());
  }

  [[nodiscard]] std::size_t task_count() const noexcept { return borders_.size() - 1; }

  // Makes a state by make(task) for each task, in the thread that runs it, and calls body(state, piece) for its pieces.
  template <class Make, class Body>
  void for_each(WorkerPool& pool, Make&& make, Body&& body) const {
    pool.for_each(task_count(), [&](std::size_t task) {
      auto&& state = make(task);
      std::uint64_t bytes = 0;  // that the watch has not been told of
      for (std::size_t i = borders_[task]; i < borders_[task + 1]; ++i) {
        body(state, pieces_[i]);
        bytes += pieces_[i].length;
        if (bytes < kMostPieceBytes && i + 1 < borders_[task + 1]) continue;
        pool.advance(std::exchange(bytes, 0));
      }
    });
  }

 private:
  std::vector<CoverPiece> pieces_;
  std::vector<std::size_t> borders_;  // where tasks begin, and the end
};

}  // namespace bdelta::exe
