#include "cli/suggest.hpp"

#include <algorithm>

namespace bdelta::cli {
namespace {

constexpr std::size_t kLettersForChange = 3;  // that many letters may have one that is wrong
constexpr std::size_t kLeastBeginning = 2;    // letters from which a beginning says what is meant

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& letter : small) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return small;
}

// Letters to insert, remove, replace or swap with their neighbour, row by row of the usual table.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string wanted = in_small_letters(word);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(wanted.size() / kLettersForChange, 1) + 1;
  for (const std::string& candidate : candidates) {
    const bool begins = wanted.size() >= kLeastBeginning && candidate.starts_with(wanted);
    const std::size_t changes = begins ? 0 : distance(wanted, candidate);
    if (changes >= best_distance) continue;
    best = candidate;
    best_distance = changes;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates, std::string_view prefix) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? "" : " (did you mean " + std::string(prefix) + meant + "?)";
}

}  // namespace bdelta::cli
