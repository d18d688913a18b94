// Sorted tables of programs while covers are chosen. Those of OLD are rebuilt by the covers at hand, and each table of
// NEW is matched with the one that became it. The rest of both files has no say in that, as one entry more or less
// moves all that follow it.
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "exe/program.hpp"
#include "exe/rebuilt_tables.hpp"
#include "match/parse.hpp"

namespace bdelta {

class TablePass {
 public:
  // All must outlive it.
  TablePass(exe::Program& source, exe::Program& target, WorkerPool& pool)
      : source_(source), target_(target), pool_(pool),
        source_tables_(exe::find_sorted_tables(source.file(), source.images().all)),
        target_tables_(exe::find_sorted_tables(target.file(), target.images().all)),
        target_breaks_(exe::find_page_breaks(target.file(), target.images().all, target_tables_)) {
    if (source_tables_.empty() || target_tables_.empty()) kinds_ = 0;
  }

  // Before a parse of `old_image` and `new_image`, the files with labels in place of fields: hides tables in both, so
  // that nothing else is taken for a part of them. Gives `first`, of which the map is made, with one cover for each
  // table. Fields in tables count no more from then on. Tables of a kind that are no more alike when they are rebuilt
  // are left alone, from the first call on.
  [[nodiscard]] Covers set_apart(const Covers& first, const exe::OwnerMap& map, std::vector<exe::Label> labels,
                                 MutableByteSpan old_image, MutableByteSpan new_image);

  // Covers with those of tables chosen anew, as rebuilt by these covers and labels, which what tables need is added to.
  [[nodiscard]] Covers settled(Covers covers, const ParseParams& parse, std::vector<exe::Label>& labels) const;

  // Which of these tables of the source are rebuilt.
  [[nodiscard]] exe::KindSet kinds() const noexcept { return kinds_; }
  [[nodiscard]] const std::vector<exe::SortedTable>& source_tables() const noexcept { return source_tables_; }
  [[nodiscard]] const std::vector<exe::PageBreaks>& target_breaks() const noexcept { return target_breaks_; }

 private:
  struct Pair {
    const exe::RebuiltTable* rebuilt;
    exe::SortedTable target;
  };

  [[nodiscard]] std::vector<exe::RebuiltTable> rebuild(const exe::OwnerMap& map,
                                                       std::span<const exe::Label> labels,
                                                       exe::KindSet kinds) const;
  [[nodiscard]] std::vector<Pair> pairs_of(const std::vector<exe::RebuiltTable>& rebuilt) const;
  void add_base_labels(const exe::OwnerMap& map, std::vector<exe::Label>& labels) const;
  [[nodiscard]] Covers match(ByteSpan source, ByteSpan target) const;
  [[nodiscard]] exe::KindSet kinds_that_gain(const std::vector<Pair>& pairs, ByteSpan old_image,
                                             ByteSpan new_image) const;
  [[nodiscard]] Covers with_tables(const Covers& covers, const std::vector<exe::RebuiltTable>& rebuilt,
                                   const ParseParams& parse) const;

  exe::Program& source_;
  exe::Program& target_;
  WorkerPool& pool_;
  const std::vector<exe::SortedTable> source_tables_;
  const std::vector<exe::SortedTable> target_tables_;
  const std::vector<exe::PageBreaks> target_breaks_;
  exe::KindSet kinds_ = exe::kAllTables;
  bool has_chosen_ = false;
};

}  // namespace bdelta
