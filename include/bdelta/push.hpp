// Applying a patch that comes in pieces: while it downloads, say.
//
//   auto push = bdelta::PushApply::open_file("app-1", "app-2", {});
//   if (!push) return push.error();
//   while (have_bytes()) {
//     if (auto fed = (*push)->feed(next_bytes()); !fed) return fed.error();
//   }
//   auto report = (*push)->finish();
//
// The same steps and checks as bdelta/apply.hpp. OLD is proven as soon as the header is whole, before a byte of NEW is written.
// Each window that has a checksum is proven before it is written, and NEW at the end. A part of the patch is decoded once all
// its bytes are there; until then they wait in memory.
//
// BDT version 1 has no parts: such a patch is collected whole, within the memory limit, and applied by `finish`.
#pragma once

#include <filesystem>
#include <memory>
#include <memory_resource>

#include "bdelta/apply.hpp"

namespace bdelta {

struct PushOptions {
  // As for apply, with two differences. The bytes that wait count in memory_limit_bytes, too: a patch whose largest group and
  // decoder need more together is kMemoryLimit when its header has come. And expected_patch_sha256 must be absent (kUsage), as
  // it could only be checked after all has been decoded. Use expected_head_sha256, which proves each part when it is whole.
  // Without it, the digests of a patch that has a list of them are still checked, which guards against accidents only.
  ApplyOptions apply;

  // Where the bytes that wait for the rest of their part live. Not owned; must outlive the object; one thread at a
  // time. Null: the heap.
  std::pmr::memory_resource* memory = nullptr;
};

// One thread at a time. After an error every further call gives the same error; destroy the object then. Destroying it
// before a successful `finish` abandons the work: a NEW by name does not come into being.
class PushApply {
 public:
  // The reader and the writer must outlive the object; the writer is not finished here.
  BDELTA_PUBLIC static Result<std::unique_ptr<PushApply>> open(RandomReader& source, PositionedWriter& target,
                                                               const PushOptions& options);
  BDELTA_PUBLIC static Result<std::unique_ptr<PushApply>> open(RandomReader& source, SequentialWriter& target,
                                                               const PushOptions& options);

  // The same over files, as apply_file, with permissions and holes as there. NEW is opened at once and comes into being in
  // `finish`. It is not compared with what is there already.
  BDELTA_PUBLIC static Result<std::unique_ptr<PushApply>> open_file(const std::filesystem::path& source,
                                                                    const std::filesystem::path& target,
                                                                    const PushOptions& options);

  // The same over directories, as apply_tree (bdelta/tree.hpp). What comes is made beside NEW, or in OLD's own directory in its
  // .bdelta. OLD is proven once the record of trees has come, and `finish` moves all to its place. So a process that ends
  // before leaves OLD as it is. A NEW that is not OLD must not exist (kOutputExists, whatever is in it). OLD's own directory is
  // locked until the object is destroyed, and an update that was interrupted in it is completed first. If it is NEW already,
  // what is fed is passed over, and the report says up_to_date.
  BDELTA_PUBLIC static Result<std::unique_ptr<PushApply>> open_tree(const std::filesystem::path& source,
                                                                    const std::filesystem::path& target,
                                                                    const PushOptions& options);

  BDELTA_PUBLIC ~PushApply();
  PushApply(const PushApply&) = delete;
  PushApply& operator=(const PushApply&) = delete;

  // Takes the next bytes of the patch, any number of them. All windows that they complete have been written when
  // the call returns. Errors: those of apply; kPatchTrailingBytes for bytes behind the patch's end.
  BDELTA_PUBLIC Status feed(ByteSpan bytes);

  // The patch is whole: kPatchTruncated if it is not, and what apply proves at the end. Call once, last.
  BDELTA_PUBLIC Result<Report> finish();

 private:
  class Impl;
  explicit PushApply(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace bdelta
