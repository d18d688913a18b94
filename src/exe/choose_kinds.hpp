// Which kinds of field are predicted: a switch for each, set by what it did to the bytes of this very pair.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bdelta/io.hpp"
#include "exe/labels.hpp"
#include "exe/predict.hpp"
#include "exe/program.hpp"

namespace bdelta::exe {

// Over the fields of one kind that covers copy as a whole.
struct KindCount {
  std::uint64_t field_count = 0;
  std::uint64_t right_count = 0;       // whose predicted bytes are those of the target
  std::uint64_t plain_count = 0;       // whose bytes are right without prediction
  std::uint64_t predicted_misses = 0;  // bytes that differ from those of the target
  std::uint64_t plain_misses = 0;
};
using KindCounts = std::array<KindCount, kFieldKindCount>;

// `target` are the bytes that `images` lie in. Of the blocks of code in the source, and of pieces of tables, one of `share` is
// looked at, and counts for so many.
[[nodiscard]] KindCounts count_kinds(const Program& source, const Images& images, ByteSpan target, const OwnerMap& map,
                                     const LabelIndex& labels, WorkerPool& pool, std::uint64_t share = 1);

// The kinds of which prediction leaves fewer misses.
[[nodiscard]] KindSet choose_kinds(const KindCounts& counts);

// Labels and the kinds that they and the covers predict well. Labels that only other kinds ask for are not among them.
struct LearnedPrediction {
  std::vector<Label> labels;
  KindSet kinds = 0;
  KindCounts counts{};  // with all kinds switched on
};
[[nodiscard]] LearnedPrediction learn_prediction(const Program& source, const Images& images, ByteSpan target,
                                                 const OwnerMap& map, LabelUse use, WorkerPool& pool);

}  // namespace bdelta::exe
