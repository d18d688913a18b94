// The predicted bytes of a cover: those of the source, with the fields changed to what they are thought to be in the
// target. Both sides make them by this one function, the one that encodes as what differs is stored against them.
#pragma once

#include <cstdint>
#include <span>

#include "bdelta/io.hpp"
#include "exe/predict.hpp"
#include "exe/program.hpp"
#include "exe/rebuilt_tables.hpp"

namespace bdelta::exe {

// Thread-safe, with a cache for each thread.
class FieldPredictor {
 public:
  // What one thread keeps. Must not outlive the predictor.
  class Cache {
   public:
    explicit Cache(const FieldPredictor& predictor)
        : predictor_(predictor.source_.images(), predictor.target_, predictor.map_, &predictor.labels_) {}

   private:
    friend class FieldPredictor;
    Predictor predictor_;
    FieldCache fields_;
  };

  // All arguments but `tables` and `watch`, which may be null, must outlive it. The covers are those of the map;
  // `labels` ascend by image and address. `tables` are the sorted tables of the source, of which those are rebuilt
  // whose kinds are among `kinds`, with these page breaks.
  FieldPredictor(const Program& source, const Images& target, const OwnerMap& map, std::span<const Label> labels,
                 KindSet kinds, std::span<const SortedTable> tables = {}, std::span<const PageBreaks> breaks = {},
                 Watch* watch = nullptr)
      : source_(source), target_(target), map_(map), labels_(labels), kinds_(kinds),
        tables_(rebuild_tables({source.file(), source.images(), target, map, labels_, breaks, watch}, tables, kinds)) {}

  // `bytes` hold the source bytes of cover number `cover` from offset `begin` of it on. Changes in them what lies there
  // of the fields that the cover holds as a whole; so it does not matter how a cover is cut into pieces.
  void predict(std::uint32_t cover, std::uint64_t begin, MutableByteSpan bytes, Cache& cache) const;

 private:
  const Program& source_;
  const Images& target_;
  const OwnerMap& map_;
  LabelIndex labels_;
  KindSet kinds_;
  std::vector<RebuiltTable> tables_;
};

}  // namespace bdelta::exe
