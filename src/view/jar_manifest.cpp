// A signed archive has a manifest, in which each of its files has a section with its name and its digest. A signature file
// repeats the names, with the digest of each section and that of the whole manifest. Its own signature stands in a third
// file (JAR File Specification, Oracle, "Signed JAR File"). Sections end with an empty line; a line of over 72 bytes goes on
// in the next one, behind a space. SHA-256 alone is looked for, as nothing that is signed today has older digests.
#include "view/jar_manifest.hpp"

#include <unordered_map>
#include <vector>

namespace bdelta::view {
namespace {

constexpr std::uint64_t kMostManifestBytes = std::uint64_t{1} << 24;
constexpr std::string_view kFolder = "META-INF/";
constexpr std::string_view kManifest = "META-INF/MANIFEST.MF";
constexpr std::string_view kSignature = ".SF";
constexpr std::string_view kNameMark = "Name: ";
constexpr std::string_view kDigestMark = "SHA-256-Digest: ";
constexpr std::string_view kWholeMark = "SHA-256-Digest-Manifest: ";

// Positions count from the start of the list.
struct Section {
  std::string name;           // empty in the first one
  std::size_t begin = 0;
  std::size_t end = 0;        // behind its empty line
  std::size_t digest_at = 0;  // of the text; 0: none, as a mark is in front of it
  std::size_t whole_at = 0;   // likewise, of the digest of a manifest
};

// One line without what ends it.
struct Line {
  std::string_view text;
  std::size_t end = 0;  // of the line, with that
};

Line line_at(std::string_view list, std::size_t begin) {
  const std::size_t feed = std::min(list.find('\n', begin), list.size());
  const bool has_return = feed > begin && list[feed - 1] == '\r';
  return {list.substr(begin, feed - begin - (has_return ? 1 : 0)), std::min(feed + 1, list.size())};
}

// Where a digest stands behind `mark`, if the line has one and nothing else.
void take_digest(std::string_view line, std::string_view mark, std::size_t begin, std::size_t& digest_at) {
  if (line.size() == mark.size() + kPaddedDigestBytes && line.substr(0, mark.size()) == mark) digest_at = begin + mark.size();
}

// Of at least one byte of the list.
Section section_at(std::string_view list, std::size_t begin) {
  Section section{{}, begin, begin};
  bool is_named = false;  // in the line before
  while (section.end < list.size()) {
    const std::size_t pos = section.end;
    const Line line = line_at(list, pos);
    section.end = line.end;
    if (line.text.empty()) break;
    if (is_named && line.text[0] == ' ') {
      section.name += line.text.substr(1);
      continue;
    }
    is_named = line.text.substr(0, kNameMark.size()) == kNameMark;
    if (is_named) section.name = line.text.substr(kNameMark.size());
    take_digest(line.text, kDigestMark, pos, section.digest_at);
    take_digest(line.text, kWholeMark, pos, section.whole_at);
  }
  return section;
}

template <class Visit>
void for_each_section(std::string_view list, const Visit& visit) {
  for (std::size_t begin = 0; begin < list.size();) {
    Section section = section_at(list, begin);
    begin = section.end;
    visit(std::move(section));
  }
}

bool ends_with(const std::string& name, std::string_view end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

// What names of members have in front, where this one is such a file of an archive.
struct Place {
  std::string root;
  bool is_manifest = false;
  bool is_signature = false;
};

Place place_of(const Member& member) {
  if (!member.is_file || member.data_bytes > kMostManifestBytes) return {};
  const bool is_manifest = ends_with(member.name, kManifest);
  if (!is_manifest && !ends_with(member.name, kSignature)) return {};
  const std::size_t folder_end = member.name.rfind('/') + 1;  // 0 where there is none
  const std::string folder = member.name.substr(0, folder_end);
  if (!ends_with(folder, kFolder)) return {};
  const std::size_t root_end = folder_end - kFolder.size();
  if (root_end != 0 && folder[root_end - 1] != '/') return {};
  return {folder.substr(0, root_end), is_manifest, !is_manifest};
}

// By the names of archives, so that what is inside one is found whatever its version.
ListedDigest digest_of(const std::string& root, const std::string& name, const Member& list, std::size_t digest_at) {
  return {root + '\n' + name, '\n' + name, {}, {0, 0, list.data_pos + digest_at}, list.data_pos, 0};
}

using Manifests = std::unordered_map<std::string, const Member*>;  // by root

Manifests manifests_of(const Members& members) {
  Manifests manifests;
  for (const Member& member : members) {
    if (Place place = place_of(member); place.is_manifest) manifests.emplace(std::move(place.root), &member);
  }
  return manifests;
}

// Each signature file whose archive has a manifest, and how many that archive had before it.
template <class Visit>
void for_each_signature(const Members& members, const Visit& visit) {
  const Manifests manifests = manifests_of(members);
  if (manifests.empty()) return;
  std::unordered_map<std::string, unsigned> turns;
  for (const Member& member : members) {
    const Place place = place_of(member);
    const auto manifest = place.is_signature ? manifests.find(place.root) : manifests.end();
    if (manifest != manifests.end()) visit(member, place.root, *manifest->second, turns[place.root]++);
  }
}

}  // namespace

void for_each_manifest_digest(ByteSpan view, const Members& members, const VisitDigest& visit) {
  for (const Member& member : members) {
    const Place place = place_of(member);
    if (!place.is_manifest) continue;
    for_each_section(list_text(view, member), [&](const Section& section) {
      if (section.name.empty() || section.digest_at == 0) return;
      ListedDigest digest = digest_of(place.root, section.name, member, section.digest_at);
      digest.file = place.root + section.name;
      visit(digest);
    });
  }
}

void for_each_section_digest(ByteSpan view, const Members& members, const VisitDigest& visit) {
  for_each_signature(members, [&](const Member& signature, const std::string& root, const Member& manifest, unsigned turn) {
    std::unordered_map<std::string, FillRange> sections;
    for_each_section(list_text(view, manifest), [&](Section section) {
      if (section.name.empty()) return;
      sections.emplace(std::move(section.name), FillRange{manifest.data_pos + section.begin, section.end - section.begin, 0});
    });
    for_each_section(list_text(view, signature), [&](const Section& section) {
      const auto found = section.digest_at == 0 ? sections.end() : sections.find(section.name);
      if (found == sections.end()) return;
      ListedDigest digest = digest_of(root, section.name, signature, section.digest_at);
      digest.range.pos = found->second.pos;
      digest.range.bytes = found->second.bytes;
      digest.turn = turn;
      visit(digest);
      sections.erase(found);
    });
  });
}

void for_each_whole_digest(ByteSpan view, const Members& members, const VisitDigest& visit) {
  for_each_signature(members, [&](const Member& signature, const std::string& root, const Member& manifest, unsigned turn) {
    const std::string_view list = list_text(view, signature);
    const Section first = list.empty() ? Section() : section_at(list, 0);
    if (first.whole_at == 0 || manifest.data_bytes == 0) return;
    ListedDigest digest = digest_of(root, signature.name.substr(root.size()), signature, first.whole_at);
    digest.range.pos = manifest.data_pos;
    digest.range.bytes = manifest.data_bytes;
    digest.turn = turn;
    visit(digest);
  });
}

}  // namespace bdelta::view
