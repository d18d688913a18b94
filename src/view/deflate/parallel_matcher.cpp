#include "view/deflate/parallel_matcher.hpp"

#include <algorithm>

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kPartBytes = 1 << 20;
constexpr std::uint64_t kLeastPartBytes = 128 << 10;
constexpr std::uint64_t kBefore = 2 << 10;   // that a part begins before its cut
constexpr std::uint64_t kMeetBytes = 8 << 10;  // behind the cut: so far it is noted where nothing is carried

}  // namespace

struct ParallelMatcher::Part {
  MatcherSet matchers;
  Matcher* matcher = nullptr;  // at the end of the part, as the stream has it if the part was met
  std::uint64_t begin = 0;     // where it is to be met, or where it begins if it is the first
  std::uint64_t cut = 0;
  std::uint64_t end = 0;
  std::vector<Token> tokens;   // from `begin` on
  // Where nothing is carried, near the cut, and how many tokens come before.
  std::vector<std::pair<std::uint64_t, std::size_t>> fresh;
};

ParallelMatcher::ParallelMatcher(WorkerPool& pool, const Parameters& parameters, std::uint64_t raw_bytes)
    : pool_(pool), parameters_(parameters), raw_bytes_(raw_bytes), parts_(pool.thread_count()) {}
ParallelMatcher::~ParallelMatcher() = default;

std::uint64_t ParallelMatcher::batch_bytes(const WorkerPool& pool) noexcept { return pool.thread_count() * kPartBytes; }

void ParallelMatcher::begin(const Parameters&, std::uint64_t, std::uint64_t pos) {
  pos_ = pos;
  foreseen_.clear();
  next_ = 0;
}

void ParallelMatcher::join(JointKind) {}

Token ParallelMatcher::predict() {
  if (next_ == foreseen_.size()) foresee();
  return foreseen_[next_];
}

void ParallelMatcher::commit(Token token) {
  if (token == foreseen_[next_]) {
    ++next_;
  } else {
    next_ = foreseen_.size();
  }
  pos_ += length_of(token);
}

std::size_t ParallelMatcher::run(Token* out, std::size_t most, std::uint64_t stop) {
  std::size_t count = 0;
  for (; count < most && pos_ < stop; ++count) {
    if (next_ == foreseen_.size()) foresee();
    out[count] = foreseen_[next_++];
    pos_ += length_of(out[count]);
  }
  return count;
}

std::size_t ParallelMatcher::follow(std::span<const Token> tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    predicted_ = ParallelMatcher::predict();
    if (predicted_ != tokens[i]) return i;
    ParallelMatcher::commit(tokens[i]);
  }
  return tokens.size();
}

// Up to the end of the text that is there, or a little beyond; at least one token.
void ParallelMatcher::foresee() {
  foreseen_.clear();
  next_ = 0;
  const std::uint64_t end = std::max(reach_, pos_ + 1);
  const std::uint64_t count = std::clamp<std::uint64_t>((end - pos_) / kLeastPartBytes, 1, parts_.size());
  for (std::size_t i = 0; i < count; ++i) {
    Part& part = parts_[i];
    part.cut = pos_ + (end - pos_) * i / count;
    part.end = pos_ + (end - pos_) * (i + 1) / count;
    part.begin = i == 0 ? pos_ : part.cut - kBefore;
  }
  pool_.for_each(static_cast<std::size_t>(count), [&](std::size_t i) { run_part(parts_[i]); });
  for (std::size_t i = 0; i < count; ++i) append_part(i);
  // What follows begins anew, so nothing may be carried.
  for (Matcher& last = *parts_[static_cast<std::size_t>(count) - 1].matcher; !last.fresh();) {
    foreseen_.push_back(last.predict());
    last.commit(foreseen_.back());
  }
}

void ParallelMatcher::run_part(Part& part) {
  part.tokens.clear();
  part.fresh.clear();
  part.matcher = &part.matchers.begin(parameters_, raw_bytes_, part.begin > kWindowBytes ? part.begin - kWindowBytes : 0, part.begin);
  Matcher& matcher = *part.matcher;
  matcher.set_text(text_, text_pos_);
  matcher.set_end(end_);
  const std::uint64_t meet_end = std::min(part.end, part.cut + kMeetBytes);
  while (matcher.pos() < meet_end && part.begin != part.cut) {
    if (matcher.fresh() && matcher.pos() >= part.cut) part.fresh.emplace_back(matcher.pos(), part.tokens.size());
    part.tokens.push_back(matcher.predict());
    matcher.commit(part.tokens.back());
  }
  constexpr std::size_t kStep = 16384;
  while (matcher.pos() < part.end) {
    const std::size_t before = part.tokens.size();
    part.tokens.resize(before + kStep);
    part.tokens.resize(before + matcher.run(part.tokens.data() + before, kStep, part.end));
  }
}

// The part before has been appended, up to where its matcher is.
void ParallelMatcher::append_part(std::size_t number) {
  Part& part = parts_[number];
  if (number == 0) {
    foreseen_.insert(foreseen_.end(), part.tokens.begin(), part.tokens.end());
    return;
  }
  Part& before = parts_[number - 1];
  Matcher& matcher = *before.matcher;
  auto meeting = part.fresh.begin();
  while (matcher.pos() < part.end) {
    while (meeting != part.fresh.end() && meeting->first < matcher.pos()) ++meeting;
    if (meeting != part.fresh.end() && meeting->first == matcher.pos() && matcher.fresh()) {
      foreseen_.insert(foreseen_.end(), part.tokens.begin() + static_cast<std::ptrdiff_t>(meeting->second), part.tokens.end());
      return;
    }
    foreseen_.push_back(matcher.predict());
    matcher.commit(foreseen_.back());
  }
  // They did not meet: the next part is taken up from here.
  std::swap(part.matcher, before.matcher);
  std::swap(part.matchers, before.matchers);
}

}  // namespace bdelta::deflate
