// An alternative for what of a segment goes into the patch, before and after it is coded.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/deciding/choosing.hpp"
#include "create/program_pass.hpp"
#include "create/work_estimate.hpp"
#include "format/native/writer.hpp"

namespace bdelta {

// The groups of one alternative, not yet coded. Owns these alone.
struct BodyDraft {
  std::vector<GroupDraft> groups;
  const ProgramPass* programs = nullptr;  // that tell what copies give; may be null
  const SubstitutionTable* substitutions = nullptr;  // may be null

  [[nodiscard]] std::uint64_t stream_bytes() const noexcept;
  [[nodiscard]] bool copies_target() const noexcept;
  [[nodiscard]] bool is_long() const noexcept;  // takes half a second to code
};

struct CodedBody {
  native::CodedGroups covers;  // of prediction
  native::CodedGroups groups;
  std::uint64_t bytes = 0;
  bool is_long = false;  // as its draft

  [[nodiscard]] bool has_modelled_misses() const noexcept;
};

// What was chosen and found for the segment so far.
struct Chosen {
  std::unique_ptr<ProgramPass> programs;  // null where nothing is predicted
  Covers covers;
  std::optional<native::CodedSubstitutions> substitutions;        // absent where none pay
  std::optional<native::CodedSubstitutions> other_substitutions;  // that did not pay for the covers alone
  std::optional<CodedBody> coded;         // all of this as the patch has it, if that is known already

  [[nodiscard]] const SubstitutionTable* substitution_table() const noexcept {
    return substitutions ? &substitutions->table : nullptr;
  }
};

[[nodiscard]] CodingBytes streams_of(const std::vector<GroupDraft>& groups) noexcept;

// Of a watch, for all of them being coded. Streams go through their codec. Numbers go through a model too where
// `models`, and so does the target where hardly anything is copied.
[[nodiscard]] std::uint64_t coding_units(const std::vector<GroupDraft>& groups, bool models) noexcept;

}  // namespace bdelta
