// What a file holds, part by part: archives are opened as far as that goes without unpacking, and what can be unpacked is
// found. Views of views are made of what was unpacked before.
#pragma once

#include "bdelta/report.hpp"
#include "view/find_streams.hpp"
#include "view/members.hpp"
#include "view/replacements.hpp"

namespace bdelta {

// Of a file, or of its view.
struct ViewPart {
  view::Member member;     // its name is empty where all of a file is one part
  bool is_packed = false;  // its bytes are a stream
  bool is_seen = false;    // it was looked into
};

// In the order of the file, none inside another.
using ViewParts = std::vector<ViewPart>;

// A directory of a zip archive, and the archive's name.
struct FoundDirectory {
  view::ZipDirectory place;
  std::string name;
};

struct FoundParts {
  ViewParts parts;
  std::vector<view::FoundStream> streams;
  std::vector<FoundDirectory> directories;  // of archives with members, in the order of the file
  std::vector<view::Member> encrypted;  // that can't be unpacked
  UnpackReport::Streams unscanned;      // where too much only looks like streams
};

// All of a file.
[[nodiscard]] ViewPart whole_part(std::uint64_t file_bytes);

struct PartSearch {
  bool is_of_view = false;  // the file is one: what is packed was chosen by a program, and begins as it is to
  bool scans = false;       // parts that are no archives, for streams anywhere; of a view always, else they stay unseen
  std::uint64_t most_raw_bytes = 0;      // of streams whose ends only inflating tells
  std::uint64_t most_scanned_bytes = 0;  // of one that is found by a scan, and held for a moment
};

// Looks into those that were not.
[[nodiscard]] FoundParts find_parts(ByteSpan file, const ViewParts& parts, const PartSearch& search);

// Where they are in a view that replaces what was found in them.
[[nodiscard]] ViewParts parts_in_view(ViewParts parts, const view::Replacements& replaced);

// For who compares files by name. None where all of a file is one part.
[[nodiscard]] view::Members members_of(const ViewParts& parts);

}  // namespace bdelta
