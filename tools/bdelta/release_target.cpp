#include "release_target.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/try.hpp"
#include "hash/file_hasher.hpp"
#include "io/memory_io.hpp"
#include "view/tree/files.hpp"

namespace bdelta::cli {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

// The bytes of a file; that of the disk is still asked whether it has changed.
class HeldFile final : public RandomReader {
 public:
  HeldFile(std::unique_ptr<RandomReader> file, Bytes bytes)
      : file_(std::move(file)), bytes_(std::move(bytes)), memory_(bytes_) {}

  [[nodiscard]] std::uint64_t size() const noexcept override { return memory_.size(); }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override { return memory_.read_at(pos, out); }
  [[nodiscard]] ByteSpan view() const noexcept override { return bytes_; }
  Status check_unchanged() override { return file_->check_unchanged(); }

 private:
  const std::unique_ptr<RandomReader> file_;
  const Bytes bytes_;
  io::MemoryReader memory_;
};

// Calls `take` with the bytes in order, which it may keep only until it returns.
template <class Take>
Status for_each_piece(RandomReader& reader, Take&& take) {
  const ByteSpan view = reader.view();
  Bytes buffer(view.empty() ? static_cast<std::size_t>(std::min(kPieceBytes, reader.size())) : 0);
  for (std::uint64_t pos = 0; pos < reader.size(); pos += kPieceBytes) {
    const auto length = static_cast<std::size_t>(std::min(kPieceBytes, reader.size() - pos));
    if (view.empty()) BDELTA_TRY(reader.read_at(pos, MutableByteSpan(buffer).first(length)));
    take(view.empty() ? ByteSpan(buffer).first(length) : view.subspan(static_cast<std::size_t>(pos), length));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<RandomReader>> open_release_target(const std::filesystem::path& path, const CreateOptions& options) {
  BDELTA_ASSIGN(auto file, open_random(path, options.files));
  const bool has_room = options.memory_limit_bytes == 0 && fits_size(file->size());
  if (!file->view().empty() || !has_room) return file;
  Bytes bytes;
  bytes.reserve(static_cast<std::size_t>(file->size()));
  BDELTA_TRY(for_each_piece(*file, [&bytes](ByteSpan piece) { append(bytes, piece); }));
  return std::unique_ptr<RandomReader>(new HeldFile(std::move(file), std::move(bytes)));
}

Result<InputFacts> facts_of_tree(const std::filesystem::path& path, const std::vector<std::string>& excluded, unsigned threads) {
  BDELTA_ASSIGN(const auto tree, view::ScannedTree::scan(path, excluded, nullptr, false));
  WorkerPool pool(thread_count_for(threads));
  BDELTA_ASSIGN(const std::vector<Digest128> digests, tree->digests(pool));
  InputFacts facts{tree->manifest().stream_bytes(), {}};
  facts.digests.xxh3_128 = view::tree_digest(tree->manifest(), digests);
  return facts;
}

Result<KnownDigests> digests_of(RandomReader& reader, bool with_sha256) {
  FileHasher hasher(with_sha256);
  BDELTA_TRY(for_each_piece(reader, [&hasher](ByteSpan piece) { hasher.update(piece); }));
  return hasher.finish();
}

}  // namespace bdelta::cli
