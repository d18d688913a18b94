// Where a file has changed, its digest in a list is 43 letters that nothing foretells. In place of them goes what the list
// of the source has for the file, as the line is most likely copied from there. A file that is new gets letters that are all
// the same.
//
// Large files take longer to hash when the patch is applied than their digests are worth: these keep them.
#include "view/file_digests.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/deciding/prices.hpp"
#include "view/jar_manifest.hpp"
#include "view/python_record.hpp"

namespace bdelta::view {
namespace {

constexpr std::size_t kLeastDigests = 2;
constexpr std::size_t kMostDigests = kMostFillRanges / 2;

// In the order of filling: sections of a manifest have its digests of files, and all of it has these.
struct DigestList {
  FillKind kind;
  void (*for_each)(ByteSpan view, const Members& members, const VisitDigest& visit);
};
constexpr DigestList kLists[] = {{kListedDigests, for_each_record_digest},
                                 {kPaddedDigests, for_each_manifest_digest},
                                 {kPaddedDigests, for_each_section_digest},
                                 {kPaddedDigests, for_each_whole_digest}};

struct SourceTexts {
  std::unordered_map<std::string, std::string_view> by_key;
  std::unordered_set<std::string_view> all;
};

SourceTexts texts_of(const DigestList& list, ByteSpan source, const Members& members) {
  SourceTexts texts;
  list.for_each(source, members, [&](const ListedDigest& listed) {
    const std::string_view digest = text_at(source, listed.range.place_pos, list.kind.result_bytes);
    texts.by_key[listed.key] = digest;
    if (!listed.other_key.empty()) texts.by_key[listed.other_key] = digest;
    texts.all.insert(digest);
  });
  return texts;
}

Bytes bytes_instead(const SourceTexts& before, const ListedDigest& listed, std::uint32_t result_bytes) {
  constexpr std::uint8_t kNoDigest = 'A';
  auto partner = before.by_key.find(listed.key);
  if (partner == before.by_key.end()) partner = before.by_key.find(listed.other_key);
  if (partner == before.by_key.end()) return Bytes(result_bytes, kNoDigest);
  return {partner->second.begin(), partner->second.end()};
}

struct Candidate {
  FillRange range;
  Bytes other;
  std::uint64_t list_pos = 0;
  unsigned turn = 0;
  bool is_proven = false;
};
using Candidates = std::vector<Candidate>;

// The digests in the target that the source doesn't have. They are of members, or of what their list says.
Candidates changed_digests(const DigestList& list, ByteSpan target, const Members& members, const SourceTexts& before) {
  Candidates changed;
  std::unordered_map<std::string, Candidate> by_file;
  list.for_each(target, members, [&](const ListedDigest& listed) {
    if (before.all.count(text_at(target, listed.range.place_pos, list.kind.result_bytes)) != 0) return;
    Candidate candidate{listed.range, bytes_instead(before, listed, list.kind.result_bytes), listed.list_pos, listed.turn};
    if (listed.file.empty()) {
      changed.push_back(std::move(candidate));
    } else {
      by_file.try_emplace(listed.file, std::move(candidate));
    }
  });
  for (const Member& member : members) {
    if (by_file.empty()) break;
    const auto found = member.is_file && member.data_bytes != 0 ? by_file.find(member.name) : by_file.end();
    if (found == by_file.end()) continue;
    found->second.range.pos = member.data_pos;
    found->second.range.bytes = member.data_bytes;
    changed.push_back(std::move(found->second));
    by_file.erase(found);
  }
  return changed;
}

std::vector<Stretch> tar_headers(const Fills& fills) {
  std::vector<Stretch> headers;
  for (const FillRule& rule : fills) {
    if (rule.has_places()) continue;
    for (const FillRange& range : rule.ranges) headers.push_back({range.pos, range.end()});
  }
  return joined(std::move(headers));
}

// The first that ends behind that position.
std::vector<Stretch>::const_iterator stretch_at(const std::vector<Stretch>& stretches, std::uint64_t pos) {
  return std::partition_point(stretches.begin(), stretches.end(), [&](const Stretch& each) { return each.end <= pos; });
}

// Whether an applier takes them where they stand: in front of their files it holds back what is from their list on, together
// with what is held back already.
bool is_possible(const Candidate& candidate, std::uint32_t result_bytes, const std::vector<Stretch>& headers,
                 const std::vector<Stretch>& held) {
  const FillRange& range = candidate.range;
  if (range.place_pos >= range.end()) return true;
  Stretch all{candidate.list_pos, range.end()};
  for (auto met = stretch_at(held, all.begin); met != held.end() && met->begin < all.end; ++met) {
    all = {std::min(all.begin, met->begin), std::max(all.end, met->end)};
  }
  if (range.place_pos + result_bytes > range.pos || all.end - all.begin > kMostHeldPartBytes) return false;
  const auto behind = stretch_at(headers, all.begin);
  return behind == headers.end() || behind->begin >= all.end;
}

// A digest saves the same however large its file is. What takes next to no time altogether is left to who applies in any case.
Candidates worth_hashing(Candidates candidates, std::uint64_t apply_byte_ns) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.range.bytes < b.range.bytes; });
  std::size_t kept = 0;
  for (std::uint64_t sum = 0; kept < std::min(candidates.size(), kMostDigests); ++kept) {
    const std::uint64_t bytes = candidates[kept].range.bytes;
    sum += bytes;
    const bool pays = apply_byte_ns == 0 || bytes / 1024 * kHashedKiBNs <= kDigestBytes * apply_byte_ns;
    if (!pays && sum / 1024 * kHashedKiBNs > kFreeModelNs) break;
  }
  candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end());
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.turn != b.turn ? a.turn < b.turn : a.range.pos < b.range.pos;
  });
  return candidates;
}

void prove(const FillKind& kind, ByteSpan target, Candidates& candidates, WorkerPool& pool) {
  pool.for_each(candidates.size(), [&](std::size_t i) {
    candidates[i].is_proven = has_results(target, {kind, 0, {}}, candidates[i].range, 0, 1);
    pool.advance();
  });
}

}  // namespace

FoundFills find_file_digests(ByteSpan source, const Members& source_members, ByteSpan target, const Members& target_members,
                             const Fills& before, std::uint64_t apply_byte_ns, WorkerPool& pool) {
  const Step step(pool, PhaseId::kPredict, target.size());
  const std::vector<Stretch> headers = tar_headers(before);
  FoundFills found;
  for (const DigestList& list : kLists) {
    Candidates candidates =
        changed_digests(list, target, target_members, texts_of(list, source, source_members));
    const std::vector<Stretch> held = held_parts(found.fills);
    const auto has_no_place = [&](const Candidate& each) { return !is_possible(each, list.kind.result_bytes, headers, held); };
    std::erase_if(candidates, has_no_place);
    candidates = worth_hashing(std::move(candidates), apply_byte_ns);
    prove(list.kind, target, candidates, pool);
    for (const Candidate& candidate : candidates) {
      if (!candidate.is_proven) continue;
      add_range(found.fills, list.kind, 0, candidate.range);
      found.others.push_back({candidate.range.place_pos, candidate.other});
    }
  }
  return found.others.size() < kLeastDigests ? FoundFills() : found;
}

}  // namespace bdelta::view
