// About how many bytes groups would take, for comparing sets of covers of one pair.
#pragma once

#include "format/native/group_choice.hpp"

namespace bdelta::native {

enum class Estimate : std::uint8_t {
  kLikely,
  kEven,  // as likely, with literals at one price, so that groups with and without a model of misses can be compared
  kLow,   // hardly ever more than what becomes of the groups
};

// The sum over groups, on all threads. `settings`: of the patch that they are compared for. Of use for comparing: what all
// sets of covers of a pair have in common is estimated alike. Errors: those of codecs.
Result<std::uint64_t> estimate_groups(const std::vector<GroupDraft>& drafts, const WriterSettings& settings,
                                      Estimate estimate, WorkerPool& pool);

}  // namespace bdelta::native
