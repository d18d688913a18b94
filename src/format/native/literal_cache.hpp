// Literals that were compressed a short while ago. Covers that are compared with each other often differ in words or in
// what programs are predicted to be. They leave the same bytes as literals, over which a slow codec takes longest.
#pragma once

#include <cstdint>
#include <vector>

#include "format/native/group_writer.hpp"
#include "hash/xxh3.hpp"
#include "model/group_draft.hpp"

namespace bdelta::native {

// For one codec and its settings. One thread at a time.
class LiteralCache {
 public:
  // Takes note of the literals of a batch, and lets go of what the last batches have not used.
  void begin(const std::vector<GroupDraft>& drafts);

  // Whether the literals of draft g need not be compressed: they were before, or are as those of an earlier draft.
  [[nodiscard]] bool knows(std::size_t g) const { return g < places_.size() && places_[g].known; }

  // What they were compressed to, once that has been kept.
  [[nodiscard]] const CodedStream& get(std::size_t g) const { return entries_[places_[g].entry].coded; }

  // Keeps what the others, in order, were compressed to.
  void keep(std::size_t g, const CodedStream& coded);

 private:
  struct Entry {
    Digest128 key;
    CodedStream coded;
    std::uint64_t raw_bytes;
    std::uint64_t last_batch;
  };
  struct Place {
    std::size_t entry = ~std::size_t{0};  // none: too short, or too much, to be kept
    bool known = false;
  };

  std::vector<Entry> entries_;
  std::vector<Place> places_;  // of the drafts of this batch
  std::uint64_t batch_ = 0;
};

}  // namespace bdelta::native
