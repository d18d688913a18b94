// Which of the words that would do is most likely meant by one that does not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bdelta::cli {

// The nearest of `candidates`, which are not empty; the first of several. Empty where none is near: what `word` begins
// counts as near, else a change in each three letters, a swap of neighbours being one. Large letters are as small ones.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// " (did you mean …?)" with `prefix` in front of the nearest; empty where none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                                       std::string_view prefix = {});

}  // namespace bdelta::cli
