// What is seen of a patch while it is applied, and what its members take.
#pragma once

#include <optional>

#include "apply/apply_tap.hpp"
#include "bdelta/members.hpp"
#include "inspect/byte_shares.hpp"
#include "inspect/member_list.hpp"
#include "inspect/tree_entries.hpp"

namespace bdelta::inspecting {

class MemberBytesTap final : public ApplyTap {
 public:
  void group(const MeteredGroup& group) override { shares_.add_group(group); }
  void part(const char* what, std::uint64_t bytes) override { shares_.add_part(what, bytes); }
  Status begin(const AppliedFiles& files) override;
  Status window(const WindowDelta& window, ByteSpan made, ByteSpan copied) override;

  // For a patch alone, in front of `finish`: what its windows make. It must outlive the object.
  void know_tree(const ListedTree& tree);

  // Once the patch is applied, or, where nothing was made, read.
  Status finish(PatchBytes& bytes);

 private:
  struct Copy {
    std::uint64_t target_pos = 0;
    std::uint64_t source_pos = 0;
    std::uint64_t length = 0;
  };

  void note_changes(const WindowDelta& window, ByteSpan made, ByteSpan copied);
  void note_copies(const WindowDelta& window);
  Status list_target();
  void add_members(PatchBytes& bytes);
  void share_out(PatchBytes& bytes);
  void count_copies(std::vector<MemberBytes>& members);
  void count_changes(PatchBytes& bytes);
  void take(const CodedItem& item, const char* kind, std::uint64_t share, PatchBytes& bytes);
  void add_sections(PatchBytes& bytes) const;
  void compare_paths(PatchBytes& bytes) const;
  [[nodiscard]] std::uint64_t region_end(const MemberList& list, std::size_t region, std::uint64_t all_bytes) const noexcept;

  struct RegionBytes {
    std::uint64_t patch = 0;
    std::uint64_t changed = 0;
  };

  ByteShares shares_;
  bool is_applied_ = false;
  PatchInfo info_;  // of a patch that is applied
  Bytes target_;
  std::uint64_t target_bytes_ = 0;  // of all windows
  const ListedTree* tree_alone_ = nullptr;
  std::uint64_t source_bytes_ = 0;
  MemberList source_list_;
  MemberList target_list_;
  std::vector<view::PackedStreams> target_parts_;
  Bytes source_manifest_;  // of trees
  std::optional<view::TreePlan> tree_;
  std::vector<std::string> kept_paths_;  // files of NEW that no window makes
  std::vector<Copy> copies_;
  std::vector<ByteShares::Run> changed_;
  std::vector<RegionBytes> regions_;   // of target_list_
  std::vector<std::uint64_t> copied_of_source_;  // by OLD's members
};

// inspect_bytes of a patch that comes from wherever.
Result<PatchBytes> read_alone(SequentialReader& patch, const ApplyOptions& options);

}  // namespace bdelta::inspecting
