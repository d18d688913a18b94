// What a file holds as its view shows it: files of a tree, entries of archives, programs and their sections, one inside the
// other. For people who want to know where bytes are; nothing is decided by it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "view/packed_streams.hpp"
#include "view/tree/manifest.hpp"

namespace bdelta::inspecting {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

struct ListedMember {
  std::string name;             // any bytes; empty for the file itself
  std::uint32_t parent = kNone;
  const char* format = "file";  // a word of docs/json.md
  const char* packed = "";      // what it is packed with, as far as its bytes tell; empty if it is not
  std::vector<std::string> sections;  // of it; the first is what is in no other, and has no name
};

// From its beginning to that of the next one.
struct Region {
  std::uint64_t begin = 0;
  std::uint32_t member = 0;
  std::uint32_t section = 0;
};

// The last view of a file with what is known of it. All is looked at while it is listed, and nothing later.
struct ListedView {
  ByteSpan bytes;
  std::span<const view::PackedStreams> streams;    // that are unpacked: of the file, then of its view, and so on
  const view::Manifest* manifest = nullptr;        // of a tree, whose stream this is
  const std::vector<bool>* left_out = nullptr;     // files that the stream has not, by the numbers of entries; null: none
};

struct MemberList {
  std::vector<ListedMember> members;  // a parent in front of what it holds
  std::vector<Region> regions;        // from 0 on, ascending, of the whole view

  // The region that holds a position.
  [[nodiscard]] std::size_t region_of(std::uint64_t pos) const noexcept;

  // Of a member, with those of its parents: "dist/app.tar.gz/bin/app".
  [[nodiscard]] std::string path_of(std::uint32_t member) const;
};

[[nodiscard]] MemberList list_members(const ListedView& view);

}  // namespace bdelta::inspecting
