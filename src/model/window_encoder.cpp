#include "model/window_encoder.hpp"

#include <algorithm>
#include <utility>

#include "base/deciding/coding.hpp"
#include "base/varint.hpp"
#include "hash/xxh3.hpp"
#include "model/residual_writer.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kBlockBytes = 512;  // compared at a time before bytes are looked at one by one

class GroupEncoder {
 public:
  GroupEncoder(const CopySources& from, const FilePieces& target, std::uint64_t window_bytes,
               const SubstitutionTable* substitutions,
               Watch* watch)
      : from_(from), target_(target), window_bytes_(window_bytes), words_(substitutions), watch_(watch) {}

  // So many bytes of literals will come: a stream that grows as they do is copied again and again.
  void expect_literals(std::uint64_t bytes) { draft_.streams[kLiterals].reserve(static_cast<std::size_t>(bytes)); }

  // The next window stands so far behind the last one.
  void leave_out(std::uint64_t bytes) { left_out_bytes_ = bytes; }

  void plain(const Segment& segment) {
    WindowRecord record;
    record.left_out_bytes = std::exchange(left_out_bytes_, 0);
    record.plain = true;
    record.target_length = segment.target_length;
    record.diagonal_change = segment.diagonal - diagonal_;
    diagonal_ = segment.diagonal;
    draft_.windows.push_back(record);
  }

  // Ops for a segment out of the covers that reach into it.
  void coded(const Covers& covers, const Segment& segment) {
    const std::uint64_t begin = segment.target_pos, end = begin + segment.target_length;
    predicted_ = segment.predicted;
    open_window(begin);
    if (end - begin <= kTinyWindowBytes && !predicted_) {
      literal(end);
      close_window();
      return;
    }
    for_each_cover_in(covers, begin, end, [this](const Cover& cover, std::uint64_t from, std::uint64_t to) {
      literal(from);
      copy(to, cover.diagonal());
    });
    literal(end);
    close_window();
  }

  GroupDraft take() {
    draft_.last_diagonal = diagonal_;
    return std::move(draft_);
  }

 private:
  [[nodiscard]] Bytes& stream(std::size_t id) {
    return predicted_ && id < kOpStreamCount ? draft_.apart[id] : draft_.streams[id];
  }

  void open_window(std::uint64_t pos) {
    window_begin_ = pos_ = literal_from_ = pos;
    record_ = {};
    record_.predicted = predicted_;
    record_.modelled = true;
    record_.left_out_bytes = std::exchange(left_out_bytes_, 0);
    residual_.begin_window();
    is_cut_ = false;
    for (std::size_t i = 0; i < kStreamCount; ++i) sizes_before_[i] = stream(i).size();
  }

  void close_window() {
    if (pos_ == window_begin_) return;
    flush_literal();
    record_.target_length = pos_ - window_begin_;
    record_.run_count = residual_.run_count();
    for (std::size_t i = 0; i < kStreamCount; ++i) record_.sizes[i] = stream(i).size() - sizes_before_[i];
    record_.checksum = xxh3_32(target_.span(window_begin_, record_.target_length));
    draft_.coded_bytes += record_.target_length;
    draft_.windows.push_back(record_);
    if (watch_) watch_->advance(record_.target_length);
  }

  // The window has no room for another op, or the end of its bytes is reached.
  [[nodiscard]] bool full() const {
    return pos_ - window_begin_ >= window_bytes_ || record_.copy_count >= kMaxWindowCopies ||
           residual_.run_count() + kBlockBytes >= kMaxWindowRuns || is_cut_;
  }

  void next_window_if_full() {
    if (!full()) return;
    close_window();
    open_window(pos_);
  }

  [[nodiscard]] std::uint64_t window_room() const { return window_bytes_ - (pos_ - window_begin_); }

  void literal(std::uint64_t to) {
    while (pos_ < to) {
      next_window_if_full();
      pos_ += std::min(to - pos_, window_room());
    }
  }

  void flush_literal() {
    append(draft_.streams[kLiterals], target_.span(literal_from_, pos_ - literal_from_));
    literal_from_ = pos_;
  }

  void copy(std::uint64_t to, std::int64_t diagonal) {
    while (pos_ < to) {
      next_window_if_full();
      append_varint(stream(kLiteralLengths), pos_ - literal_from_);
      flush_literal();
      append_varint(stream(kDiagonals), zigzag(diagonal - diagonal_));
      diagonal_ = diagonal;
      ++record_.copy_count;
      const std::uint64_t begin = pos_;
      const std::uint64_t stop = std::min(to, pos_ + window_room());
      residual(stop, diagonal);
      append_varint(stream(kCopyLengths), pos_ - begin);
      literal_from_ = pos_;
    }
  }

  // Takes target[pos_, stop) as a copy; ends earlier where the window's runs are used up.
  void residual(std::uint64_t stop, std::int64_t diagonal) {
    const std::uint64_t from = pos_ + static_cast<std::uint64_t>(diagonal);
    const bool of_target = from >= from_.target_from;
    const std::uint8_t* s = from_.copied && !of_target ? from_.copied->at(pos_) : from_.source.at(from);
    if (of_target) count_target_copy(from - from_.target_from);
    const std::uint64_t length = words_ && !of_target ? replaced_residual(s, stop - pos_) : raw_residual(s, stop - pos_);
    pos_ += length;
  }

  void count_target_copy(std::uint64_t target_pos) {
    draft_.copies_target = true;
    record_.modelled = false;
    const std::uint64_t history = window_begin_ - std::min(window_begin_, target_pos);
    draft_.history_bytes = std::max(draft_.history_bytes, history);
  }

  // Patterns that would pass the end of the copy are none. If it ends early, there may be such. The window ends there
  // then, also if without them its runs are not used up: where covers stand apart, a window has one copy of each.
  std::uint64_t replaced_residual(const std::uint8_t* s, std::uint64_t length) {
    const ResidualWriter::Mark before = residual_.mark();
    for (;;) {
      replaced_.assign(s, s + length);
      words_->replace_at(pos_, replaced_);
      const std::uint64_t done = raw_residual(replaced_.data(), length);
      if (done == length) return length;
      length = done;
      is_cut_ = true;
      residual_.go_back(before);
    }
  }

  // Gives how many of the bytes it has come to.
  std::uint64_t raw_residual(const std::uint8_t* s, std::uint64_t length) {
    const std::uint8_t* t = target_.at(pos_);
    std::uint64_t done = 0;
    while (done < length && residual_.run_count() + kBlockBytes < kMaxWindowRuns) {
      const std::uint64_t block = std::min(kBlockBytes, length - done);
      residual_.add(s + done, t + done, block);
      done += block;
    }
    return done;
  }

  const CopySources from_;
  const FilePieces& target_;
  const std::uint64_t window_bytes_;
  const SubstitutionTable* const words_;
  Watch* const watch_;
  bool predicted_ = false;  // the segment at hand
  Bytes replaced_;  // the bytes of a copy, with substitutions made
  GroupDraft draft_;
  ResidualWriter residual_{draft_.streams};
  WindowRecord record_;
  StreamSizes sizes_before_{};
  std::int64_t diagonal_ = 0;
  std::uint64_t left_out_bytes_ = 0;
  std::uint64_t window_begin_ = 0;
  std::uint64_t pos_ = 0;
  std::uint64_t literal_from_ = 0;
  bool is_cut_ = false;  // its last copy has ended early
};

struct CoverCount {
  std::uint64_t bytes = 0;
  std::uint64_t begins = 0;  // of covers
};

CoverCount count_covers(const Covers& covers, std::uint64_t begin, std::uint64_t end) {
  CoverCount count;
  for_each_cover_in(covers, begin, end, [&](const Cover& cover, std::uint64_t from, std::uint64_t to) {
    count.bytes += to - from;
    count.begins += cover.target_pos >= begin;
  });
  return count;
}

std::uint64_t literal_bytes(const Covers& covers, const std::vector<Segment>& segments) {
  std::uint64_t bytes = 0;
  for (const Segment& segment : segments) {
    if (segment.plain) continue;
    bytes += segment.target_length;
    if (segment.target_length <= kTinyWindowBytes && !segment.predicted) continue;  // literals, whatever is copied
    const std::uint64_t end = segment.target_pos + segment.target_length;
    bytes -= count_covers(covers, segment.target_pos, end).bytes;
  }
  return bytes;
}

}  // namespace

GroupDraft encode_group(const CopySources& from, const FilePieces& target, const Covers& covers,
                        const std::vector<Segment>& segments, std::uint64_t window_bytes,
                        const SubstitutionTable* substitutions,
                        Watch* watch) {
  GroupEncoder encoder(from, target, window_bytes, substitutions, watch);
  encoder.expect_literals(literal_bytes(covers, segments));
  std::uint64_t end = segments.empty() ? 0 : segments.front().target_pos;
  for (const Segment& segment : segments) {
    encoder.leave_out(segment.target_pos - end);
    end = segment.target_pos + segment.target_length;
    if (segment.plain) {
      encoder.plain(segment);
    } else {
      encoder.coded(covers, segment);
    }
  }
  GroupDraft draft = encoder.take();
  draft.segment_count = segments.size();
  if (!segments.empty()) draft.target_pos = segments.front().target_pos;
  const auto coded_alone = [](const Segment& s) { return !s.plain && !s.predicted; };
  if (std::all_of(segments.begin(), segments.end(), coded_alone) && !segments.empty()) {
    const Segment& last = segments.back();
    const std::uint64_t begin = segments.front().target_pos;
    draft.target = target.span(begin, last.target_pos + last.target_length - begin);
    const CoverCount count = count_covers(covers, begin, begin + draft.target.size());
    draft.covered_bytes = count.bytes;
    draft.cover_count = count.begins;
  }
  return draft;
}

}  // namespace bdelta
