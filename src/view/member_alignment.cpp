#include "view/member_alignment.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace bdelta::view {
namespace {

constexpr std::size_t kMostMembers = std::size_t{1} << 18;  // of a list; their keys take memory

using MemberSpan = std::span<const Member>;

MemberSpan first_of(const Members& members) { return MemberSpan(members).first(std::min(members.size(), kMostMembers)); }

// Bytes in front of the part of all names that counts: the one folder that they are in, with its slash.
std::size_t folder_bytes(MemberSpan members) {
  const std::string& first = members.front().name;
  const std::size_t slash = first.find('/');
  if (slash == std::string::npos) return 0;
  const std::string_view folder(first.data(), slash + 1);
  const bool is_common = std::all_of(members.begin(), members.end(), [&](const Member& member) {
    return std::string_view(member.name).substr(0, folder.size()) == folder;
  });
  return is_common ? folder.size() : 0;
}

// The name as it is without versions and other numbers.
std::string without_digits(std::string_view name) {
  std::string key;
  std::copy_if(name.begin(), name.end(), std::back_inserter(key), [](char letter) { return letter < '0' || letter > '9'; });
  return key;
}

std::int64_t difference(std::uint64_t source_pos, std::uint64_t target_pos) {
  return static_cast<std::int64_t>(source_pos) - static_cast<std::int64_t>(target_pos);
}

AlignedRange aligned(const Member& old_member, const Member& new_member) {
  return {new_member.begin, new_member.end, difference(old_member.begin, new_member.begin),
          difference(old_member.data_end(), new_member.data_end()),
          old_member.is_file && new_member.is_file ? new_member.data_pos : AlignedRange::kNoData,
          difference(old_member.data_pos, new_member.data_pos)};
}

// Finds what a member of the target was in the source.
class FormerMembers {
 public:
  // Both lists outlive the object and hold something.
  FormerMembers(MemberSpan old_members, MemberSpan new_members)
      : old_folder_(folder_bytes(old_members)), new_folder_(folder_bytes(new_members)) {
    if (old_folder_ == 0 || new_folder_ == 0) old_folder_ = new_folder_ = 0;
    by_name_.reserve(old_members.size());
    for (const Member& member : old_members) by_name_.emplace(name_of(member, old_folder_), &member);
    std::unordered_set<std::string_view> new_names;
    for (const Member& member : new_members) new_names.insert(name_of(member, new_folder_));
    for (const Member& member : old_members) {
      const std::string_view name = name_of(member, old_folder_);
      if (new_names.count(name) == 0) by_letters_.emplace(without_digits(name), &member);
    }
  }

  // By the same name, or else by the letters of one that is gone; nullptr where there is none.
  [[nodiscard]] const Member* find(const Member& new_member) const {
    const std::string_view name = name_of(new_member, new_folder_);
    if (const auto same = by_name_.find(name); same != by_name_.end()) return same->second;
    const auto alike = by_letters_.find(without_digits(name));
    return alike == by_letters_.end() ? nullptr : alike->second;
  }

 private:
  [[nodiscard]] static std::string_view name_of(const Member& member, std::size_t folder) {
    return std::string_view(member.name).substr(folder);
  }

  std::size_t old_folder_;
  std::size_t new_folder_;
  std::unordered_map<std::string_view, const Member*> by_name_;
  std::unordered_map<std::string, const Member*> by_letters_;
};

}  // namespace

std::vector<AlignedRange> align_members(const Members& source, const Members& target) {
  if (source.empty() || target.empty()) return {};
  const MemberSpan new_members = first_of(target);
  const FormerMembers namesakes(first_of(source), new_members);
  std::vector<AlignedRange> ranges;
  for (const Member& member : new_members) {
    if (const Member* old = namesakes.find(member)) ranges.push_back(aligned(*old, member));
  }
  return ranges;
}

}  // namespace bdelta::view
