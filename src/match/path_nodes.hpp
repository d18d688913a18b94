// What the paths of a parse have in common: chains of nodes, one for each change of diagonal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "delta/cover.hpp"

namespace bdelta {

constexpr std::uint32_t kNoNode = ~std::uint32_t{0};
constexpr std::int64_t kLiteralDiagonal = std::numeric_limits<std::int64_t>::min();

struct PathNode {
  std::int64_t diagonal;     // kLiteralDiagonal for literals
  std::uint64_t target_pos;  // where it begins; it ends where the next one begins
  std::uint32_t before;
};

class PathNodes {
 public:
  // The new node's index. A node stands behind the one it leads to.
  std::uint32_t add(std::int64_t diagonal, std::uint64_t target_pos, std::uint32_t before) {
    nodes_.push_back({diagonal, target_pos, before});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  [[nodiscard]] bool want_collecting() const noexcept { return nodes_.size() >= collect_at_; }

  // Keeps what can be reached from the nodes that for_each_root(visit) calls visit(std::uint32_t&) with, and renumbers.
  template <class ForEachRoot>
  void collect(ForEachRoot&& for_each_root) {
    std::vector<std::uint32_t> moved(nodes_.size(), 0);
    for_each_root([&](std::uint32_t& root) {
      for (std::uint32_t node = root; node != kNoNode && moved[node] == 0; node = nodes_[node].before) moved[node] = 1;
    });
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (moved[i] == 0) continue;
      moved[i] = kept;
      PathNode node = nodes_[i];
      if (node.before != kNoNode) node.before = moved[node.before];
      nodes_[kept++] = node;
    }
    nodes_.resize(kept);
    for_each_root([&](std::uint32_t& root) {
      if (root != kNoNode) root = moved[root];
    });
    collect_at_ = std::max<std::size_t>(kCollectLeast, nodes_.size() * 2);
  }

  // The covers of the chain that ends with `node` at `end`, in target order.
  [[nodiscard]] Covers trace_back(std::uint32_t node, std::uint64_t end) const {
    Covers covers;
    for (; node != kNoNode; node = nodes_[node].before) {
      const PathNode& at = nodes_[node];
      if (at.diagonal != kLiteralDiagonal && at.target_pos < end) {
        const auto source_pos = static_cast<std::uint64_t>(static_cast<std::int64_t>(at.target_pos) + at.diagonal);
        covers.push_back({source_pos, at.target_pos, end - at.target_pos});
      }
      end = std::min(end, at.target_pos);
    }
    std::reverse(covers.begin(), covers.end());
    return covers;
  }

 private:
  static constexpr std::size_t kCollectLeast = std::size_t{1} << 16;

  std::vector<PathNode> nodes_;
  std::size_t collect_at_ = kCollectLeast;
};

}  // namespace bdelta
