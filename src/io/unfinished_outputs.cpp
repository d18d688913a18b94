#include "io/unfinished_outputs.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "bdelta/files.hpp"
#include "io/file_ops.hpp"

namespace bdelta::io {
namespace {

enum class SlotState : int { kFree, kFilling, kOpening, kArmed, kRemoving, kRemoved };

constexpr int kSlots = 32;
constexpr std::size_t kLongestName = 4096;
constexpr int kOpeningWaits = 1000;
constexpr std::chrono::milliseconds kOpeningWait{1};

struct Slot {
  std::atomic<SlotState> state{SlotState::kFree};
  std::atomic<std::thread::id> owner{};  // while it is opening
  PathChar name[kLongestName] = {};
  bool is_tree = false;
};
static_assert(std::atomic<std::thread::id>::is_always_lock_free, "a signal handler uses it");
static_assert(std::atomic<SlotState>::is_always_lock_free, "a signal handler uses it");

Slot slots[kSlots];

std::atomic<int> whole_count{0};
std::atomic<int> unfinished_count{0};
std::atomic<bool> has_part{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free, "a signal handler uses them");

bool advance(Slot& slot, SlotState from, SlotState to) noexcept {
  return slot.state.compare_exchange_strong(from, to, std::memory_order_acq_rel);
}

// True if the slot has a name to remove, which is the caller's to do now.
bool claim(Slot& slot) noexcept {
  for (int waits = 0; slot.state.load(std::memory_order_acquire) == SlotState::kOpening; ++waits) {
    if (waits == kOpeningWaits || slot.owner.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
      return advance(slot, SlotState::kOpening, SlotState::kRemoving);
    }
    std::this_thread::sleep_for(kOpeningWait);  // nanosleep(2), which a handler may call
  }
  return advance(slot, SlotState::kArmed, SlotState::kRemoving);
}

}  // namespace

void note_left_behind(LeftBehind what) noexcept {
  if (what == LeftBehind::kPart) has_part.store(true);
  if (what != LeftBehind::kPart) whole_count.fetch_add(what == LeftBehind::kWhole ? 1 : -1);
}

void note_unfinished(bool is_so) noexcept { unfinished_count.fetch_add(is_so ? 1 : -1); }

UnfinishedName::UnfinishedName(const std::filesystem::path& absolute, bool is_tree) noexcept {
  const auto& name = absolute.native();
  if (name.size() >= kLongestName) return;
  for (int i = 0; i < kSlots; ++i) {
    if (!advance(slots[i], SlotState::kFree, SlotState::kFilling)) continue;
    std::memcpy(slots[i].name, name.c_str(), (name.size() + 1) * sizeof(PathChar));
    slots[i].is_tree = is_tree;
    slots[i].owner.store(std::this_thread::get_id(), std::memory_order_relaxed);
    slots[i].state.store(SlotState::kOpening, std::memory_order_release);
    slot_ = i;
    return;
  }
}

void UnfinishedName::opened() noexcept {
  if (slot_ != kNone) (void)advance(slots[slot_], SlotState::kOpening, SlotState::kArmed);
}

UnfinishedName::UnfinishedName(UnfinishedName&& other) noexcept : slot_(std::exchange(other.slot_, kNone)) {}

UnfinishedName& UnfinishedName::operator=(UnfinishedName&& other) noexcept {
  if (this != &other) {
    forget();
    slot_ = std::exchange(other.slot_, kNone);
  }
  return *this;
}

void UnfinishedName::forget() noexcept {
  if (slot_ == kNone) return;
  opened();
  Slot& slot = slots[std::exchange(slot_, kNone)];
  // Waits only while a handler on another thread is inside its call to remove.
  while (!advance(slot, SlotState::kArmed, SlotState::kFree) && !advance(slot, SlotState::kRemoved, SlotState::kFree)) {
    std::this_thread::yield();
  }
}

}  // namespace bdelta::io

namespace bdelta {

LeftBehind remove_unfinished_outputs() noexcept {
  for (io::Slot& slot : io::slots) {
    if (!io::claim(slot)) continue;
    (void)(slot.is_tree ? io::file_ops().remove_tree : io::file_ops().remove)(slot.name);
    slot.state.store(io::SlotState::kRemoved, std::memory_order_release);
  }
  if (io::unfinished_count.load() > 0) return LeftBehind::kUnfinished;
  if (io::has_part.load()) return LeftBehind::kPart;
  return io::whole_count.load() > 0 ? LeftBehind::kWhole : LeftBehind::kNothing;
}

}  // namespace bdelta
