#include "inspect/tree_entries.hpp"

#include <algorithm>
#include <map>

#include "base/guard.hpp"
#include "base/try.hpp"

namespace bdelta::inspecting {
namespace {

void sort_by_path(std::vector<EntryBytes>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const EntryBytes& a, const EntryBytes& b) { return a.path < b.path; });
}

bool is_directory(const MemberBytes& member) { return member.format == "directory"; }

// By the paths of files: members of archives count as the file that they are in.
std::map<std::string_view, std::uint64_t> costs_of(const std::vector<MemberBytes>& members) {
  std::vector<std::uint64_t> bytes(members.size());
  std::map<std::string_view, std::uint64_t> costs;
  for (std::size_t i = members.size(); i-- > 0;) {
    bytes[i] += members[i].patch_bytes;
    const std::size_t parent = members[i].parent;
    if (parent != MemberBytes::kNone && !is_directory(members[parent])) {
      bytes[parent] += bytes[i];
    } else {
      costs[members[i].path] = bytes[i];
    }
  }
  return costs;
}

}  // namespace

std::vector<EntryBytes> entries_of(const TreeChanges& changes, const std::vector<MemberBytes>& members) {
  const auto costs = costs_of(members);
  std::vector<EntryBytes> entries;
  const auto add = [&](EntryChange change, const std::vector<TreeChange>& list) {
    for (const TreeChange& one : list) {
      const auto cost = change == EntryChange::kRemoved ? costs.end() : costs.find(one.path);
      entries.push_back({change, one.path, one.from, one.bytes, cost == costs.end() ? 0 : cost->second});
    }
  };
  add(EntryChange::kChanged, changes.changed);
  add(EntryChange::kAdded, changes.added);
  add(EntryChange::kMoved, changes.moved);
  add(EntryChange::kRemoved, changes.removed);
  sort_by_path(entries);
  return entries;
}

Status ListedSource::read_at(std::uint64_t pos, MutableByteSpan out) {
  const ByteSpan known = manifest_.bytes();
  std::fill(out.begin(), out.end(), std::uint8_t{0});
  if (pos < known.size()) {
    const auto from = known.begin() + static_cast<std::ptrdiff_t>(pos);
    std::copy_n(from, std::min<std::size_t>(out.size(), static_cast<std::size_t>(known.end() - from)), out.begin());
  }
  return {};
}

ListedTree::ListedTree(const ApplyPlan& plan, const PatchInfo& info, KnownTree source)
    : plan_(plan), target_bytes_(info.target_size.value_or(0)), listed_(std::move(source)),
      source_(listed_.manifest, plan.views.empty() ? info.source_size.value_or(0) : plan.views.back().source_view_bytes),
      caches_(source_, nullptr), history_(std::min(info.history_bytes, plan.tree->made_bytes)) {}

std::unique_ptr<ListedTree> ListedTree::make(const ApplyPlan& plan, const PatchInfo& info) {
  if (!plan.tree || !plan.tree->source_list) return nullptr;
  auto listed = KnownTree::of_list(*plan.tree->source_list);
  return listed ? std::unique_ptr<ListedTree>(new ListedTree(plan, info, std::move(*listed))) : nullptr;
}

void ListedTree::add_window(const WindowDelta& window) {
  if (failed_ || made_.size() >= plan_.tree->manifest_bytes) return;
  failed_ = window.modelled || !guarded([&] { return make_window(window); });
}

Status ListedTree::make_window(WindowDelta window) {
  const std::uint64_t left_bytes = plan_.tree->manifest_bytes - made_.size();
  window.predicted = false;  // no manifest is a program
  if (window.is_plain()) {
    window.target_length = window.ops[0].length = std::min(window.target_length, left_bytes);
  }
  Bytes out(static_cast<std::size_t>(window.target_length));
  BDELTA_TRY(execute_window(window, nullptr, caches_, out, &history_));
  history_.append(out);
  append(made_, ByteSpan(out).first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_bytes))));
  return {};
}

bool ListedTree::prove() {
  if (failed_ || made_.size() != plan_.tree->manifest_bytes) return false;
  auto target = view::Manifest::decode(std::move(made_), view::NameRules::kAny);
  if (!target) return false;
  target_ = std::move(*target);
  counterparts_ = view::counterparts_of(listed_.manifest, target_);
  auto marks = view::decode_marks(listed_.manifest, target_, counterparts_, plan_.tree->code);
  if (!marks) return false;
  marks_ = std::move(*marks);
  return target_.entries().size() == plan_.tree->entry_count && view::sizes_fit(*plan_.tree, target_, marks_, target_bytes_);
}

MemberList ListedTree::list() const {
  MemberList list;
  if (!plan_.views.empty()) return list;
  const auto add = [&](std::string_view path, std::uint64_t pos) {
    list.members.push_back({std::string(path), kNone, "file", "", {""}});
    if (!list.regions.empty() && list.regions.back().begin == pos) list.regions.pop_back();
    list.regions.push_back({pos, static_cast<std::uint32_t>(list.members.size() - 1), 0});
  };
  add("", 0);
  std::uint64_t pos = target_.bytes().size();
  for (std::size_t i = 0; i < target_.entries().size(); ++i) {
    const view::TreeEntry& entry = target_.entries()[i];
    if (entry.kind != view::EntryKind::kFile || entry.bytes == 0 || marks_.is_kept[i]) continue;
    add(entry.path, pos);
    pos += entry.bytes;
  }
  return list;
}

std::vector<EntryBytes> ListedTree::entries(const std::vector<MemberBytes>& costs) const {
  const auto by_path = costs_of(costs);
  const auto cost = [&](const EntryBytes& entry) -> std::optional<std::uint64_t> {
    const auto found = by_path.find(entry.path);
    if (found != by_path.end()) return found->second;
    return entry.bytes == 0 || !costs.empty() ? std::optional<std::uint64_t>(0) : std::nullopt;
  };
  std::vector<EntryBytes> entries;
  for (std::size_t i = 0; i < target_.entries().size(); ++i) {
    const view::TreeEntry& now = target_.entries()[i];
    const bool is_new = counterparts_[i] == view::kNoEntry;
    if (!is_new) {
      const view::TreeEntry& before = listed_.manifest.entries()[counterparts_[i]];
      const bool is_empty = now.kind == view::EntryKind::kFile && now.bytes == 0;
      const bool is_same = before.kind == now.kind && before.bytes == now.bytes && before.target == now.target;
      if (is_same && (marks_.is_kept[i] || is_empty || now.kind != view::EntryKind::kFile)) continue;
    }
    EntryBytes entry{is_new ? EntryChange::kAdded : EntryChange::kChanged, std::string(now.path), {}, now.bytes, {}};
    entry.patch_bytes = cost(entry);
    entries.push_back(std::move(entry));
  }
  const std::vector<std::uint32_t> of_source = view::counterparts_of(target_, listed_.manifest);
  for (std::size_t i = 0; i < of_source.size(); ++i) {
    if (of_source[i] != view::kNoEntry) continue;
    const view::TreeEntry& gone = listed_.manifest.entries()[i];
    entries.push_back({EntryChange::kRemoved, std::string(gone.path), {}, gone.bytes, 0});
  }
  sort_by_path(entries);
  return entries;
}

}  // namespace bdelta::inspecting
