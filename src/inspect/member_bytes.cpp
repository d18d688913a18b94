#include "inspect/member_bytes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/try.hpp"

namespace bdelta::inspecting {
namespace {

void add_named(std::vector<NamedBytes>& all, const char* name, std::uint64_t bytes) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const NamedBytes& one) { return one.name == name; });
  if (found != all.end()) {
    found->bytes += bytes;
  } else {
    all.push_back({name, bytes});
  }
}

void sort_by_bytes(std::vector<NamedBytes>& all) {
  std::stable_sort(all.begin(), all.end(), [](const NamedBytes& a, const NamedBytes& b) { return a.bytes > b.bytes; });
}

}  // namespace

Status MemberBytesTap::begin(const AppliedFiles& files) {
  is_applied_ = true;
  info_ = *files.info;
  info_.format = files.format;
  target_parts_ = files.target_parts;
  if (files.tree) tree_ = *files.tree;
  if (files.source_manifest) source_manifest_.assign(files.source_manifest->bytes().begin(), files.source_manifest->bytes().end());
  source_bytes_ = files.source->size();
  Bytes held;
  ByteSpan source = files.source->view();
  if (source.empty() && source_bytes_ > 0) {
    held.resize(static_cast<std::size_t>(source_bytes_));
    BDELTA_TRY(files.source->read_at(0, held));
    source = held;
  }
  source_list_ = list_members({source, files.source_parts, files.source_manifest, nullptr});
  return {};
}

Status MemberBytesTap::window(const WindowDelta& window, ByteSpan made, ByteSpan copied) {
  const std::size_t before = changed_.size();
  if (is_applied_) note_copies(window);
  if (!copied.empty()) note_changes(window, made, copied);
  shares_.add_window(window, made, {changed_.begin() + static_cast<std::ptrdiff_t>(before), changed_.end()});
  append(target_, made);
  target_bytes_ += window.target_length;
  return {};
}

// Literals that are modelled stand in `copied` as anything.
void MemberBytesTap::note_changes(const WindowDelta& window, ByteSpan made, ByteSpan copied) {
  std::size_t pos = 0;
  for (const DeltaOp& op : window.ops) {
    const std::size_t end = pos + static_cast<std::size_t>(op.length);
    for (; is_copy(op.kind) && pos < end; ++pos) {
      if (made[pos] == copied[pos]) continue;
      const std::size_t begin = pos;
      while (pos < end && made[pos] != copied[pos]) ++pos;
      changed_.push_back({window.target_pos + begin, pos - begin});
    }
    pos = end;
  }
}

void MemberBytesTap::note_copies(const WindowDelta& window) {
  std::uint64_t pos = window.target_pos;
  for (const DeltaOp& op : window.ops) {
    if (op.kind == OpKind::kCopy) copies_.push_back({pos, op.source_pos, op.length});
    pos += op.length;
  }
  std::uint64_t copied_pos = 0;  // in copied bytes
  std::size_t op = 0;
  std::uint64_t op_pos = window.target_pos;
  std::uint64_t op_copied = 0;
  for (const ResidualRun& run : window.residual_runs) {
    copied_pos += run.gap;
    for (; op < window.ops.size(); ++op) {
      const std::uint64_t copied = is_copy(window.ops[op].kind) ? window.ops[op].length : 0;
      if (copied_pos < op_copied + copied) break;
      op_copied += copied;
      op_pos += window.ops[op].length;
    }
    if (op == window.ops.size()) return;
    changed_.push_back({op_pos + (copied_pos - op_copied), run.length});
    copied_pos += run.length;
  }
}

// Which files NEW has stands at its beginning, which of these are kept is told by those of OLD.
Status MemberBytesTap::list_target() {
  ListedView view{target_, target_parts_, nullptr, nullptr};
  if (!tree_) {
    target_list_ = list_members(view);
    return {};
  }
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(tree_->manifest_bytes, target_.size()));
  BDELTA_ASSIGN(const view::Manifest target, view::Manifest::decode({target_.begin(), target_.begin() + static_cast<std::ptrdiff_t>(bytes)}, view::NameRules::kAny));
  BDELTA_ASSIGN(const view::Manifest source, view::Manifest::decode(source_manifest_, view::NameRules::kAny));
  BDELTA_ASSIGN(const view::TreeMarks marks, view::decode_marks(source, target, view::counterparts_of(source, target), tree_->code));
  for (std::size_t i = 0; i < target.entries().size(); ++i) {
    if (marks.is_kept[i]) kept_paths_.emplace_back(target.entries()[i].path);
  }
  view.manifest = &target;
  view.left_out = &marks.is_kept;
  target_list_ = list_members(view);
  return {};
}

std::uint64_t MemberBytesTap::region_end(const MemberList& list, std::size_t region, std::uint64_t all_bytes) const noexcept {
  return region + 1 < list.regions.size() ? list.regions[region + 1].begin : all_bytes;
}

void MemberBytesTap::know_tree(const ListedTree& tree) {
  tree_alone_ = &tree;
  target_list_ = tree.list();
}

void MemberBytesTap::add_members(PatchBytes& bytes) {
  regions_.resize(target_list_.regions.size());
  for (std::uint32_t i = 0; i < target_list_.members.size(); ++i) {
    const ListedMember& listed = target_list_.members[i];
    MemberBytes member;
    member.path = target_list_.path_of(i);
    if (listed.parent != kNone) member.parent = listed.parent;
    member.format = listed.format;
    member.packed_as = listed.packed;
    bytes.members.push_back(std::move(member));
  }
}

void MemberBytesTap::share_out(PatchBytes& bytes) {
  shares_.share([&](const CodedItem& item, const char* kind, std::uint64_t share) { take(item, kind, share, bytes); });
  for (const auto& [kind, count] : shares_.parts()) {
    if (count > 0) bytes.kinds.push_back({kind, count});
  }
  sort_by_bytes(bytes.kinds);
}

Status MemberBytesTap::finish(PatchBytes& bytes) {
  shares_.end(bytes.patch_bytes, target_.size());
  if (is_applied_) {
    bytes.info = info_;
    BDELTA_TRY(list_target());
  }
  add_members(bytes);
  share_out(bytes);
  if (!is_applied_) {
    const std::vector<MemberBytes> members = std::exchange(bytes.members, {});
    if (tree_alone_) bytes.entries = tree_alone_->entries(members);
    return {};
  }
  count_changes(bytes);
  count_copies(bytes.members);
  add_sections(bytes);
  compare_paths(bytes);
  return {};
}

// An item is cut where a member ends.
void MemberBytesTap::take(const CodedItem& item, const char* kind, std::uint64_t share, PatchBytes& bytes) {
  if (target_list_.regions.empty()) return;
  std::uint64_t pos = item.target_pos;
  std::uint64_t left = item.length;
  for (std::size_t region = target_list_.region_of(pos); share > 0; ++region) {
    const std::uint64_t some = std::min(left, region_end(target_list_, region, target_bytes_) - pos);
    const bool is_last = some == left || region + 1 == target_list_.regions.size();
    const auto part = is_last ? share : static_cast<std::uint64_t>(static_cast<double>(share) * static_cast<double>(some) / static_cast<double>(left));
    regions_[region].patch += part;
    MemberBytes& member = bytes.members[target_list_.regions[region].member];
    member.patch_bytes += part;
    if (part > 0) add_named(member.kinds, kind, part);
    share -= part;
    left -= some;
    pos += some;
  }
}

void MemberBytesTap::count_changes(PatchBytes& bytes) {
  for (const ByteShares::Run& run : changed_) {
    const std::size_t region = target_list_.region_of(run.pos);
    regions_[region].changed += run.length;
    bytes.members[target_list_.regions[region].member].changed_bytes += run.length;
  }
}

void MemberBytesTap::count_copies(std::vector<MemberBytes>& members) {
  copied_of_source_.resize(source_list_.members.size());
  std::vector<std::map<std::uint32_t, std::uint64_t>> sources(members.size());
  for (Copy copy : copies_) {
    std::size_t to = target_list_.region_of(copy.target_pos);
    std::size_t from = source_list_.region_of(copy.source_pos);
    while (copy.length > 0) {
      const std::uint64_t to_left = region_end(target_list_, to, target_.size()) - copy.target_pos;
      const bool from_is_last = from + 1 >= source_list_.regions.size();
      const std::uint64_t from_left = from_is_last ? copy.length : source_list_.regions[from + 1].begin - copy.source_pos;
      const std::uint64_t some = std::min({copy.length, to_left, from_left});
      const std::uint32_t source = source_list_.regions[from].member;
      const std::uint32_t target = target_list_.regions[to].member;
      sources[target][source] += some;
      members[target].copied_bytes += some;
      copied_of_source_[source] += some;
      copy.length -= some;
      copy.target_pos += some;
      copy.source_pos += some;
      if (some == to_left) ++to;
      if (some == from_left && !from_is_last) ++from;
    }
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto most = std::max_element(sources[i].begin(), sources[i].end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != sources[i].end()) members[i].source_path = source_list_.path_of(most->first);
  }
}

void MemberBytesTap::add_sections(PatchBytes& bytes) const {
  std::vector<std::vector<SectionBytes>> sections(bytes.members.size());
  for (std::size_t i = 0; i < bytes.members.size(); ++i) sections[i].resize(target_list_.members[i].sections.size());
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = target_list_.regions[i];
    const std::uint64_t length = region_end(target_list_, i, target_.size()) - region.begin;
    SectionBytes& section = sections[region.member][region.section];
    section.target_bytes += length;
    section.patch_bytes += regions_[i].patch;
    section.changed_bytes += regions_[i].changed;
    bytes.members[region.member].target_bytes += length;
  }
  for (std::size_t i = 0; i < bytes.members.size(); ++i) {
    MemberBytes& member = bytes.members[i];
    sort_by_bytes(member.kinds);
    for (std::size_t j = 1; j < sections[i].size(); ++j) {
      if (sections[i][j].patch_bytes == 0) continue;
      sections[i][j].name = target_list_.members[i].sections[j];
      member.sections.push_back(std::move(sections[i][j]));
    }
    std::stable_sort(member.sections.begin(), member.sections.end(),
                     [](const SectionBytes& a, const SectionBytes& b) { return a.patch_bytes > b.patch_bytes; });
  }
}

void MemberBytesTap::compare_paths(PatchBytes& bytes) const {
  std::set<std::string> of_source;
  for (std::uint32_t i = 0; i < source_list_.members.size(); ++i) of_source.insert(source_list_.path_of(i));
  std::set<std::string> of_target(kept_paths_.begin(), kept_paths_.end());
  for (MemberBytes& member : bytes.members) {
    member.source_has_path = of_source.count(member.path) != 0;
    of_target.insert(member.path);
  }
  const auto is_kept = [&](const std::string& path) {
    return std::any_of(kept_paths_.begin(), kept_paths_.end(), [&](const std::string& kept) { return path.starts_with(kept + "/"); });
  };
  for (std::uint32_t i = 0; i < source_list_.members.size(); ++i) {
    const std::string path = source_list_.path_of(i);
    const bool is_file = std::string_view(source_list_.members[i].format) != "directory";
    if (is_file && copied_of_source_[i] == 0 && of_target.count(path) == 0 && !is_kept(path)) bytes.removed_paths.push_back(path);
  }
}

}  // namespace bdelta::inspecting
