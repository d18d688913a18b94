#include "create/member_alignment.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "create/tar_members.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kMostMembers = std::size_t{1} << 18;  // of an archive; their names take memory

std::vector<TarMember> members_of(ByteSpan archive) {
  std::vector<TarMember> members;
  for_each_tar_member(archive, [&](const TarMember& member) {
    if (members.size() < kMostMembers) members.push_back(member);
  });
  return members;
}

// Bytes in front of the part of all names that counts: the one folder that they are in, with its slash.
std::size_t folder_bytes(const std::vector<TarMember>& members) {
  const std::string& first = members.front().name;
  const std::size_t slash = first.find('/');
  if (slash == std::string::npos) return 0;
  const std::string_view folder(first.data(), slash + 1);
  const bool is_common = std::all_of(members.begin(), members.end(), [&](const TarMember& member) {
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

AlignedRange aligned(const TarMember& old_member, const TarMember& new_member) {
  return {new_member.begin, new_member.end, difference(old_member.begin, new_member.begin),
          difference(old_member.data_pos + old_member.data_bytes, new_member.data_pos + new_member.data_bytes)};
}

// Finds what a member of the target was in the source.
class FormerMembers {
 public:
  // Both lists outlive the object and hold something.
  FormerMembers(const std::vector<TarMember>& old_members, const std::vector<TarMember>& new_members)
      : old_folder_(folder_bytes(old_members)), new_folder_(folder_bytes(new_members)) {
    if (old_folder_ == 0 || new_folder_ == 0) old_folder_ = new_folder_ = 0;
    by_name_.reserve(old_members.size());
    for (const TarMember& member : old_members) by_name_.emplace(name_of(member, old_folder_), &member);
    std::unordered_set<std::string_view> new_names;
    for (const TarMember& member : new_members) new_names.insert(name_of(member, new_folder_));
    for (const TarMember& member : old_members) {
      const std::string_view name = name_of(member, old_folder_);
      if (new_names.count(name) == 0) by_letters_.emplace(without_digits(name), &member);
    }
  }

  // By the same name, or else by the letters of one that is gone; nullptr where there is none.
  [[nodiscard]] const TarMember* find(const TarMember& new_member) const {
    const std::string_view name = name_of(new_member, new_folder_);
    if (const auto same = by_name_.find(name); same != by_name_.end()) return same->second;
    const auto alike = by_letters_.find(without_digits(name));
    return alike == by_letters_.end() ? nullptr : alike->second;
  }

 private:
  [[nodiscard]] static std::string_view name_of(const TarMember& member, std::size_t folder) {
    return std::string_view(member.name).substr(folder);
  }

  std::size_t old_folder_;
  std::size_t new_folder_;
  std::unordered_map<std::string_view, const TarMember*> by_name_;
  std::unordered_map<std::string, const TarMember*> by_letters_;
};

}  // namespace

std::vector<AlignedRange> align_members(ByteSpan source, ByteSpan target) {
  const std::vector<TarMember> old_members = members_of(source);
  if (old_members.empty()) return {};
  const std::vector<TarMember> new_members = members_of(target);
  if (new_members.empty()) return {};
  const FormerMembers namesakes(old_members, new_members);
  std::vector<AlignedRange> ranges;
  for (const TarMember& member : new_members) {
    if (const TarMember* old = namesakes.find(member)) ranges.push_back(aligned(*old, member));
  }
  return ranges;
}

}  // namespace bdelta
