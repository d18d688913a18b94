// An installed Python package has a list of its files, RECORD, in a folder named after package and version; a line is the
// file's path, its digest and its size (Recording installed projects, packaging.python.org). Where a file has changed, its
// digest is 43 letters that nothing foretells. In place of them goes the digest that the file's line in the source has, as
// the line is most likely copied from there; a file that is new gets letters that are all the same.
//
// Large files take longer to hash when the patch is applied than their digests are worth: these keep them.
#include "create/file_digest_pass.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "create/tar_members.hpp"
#include "hash/sha256.hpp"

namespace bdelta {
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
  std::string root;     // what paths are relative to, with its slash; empty for the archive itself
  std::string folder;   // NAME-VERSION.dist-info
  std::uint64_t pos = 0;
  std::uint64_t bytes = 0;
};

std::optional<PackageList> as_list(const TarMember& member) {
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

std::vector<PackageList> find_lists(ByteSpan archive) {
  std::vector<PackageList> lists;
  for_each_tar_member(archive, [&](const TarMember& member) {
    if (auto list = member.is_file ? as_list(member) : std::nullopt) lists.push_back(std::move(*list));
  });
  return lists;
}

// One line that has a digest.
struct ListedFile {
  std::string_view path;
  std::uint64_t text_pos = 0;  // of the digest, in the archive
};

template <class Visit>
void for_each_file(ByteSpan archive, const PackageList& list, const Visit& visit) {
  const std::string_view lines = text_of(archive, list.pos, list.bytes);
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

std::string_view digest_at(ByteSpan archive, std::uint64_t pos) { return text_of(archive, pos, kDigestTextBytes); }

struct SourceTexts {
  std::unordered_map<std::string, std::string_view> by_key;
  std::unordered_set<std::string_view> all;
};

SourceTexts texts_of(ByteSpan source) {
  SourceTexts texts;
  for (const PackageList& list : find_lists(source)) {
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
std::vector<Candidate> find_candidates(ByteSpan target, ChangedByName& changed) {
  std::vector<Candidate> candidates;
  for_each_tar_member(target, [&](const TarMember& member) {
    if (!member.is_file || member.data_bytes == 0) return;
    const auto found = changed.find(member.name);
    if (found == changed.end()) return;
    const FillRange range{member.data_pos, member.data_bytes, found->second.pos};
    if (range.place_pos >= range.end()) candidates.push_back({range, found->second, false});
    changed.erase(found);
  });
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
    const FillRange& range = candidates[i].range;
    const ByteSpan data = target.subspan(static_cast<std::size_t>(range.pos), static_cast<std::size_t>(range.bytes));
    std::string text(kDigestTextBytes, '\0');
    write_digest(kListedDigests.encoding, sha256(data), reinterpret_cast<std::uint8_t*>(text.data()));
    candidates[i].is_proven = text == digest_at(target, range.place_pos);
    pool.advance();
  });
}

}  // namespace

FoundFills find_file_digests(ByteSpan source, ByteSpan target, std::uint64_t most_hashed_bytes, WorkerPool& pool) {
  const std::vector<PackageList> lists = find_lists(target);
  if (lists.empty()) return {};
  const Step step(pool, PhaseId::kPredict, target.size());
  ChangedByName changed = changed_digests(target, lists, texts_of(source));
  std::vector<Candidate> candidates = smallest_of(find_candidates(target, changed), most_hashed_bytes);
  prove(target, candidates, pool);
  FoundFills found;
  for (const Candidate& candidate : candidates) {
    if (!candidate.is_proven) continue;
    add_range(found.fills, kListedDigests, 0, candidate.range);
    found.others.push_back(candidate.other);
  }
  return found.others.size() < kLeastDigests ? FoundFills() : found;
}

}  // namespace bdelta
