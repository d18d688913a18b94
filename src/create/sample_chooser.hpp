// What a sample of the target tells before all of it is parsed. It tells which costs do best there. It also tells whether
// prediction does so much better that covers without it need not be found.
#pragma once

#include "create/alternative_chooser.hpp"

namespace bdelta {

// Sets of covers of parts of the target.
struct SampledSets {
  std::vector<Covers> sets;
  const ByteRanges& ranges;
  const Covers& seeds;  // of all of the target
  bool last_is_cheap = false;
};

// Of one sample. Errors: those of the coder.
class SampleChooser {
 public:
  // `whole` is of the segment; `programs` may be null. All must outlive the object. Positions of the sets and ranges begin at 0 with the segment.
  SampleChooser(const BodyCoder& whole, CreateInputs& inputs, const ProgramPass* programs, SampledSets sampled);
  ~SampleChooser();
  SampleChooser(const SampleChooser&) = delete;
  SampleChooser& operator=(const SampleChooser&) = delete;

  // The sets that all of the target is worth parsing with, by their index. None where prediction is clearly better.
  Result<std::vector<std::size_t>> best_sets();

 private:
  struct NextSet {
    std::size_t index = 0;
    std::uint64_t estimated_bytes = ~std::uint64_t{0};
  };
  [[nodiscard]] std::uint64_t sampled_free_bytes() const;
  Result<bool> is_prediction_clear(std::size_t plain);
  void add_sets_with_target_copies();
  [[nodiscard]] bool takes_two() const noexcept;
  Result<std::size_t> best_set();
  Result<NextSet> next_set(std::size_t best, std::size_t first);
  Result<std::vector<std::size_t>> best_of_all();

  BodyCoder coder_;  // of the sample
  CreateInputs& inputs_;
  const ProgramPass* const programs_;
  const ByteRanges& ranges_;
  const Covers& seeds_;
  const bool last_is_cheap_;
  std::vector<Covers> sets_;        // behind the first count_ may stand the same with copies of NEW
  const std::size_t count_;
  const FilePieces pieces_before_;  // that covers of the segment may copy from
  AlternativeChooser chooser_;              // among sets_
};

}  // namespace bdelta
