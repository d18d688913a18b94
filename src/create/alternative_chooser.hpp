// Which of several alternatives goes into the patch: sets of covers, and prediction, are compared by what they make of
// its size.
#pragma once

#include "create/body_coder.hpp"

namespace bdelta {

// For the segment, or the sample, that the coder is at. Errors: those of the coder.
class AlternativeChooser {
 public:
  // The alternatives: sets of covers by their index, and by their count prediction, if `programs` is not null. All must
  // outlive the object, and sets may be added meanwhile.
  AlternativeChooser(BodyCoder& coder, const std::vector<Covers>& sets, const ProgramPass* programs)
      : coder_(coder), sets_(sets), programs_(programs) {}

  // The smallest of the alternatives [first, last). begin, end: of the stage's work.
  Result<std::size_t> smallest_of(std::size_t first, std::size_t last, double begin, double end);

  // That alternative as it was coded, where this had to be done to know.
  [[nodiscard]] std::optional<CodedBody> take_coded() noexcept { return std::exchange(coded_, {}); }

  [[nodiscard]] BodyDraft draft(std::size_t index);

 private:
  struct Alternative {
    std::size_t index = 0;
    std::uint64_t estimated_bytes = 0;
    bool is_quick = false;  // to code: kept as a draft, not estimated
    bool is_long = false;   // likewise the contrary
    BodyDraft draft;
  };
  Result<std::vector<Alternative>> likely_ones(std::size_t first, std::size_t last);
  void keep_close(std::vector<Alternative>& alternatives, bool tries_modelled_misses) const;

  BodyCoder& coder_;
  const std::vector<Covers>& sets_;
  const ProgramPass* const programs_;
  std::optional<CodedBody> coded_;
};

}  // namespace bdelta
