// What an applier knows by itself: the files have other bytes in its place while they are compared. What it computes of NEW,
// what addresses in programs become, and how lists of types in OLD are numbered now.
#pragma once

#include <memory>

#include "create/program_pass.hpp"
#include "create/survey.hpp"
#include "delta/fills.hpp"
#include "delta/moved_numbers.hpp"

namespace bdelta {

// Edits the target. None where the files are not at hand as a whole.
Result<Fills> take_fills(const CreateTask& task, const MemberPair& members, const ImagesOfPair& images, CreateInputs& inputs,
                         CreateWork& work);

// Null where fields can't be predicted, or that doesn't pay. plain_covers: of the survey.
[[nodiscard]] std::unique_ptr<ProgramPass> find_programs(ImagesOfPair images, const Covers& plain_covers,
                                                         const CreateInputs& inputs, CreateWork& work);

// Of kernel modules: a patch has programs or these. Edits the source. No lists where that doesn't pay.
Result<MovedNumbers> take_moved_numbers(CreateInputs& inputs, CreateWork& work);

}  // namespace bdelta
