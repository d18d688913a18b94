#include "view/deflate/parallel_matcher.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kThreadBytes = 1 << 20;
constexpr std::uint64_t kThreadParts = 4;  // as some text takes many times as long as other
constexpr std::uint64_t kLeastPartBytes = 128 << 10;
constexpr std::uint64_t kBefore = 2 << 10;   // that a part begins before its cut
constexpr std::size_t kStep = 16384;         // tokens that are asked for at a time
constexpr std::uint64_t kMeetBytes = 8 << 10;  // behind the cut: so far it is noted where nothing is carried

}  // namespace

struct ParallelMatcher::Part {
  MatcherSet matchers;
  Matcher* matcher = nullptr;  // at the end of the part, as the stream has it if the part was met
  std::uint64_t begin = 0;     // where it is to be met, or where it begins if it is the first
  std::uint64_t cut = 0;
  std::uint64_t end = 0;
  std::vector<Token> tokens;   // from `begin` on
  bool is_done = false;        // marked by the pool's task
  std::exception_ptr thrown;   // by it
  // Where nothing is carried, near the cut, and how many tokens come before.
  std::vector<std::pair<std::uint64_t, std::size_t>> fresh;
};

ParallelMatcher::ParallelMatcher(WorkerPool& pool, const Parameters& parameters, std::uint64_t raw_bytes)
    : pool_(pool), parameters_(parameters), raw_bytes_(raw_bytes), parts_(pool.thread_count() * kThreadParts) {}
ParallelMatcher::~ParallelMatcher() { drop(); }

std::uint64_t ParallelMatcher::batch_bytes(const WorkerPool& pool) noexcept { return pool.thread_count() * kThreadBytes; }

void ParallelMatcher::begin(const Parameters&, std::uint64_t, std::uint64_t pos) {
  drop();
  pos_ = pos;
}

void ParallelMatcher::join(JointKind) {}

// Nothing is foreseen any more, and no part is under way.
void ParallelMatcher::drop() {
  stopped_ = true;
  for (; taken_count_ < begun_count_; ++taken_count_) pool_.wait_for(parts_[taken_count_].is_done);
  stopped_ = false;
  tokens_ = behind_ = {};
  next_ = 0;
}

Token ParallelMatcher::predict() {
  while (next_ == tokens_.size()) take_more();
  return tokens_[next_];
}

void ParallelMatcher::commit(Token token) {
  if (token == tokens_[next_]) {
    ++next_;
  } else {
    drop();
  }
  pos_ += length_of(token);
}

void ParallelMatcher::take_more() {
  next_ = 0;
  tokens_ = std::exchange(behind_, {});
  if (!tokens_.empty()) return;
  if (taken_count_ == begun_count_) begin_parts();
  take_part(taken_count_++);
}

// Up to the end of the text that is there, or a little beyond; at least one token.
void ParallelMatcher::begin_parts() {
  begun_count_ = taken_count_ = 0;
  const std::uint64_t end = std::max(reach_, pos_ + 1);
  const std::uint64_t count = std::clamp<std::uint64_t>((end - pos_) / kLeastPartBytes, 1, parts_.size());
  for (std::size_t i = 0; i < count; ++i) {
    Part& part = parts_[i];
    part.cut = pos_ + (end - pos_) * i / count;
    part.end = pos_ + (end - pos_) * (i + 1) / count;
    part.begin = i == 0 ? pos_ : part.cut - kBefore;
    part.is_done = false;
    part.thrown = nullptr;
    pool_.submit([this, &part] {
      try {
        if (!stopped_) run_part(part);
      } catch (...) {
        part.thrown = std::current_exception();
      }
      pool_.mark(part.is_done);
    });
    ++begun_count_;
  }
}

void ParallelMatcher::run_part(Part& part) {
  part.tokens.clear();
  part.tokens.reserve(static_cast<std::size_t>(part.end - part.begin) + kStep);  // each is a byte at least
  part.fresh.clear();
  part.matcher = &part.matchers.begin(parameters_, raw_bytes_, known_before(parameters_, part.begin), part.begin);
  Matcher& matcher = *part.matcher;
  matcher.set_text(text_, text_pos_);
  matcher.set_end(end_);
  const std::uint64_t meet_end = std::min(part.end, part.cut + kMeetBytes);
  while (matcher.pos() < meet_end && part.begin != part.cut) {
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
void ParallelMatcher::take_part(std::size_t number) {
  Part& part = parts_[number];
  pool_.wait_for(part.is_done);
  if (part.thrown) std::rethrow_exception(part.thrown);
  bool is_met = number == 0;
  std::size_t first = 0;
  bridge_.clear();
  if (!is_met) {
    Part& before = parts_[number - 1];
    Matcher& matcher = *before.matcher;
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
  // What follows begins anew, so nothing may be carried.
  for (Matcher& last = *part.matcher; number + 1 == begun_count_ && !last.fresh();) {
    std::vector<Token>& tokens = is_met ? part.tokens : bridge_;
    tokens.push_back(last.predict());
    last.commit(tokens.back());
  }
  tokens_ = bridge_;
  behind_ = std::span<const Token>(part.tokens).subspan(first);
}

}  // namespace bdelta::deflate
