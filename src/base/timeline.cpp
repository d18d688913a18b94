#include "base/timeline.hpp"

namespace bdelta {
namespace {

// What a thread must know of itself: to whom it belongs, and which span a new one lies in. Only threads of the library
// ever join, and they end before their timeline does; the span pointer is null again when the outermost span ends.
struct ThreadState {
  const Timeline* timeline = nullptr;
  unsigned number = 0;
  Span* innermost = nullptr;
};

thread_local ThreadState t_state;

}  // namespace

std::uint64_t Timeline::now_ns() const noexcept {
  const auto passed = std::chrono::steady_clock::now() - begin_;
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
}

void Timeline::join(unsigned thread) const noexcept {
  t_state.timeline = this;
  t_state.number = thread;
}

void Timeline::count_all_as(std::optional<PhaseId> phase) noexcept {
  const std::lock_guard lock(mutex_);
  all_as_ = phase;
}

// The clock is read under the lock: so the times of begins and ends come in the order in which they are counted, which
// is what makes wall_ns exact.
void Timeline::open(Span& span) noexcept {
  span.outer_ = t_state.innermost;
  t_state.innermost = &span;
  span.thread_ = t_state.timeline == this ? t_state.number : 0;
  const std::lock_guard lock(mutex_);
  if (all_as_) {
    span.counts_bytes_ = false;
    if (span.name_ != PhaseId::kWait) span.phase_ = *all_as_;
  }
  Sum& sum = sums_[static_cast<std::size_t>(span.phase_)];
  span.begin_ns_ = now_ns();
  if (sum.open_count++ == 0) sum.open_since_ns = span.begin_ns_;
}

void Timeline::close(const Span& span) noexcept {
  t_state.innermost = span.outer_;
  const std::lock_guard lock(mutex_);
  const std::uint64_t end_ns = now_ns();
  const std::uint64_t length_ns = end_ns - span.begin_ns_;
  const std::uint64_t self_ns = length_ns - span.nested_ns_;
  if (span.outer_ && span.outer_->timeline_ == this) span.outer_->nested_ns_ += length_ns;
  Sum& sum = sums_[static_cast<std::size_t>(span.phase_)];
  sum.self_ns += self_ns;
  if (span.counts_bytes_) sum.bytes += span.bytes_;
  if (--sum.open_count == 0) sum.wall_ns += end_ns - sum.open_since_ns;
  if (!sink_) return;
  sink_->span({phase_name(span.name_), phase_name(span.phase_), span.thread_, span.begin_ns_, end_ns, self_ns,
               span.index_, span.bytes_});
}

std::vector<Phase> Timeline::phases(std::span<const PhaseId> ids) const {
  std::vector<Phase> phases;
  for (const PhaseId id : ids) phases.push_back({phase_name(id), 0, 0, 0});
  update(phases, ids);
  return phases;
}

void Timeline::update(std::vector<Phase>& phases, std::span<const PhaseId> ids) const noexcept {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < ids.size() && i < phases.size(); ++i) {
    const Sum& sum = sums_[static_cast<std::size_t>(ids[i])];
    phases[i].seconds = static_cast<double>(sum.self_ns) / 1e9;
    phases[i].wall_seconds = static_cast<double>(sum.wall_ns) / 1e9;
    phases[i].bytes = sum.bytes;
  }
}

}  // namespace bdelta
