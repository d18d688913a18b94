// A group passes each pattern that can be made of the halves that its patterns have at the same places: as many as the
// product of their counts. What passes and is no pattern has to be looked up, so groups shall pass little. They are
// made by joining, from each pattern alone on, whichever two pass the least more together than apart, until eight are
// left. With more than 64 patterns, neighbours in the order of their bytes are joined beforehand, as joining takes the
// square of their number.
#include "delta/pattern_halves.hpp"

#include <algorithm>
#include <limits>

#include "delta/pattern_key.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kGroups = 8;
constexpr std::size_t kFirstGroups = 64;
constexpr unsigned kLane = 16;  // bits: one for each value of a half

// The halves of a group, 16 bits for each place.
struct GroupHalves {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  [[nodiscard]] GroupHalves joined(const GroupHalves& other) const noexcept {
    return {low | other.low, high | other.high};
  }
};

GroupHalves halves_of(std::uint32_t pattern) noexcept {
  GroupHalves halves;
  for (unsigned place = 0; place < PatternHalves::kPlaces; ++place) {
    const auto byte = static_cast<unsigned>(pattern >> 8 * place & 0xff);
    halves.low |= std::uint64_t{1} << (kLane * place + (byte & 15u));
    halves.high |= std::uint64_t{1} << (kLane * place + (byte >> 4));
  }
  return halves;
}

// How many bits are set in each lane.
std::uint64_t lane_counts(std::uint64_t bits) noexcept {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (bits + (bits >> 8)) & 0x00ff00ff00ff00ffu;
}

// How many patterns the group passes; at most 2^32.
std::int64_t passed_by(const GroupHalves& group) noexcept {
  const std::uint64_t low = lane_counts(group.low);
  const std::uint64_t high = lane_counts(group.high);
  std::uint64_t product = 1;
  for (unsigned place = 0; place < PatternHalves::kPlaces; ++place) {
    product *= (low >> kLane * place & 0xff) * (high >> kLane * place & 0xff);
  }
  return static_cast<std::int64_t>(product);
}

// Groups, and for each two of them how much more they pass together.
class Joining {
 public:
  explicit Joining(std::vector<GroupHalves> groups) : groups_(std::move(groups)), stride_(groups_.size()) {
    for (const GroupHalves& group : groups_) passed_.push_back(passed_by(group));
    more_.resize(stride_ * stride_);
    for (std::size_t i = 0; i < groups_.size(); ++i) weigh(i);
  }

  void join_down_to(std::size_t count) {
    while (groups_.size() > count) join_closest();
  }

  [[nodiscard]] const std::vector<GroupHalves>& groups() const noexcept { return groups_; }

 private:
  // With each other one; the smaller index is the row.
  void weigh(std::size_t i) {
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      if (k == i) continue;
      more_[std::min(i, k) * stride_ + std::max(i, k)] = passed_by(groups_[i].joined(groups_[k])) - passed_[i] - passed_[k];
    }
  }

  void join_closest() {
    std::size_t into = 0;
    std::size_t from = 1;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      for (std::size_t k = i + 1; k < groups_.size(); ++k) {
        if (more_[i * stride_ + k] >= least) continue;
        least = more_[i * stride_ + k];
        into = i;
        from = k;
      }
    }
    set(into, groups_[into].joined(groups_[from]));
    const GroupHalves last = groups_.back();
    groups_.pop_back();
    passed_.pop_back();
    if (from < groups_.size()) set(from, last);
  }

  void set(std::size_t i, const GroupHalves& group) {
    groups_[i] = group;
    passed_[i] = passed_by(group);
    weigh(i);
  }

  std::vector<GroupHalves> groups_;
  std::vector<std::int64_t> passed_;
  std::size_t stride_;
  std::vector<std::int64_t> more_;
};

std::vector<GroupHalves> first_groups(std::vector<std::uint32_t> patterns) {
  std::sort(patterns.begin(), patterns.end(), [](std::uint32_t a, std::uint32_t b) {
    return pattern_key(a) < pattern_key(b);
  });
  std::vector<GroupHalves> groups(std::min(patterns.size(), kFirstGroups));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    GroupHalves& group = groups[i * groups.size() / patterns.size()];
    group = group.joined(halves_of(patterns[i]));
  }
  return groups;
}

}  // namespace

PatternHalves make_halves(const std::vector<std::uint32_t>& patterns) {
  Joining joining(first_groups(patterns));
  joining.join_down_to(kGroups);
  PatternHalves halves;
  for (std::size_t i = 0; i < joining.groups().size(); ++i) {
    const GroupHalves& group = joining.groups()[i];
    const auto bit = static_cast<std::uint8_t>(1u << i);
    for (unsigned place = 0; place < PatternHalves::kPlaces; ++place) {
      for (unsigned half = 0; half < 16; ++half) {
        if ((group.low >> (kLane * place + half) & 1) != 0) halves.low[place][half] |= bit;
        if ((group.high >> (kLane * place + half) & 1) != 0) halves.high[place][half] |= bit;
      }
    }
  }
  return halves;
}

}  // namespace bdelta
