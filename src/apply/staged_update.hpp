// What of NEW is not in OLD, made in the area of the directory that is updated, and the steps that bring it to its place.
#pragma once

#include "apply/staged_file.hpp"
#include "apply/tree_splitter.hpp"
#include "apply/update_area.hpp"
#include "bdelta/apply.hpp"

namespace bdelta {

class StagedUpdate final : public TreeOutput {
 public:
  // All must outlive the object.
  StagedUpdate(UpdateArea& area, view::ScannedTree& source, const ApplyOptions& options)
      : area_(area), source_(source), keeps_others_(options.keep_others), file_(options.files.sync) {}

  // Refuses what could not be carried out, before anything is written. kUnsafeName where a name that is passed over is in
  // the way. kUnsupportedEntry for another file system inside of the directory. kNoSpace.
  Status begin(const TreeSplitter& tree) override;
  Status begin_file(std::size_t entry) override;
  Status write(ByteSpan bytes) override;
  Status end_file() override;
  Status keep_file(std::size_t entry, std::size_t source_entry) override;

  // Makes the directory NEW; it has the errors of UpdateArea::carry_out.
  Status finish();

 private:
  [[nodiscard]] Status check_devices() const;
  [[nodiscard]] Status check_passed_over() const;
  [[nodiscard]] bool stays(std::size_t source_entry) const;
  [[nodiscard]] const std::string* passed_over_in(std::size_t source_entry) const;
  [[nodiscard]] std::uint32_t mode_for(std::size_t entry) const;
  [[nodiscard]] bool keeps_bits(std::size_t entry) const;
  Status open_file();
  Status close_file();
  Status make_others();
  [[nodiscard]] std::vector<TreeStep> steps() const;

  UpdateArea& area_;
  view::ScannedTree& source_;
  const bool keeps_others_;
  const TreeSplitter* tree_ = nullptr;
  std::vector<bool> comes_;        // of NEW's entries: it is made, and takes the place of what OLD has
  std::vector<std::uint32_t> of_target_;  // NEW's entries with the paths of OLD's
  StagedFile file_;                // that is being made
  std::size_t entry_ = 0;          // of it
};

}  // namespace bdelta
