#include "parallel/watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace bdelta {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kMostSeconds = 1e9;  // 30 years: what fits the clock whatever is asked for

std::int64_t deadline_of(double seconds) noexcept {
  if (!(seconds > 0)) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(seconds, kMostSeconds) * kNsPerSecond);
}

// Without the zeros that std::to_string leaves behind the last digit.
std::string shown_seconds(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.' || text.back() == ',') text.pop_back();
  return text;
}

}  // namespace

Watch::Watch(const Callback& callback, std::uint64_t total_bytes, double time_limit_seconds)
    : callback_(callback), total_bytes_(total_bytes), time_limit_seconds_(time_limit_seconds),
      deadline_ns_(deadline_of(time_limit_seconds)) {}

void Watch::begin_part(double share_of_rest) noexcept {
  range_begin_ = stage_begin_ = stage_end_;
  range_end_ = range_begin_ + (rest_end_ - range_begin_) * share_of_rest;
  stage_units_ = 0;
  units_ = 0;
}

Watch::Part::Part(Watch* watch, double goal) noexcept : watch_(watch) {
  if (!watch) return;
  range_begin_ = watch->range_begin_;
  range_end_ = watch->range_end_;
  const double end = std::max(watch->stage_end_, range_begin_ + (range_end_ - range_begin_) * goal);
  rest_end_ = std::exchange(watch->rest_end_, end);
  watch->begin_part(1);
}

Watch::Part::~Part() {
  if (!watch_) return;
  watch_->stage_begin_ = watch_->stage_end_ = watch_->rest_end_;
  watch_->stage_units_ = 0;
  watch_->range_begin_ = range_begin_;
  watch_->range_end_ = range_end_;
  watch_->rest_end_ = rest_end_;
}

void Watch::begin_stage(double goal, std::uint64_t unit_count) {
  stage_begin_ = stage_end_;
  stage_end_ = std::max(stage_end_, range_begin_ + (range_end_ - range_begin_) * goal);
  stage_units_ = unit_count;
  units_ = 0;
  look(true);
}

void Watch::advance(std::uint64_t units) {
  if (units != 0) units_.fetch_add(units, std::memory_order_relaxed);
  look(false);
}

Status Watch::check(std::uint64_t units) noexcept {
  return guarded([&]() -> Status {
    advance(units);
    return {};
  });
}

void Watch::look(bool at_once) {
  const auto now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_).count();
  if (now_ns >= deadline_ns_) {
    Stop none = Stop::kNone;
    stop_.compare_exchange_strong(none, Stop::kTimeLimit);
  } else if (callback_ && (at_once || now_ns >= next_call_ns_.load(std::memory_order_relaxed))) {
    call(now_ns);
  }
  switch (stop_.load(std::memory_order_relaxed)) {
    case Stop::kNone: return;
    case Stop::kCancelled: throw Interrupted{{ErrorCode::kCancelled, {}}};
    case Stop::kTimeLimit:
      throw Interrupted{{.code = ErrorCode::kTimeLimit,
                         .detail = shown_seconds(time_limit_seconds_) + " seconds",
                         .remedy = "raise time_limit_seconds, or make the patch at a lower level"}};
  }
}

// Threads that come while one is in the callback go on with their work.
void Watch::call(std::int64_t now_ns) {
  const std::unique_lock lock(calling_, std::try_to_lock);
  if (!lock) return;
  next_call_ns_ = now_ns + static_cast<std::int64_t>(kCallbackSeconds * kNsPerSecond);
  reported_bytes_ = std::max(reported_bytes_, done_bytes());
  if (callback_({reported_bytes_, total_bytes_, phase_name(phase_.load(std::memory_order_relaxed))})) return;
  Stop none = Stop::kNone;
  stop_.compare_exchange_strong(none, Stop::kCancelled);
}

std::uint64_t Watch::done_bytes() const noexcept {
  const std::uint64_t units = std::min(units_.load(std::memory_order_relaxed), stage_units_);
  const double part = stage_units_ == 0 ? 0 : static_cast<double>(units) / static_cast<double>(stage_units_);
  const double share = stage_begin_ + (stage_end_ - stage_begin_) * part;
  return std::min(total_bytes_, static_cast<std::uint64_t>(std::llround(share * static_cast<double>(total_bytes_))));
}

}  // namespace bdelta
