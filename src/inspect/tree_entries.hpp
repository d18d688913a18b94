// What a patch of directories does to each entry, and what that costs. It is told from the changes that applying it found,
// or from the patch alone where it has a list of OLD.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "apply/execute.hpp"
#include "apply/known_tree.hpp"
#include "bdelta/members.hpp"
#include "format/apply_plan.hpp"
#include "inspect/member_list.hpp"

namespace bdelta::inspecting {

// With what the members of each entry take together, which are those below its path.
[[nodiscard]] std::vector<EntryBytes> entries_of(const TreeChanges& changes, const std::vector<MemberBytes>& members);

// OLD's stream as far as a list of OLD tells it: its manifest, and zeros behind.
class ListedSource final : public RandomReader {
 public:
  // The manifest must outlive the object.
  ListedSource(const view::Manifest& manifest, std::uint64_t size_bytes) : manifest_(manifest), size_bytes_(size_bytes) {}

  [[nodiscard]] std::uint64_t size() const noexcept override { return size_bytes_; }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override;

 private:
  const view::Manifest& manifest_;
  const std::uint64_t size_bytes_;
};

// Makes NEW's manifest of the first windows of a patch without OLD's files. A manifest that has a byte of them is found out, as
// names hold no zeros, and its sizes and counts have to be those that the patch says. Models look at all of OLD, so what they code
// is not known.
class ListedTree {
 public:
  // Nothing where the patch has no list, or one that is damaged. The plan must outlive the object.
  static std::unique_ptr<ListedTree> make(const ApplyPlan& plan, const PatchInfo& info);

  // The next window, as the patch has it.
  void add_window(const WindowDelta& window);

  // Once all windows have come: whether the entries are known.
  [[nodiscard]] bool prove();

  // Then: where the files are in what windows make, a member each; empty where archives are unpacked, as only OLD tells then.
  [[nodiscard]] MemberList list() const;

  // Then: the entries. costs: bytes of the members of `list`.
  [[nodiscard]] std::vector<EntryBytes> entries(const std::vector<MemberBytes>& costs) const;

 private:
  ListedTree(const ApplyPlan& plan, const PatchInfo& info, KnownTree source);
  Status make_window(WindowDelta window);

  const ApplyPlan& plan_;
  const std::uint64_t target_bytes_;
  const KnownTree listed_;
  ListedSource source_;
  ExecuteCaches caches_;
  TargetHistory history_;
  Bytes made_;           // of NEW's stream, up to the end of its manifest
  bool failed_ = false;
  view::Manifest target_;
  std::vector<std::uint32_t> counterparts_;
  view::TreeMarks marks_;
};

}  // namespace bdelta::inspecting
