// An installed Python package has a list of its files, RECORD, in a folder named after package and version; a line is the
// file's path, its digest and its size (Recording installed projects, packaging.python.org). Where a file has changed, its
// digest is 43 letters that nothing foretells. In place of them goes the digest that the file's line in the source has, as
// the line is most likely copied from there; a file that is new gets letters that are all the same.
//
// Large files take longer to hash when the patch is applied than their digests are worth: these keep them.
#include "view/file_digests.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace bdelta::view {
namespace {

constexpr std::size_t kLeastDigests = 2;
constexpr std::size_t kMostDigests = kMostFillRanges / 2;
constexpr std::uint64_t kMostListBytes = std::uint64_t{1} << 26;
constexpr std::string_view kListName = ".dist-info/RECORD";
constexpr std::string_view kDigestMark = ",sha256=";

std::string_view text_of(ByteSpan bytes, std::uint64_t pos, std::uint64_t length) {
  return {reinterpret_cast<const char*>(bytes.data() + pos), static_cast<std::size_t>(length)};
}

// A list of files: root/NAME-VERSION.dist-info/RECORD.
struct PackageList {
  std::string root;     // what paths are relative to, with its slash; empty for the container itself
  std::string folder;   // NAME-VERSION.dist-info
  std::uint64_t pos = 0;
  std::uint64_t bytes = 0;
};

std::optional<PackageList> as_list(const Member& member) {
  const std::string& name = member.name;
  if (name.size() <= kListName.size() || name.compare(name.size() - kListName.size(), kListName.size(), kListName) != 0) {
    return std::nullopt;
  }
  const std::size_t folder_end = name.rfind('/');
  const std::size_t slash = name.rfind('/', folder_end - 1);
  const std::size_t folder_at = slash == std::string::npos ? 0 : slash + 1;
  return PackageList{name.substr(0, folder_at), name.substr(folder_at, folder_end - folder_at), member.data_pos,
                     std::min(member.data_bytes, kMostListBytes)};
}

std::vector<PackageList> find_lists(const Members& members) {
  std::vector<PackageList> lists;
  for (const Member& member : members) {
    if (auto list = member.is_file ? as_list(member) : std::nullopt) lists.push_back(std::move(*list));
  }
  return lists;
}

// One line that has a digest.
struct ListedFile {
  std::string_view path;
  std::uint64_t text_pos = 0;  // of the digest, in the view
};

template <class Visit>
void for_each_file(ByteSpan view, const PackageList& list, const Visit& visit) {
  const std::string_view lines = text_of(view, list.pos, list.bytes);
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string_view line = lines.substr(begin, end - begin);
    const std::size_t mark = line.rfind(kDigestMark);
    const std::size_t text_at = mark + kDigestMark.size();
    const std::size_t text_end = text_at + kDigestTextBytes;
    if (mark != std::string_view::npos && line.size() > text_end && line[text_end] == ',') {
      visit(ListedFile{line.substr(0, mark), list.pos + begin + text_at});
    }
    begin = end + 1;
  }
}

// A package's name without what its spellings differ in (Names and normalization, packaging.python.org).
std::string package_of(const PackageList& list) {
  std::string name = list.folder.substr(0, list.folder.find('-'));
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == '.') letter = '_';
  }
  return name;
}

// What a file is known by in both versions: its package and its path, where the folder of the list goes without version.
std::string key_of(const PackageList& list, std::string_view path) {
  const bool is_beside_list = path.substr(0, list.folder.size()) == list.folder;
  if (is_beside_list) path.remove_prefix(list.folder.size());
  std::string key = list.root + package_of(list) + (is_beside_list ? '*' : '-');
  return key += path;
}

std::string_view digest_at(ByteSpan view, std::uint64_t pos) { return text_of(view, pos, kDigestTextBytes); }

struct SourceTexts {
  std::unordered_map<std::string, std::string_view> by_key;
  std::unordered_set<std::string_view> all;
};

SourceTexts texts_of(ByteSpan source, const std::vector<PackageList>& lists) {
  SourceTexts texts;
  for (const PackageList& list : lists) {
    for_each_file(source, list, [&](const ListedFile& file) {
      const std::string_view digest = digest_at(source, file.text_pos);
      texts.by_key[key_of(list, file.path)] = digest;
      texts.all.insert(digest);
    });
  }
  return texts;
}

// The digests in the target that the source doesn't have, each with what it gets instead, by the name of its file.
using ChangedByName = std::unordered_map<std::string, OtherBytes>;

ChangedByName changed_digests(ByteSpan target, const std::vector<PackageList>& lists, const SourceTexts& before) {
  constexpr std::uint8_t kNoDigest = 'A';
  ChangedByName changed;
  for (const PackageList& list : lists) {
    for_each_file(target, list, [&](const ListedFile& file) {
      if (before.all.count(digest_at(target, file.text_pos)) != 0) return;
      OtherBytes other{file.text_pos, Bytes(kDigestTextBytes, kNoDigest)};
      const auto partner = before.by_key.find(key_of(list, file.path));
      if (partner != before.by_key.end()) other.bytes.assign(partner->second.begin(), partner->second.end());
      changed.try_emplace(list.root + std::string(file.path), other);
    });
  }
  return changed;
}

struct Candidate {
  FillRange range;
  OtherBytes other;
  bool is_proven = false;
};

// In the order of their files, which stand in front of their digests.
std::vector<Candidate> find_candidates(const Members& members, ChangedByName& changed) {
  std::vector<Candidate> candidates;
  for (const Member& member : members) {
    if (!member.is_file || member.data_bytes == 0) continue;
    const auto found = changed.find(member.name);
    if (found == changed.end()) continue;
    const FillRange range{member.data_pos, member.data_bytes, found->second.pos};
    if (range.place_pos >= range.end()) candidates.push_back({range, found->second, false});
    changed.erase(found);
  }
  return candidates;
}

// A digest saves the same however large its file is, and what the files have together is what applying takes.
std::vector<Candidate> smallest_of(std::vector<Candidate> candidates, std::uint64_t most_bytes) {
  const auto by_size = [](const Candidate& a, const Candidate& b) { return a.range.bytes < b.range.bytes; };
  const auto by_place = [](const Candidate& a, const Candidate& b) { return a.range.pos < b.range.pos; };
  std::stable_sort(candidates.begin(), candidates.end(), by_size);
  std::size_t kept = 0;
  for (std::uint64_t sum = 0; kept < candidates.size() && kept < kMostDigests; ++kept) {
    sum += candidates[kept].range.bytes;
    if (sum > most_bytes) break;
  }
  candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end());
  std::sort(candidates.begin(), candidates.end(), by_place);
  return candidates;
}

void prove(ByteSpan target, std::vector<Candidate>& candidates, WorkerPool& pool) {
  pool.for_each(candidates.size(), [&](std::size_t i) {
    candidates[i].is_proven = has_results(target, {kListedDigests, 0, {}}, candidates[i].range, 0, 1);
    pool.advance();
  });
}

}  // namespace

FoundFills find_file_digests(ByteSpan source, const Members& source_members, ByteSpan target, const Members& target_members,
                             std::uint64_t most_hashed_bytes, WorkerPool& pool) {
  const std::vector<PackageList> lists = find_lists(target_members);
  if (lists.empty()) return {};
  const Step step(pool, PhaseId::kPredict, target.size());
  ChangedByName changed = changed_digests(target, lists, texts_of(source, find_lists(source_members)));
  std::vector<Candidate> candidates = smallest_of(find_candidates(target_members, changed), most_hashed_bytes);
  prove(target, candidates, pool);
  FoundFills found;
  for (const Candidate& candidate : candidates) {
    if (!candidate.is_proven) continue;
    add_range(found.fills, kListedDigests, 0, candidate.range);
    found.others.push_back(candidate.other);
  }
  return found.others.size() < kLeastDigests ? FoundFills() : found;
}

}  // namespace bdelta::view
