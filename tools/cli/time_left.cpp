#include "cli/time_left.hpp"

#include <algorithm>

namespace bdelta::cli {
namespace {

constexpr double kLeastShare = 0.02;    // of the work that must be done to tell; more = later, surer
constexpr double kLeastSeconds = 0.5;   // likewise
constexpr double kSmoothSeconds = 2;    // after which most of a leap has come through; more = calmer, slower

}  // namespace

std::optional<double> TimeLeft::update(double share, double elapsed_seconds) {
  const double passed = elapsed_seconds - last_seconds_;
  last_seconds_ = elapsed_seconds;
  if (share >= 1) return 0;
  if (!(share > 0)) begin_seconds_ = elapsed_seconds;
  const double worked = elapsed_seconds - begin_seconds_;
  if (share < kLeastShare || worked < kLeastSeconds) return std::nullopt;
  const double total = worked / share;
  const double before = total_seconds_.value_or(total);
  total_seconds_ = before + (total - before) * passed / (passed + kSmoothSeconds);
  return std::max(0.0, *total_seconds_ - worked);
}

}  // namespace bdelta::cli
