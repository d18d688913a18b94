#include "format/bdt1/reader.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "base/memory_limit.hpp"
#include "base/try.hpp"
#include "format/bdt1/layout.hpp"

namespace bdelta::bdt1 {
namespace {

constexpr std::uint64_t kWindowBytes = std::uint64_t{4} << 20;  // target bytes given out at a time, at most
constexpr std::size_t kWindowOps = 65536;                       // and ops, of which a match gives two

struct Match {
  std::int32_t source_seek;
  std::uint32_t literal_bytes;
  std::uint32_t length;
};

// The table of matches stands before all literals, so it is held whole. It grows with the bytes that are really there,
// piece by piece: to grow as a vector does it would need the old one beside one of twice the size.
class MatchTable {
 public:
  void add(const Match& match) {
    if (count_ % kPieceMatches == 0) pieces_.emplace_back().reserve(kPieceMatches);
    pieces_.back().push_back(match);
    ++count_;
  }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] const Match& operator[](std::size_t i) const noexcept { return pieces_[i / kPieceMatches][i % kPieceMatches]; }
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept { return count_ * sizeof(Match); }

 private:
  static constexpr std::size_t kPieceMatches = 4096;

  std::vector<std::vector<Match>> pieces_;
  std::size_t count_ = 0;
};

class Reader final : public PatchReader {
 public:
  Reader(io::TypedReader& patch, PatchInfo info, MatchTable matches)
      : patch_(patch), info_(std::move(info)), matches_(std::move(matches)) {
    info_.decoder_memory_bytes = matches_.memory_bytes();
  }

  [[nodiscard]] const PatchInfo& info() const noexcept override { return info_; }

  Result<bool> next(WindowDelta& window) override {
    if (target_pos_ == target_size_) return finish();
    try {
      return fill(window);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "while decoding the patch"};
    }
  }

 private:
  Result<bool> fill(WindowDelta& window) {
    window.target_pos = target_pos_;
    window.target_length = 0;
    window.has_checksum = false;
    window.ops.clear();
    window.residual_runs.clear();
    window.residual_values.clear();
    window.literals.clear();
    std::uint64_t room = std::min(kWindowBytes, target_size_ - target_pos_);
    std::uint64_t literal_bytes = 0;
    while (room > 0 && window.ops.size() < kWindowOps) {
      BDELTA_TRY(load_match());
      const std::uint64_t literal = std::min<std::uint64_t>(literal_left_, room);
      if (literal > 0) window.ops.push_back({OpKind::kLiteral, literal, 0});
      literal_left_ -= literal;
      literal_bytes += literal;
      room -= literal;
      window.target_length += literal;
      const std::uint64_t copy = literal_left_ == 0 ? std::min<std::uint64_t>(copy_left_, room) : 0;
      if (copy > 0) window.ops.push_back({OpKind::kCopy, copy, static_cast<std::uint64_t>(source_pos_)});
      copy_left_ -= copy;
      source_pos_ += static_cast<std::int64_t>(copy);
      room -= copy;
      window.target_length += copy;
    }
    target_pos_ += window.target_length;
    window.literals.resize(static_cast<std::size_t>(literal_bytes));
    if (!patch_.read_exact(window.literals)) return patch_.status().error();
    return true;
  }

  // Makes the next match current once the one before is used up; behind the last one all is literal. The sums
  // were proven when the patch was opened.
  Status load_match() {
    while (literal_left_ == 0 && copy_left_ == 0) {
      if (next_match_ == matches_.size()) {
        literal_left_ = target_size_;
        return {};
      }
      const Match& match = matches_[next_match_++];
      source_pos_ += match.source_seek;
      if (source_pos_ < 0) {
        return Error{ErrorCode::kOpOutOfRange, "match " + std::to_string(next_match_) + " begins before the start of OLD"};
      }
      literal_left_ = match.literal_bytes;
      copy_left_ = match.length;
    }
    return {};
  }

  Result<bool> finish() {
    if (!patch_.at_end()) {
      return Error{ErrorCode::kPatchTrailingBytes, {}, patch_.position()};
    }
    BDELTA_TRY(patch_.status());
    return false;
  }

  io::TypedReader& patch_;
  PatchInfo info_;
  const std::uint64_t target_size_ = *info_.target_size;
  MatchTable matches_;
  std::size_t next_match_ = 0;
  std::uint64_t literal_left_ = 0;
  std::uint64_t copy_left_ = 0;
  std::int64_t source_pos_ = 0;
  std::uint64_t target_pos_ = 0;
};

Result<MatchTable> read_matches(io::TypedReader& patch, std::uint64_t count, std::uint64_t target_size) {
  MatchTable matches;
  std::uint64_t left = target_size;
  for (std::uint64_t i = 0; i < count; ++i) {
    Match match{};
    match.source_seek = static_cast<std::int32_t>(patch.le<std::uint32_t>());
    match.literal_bytes = patch.le<std::uint32_t>();
    match.length = patch.le<std::uint32_t>();
    BDELTA_TRY(patch.status());
    const std::uint64_t taken = std::uint64_t{match.literal_bytes} + match.length;
    if (taken > left) {
      return Error{ErrorCode::kPatchCorrupt, "match " + std::to_string(i + 1) + " reaches beyond the size of NEW", patch.position()};
    }
    left -= taken;
    matches.add(match);
  }
  return matches;
}

}  // namespace

bool detect(ByteSpan first_bytes) noexcept {
  return first_bytes.size() >= 5 && std::equal(std::begin(kMagic), std::end(kMagic), first_bytes.begin()) &&
         load_le<std::uint16_t>(first_bytes.data() + 3) == kVersion;
}

Result<std::unique_ptr<PatchReader>> open(io::TypedReader& patch, std::uint64_t memory_limit_bytes) {
  Bytes head(kHeaderBytes);
  if (!patch.read_exact(head)) return patch.status().error();
  if (head[5] != kIntegerSize) {
    return Error{ErrorCode::kUnsupportedFeature, "its integers have " + std::to_string(head[5]) + " bytes, expected 4", 5};
  }
  PatchInfo info;
  info.version = kVersion;
  info.source_size = load_le<std::uint32_t>(head.data() + 6);
  info.target_size = load_le<std::uint32_t>(head.data() + 10);
  info.window_bytes = kWindowBytes;
  const std::uint64_t count = load_le<std::uint32_t>(head.data() + 14);
  if (count > memory_limit_bytes / sizeof(Match)) {
    const std::uint64_t table_bytes = count * sizeof(Match);
    return beyond_memory_limit("it declares " + std::to_string(count) + " matches, which take " + std::to_string(table_bytes) +
                                   " bytes", memory_limit_bytes, table_bytes);
  }
  try {
    BDELTA_ASSIGN(MatchTable matches, read_matches(patch, count, *info.target_size));
    return std::unique_ptr<PatchReader>(std::make_unique<Reader>(patch, std::move(info), std::move(matches)));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "while reading the table of matches"};
  }
}

}  // namespace bdelta::bdt1
