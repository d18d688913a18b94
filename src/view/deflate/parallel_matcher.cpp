#include "view/deflate/parallel_matcher.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kThreadBytes = 1 << 20;
constexpr std::uint64_t kPartBytes = 256 << 10;  // less than a thread's, as some text takes many times as long as other
constexpr std::uint64_t kBefore = 2 << 10;       // that a part begins before its cut
constexpr std::uint64_t kBehind = 2 << 10;       // that a part goes on behind its end, if there is text
constexpr std::size_t kStep = 16384;             // tokens that are asked for at a time

// Where nothing is carried, and how many tokens of the part come before.
struct Meeting {
  std::uint64_t pos;
  std::size_t token_count;
};

}  // namespace

struct ParallelMatcher::Part {
  const std::uint8_t* text = nullptr;
  std::uint64_t text_pos = 0;
  std::uint64_t text_end = 0;
  bool is_first = false;       // begins where nothing is carried, and needs no meeting
  std::uint64_t cut = 0;       // where it is to be met
  std::uint64_t begin = 0;     // a little before, if it is not the first
  std::uint64_t end = 0;       // the cut of the next one
  std::uint64_t run_end = 0;   // a little behind, or there
  std::vector<Token> tokens;   // from `begin` on
  bool is_done = true;         // marked by the pool's task
  std::exception_ptr thrown;   // by it
  std::vector<Meeting> meetings;       // with the part before
  std::vector<Meeting> meetings_next;  // with the next one: one at least, at `end` or behind
};

ParallelMatcher::ParallelMatcher(WorkerPool& pool, const Parameters& parameters, std::uint64_t raw_bytes)
    : pool_(pool), parameters_(parameters), raw_bytes_(raw_bytes), parts_(pool.thread_count() * kThreadBytes / kPartBytes) {}
ParallelMatcher::~ParallelMatcher() { drop(); }

ParallelMatcher::Part& ParallelMatcher::part(std::uint64_t number) { return parts_[static_cast<std::size_t>(number % parts_.size())]; }

std::uint64_t ParallelMatcher::batch_bytes(const WorkerPool& pool) noexcept { return pool.thread_count() * kThreadBytes; }

void ParallelMatcher::begin(const Parameters&, std::uint64_t, std::uint64_t pos) {
  drop();
  restart_at(pos);
}

void ParallelMatcher::join(JointKind) {}

// Where nothing is carried.
void ParallelMatcher::restart_at(std::uint64_t pos) {
  pos_ = begun_end_ = pos;
  is_fresh_ = true;
}

// Nothing is foreseen any more, and no part is under way.
void ParallelMatcher::drop() {
  stopped_ = true;
  for (; taken_count_ < begun_count_; ++taken_count_) pool_.wait_for(part(taken_count_).is_done);
  stopped_ = false;
  tokens_ = behind_ = {};
  next_ = 0;
}

void ParallelMatcher::release(const std::uint8_t* text) {
  for (std::uint64_t i = taken_count_; i < begun_count_; ++i) {
    if (part(i).text == text) pool_.wait_for(part(i).is_done);
  }
}

Token ParallelMatcher::predict() {
  while (next_ == tokens_.size()) take_more();
  return tokens_[next_];
}

void ParallelMatcher::commit(Token token) {
  if (token == tokens_[next_]) {
    ++next_;
    pos_ += length_of(token);
  } else {
    drop();
    restart_at(pos_ + length_of(token));
  }
}

std::size_t ParallelMatcher::run(Token* out, std::size_t most, std::uint64_t stop) {
  std::size_t count = 0;
  std::uint64_t pos = pos_;
  while (count < most && pos < stop) {
    while (next_ == tokens_.size()) take_more();
    const std::size_t end = next_ + std::min(most - count, tokens_.size() - next_);
    for (; next_ != end && pos < stop; pos += length_of(tokens_[next_++])) out[count++] = tokens_[next_];
    pos_ = pos;
  }
  return count;
}

void ParallelMatcher::take_more() {
  next_ = 0;
  tokens_ = std::exchange(behind_, {});
  if (!tokens_.empty()) return;
  // The part taken last is still of use: it has the tokens up to where the next one is met.
  const auto has_room = [&] { return begun_count_ - taken_count_ + 1 < parts_.size(); };
  while (has_room() && reach_ >= begun_end_ + kPartBytes + kBehind) begin_part(begun_end_ + kPartBytes, kBehind);
  const bool is_rest = reach_ > begun_end_ && reach_ == raw_bytes_ && has_room();
  if (is_rest || taken_count_ == begun_count_) begin_part(std::max(reach_, pos_ + 1), 0);
  take_part(taken_count_++);
}

void ParallelMatcher::begin_part(std::uint64_t end, std::uint64_t behind_bytes) {
  Part& part = this->part(begun_count_);
  part.text = text_;
  part.text_pos = text_pos_;
  part.text_end = end_;
  part.is_first = std::exchange(is_fresh_, false);
  part.cut = std::exchange(begun_end_, end);
  part.begin = part.is_first ? part.cut : part.cut - std::min(part.cut, kBefore);
  part.end = end;
  part.run_end = end + behind_bytes;
  part.is_done = false;
  part.thrown = nullptr;
  ++begun_count_;
  pool_.submit([this, &part] {
    try {
      if (!stopped_) run_part(part);
    } catch (...) {
      part.thrown = std::current_exception();
    }
    pool_.mark(part.is_done);
  });
}

void ParallelMatcher::run_part(Part& part) {
  const auto matchers = matchers_.lend([] { return std::make_unique<MatcherSet>(); });
  part.tokens.clear();
  part.tokens.reserve(static_cast<std::size_t>(part.run_end - part.begin) + kStep);  // each is a byte at least
  part.meetings.clear();
  part.meetings_next.clear();
  Matcher& matcher = matchers->begin(parameters_, raw_bytes_, known_before(parameters_, part.begin), part.begin);
  matcher.set_text(part.text, part.text_pos);
  matcher.set_end(part.text_end);
  const auto step = [&] {
    part.tokens.push_back(matcher.predict());
    matcher.commit(part.tokens.back());
  };
  const std::uint64_t meetings_end = part.is_first ? part.begin : std::min(part.end, part.cut + kBehind + kMostMatch);
  while (matcher.pos() < meetings_end) {
    if (matcher.fresh() && matcher.pos() >= part.cut) part.meetings.push_back({matcher.pos(), part.tokens.size()});
    step();
  }
  while (matcher.pos() < part.end) {
    const std::size_t before = part.tokens.size();
    part.tokens.resize(before + kStep);
    part.tokens.resize(before + matcher.run(part.tokens.data() + before, kStep, part.end));
  }
  for (;; step()) {
    if (matcher.fresh()) part.meetings_next.push_back({matcher.pos(), part.tokens.size()});
    if (matcher.pos() >= part.run_end && !part.meetings_next.empty()) break;
  }
}

// The tokens of the part before have been taken up to its first meeting.
void ParallelMatcher::take_part(std::uint64_t number) {
  Part& part = this->part(number);
  pool_.wait_for(part.is_done);
  if (part.thrown) std::rethrow_exception(part.thrown);
  std::size_t first = 0;
  if (!part.is_first) {
    const Part& before = this->part(number - 1);
    auto own = part.meetings.begin();
    auto met = before.meetings_next.begin();
    for (; met != before.meetings_next.end(); ++met) {
      while (own != part.meetings.end() && own->pos < met->pos) ++own;
      if (own != part.meetings.end() && own->pos == met->pos) break;
    }
    if (met != before.meetings_next.end()) {
      first = own->token_count;
    } else {  // again from the last place that is known
      --met;
      part.is_first = true;
      part.begin = met->pos;
      part.text = text_;
      part.text_pos = text_pos_;
      run_part(part);
    }
    const std::size_t taken = before.meetings_next.front().token_count;
    tokens_ = std::span<const Token>(before.tokens).subspan(taken, met->token_count - taken);
  }
  const Meeting& last = part.meetings_next.front();
  behind_ = std::span<const Token>(part.tokens).subspan(first, last.token_count - first);
  if (taken_count_ == begun_count_) {  // what follows begins anew, where nothing is carried
    begun_end_ = last.pos;
    is_fresh_ = true;
  }
}

}  // namespace bdelta::deflate
