// The patch of a call, as it comes or proven by the digests that the caller expects.
#pragma once

#include <memory>

#include "apply/listed_patch.hpp"
#include "apply/verified_patch.hpp"
#include "bdelta/apply.hpp"
#include "io/counters.hpp"

namespace bdelta {

class OpenedPatch {
 public:
  // A stream of the caller's, which must outlive the object.
  OpenedPatch(SequentialReader& stream, const ApplyOptions& options);

  static Result<OpenedPatch> open(const std::filesystem::path& path, const ApplyOptions& options, io::IoCounters* counters);

  // What the patch is to be read from; lives as long as the object.
  [[nodiscard]] SequentialReader& reader() const noexcept { return *reader_; }

  // Looked at while digests are taken; may be null.
  void set_watch(Watch* watch) noexcept;

  // kInputChanged if it is no longer what was proven. To be asked once everything has been read.
  Status check_unchanged() { return verified_ ? verified_->check_unchanged() : Status(); }

 private:
  OpenedPatch() = default;
  void expect_whole(std::unique_ptr<VerifiedPatch> verified);
  void expect_head(const ApplyOptions& options);

  std::unique_ptr<SequentialReader> stream_;  // of a path, unless it is a file that is read twice
  std::unique_ptr<RandomReader> file_;
  std::unique_ptr<VerifiedPatch> verified_;   // null where no digest of the whole is expected
  std::unique_ptr<ListedPatch> listed_;       // null where none of the head is; over `verified_` where both are
  SequentialReader* reader_ = nullptr;
};

}  // namespace bdelta
