// What copies of a program give once their fields lead to where they lead in the target (exe/).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "apply/progress_shares.hpp"
#include "base/sparse_buffer.hpp"
#include "bdelta/inspect.hpp"
#include "exe/field_predictor.hpp"
#include "exe/labels.hpp"
#include "exe/program.hpp"
#include "format/prediction_plan.hpp"

namespace bdelta {

// What an applier holds of a plan, as a patch declares it at least (PREDICTION.md). It holds each image of either file,
// each label with its part of the index, each cover, and each stretch of their owner map.
inline constexpr std::uint64_t kBytesPerImage = 256;
inline constexpr std::uint64_t kBytesPerLabel = 28;
inline constexpr std::uint64_t kBytesPerCover = sizeof(Cover);
inline constexpr std::uint64_t kBytesPerStretch = exe::OwnerMap::kBytesPerStretch;

// Immutable once made; any number of threads, each with a cache of its own.
class PredictedCopies {
 public:
  using Cache = exe::FieldPredictor::Cache;

  // `source` and `plan` must outlive the object. Reads the images of a source that has no view, at most
  // memory_limit_bytes of them. The fields of code are found at once if they fit into the memory that the patch
  // declares, else as they are needed. Errors: kUnsupportedFeature for a kind of field that is not known, kPatchCorrupt
  // for tables that don't fit or take more memory than the patch declares, kMemoryLimit, those of reading. With shares,
  // the pool's watch is led to what they say of the end of this.
  static Result<std::unique_ptr<PredictedCopies>> make(RandomReader& source, const PredictionPlan& plan,
                                                       const PatchInfo& info, std::uint64_t memory_limit_bytes,
                                                       WorkerPool& pool, const ApplyShares* shares = nullptr);

  [[nodiscard]] std::unique_ptr<Cache> make_cache() const { return std::make_unique<Cache>(*predictor_); }

  // `bytes` are copied from the source for the target from target_pos on, inside one cover: changes the fields in them.
  void predict(std::uint64_t target_pos, MutableByteSpan bytes, Cache& cache) const;

 private:
  PredictedCopies() = default;

  SparseBuffer loaded_;  // the images of the source, if it has no view
  std::optional<exe::Program> program_;
  std::optional<exe::Images> target_;
  std::optional<exe::OwnerMap> own_map_;
  std::vector<exe::Label> labels_;
  const Covers* covers_ = nullptr;
  std::optional<exe::FieldPredictor> predictor_;
};

}  // namespace bdelta
