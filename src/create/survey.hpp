// What is known of both files before covers are chosen, where they are at hand as a whole.
#pragma once

#include "create/create_inputs.hpp"
#include "exe/images.hpp"
#include "view/members.hpp"

namespace bdelta {

// Of archives.
struct MemberPair {
  view::Members source, target;
};

// Of programs.
struct ImagesOfPair {
  std::vector<exe::Image> source, target;
  bool may_have_objects = false;  // in the source, that were not linked

  [[nodiscard]] bool may_be_predicted() const noexcept { return !source.empty() && !target.empty(); }
};

// What one search found, that whatever is decided before covers are chosen goes by. They are then chosen from that. Good until
// one of the files is edited.
struct Survey {
  bool is_made = false;
  Covers seeds;  // what a choice of covers begins with
  Covers plain;  // the covers that a patch would have without that choice
};

// Nothing where the files are not at hand as a whole. Of members, while their headers are whole.
[[nodiscard]] MemberPair find_members(const CreateTask& task, const CreateInputs& inputs, CreateWork& work);
[[nodiscard]] ImagesOfPair find_images(const CreateTask& task, const CreateInputs& inputs, const CreateWork& work);
[[nodiscard]] Survey survey_pair(const CreateInputs& inputs, CreateWork& work);

// Whether NEW, where it is not in OLD, has streams that could be unpacked; and where nobody looked.
[[nodiscard]] bool hides_streams(const Survey& survey, const CreateInputs& inputs, CreateWork& work, UnpackReport::Streams& unscanned);

}  // namespace bdelta
