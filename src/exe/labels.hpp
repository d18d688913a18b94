// Labels: what the covers don't tell about where old addresses went. One that several references agree on is paid for
// once, and makes all of them right.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "exe/predict.hpp"
#include "exe/program.hpp"

namespace bdelta::exe {

enum class LabelUse : std::uint8_t {
  // For label_source: what several references agree on, or neighbouring ones of instructions. A list that is aligned by
  // the wrong entry would agree with itself.
  kRelabel,
  // For a patch: all that save more than they cost.
  kPredict,
};

// For each old address whose references mostly lead elsewhere than the covers of `map` say: where they lead. Ascending by
// image and address. `target` are the bytes that `images` lie in. Fields of other kinds have no say.
[[nodiscard]] std::vector<Label> learn_labels(const Program& source, const Images& images, ByteSpan target,
                                              const OwnerMap& map, KindSet kinds, LabelUse use, WorkerPool& pool);

// `labels` ascend by image and address, no two alike.
void append_labels(Bytes& to, std::span<const Label> labels);

// The labels again, ascending, no two for one address. kPatchCorrupt if the bytes are nothing that append_labels makes,
// if a label is of an image that the source has not, or if there are more than `most` of them.
[[nodiscard]] Result<std::vector<Label>> parse_labels(ByteSpan bytes, std::size_t image_count, std::size_t most);

}  // namespace bdelta::exe
