// How far a call is, told while it works.
//
//   options.progress = [](const bdelta::Progress& now) {
//     std::printf("%s: %llu of %llu\n", now.phase, (unsigned long long)now.done, (unsigned long long)now.total);
//     return true;
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace bdelta {

struct Progress {
  std::uint64_t done = 0;   // bytes of NEW, or the share of the work in bytes of NEW: never falling
  std::uint64_t total = 0;  // bytes of NEW; 0 until it is known
  const char* phase = "";   // what is being done, by a name of Report::phases; never to be freed
};

// What is called with that. True: go on; false: cancel. Made of anything that takes a Progress, or `done` and `total` alone.
class ProgressCallback {
 public:
  ProgressCallback() = default;  // none

  template <class Call>
    requires(!std::is_same_v<Call, ProgressCallback>)
  ProgressCallback(Call call) {  // NOLINT: implicit by intent
    if constexpr (std::is_invocable_r_v<bool, Call&, const Progress&>) {
      call_ = std::move(call);
    } else if (std::function<bool(std::uint64_t, std::uint64_t)> with_bytes = std::move(call)) {
      call_ = [with_bytes = std::move(with_bytes)](const Progress& now) { return with_bytes(now.done, now.total); };
    }
  }

  // Whether there is one; only then may it be called.
  explicit operator bool() const noexcept { return static_cast<bool>(call_); }
  bool operator()(const Progress& now) const { return call_(now); }

 private:
  std::function<bool(const Progress&)> call_;
};

}  // namespace bdelta
