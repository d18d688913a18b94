#include "view/deflate/parallel_matcher.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kThreadBytes = 1 << 20;
constexpr std::uint64_t kPartBytes = 256 << 10;  // less than a thread's, as some text takes many times as long as other
constexpr std::uint64_t kBefore = 2 << 10;       // that a part begins before its cut
constexpr std::size_t kStep = 16384;             // tokens that are asked for at a time
constexpr std::uint64_t kMeetBytes = 8 << 10;    // behind the cut: so far it is noted where nothing is carried

}  // namespace

struct ParallelMatcher::Part {
  MatcherSet matchers;
  Matcher* matcher = nullptr;  // at the end of the part, as the stream has it if the part was met
  const std::uint8_t* text = nullptr;
  std::uint64_t text_pos = 0;
  std::uint64_t text_end = 0;
  bool is_first = false;       // begins where nothing is carried, and needs no meeting
  std::uint64_t cut = 0;       // where it is to be met
  std::uint64_t begin = 0;     // a little before, if it is not the first
  std::uint64_t end = 0;
  std::vector<Token> tokens;   // from `begin` on
  bool is_done = true;         // marked by the pool's task
  std::exception_ptr thrown;   // by it
  // Where nothing is carried, near the cut, and how many tokens come before.
  std::vector<std::pair<std::uint64_t, std::size_t>> fresh;
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

void ParallelMatcher::take_more() {
  next_ = 0;
  tokens_ = std::exchange(behind_, {});
  if (!tokens_.empty()) return;
  // The part taken last is still of use: its matcher goes on to where the next one is met.
  while (begun_count_ - taken_count_ + 1 < parts_.size() && reach_ >= begun_end_ + kPartBytes) begin_part(begun_end_ + kPartBytes);
  const bool is_rest = reach_ > begun_end_ && reach_ == raw_bytes_ && begun_count_ - taken_count_ + 1 < parts_.size();
  if (is_rest || taken_count_ == begun_count_) begin_part(std::max(reach_, pos_ + 1));
  take_part(taken_count_++);
}

void ParallelMatcher::begin_part(std::uint64_t end) {
  Part& part = this->part(begun_count_);
  part.text = text_;
  part.text_pos = text_pos_;
  part.text_end = end_;
  part.is_first = std::exchange(is_fresh_, false);
  part.cut = std::exchange(begun_end_, end);
  part.begin = part.is_first ? part.cut : part.cut - std::min(part.cut, kBefore);
  part.end = end;
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
  part.tokens.clear();
  part.tokens.reserve(static_cast<std::size_t>(part.end - part.begin) + kStep);  // each is a byte at least
  part.fresh.clear();
  part.matcher = &part.matchers.begin(parameters_, raw_bytes_, known_before(parameters_, part.begin), part.begin);
  Matcher& matcher = *part.matcher;
  matcher.set_text(part.text, part.text_pos);
  matcher.set_end(part.text_end);
  const std::uint64_t meet_end = std::min(part.end, part.cut + kMeetBytes);
  while (matcher.pos() < meet_end && !part.is_first) {
    if (matcher.fresh() && matcher.pos() >= part.cut) part.fresh.emplace_back(matcher.pos(), part.tokens.size());
    part.tokens.push_back(matcher.predict());
    matcher.commit(part.tokens.back());
  }
  while (matcher.pos() < part.end) {
    const std::size_t before = part.tokens.size();
    part.tokens.resize(before + kStep);
    part.tokens.resize(before + matcher.run(part.tokens.data() + before, kStep, part.end));
  }
}

// The part before has been taken, up to where its matcher is.
void ParallelMatcher::take_part(std::uint64_t number) {
  Part& part = this->part(number);
  pool_.wait_for(part.is_done);
  if (part.thrown) std::rethrow_exception(part.thrown);
  part.matcher->set_text(text_, text_pos_);  // from now on it is the caller's, whose text may have moved
  bool is_met = part.is_first;
  std::size_t first = 0;
  bridge_.clear();
  if (!is_met) {
    Part& before = this->part(number - 1);
    Matcher& matcher = *before.matcher;
    matcher.set_text(text_, text_pos_);
    auto meeting = part.fresh.begin();
    while (!is_met && matcher.pos() < part.end) {
      while (meeting != part.fresh.end() && meeting->first < matcher.pos()) ++meeting;
      if (meeting != part.fresh.end() && meeting->first == matcher.pos() && matcher.fresh()) {
        is_met = true;
        first = meeting->second;
      } else {
        bridge_.push_back(matcher.predict());
        matcher.commit(bridge_.back());
      }
    }
    if (!is_met) {  // the next part is taken up from here
      std::swap(part.matcher, before.matcher);
      std::swap(part.matchers, before.matchers);
      part.tokens.clear();
    }
  }
  if (taken_count_ == begun_count_) end_parts(*part.matcher, is_met ? part.tokens : bridge_);
  tokens_ = bridge_;
  behind_ = std::span<const Token>(part.tokens).subspan(first);
}

// What follows begins anew, so nothing may be carried.
void ParallelMatcher::end_parts(Matcher& last, std::vector<Token>& tokens) {
  while (!last.fresh()) {
    tokens.push_back(last.predict());
    last.commit(tokens.back());
  }
  begun_end_ = last.pos();
  is_fresh_ = true;
}

}  // namespace bdelta::deflate
