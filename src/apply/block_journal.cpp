#include "apply/block_journal.hpp"

#include <algorithm>
#include <cstring>

#include "base/byte_cursor.hpp"
#include "base/checked.hpp"
#include "base/try.hpp"

namespace bdelta {
namespace {

constexpr std::uint8_t kRunTag = 1;
constexpr std::uint8_t kOwnerTag = 2;
constexpr std::size_t kStandingPieceBytes = std::size_t{256} << 10;  // of the file, at a time
constexpr std::uint64_t kAheadBytes = std::uint64_t{32} << 20;  // of a mapped file, asked for in front of its use
constexpr std::uint64_t kOwnerBytes = 8 + 8 + sizeof(Digest128);

Error damaged(const char* what, std::uint64_t pos) {
  return {.code = ErrorCode::kWrongJournal, .detail = what, .offset = pos, .remedy = "fetch the file anew"};
}

// Runs of a journal, one after the other.
class RunReader {
 public:
  static Result<RunReader> open(RandomReader& journal) {
    BDELTA_ASSIGN(JournalReader reader, JournalReader::open(journal, JournalKind::kBlocks));
    return RunReader(std::move(reader));
  }

  // False behind the last one. Then the owner is known.
  Result<bool> next() {
    BDELTA_ASSIGN(const std::optional<JournalEntry> entry, reader_.next());
    if (!entry) return damaged("it does not say what it belongs to", reader_.position());
    ByteCursor body(entry->body);
    if (entry->tag == kOwnerTag && entry->body.size() == kOwnerBytes) {
      owner_.before_bytes = body.le<std::uint64_t>();
      owner_.target_bytes = body.le<std::uint64_t>();
      const ByteSpan digest = body.bytes(owner_.target_digest.size());
      std::copy(digest.begin(), digest.end(), owner_.target_digest.begin());
      return end_ > owner_.target_bytes ? Result<bool>(damaged("it has blocks behind the end of NEW", reader_.position())) : false;
    }
    const std::uint64_t block = body.varint();
    bytes_ = body.bytes(body.available());
    const bool fits = entry->tag == kRunTag && body.ok() && !bytes_.empty() && end_ % kBlockBytes == 0 &&
                      checked_mul(block, kBlockBytes, pos_) && pos_ >= end_ && checked_add(pos_, bytes_.size(), end_);
    if (!fits) return damaged("its blocks are in no order", reader_.position());
    return true;
  }

  [[nodiscard]] std::uint64_t pos() const noexcept { return pos_; }
  [[nodiscard]] ByteSpan bytes() const noexcept { return bytes_; }
  [[nodiscard]] const BlocksOwner& owner() const noexcept { return owner_; }

 private:
  explicit RunReader(JournalReader reader) noexcept : reader_(std::move(reader)) {}

  JournalReader reader_;
  std::uint64_t pos_ = 0;
  std::uint64_t end_ = 0;
  ByteSpan bytes_;
  BlocksOwner owner_;
};

Status hash_range(RandomReader& from, std::uint64_t pos, std::uint64_t end, Bytes& buffer, Xxh3Hasher& hasher, Watch* watch) {
  while (pos < end) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(kStandingPieceBytes, end - pos));
    ByteSpan piece;
    if (from.view().empty()) {
      buffer.resize(length);
      BDELTA_TRY(from.read_at(pos, buffer));
      piece = buffer;
    } else {
      piece = from.view().subspan(static_cast<std::size_t>(pos), length);
    }
    hasher.update(piece);
    pos += length;
    if (watch) BDELTA_TRY(watch->check(length));
  }
  return {};
}

}  // namespace

// Pages that are touched one after the other come from a disk in smaller pieces than it could give.
void BlockRecorder::read_ahead() noexcept {
  const ByteSpan view = file_.view();
  while (asked_pos_ < view.size() && asked_pos_ < pos_ + kAheadBytes) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(kAheadBytes / 4, view.size() - asked_pos_));
    io::file_ops().advise(const_cast<std::uint8_t*>(view.data()) + static_cast<std::size_t>(asked_pos_), length, io::Access::kWillNeed);
    asked_pos_ += length;
  }
}

// Up to where the file ends.
Result<ByteSpan> BlockRecorder::standing_at(std::uint64_t pos, std::size_t length) {
  length = static_cast<std::size_t>(std::min<std::uint64_t>(length, file_.size() - std::min(file_.size(), pos)));
  if (!file_.view().empty()) return file_.view().subspan(static_cast<std::size_t>(std::min(file_.size(), pos)), length);
  standing_.resize(length);
  if (length != 0) BDELTA_TRY(file_.read_at(pos, standing_));
  return ByteSpan(standing_);
}

Status BlockRecorder::write(ByteSpan bytes) {
  if (bytes.size() > capacity_bytes_ - std::min(capacity_bytes_, pos_)) {
    return Error{ErrorCode::kNoSpace, "NEW has more than the " + std::to_string(capacity_bytes_) + " bytes of the device"};
  }
  read_ahead();
  while (!bytes.empty()) {
    const ByteSpan piece = bytes.first(std::min(bytes.size(), kStandingPieceBytes));
    BDELTA_ASSIGN(const ByteSpan standing, standing_at(pos_, piece.size()));
    if (pos_ < hashed_bytes_) {
      source_hasher_.update(standing.first(static_cast<std::size_t>(std::min<std::uint64_t>(standing.size(), hashed_bytes_ - pos_))));
    }
    BDELTA_TRY(compare(piece, standing));
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

// A copy of OLD in its own place may be the very memory that stands there.
Status BlockRecorder::compare(ByteSpan bytes, ByteSpan standing) {
  const bool is_same = bytes.size() == standing.size() && bytes.data() == standing.data();
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.size(), kBlockBytes - block_.size());
    const ByteSpan part = bytes.first(length);
    const bool differs = !is_same && (standing.size() < length || std::memcmp(part.data(), standing.data(), length) != 0);
    if (length == kBlockBytes) {
      BDELTA_TRY(end_block(pos_, part, differs));
    } else {
      append(block_, part);
      block_differs_ = block_differs_ || differs;
    }
    pos_ += length;
    if (length != kBlockBytes && block_.size() == kBlockBytes) {
      BDELTA_TRY(end_block(pos_ - kBlockBytes, block_, block_differs_));
      block_.clear();
      block_differs_ = false;
    }
    bytes = bytes.subspan(length);
    standing = standing.subspan(std::min(standing.size(), length));
  }
  return {};
}

Status BlockRecorder::end_block(std::uint64_t pos, ByteSpan block, bool differs) {
  if (!differs) return end_run();
  if (run_.empty()) run_block_ = pos / kBlockBytes;
  append(run_, block);
  differing_bytes_ += block.size();
  return run_.size() >= kMostRunBytes ? end_run() : Status();
}

Status BlockRecorder::end_run() {
  if (run_.empty()) return {};
  Bytes body;
  append_varint(body, run_block_);
  append(body, run_);
  run_.clear();
  journal_bytes_ += journal_entry_bytes(body.size());
  return journal_ && !is_beyond_limit() ? journal_->add(kRunTag, body) : Status();
}

Status BlockRecorder::finish() {
  if (!block_.empty()) BDELTA_TRY(end_block(pos_ - block_.size(), block_, block_differs_));
  block_.clear();
  BDELTA_TRY(end_run());
  journal_bytes_ += owner_entry_bytes() + 2 * kJournalMarkBytes;
  return {};
}

Result<Digest128> BlockRecorder::digest_source(Watch* watch) {
  if (pos_ < hashed_bytes_) BDELTA_TRY(hash_range(file_, pos_, hashed_bytes_, standing_, source_hasher_, watch));
  return source_hasher_.digest();
}

std::uint64_t owner_entry_bytes() noexcept { return journal_entry_bytes(kOwnerBytes); }

Status add_owner(JournalWriter& journal, const BlocksOwner& owner) {
  Bytes body;
  append_le(body, owner.before_bytes);
  append_le(body, owner.target_bytes);
  append(body, owner.target_digest);
  return journal.add(kOwnerTag, body);
}

Result<BlocksOwner> read_owner(RandomReader& journal) {
  BDELTA_ASSIGN(RunReader runs, RunReader::open(journal));
  for (;;) {
    BDELTA_ASSIGN(const bool more, runs.next());
    if (!more) return runs.owner();
  }
}

Status prove_owner(const BlocksOwner& owner, const InPlaceFile& file, RandomReader& bytes, RandomReader& journal,
                   Watch* watch) {
  const Error another{.code = ErrorCode::kWrongJournal,
                      .detail = "it belongs to another file, or the file was changed since",
                      .remedy = "remove the journal if the file is as it should be"};
  const bool sizes_fit = file.is_device() ? file.bytes() >= owner.target_bytes
                                          : file.bytes() == owner.before_bytes || file.bytes() == owner.target_bytes;
  if (!sizes_fit) return another;
  BDELTA_ASSIGN(RunReader runs, RunReader::open(journal));
  Xxh3Hasher hasher;
  Bytes buffer;
  for (std::uint64_t pos = 0;;) {
    BDELTA_ASSIGN(const bool more, runs.next());
    const std::uint64_t kept_end = more ? runs.pos() : owner.target_bytes;
    if (kept_end > pos && kept_end > bytes.size()) return another;
    BDELTA_TRY(hash_range(bytes, pos, kept_end, buffer, hasher, watch));
    if (!more) break;
    hasher.update(runs.bytes());
    pos = runs.pos() + runs.bytes().size();
  }
  return hasher.digest() == owner.target_digest ? Status() : Status(another);
}

Result<std::uint64_t> write_blocks(const BlocksOwner& owner, const InPlaceFile& file, RandomReader& journal,
                                   io::IoCounters* counters, Watch* watch) {
  BDELTA_ASSIGN(RunReader runs, RunReader::open(journal));
  if (owner.target_bytes > owner.before_bytes) BDELTA_TRY(file.resize(owner.target_bytes));
  for (std::uint64_t written = 0;;) {
    BDELTA_ASSIGN(const bool more, runs.next());
    if (!more) {
      if (owner.target_bytes < owner.before_bytes) BDELTA_TRY(file.resize(owner.target_bytes));
      return written;
    }
    BDELTA_TRY(file.write_at(runs.pos(), runs.bytes(), counters));
    written += runs.bytes().size();
    if (watch) BDELTA_TRY(watch->check(runs.bytes().size()));
  }
}

}  // namespace bdelta
