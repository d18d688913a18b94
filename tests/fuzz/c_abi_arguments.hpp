// What is passed to a call of c_abi_calls, and the judging of it that all calls share.
#pragma once

#include <optional>

#include "fuzz/c_abi_ends.hpp"

namespace bdelta::fuzz {

inline constexpr std::uint64_t kMostMade = 1 << 20;  // where no limit is set: patches of version 1 have no checksum

// A size for a struct whose right one is `known`; mostly that.
inline std::uint32_t take_size(Input& input, std::size_t known, std::uint8_t& tail) {
  const std::uint8_t choice = input.u8();
  const auto right = static_cast<std::uint32_t>(known);
  switch (choice >> 5) {
    case 1: return 8u * (choice & 31);  // older
    case 2: return right + 8u * (choice & 15);
    case 3: tail = choice; return right + 8u;
    case 4: return choice & 31;  // any, also what is no size
    default: return right;
  }
}

// An error that may be NULL, older or newer, with room for text or none.
class ErrorOut {
 public:
  explicit ErrorOut(Input& input) {
    constexpr std::size_t kRooms[] = {300, 0, 1, 2, 5, 40, 90, 300};
    const std::uint8_t choice = input.u8();
    if (choice % 8 == 7) return;
    text_.emplace(kRooms[choice / 8 % 8]);
    std::fill(text_->writable().begin(), text_->writable().end(), kFill);
    bdelta_error error{};
    error.message = (choice & 0x80) != 0 ? nullptr : reinterpret_cast<char*>(text_->writable().data());
    error.message_size = text_->bytes().size();
    std::uint8_t tail = 0;
    const std::uint32_t size = take_size(input, sizeof error, tail);
    error_.emplace(error, size, tail);
  }

  [[nodiscard]] bdelta_error* get() { return error_ ? error_->get() : nullptr; }

  void check(std::int32_t code) const {
    require(code == BDELTA_OK || std::strcmp(bdelta_error_name(code), "Unknown") != 0, "a call ends with a known code");
    require(code != BDELTA_kInternal, "no call is an internal error");
    if (!error_) return;
    require(error_->rest_is_zero(), "of a newer error, what is not known is 0");
    const bdelta_error found = error_->values();
    if (error_->has(8)) require(found.code == code, "the error has the code that was returned");
    if (error_->has(16) && code == BDELTA_OK) require(found.offset == BDELTA_NO_OFFSET, "success has no offset");
    const ByteSpan text = text_->bytes();
    // A part of a size is less than a size: the room is then smaller than it is, never larger.
    if (!error_->has(sizeof found) || found.message == nullptr || text.empty()) {
      if (!error_->has(24) || text.empty()) require(is_filled(text), "text goes where it may");
      return;
    }
    const auto end = std::find(text.begin(), text.end(), std::uint8_t{0});
    require(end != text.end(), "the text is ended by a NUL within its room");
    require(text.size() == 1 || (end == text.begin()) == (code == BDELTA_OK), "there is a text after failures alone");
    require(is_filled(ByteSpan(end + 1, text.end())), "behind the text nothing is written");
  }

 private:
  static constexpr std::uint8_t kFill = 0xa5;

  static bool is_filled(ByteSpan bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == kFill; });
  }

  std::optional<test::GuardedBytes> text_;
  std::optional<SizedStruct<bdelta_error>> error_;
};

// A struct that a call fills, filled with something else before; may be NULL.
template <class Struct>
class Out {
 public:
  explicit Out(Input& input) {
    const std::uint8_t choice = input.u8();
    if (choice % 4 == 3) return;
    Struct before;
    std::memset(&before, 0x5a, sizeof before);
    std::uint8_t tail = 0;
    const std::uint32_t size = take_size(input, sizeof before, tail);
    struct_.emplace(before, size, tail);
  }

  [[nodiscard]] Struct* get() { return struct_ ? struct_->get() : nullptr; }
  [[nodiscard]] bool is_null() const noexcept { return !struct_; }
  [[nodiscard]] bool fits() const noexcept { return !struct_ || struct_->fits(); }

  void check(std::int32_t code) const {
    if (!struct_) return;
    if (code != BDELTA_OK) return require(struct_->untouched(), "after a failure nothing is filled in");
    require(struct_->rest_is_zero(), "of a newer struct, what is not known is 0");
  }

  // The field, if there is room for it.
  template <class Field>
  void expect(Field Struct::*field, Field value, const char* promise) const {
    if (!struct_) return;
    Struct values = struct_->values();
    const auto begin = reinterpret_cast<const char*>(&(values.*field)) - reinterpret_cast<const char*>(&values);
    if (struct_->has(static_cast<std::size_t>(begin) + sizeof(Field))) require(values.*field == value, promise);
  }

 private:
  std::optional<SizedStruct<Struct>> struct_;
};

// Options for applying, as the caller sets them and as an older struct says them.
class Options {
  static constexpr std::uint32_t kNoFlag = 0x80;  // of applying

 public:
  Options(Input& input, Ends& ends, bool push) {
    static const std::uint8_t kOther[32] = {1, 2, 3};
    constexpr std::uint32_t kThreads[] = {0, 1, 2, 3, 0xffffffff, 1025, 5000, 2};
    const std::uint8_t how = input.u8();
    bdelta_apply_options wanted{};
    ends.set_progress(wanted.progress, wanted.phase_progress, wanted.progress_user);
    wanted.target_bytes = kMostMade;
    wanted.threads = 1;
    if ((how & 0x01) != 0) wanted.memory_bytes = std::uint64_t{1} << (input.u8() % 32);
    if ((how & 0x02) != 0) wanted.target_bytes = input.u16();
    if ((how & 0x04) != 0) wanted.window_bytes = input.u16();
    if ((how & 0x08) != 0) {
      const std::uint8_t kind = input.u8();
      const Sample& of = ends.patch_of();
      const bool of_head = push ? kind % 8 != 7 : kind % 8 >= 4;
      const bool of_whole = push == (kind % 8 == 7);
      if (of_head) wanted.head_sha256 = kind % 2 != 0 ? of.info.head_sha256 : kOther;
      if (of_whole) wanted.patch_sha256 = kind % 2 != 0 ? of.sha256.data() : kOther;
    }
    if ((how & 0x10) != 0) wanted.threads = kThreads[input.u8() % 8];
    if ((how & 0x20) != 0) {
      const std::uint8_t bits = input.u8();
      wanted.flags = (bits & 0x3fu) | ((bits & 0x40) != 0 ? kNoFlag : 0u);
      wanted.reserved = bits >> 7;
      wanted.io_buffer_bytes = std::uint64_t{bits} << 20;
      wanted.target_mode = bits;
      wanted.reserved_2 = (bits & 0xf0) == 0x70;
    }
    if ((how & 0x40) != 0) {
      const std::uint8_t kind = input.u8();
      allocator_ = ends.allocator();
      if (kind % 8 == 1) allocator_.release = nullptr;
      if (kind % 8 == 2) allocator_.allocate = nullptr;
      if (kind % 8 == 3) allocator_.struct_size = kind / 8 % 4 * 4;  // without its functions
      wanted.allocator = &allocator_;
    }
    std::uint8_t tail = 0;
    const std::uint32_t size = (how & 0x80) != 0 ? take_size(input, sizeof wanted, tail) : sizeof wanted;
    null_ = (how & 0x80) != 0 && size == 248;
    struct_.emplace(wanted, size, tail);
    if (!null_) effective_ = struct_->values();
    ends.most_bytes = most_made();
    push_ = push;
  }

  [[nodiscard]] const bdelta_apply_options* get() { return null_ ? nullptr : struct_->get(); }

  [[nodiscard]] bool usage() const {
    if (null_) return false;
    const bdelta_apply_options& of = effective_;
    const bool other_way = push_ ? of.patch_sha256 != nullptr : of.allocator != nullptr;
    const bool known_flags = (of.flags & kNoFlag) == 0 && of.reserved == 0 && of.reserved_2 == 0;
    return !struct_->is_known() || other_way || !known_flags || bad_allocator() ||
           of.threads > 1024;
  }

  // Whether they allow what the patch is. Nothing says how long its head is, and one of version 1 waits as a whole: so
  // little memory may do or not.
  [[nodiscard]] bool allow(const bdelta_info& info) const { return !forbid(info) && memory_bytes() >= 4096; }

  [[nodiscard]] bool forbid(const bdelta_info& info) const {
    const std::uint64_t held_bytes = push_ || effective_.head_sha256 != nullptr ? info.group_bytes : 0;
    return info.decoder_memory_bytes + held_bytes > memory_bytes() || info.target_bytes > most_made() ||
           (effective_.window_bytes != 0 && info.window_bytes > effective_.window_bytes);
  }

  // A digest is asked for, and it is that of something else.
  [[nodiscard]] bool other_digest(const Sample& of) const {
    if (effective_.patch_sha256 != nullptr && std::memcmp(effective_.patch_sha256, of.sha256.data(), 32) != 0) return true;
    if (effective_.head_sha256 == nullptr) return false;
    return of.info.has_head_sha256 == 0 || std::memcmp(effective_.head_sha256, of.info.head_sha256, 32) != 0;
  }
  [[nodiscard]] bool any_digest() const noexcept { return effective_.patch_sha256 || effective_.head_sha256; }

 private:
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept {
    return effective_.memory_bytes == 0 ? std::uint64_t{256} << 20 : effective_.memory_bytes;
  }
  [[nodiscard]] std::uint64_t most_made() const noexcept {
    return effective_.target_bytes == 0 ? ~std::uint64_t{0} : effective_.target_bytes;
  }
  [[nodiscard]] bool bad_allocator() const {
    if (effective_.allocator == nullptr) return false;
    return allocator_.struct_size < sizeof allocator_ || !allocator_.allocate || !allocator_.release;
  }

  bdelta_allocator allocator_{};
  bdelta_apply_options effective_{};
  std::optional<SizedStruct<bdelta_apply_options>> struct_;
  bool null_ = false;
  bool push_ = false;
};

// What the ends are passed as: mostly as they are.
struct Arguments {
  bdelta_reader source;
  bdelta_input patch;
  bdelta_writer target;
  const bdelta_reader* source_or_null = &source;
  const bdelta_input* patch_or_null = &patch;
  const bdelta_writer* target_or_null = &target;
  bool bad_source = false;
  bool bad_patch = false;
  bool bad_target = false;

  Arguments(Input& input, Ends& ends)
      : source(ends.source_reader()), patch(ends.patch_input()), target(ends.writer()) {
    const std::uint8_t how = input.u8();
    if (how < 0x80) return;
    switch (how % 16) {
      case 0: bad_source = true; source_or_null = nullptr; break;
      case 1: bad_source = true; source.read_at = nullptr; break;
      case 2: bad_source = true; source.struct_size = 16; break;  // ends before read_at
      case 3: bad_source = true; source.struct_size = 3; break;
      case 4: bad_source = true; source.reserved = 1; break;
      case 5: bad_patch = true; patch_or_null = nullptr; break;
      case 6: bad_patch = true; patch.read = nullptr; break;
      case 7: bad_patch = true; patch.struct_size = 8; break;
      case 8: bad_patch = true; patch.reserved = 1; break;
      case 9: bad_target = true; target_or_null = nullptr; break;
      case 10: bad_target = true; target.write = nullptr; target.write_at = nullptr; break;
      case 11: bad_target = true; target.write = &never; target.write_at = &never_at; break;
      case 12: bad_target = true; target.struct_size = 0; break;
      case 13: bad_target = true; target.reserved = 7; break;
      default: break;
    }
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

 private:
  static std::int32_t never(void*, const void*, std::size_t) {
    require(false, "a writer with two functions is refused");
    return BDELTA_OK;
  }
  static std::int32_t never_at(void*, std::uint64_t, const void*, std::size_t) {
    return never(nullptr, nullptr, 0);
  }
};

// The same with the code that was not expected.
inline void require_for(std::int32_t code, bool kept, const char* promise) {
  if (!kept) std::fprintf(stderr, "the call gave %s\n", bdelta_error_name(code));
  require(kept, promise);
}

inline void judge_usage(std::int32_t code, const Ends& ends) {
  require_for(code, code == BDELTA_kUsage, "a call that is made wrong is refused");
  require(ends.calls() == 0 && ends.made().empty(), "a call that is made wrong does nothing");
}

}  // namespace bdelta::fuzz
