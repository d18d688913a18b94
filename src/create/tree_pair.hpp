// The two trees that a patch is made for, and what it says of them.
#pragma once

#include <memory>
#include <optional>

#include "bdelta/tree.hpp"
#include "create/input.hpp"
#include "view/members.hpp"
#include "view/tree/tree_reader.hpp"
#include "view/tree/plan.hpp"

namespace bdelta {

class TreePair {
 public:
  // Reads both once. holds_source: OLD's stream stays in memory, as it will be needed there. Errors: those of scanning and
  // reading, kUsage for patterns that no patch can hold.
  static Result<std::unique_ptr<TreePair>> make(const std::filesystem::path& source, const std::filesystem::path& target,
                                                const TreeOptions& options, bool holds_source, WorkerPool& pool);

  // OLD's stream, and NEW's as windows make it: without the files that are kept.
  [[nodiscard]] RandomReader& source_stream() noexcept {
    return held_source_ ? static_cast<RandomReader&>(*held_source_) : *source_stream_;
  }
  [[nodiscard]] RandomReader& target_stream() noexcept { return *target_stream_; }

  [[nodiscard]] const view::TreePlan& plan() const noexcept { return plan_; }
  [[nodiscard]] std::uint64_t target_bytes() const noexcept { return target_->manifest().stream_bytes(); }  // whole
  [[nodiscard]] const Digest128& source_digest() const noexcept { return source_digest_; }
  [[nodiscard]] const Digest128& target_digest() const noexcept { return target_digest_; }

  // A file in a stream.
  struct Part {
    std::uint64_t begin;
    std::uint64_t bytes;
    std::string_view path;
  };
  using Parts = std::vector<Part>;
  [[nodiscard]] Parts source_parts() const { return parts_of(*source_stream_, source_->manifest()); }
  [[nodiscard]] Parts target_parts() const { return parts_of(*target_stream_, target_->manifest()); }

  // Of memory, as long as it lives; without a stream that is held.
  [[nodiscard]] std::uint64_t held_bytes() const noexcept;

  // The digest of the NEW that whoever applies makes, if its bytes are those of the stream and he keeps what `plan` says.
  // kSelfCheckFailed if that is not what was found to be the same.
  Result<Digest128> digest_as_applied(const view::TreePlan& plan) const;

 private:
  // OLD's stream in memory.
  class HeldStream final : public RandomReader {
   public:
    HeldStream(view::TreeReader& stream, InputBytes bytes) : stream_(stream), bytes_(std::move(bytes)) {}
    [[nodiscard]] std::uint64_t size() const noexcept override { return stream_.size(); }
    Status read_at(std::uint64_t pos, MutableByteSpan out) override;
    [[nodiscard]] ByteSpan view() const noexcept override { return bytes_.bytes(); }
    Status check_unchanged() override { return stream_.check_unchanged(); }

   private:
    view::TreeReader& stream_;
    InputBytes bytes_;
  };

  // Of all files, by the numbers of their entries.
  struct FileDigests {
    std::vector<Digest128> source;
    std::vector<Digest128> target;
  };

  static Parts parts_of(const view::TreeReader& stream, const view::Manifest& manifest);
  Result<std::vector<Digest128>> hold_source(WorkerPool& pool);
  Result<FileDigests> compare(bool holds_source, WorkerPool& pool);
  Status make_plan(const TreeOptions& options, const FileDigests& digests);
  void count_files(const FileDigests& digests);
  [[nodiscard]] Digest128 digest_manifest() const;

  std::unique_ptr<view::ScannedTree> source_;
  std::unique_ptr<view::ScannedTree> target_;
  std::vector<std::uint32_t> counterparts_;
  view::TreeMarks marks_;
  view::TreePlan plan_;
  Digest128 source_digest_{};
  Digest128 target_digest_{};
  Digest128 manifest_digest_{};  // of NEW's, before it shares anything
  std::optional<view::TreeReader> source_stream_;
  std::optional<view::TreeReader> target_stream_;
  std::optional<HeldStream> held_source_;
};

// The files of a stream, each a member.
[[nodiscard]] view::Members members_of(const TreePair::Parts& parts);

// Whether one of the files may be an archive.
Result<bool> may_have_archives(RandomReader& stream, const TreePair::Parts& parts);

}  // namespace bdelta
