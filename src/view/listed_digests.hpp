// Digests as lists in a view have them: of its members, or of parts of another list.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "delta/fills.hpp"
#include "view/members.hpp"

namespace bdelta::view {

struct ListedDigest {
  std::string key;             // what it is known by in both versions
  std::string other_key;       // likewise, where nothing has that one; may be empty
  std::string file;            // the member that it is of; empty: it is of `range`
  FillRange range;             // its place in any case
  std::uint64_t list_pos = 0;  // where its list begins
  unsigned turn = 0;           // those of one turn are of bytes that they don't share
};

using VisitDigest = std::function<void(const ListedDigest&)>;

inline constexpr std::uint64_t kMostListBytes = std::uint64_t{1} << 26;  // what is looked at of a list

[[nodiscard]] inline std::string_view text_at(ByteSpan view, std::uint64_t pos, std::uint64_t length) {
  return {reinterpret_cast<const char*>(view.data() + pos), static_cast<std::size_t>(length)};
}

// What a list has as text. Members are those of the view.
[[nodiscard]] inline std::string_view list_text(ByteSpan view, const Member& member) {
  return text_at(view, member.data_pos, std::min(member.data_bytes, kMostListBytes));
}

}  // namespace bdelta::view
