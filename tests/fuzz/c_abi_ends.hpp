// What c_abi_calls passes to the C interface: pairs, callbacks over memory that fail where the input says so, and
// structs of any size that end where memory ends.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "bdelta/bdelta.h"
#include "fuzz/fuzz_input.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {

struct Sample {
  Bytes source;
  Bytes target;
  Bytes patch;
  bdelta_info info{};
  std::array<std::uint8_t, 32> sha256{};
};

// Several groups, a list of digests, version 1, prediction, modelled bytes. Made once.
[[nodiscard]] const std::vector<Sample>& samples();

// A callback that fails at a call of the input's choice.
struct Trouble {
  unsigned at_call = 0;  // counted from 1; 0: never
  std::int32_t code = BDELTA_OK;
  unsigned calls = 0;

  void take(Input& input);
  [[nodiscard]] bool strikes() noexcept { return ++calls == at_call; }
};

// The two or three ends of one call, or of one push object, and what became of them.
class Ends {
 public:
  explicit Ends(Input& input);
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  // They may be called while a Live lives, and not otherwise.
  class Live {
   public:
    explicit Live(Ends& ends) noexcept : ends_(ends) { ends_.live_ = true; }
    ~Live() { ends_.live_ = false; }
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;

   private:
    Ends& ends_;
  };

  [[nodiscard]] bdelta_reader source_reader() noexcept;
  [[nodiscard]] bdelta_reader target_reader() noexcept;  // of the sample's target, for making patches
  [[nodiscard]] bdelta_input patch_input() noexcept;
  [[nodiscard]] bdelta_writer writer() noexcept;
  [[nodiscard]] bdelta_allocator allocator() noexcept;
  void set_progress(bdelta_progress& progress, bdelta_phase_progress& phase_progress, void*& user) noexcept;

  // Nothing was altered, so that any failure has to come from a callback or from the options.
  [[nodiscard]] bool sound() const noexcept { return source_sound_ && patch_sound_; }
  [[nodiscard]] bool source_sound() const noexcept { return source_sound_; }

  // A wrong result would not be told.
  [[nodiscard]] bool without_digests() const noexcept { return patch_of_->info.has_digests == 0; }

  [[nodiscard]] const Sample& sample() const noexcept { return *sample_; }
  [[nodiscard]] const Sample& patch_of() const noexcept { return *patch_of_; }
  [[nodiscard]] const Bytes& patch() const noexcept { return patch_; }
  [[nodiscard]] const Bytes& made() const noexcept { return made_; }
  [[nodiscard]] bool is_stream() const noexcept { return !positioned_; }
  [[nodiscard]] unsigned calls() const noexcept { return calls_; }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_.size(); }

  // The codes that calls have to end with for what callbacks returned.
  [[nodiscard]] const std::set<std::int32_t>& said() const noexcept { return said_; }

  bool stream_only = false;      // patches are written as streams
  std::uint64_t most_bytes = 0;  // that may be written

 private:
  struct Enter;

  void take_source(Input& input);
  void take_patch(Input& input);
  std::int32_t say(std::int32_t code, std::int32_t otherwise);
  std::int32_t read_from(ByteSpan bytes, std::uint64_t pos, void* out, std::size_t size);
  std::int32_t put(std::uint64_t pos, const void* bytes, std::size_t size);

  static std::int32_t on_read_source(void* user, std::uint64_t pos, void* out, std::size_t size);
  static std::int32_t on_read_target(void* user, std::uint64_t pos, void* out, std::size_t size);
  static std::int32_t on_read(void* user, void* out, std::size_t size, std::size_t* count);
  static std::int32_t on_write(void* user, const void* bytes, std::size_t size);
  static std::int32_t on_write_at(void* user, std::uint64_t pos, const void* bytes, std::size_t size);
  static std::int32_t on_progress(void* user, std::uint64_t done, std::uint64_t total);
  static std::int32_t on_phase_progress(void* user, std::uint64_t done, std::uint64_t total, const char* phase);
  static void* on_allocate(void* user, std::size_t size);
  static void on_release(void* user, void* block);

  const Sample* sample_;
  const Sample* patch_of_;
  Bytes source_;
  Bytes patch_;
  bool source_sound_ = true;
  bool patch_sound_ = true;
  bool positioned_ = false;
  bool lies_ = false;               // says that it gave more than it was asked for, instead of failing
  unsigned source_changes_at_ = 0;  // call of read_at; 0: never
  std::size_t most_at_a_time_ = 0;  // of the patch; 0: all
  Trouble reading_, taking_, writing_, progress_, allocating_;

  std::mutex mutex_;
  bool live_ = false;
  unsigned calls_ = 0;
  std::size_t read_pos_ = 0;
  Bytes made_;
  std::set<std::int32_t> said_;
  std::set<void*> blocks_;  // of the caller's allocator that were not given back
};

// A struct as a program built against an older or newer header has it, at the end of its memory.
template <class Struct>
class SizedStruct {
 public:
  // `size_bytes` is what struct_size says. Bytes behind `values` are `tail`.
  SizedStruct(const Struct& values, std::uint32_t size_bytes, std::uint8_t tail = 0)
      : size_(size_bytes), memory_(std::max<std::size_t>(8, (size_bytes + 7) / 8 * 8)), tail_(tail) {
    const MutableByteSpan room = memory_.writable();
    std::fill(room.begin(), room.end(), tail);
    std::memcpy(room.data(), &values, std::min(room.size(), sizeof values));
    std::memcpy(room.data(), &size_, sizeof size_);
    before_.assign(room.begin(), room.end());
  }

  [[nodiscard]] Struct* get() noexcept { return reinterpret_cast<Struct*>(memory_.writable().data()); }

  // The library has to take it: a size it can be, and nothing behind what is known.
  [[nodiscard]] bool fits() const noexcept { return size_ >= sizeof size_ && size_ % sizeof size_ == 0; }
  [[nodiscard]] bool is_known() const noexcept { return fits() && (size_ <= sizeof(Struct) || tail_ == 0); }

  // What of it is there; the rest is 0.
  [[nodiscard]] Struct values() const noexcept {
    Struct known{};
    std::memcpy(&known, memory_.bytes().data(), std::min<std::size_t>(size_, sizeof known));
    return known;
  }

  [[nodiscard]] bool untouched() const noexcept {
    return std::equal(before_.begin(), before_.end(), memory_.bytes().begin());
  }
  [[nodiscard]] bool has(std::size_t end_of_field) const noexcept { return size_ >= end_of_field; }

  // A newer one, behind what this library knows: zeros.
  [[nodiscard]] bool rest_is_zero() const noexcept {
    const ByteSpan all = memory_.bytes().first(size_);
    return size_ <= sizeof(Struct) ||
           std::all_of(all.begin() + sizeof(Struct), all.end(), [](std::uint8_t byte) { return byte == 0; });
  }

 private:
  const std::uint32_t size_;
  test::GuardedBytes memory_;
  const std::uint8_t tail_;
  Bytes before_;
};

}  // namespace bdelta::fuzz
