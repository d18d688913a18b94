#include "fuzz/c_abi_ends.hpp"

#include <cstdlib>

namespace bdelta::fuzz {
namespace {

// What callbacks fail with. Never kInternal, which no call may end with.
constexpr std::int32_t kCodes[] = {BDELTA_kReadFailed, BDELTA_kNoSpace,      BDELTA_kPermission, BDELTA_kCancelled,
                                   BDELTA_kOutOfMemory, BDELTA_kInputChanged, 4711,               -7};

// A struct of callbacks, which get `user`. None is set yet.
template <class Struct>
Struct without_callbacks(void* user) noexcept {
  Struct made{};
  made.struct_size = sizeof made;
  made.user = user;
  return made;
}

bool is_code(std::int32_t code) { return std::strcmp(bdelta_error_name(code), "Unknown") != 0; }

}  // namespace

void Trouble::take(Input& input) {
  at_call = 1u + input.u8() % 24;
  code = kCodes[input.u8() % std::size(kCodes)];
}

Ends::Ends(Input& input) : sample_(&samples()[input.u8() % samples().size()]), patch_of_(sample_) {
  source_ = sample_->source;
  patch_ = sample_->patch;
  const std::uint8_t how = input.u8();
  if ((how & 0x01) != 0) take_source(input);
  if ((how & 0x02) != 0) reading_.take(input);
  if ((how & 0x04) != 0) take_patch(input);
  if ((how & 0x08) != 0) most_at_a_time_ = 1u + input.u8();
  if ((how & 0x10) != 0) {
    taking_.take(input);
    lies_ = taking_.at_call % 4 == 3;
  }
  if ((how & 0x20) != 0) writing_.take(input);
  if ((how & 0x40) != 0) {
    progress_.take(input);
    allocating_.take(input);
  }
  positioned_ = (how & 0x80) != 0;
}

void Ends::take_source(Input& input) {
  source_sound_ = false;
  const std::uint8_t kind = input.u8();
  switch (kind % 4) {
    case 0: source_[input.u16() % source_.size()] ^= static_cast<std::uint8_t>(1 + kind / 4); break;
    case 1: source_.pop_back(); break;
    case 2: source_.push_back(kind); break;
    default: source_changes_at_ = 1u + input.u8() % 32;
  }
}

void Ends::take_patch(Input& input) {
  patch_sound_ = false;
  const std::uint8_t kind = input.u8();
  switch (kind % 4) {
    case 0: patch_[input.u16() % patch_.size()] ^= static_cast<std::uint8_t>(1 + kind / 4); break;
    case 1: patch_.resize(input.u16() % patch_.size()); break;
    case 2: patch_.insert(patch_.end(), 1u + kind / 4, kind); break;
    default:
      patch_of_ = &samples()[kind / 4 % samples().size()];
      patch_ = patch_of_->patch;
  }
}

// Every callback: only while a call runs, and told apart from others that run at the same time.
struct Ends::Enter {
  explicit Enter(void* user) : ends(*static_cast<Ends*>(user)), lock(ends.mutex_) {
    require(ends.live_, "callbacks are called during calls alone");
    ++ends.calls_;
  }
  Ends& ends;
  const std::lock_guard<std::mutex> lock;
};

std::int32_t Ends::say(std::int32_t code, std::int32_t otherwise) {
  said_.insert(is_code(code) ? code : otherwise);
  return code;
}

std::int32_t Ends::read_from(ByteSpan bytes, std::uint64_t pos, void* out, std::size_t size) {
  require(size > 0 && pos <= bytes.size() && size <= bytes.size() - pos, "reads stay inside the file");
  if (reading_.strikes()) return say(reading_.code, BDELTA_kReadFailed);
  std::memcpy(out, bytes.data() + pos, size);
  return BDELTA_OK;
}

std::int32_t Ends::put(std::uint64_t pos, const void* bytes, std::size_t size) {
  require(size > 0 && pos <= most_bytes && size <= most_bytes - pos, "no more is written than the limit allows");
  if (writing_.strikes()) return say(writing_.code, BDELTA_kWriteFailed);
  if (made_.size() < pos + size) made_.resize(static_cast<std::size_t>(pos) + size);
  std::memcpy(made_.data() + pos, bytes, size);
  return BDELTA_OK;
}

std::int32_t Ends::on_read_source(void* user, std::uint64_t pos, void* out, std::size_t size) {
  const Enter enter(user);
  if (enter.ends.source_changes_at_ != 0 && --enter.ends.source_changes_at_ == 0) {
    for (std::uint8_t& byte : enter.ends.source_) byte ^= 0x20;
  }
  return enter.ends.read_from(enter.ends.source_, pos, out, size);
}

std::int32_t Ends::on_read_target(void* user, std::uint64_t pos, void* out, std::size_t size) {
  const Enter enter(user);
  return enter.ends.read_from(enter.ends.sample_->target, pos, out, size);
}

std::int32_t Ends::on_read(void* user, void* out, std::size_t size, std::size_t* count) {
  const Enter enter(user);
  Ends& ends = enter.ends;
  require(size > 0 && *count == 0, "a stream is asked for something");
  if (ends.taking_.strikes()) {
    if (!ends.lies_) return ends.say(ends.taking_.code, BDELTA_kReadFailed);
    ends.said_.insert(BDELTA_kReadFailed);
    *count = size + 1;
    return BDELTA_OK;
  }
  *count = std::min(size, ends.patch_.size() - ends.read_pos_);
  if (ends.most_at_a_time_ != 0) *count = std::min(*count, ends.most_at_a_time_);
  if (*count > 0) std::memcpy(out, ends.patch_.data() + ends.read_pos_, *count);
  ends.read_pos_ += *count;
  return BDELTA_OK;
}

std::int32_t Ends::on_write(void* user, const void* bytes, std::size_t size) {
  const Enter enter(user);
  return enter.ends.put(enter.ends.made_.size(), bytes, size);
}

std::int32_t Ends::on_write_at(void* user, std::uint64_t pos, const void* bytes, std::size_t size) {
  const Enter enter(user);
  return enter.ends.put(pos, bytes, size);
}

std::int32_t Ends::on_progress(void* user, std::uint64_t done, std::uint64_t total) {
  require(done <= total, "no more is done than there is");
  if (user == nullptr) return 0;  // a struct that ends before progress_user
  const Enter enter(user);
  if (!enter.ends.progress_.strikes()) return 0;
  enter.ends.said_.insert(BDELTA_kCancelled);
  return 1;
}

std::int32_t Ends::on_phase_progress(void* user, std::uint64_t done, std::uint64_t total, const char* phase) {
  require(phase[0] != '\0', "a phase has a name");
  return on_progress(user, done, total);
}

void* Ends::on_allocate(void* user, std::size_t size) {
  Ends& ends = *static_cast<Ends*>(user);
  if (ends.allocating_.strikes()) {
    ends.said_.insert(BDELTA_kOutOfMemory);
    return nullptr;
  }
  void* const block = std::malloc(size);
  require(block != nullptr && ends.blocks_.insert(block).second, "memory can be had");
  return block;
}

void Ends::on_release(void* user, void* block) {
  require(static_cast<Ends*>(user)->blocks_.erase(block) == 1, "what is given back was given, and once");
  std::free(block);
}

bdelta_reader Ends::source_reader() noexcept {
  auto reader = without_callbacks<bdelta_reader>(this);
  reader.size = source_.size();
  reader.read_at = on_read_source;
  return reader;
}

bdelta_reader Ends::target_reader() noexcept {
  bdelta_reader reader = source_reader();
  reader.size = sample_->target.size();
  reader.read_at = on_read_target;
  return reader;
}

bdelta_input Ends::patch_input() noexcept {
  auto input = without_callbacks<bdelta_input>(this);
  input.read = on_read;
  return input;
}

bdelta_writer Ends::writer() noexcept {
  auto writer = without_callbacks<bdelta_writer>(this);
  if (positioned_ && !stream_only) {
    writer.write_at = on_write_at;
  } else {
    writer.write = on_write;
  }
  return writer;
}

bdelta_allocator Ends::allocator() noexcept {
  auto allocator = without_callbacks<bdelta_allocator>(this);
  allocator.allocate = on_allocate;
  allocator.release = on_release;
  return allocator;
}

void Ends::set_progress(bdelta_progress& progress, bdelta_phase_progress& phase_progress, void*& user) noexcept {
  progress = on_progress;
  if (positioned_) phase_progress = on_phase_progress;
  user = this;
}

}  // namespace bdelta::fuzz
