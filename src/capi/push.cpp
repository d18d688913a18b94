// The push object of C: the one of C++ with the callbacks and the memory that it stands on.
#include <cstddef>
#include <new>

#include "bdelta/push.hpp"
#include "capi/callbacks.hpp"

namespace bdelta::capi {
namespace {

// The caller's allocator as C++ knows one; without one, the heap.
class CallerMemory final : public std::pmr::memory_resource {
 public:
  explicit CallerMemory(const bdelta_allocator& from) noexcept : from_(from) {}

  // Null for want of memory.
  [[nodiscard]] void* take(std::size_t size) noexcept {
    return from_.allocate ? from_.allocate(from_.user, size) : ::operator new(size, std::nothrow);
  }
  void give_back(void* block) noexcept {
    if (from_.release) {
      from_.release(from_.user, block);
    } else {
      ::operator delete(block);
    }
  }

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    void* const block = alignment <= alignof(std::max_align_t) ? take(size) : nullptr;
    if (!block) throw std::bad_alloc();
    return block;
  }
  void do_deallocate(void* block, std::size_t, std::size_t) override { give_back(block); }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  const bdelta_allocator from_;
};

Result<bdelta_allocator> check_allocator(const bdelta_allocator* from) {
  BDELTA_ASSIGN(const bdelta_allocator allocator, read_optional(from, "bdelta_allocator"));
  if (allocator.reserved != 0) return too_new("bdelta_allocator");
  if (from && (!allocator.allocate || !allocator.release)) {
    return Error{ErrorCode::kUsage, "an allocator needs both of its functions"};
  }
  return allocator;
}

}  // namespace
}  // namespace bdelta::capi

struct bdelta_push {
  explicit bdelta_push(const bdelta::capi::CallerMemory& from) noexcept : memory(from) {}

  bdelta::capi::CallerMemory memory;
  std::optional<bdelta::capi::CallbackReader> source;  // absent over files
  std::optional<bdelta::capi::CallbackWriter> target;
  std::unique_ptr<bdelta::PushApply> push;
};

using namespace bdelta;        // NOLINT: this file is the C face of that namespace
using namespace bdelta::capi;  // NOLINT

namespace {

static_assert(alignof(bdelta_push) <= alignof(std::max_align_t));

void destroy(bdelta_push* push) noexcept {
  CallerMemory memory = push->memory;  // it outlives the object that it gave the memory for
  push->~bdelta_push();
  memory.give_back(push);
}

// Makes the object and has `open` fill it; *to is the object if that succeeds.
template <class Open>
Status make_push(const bdelta_apply_options* options, bdelta_push** to, Open&& open) {
  BDELTA_TRY(require(to, "push"));
  *to = nullptr;
  BDELTA_ASSIGN(const bdelta_apply_options read, read_options(options, "bdelta_apply_options"));
  PushOptions how;
  BDELTA_ASSIGN(how.apply, apply_options(read));
  BDELTA_ASSIGN(const bdelta_allocator allocator, check_allocator(read.allocator));
  CallerMemory memory(allocator);
  void* const block = memory.take(sizeof(bdelta_push));
  if (!block) return Error{ErrorCode::kOutOfMemory, "for the push object"};
  auto* const push = new (block) bdelta_push(memory);
  how.memory = &push->memory;
  Status opened = guarded([&] { return open(*push, how); });
  if (opened) {
    *to = push;
  } else {
    destroy(push);
  }
  return opened;
}

using OpenPaths = Result<std::unique_ptr<PushApply>> (*)(const std::filesystem::path& source,
                                                         const std::filesystem::path& target, const PushOptions& options);

int32_t open_paths(OpenPaths open, const char* source, const char* target, const bdelta_apply_options* options,
                   bdelta_push** push, bdelta_error* error) {
  return call(error, [&] {
    return make_push(options, push, [&](bdelta_push& made, const PushOptions& how) -> Status {
      BDELTA_ASSIGN(const auto source_path, path_of(source, "source"));
      BDELTA_ASSIGN(const auto target_path, path_of(target, "target"));
      BDELTA_ASSIGN(made.push, open(source_path, target_path, how));
      return {};
    });
  });
}

}  // namespace

extern "C" {

int32_t bdelta_push_open(const bdelta_reader* source, const bdelta_writer* target, const bdelta_apply_options* options,
                         bdelta_push** push, bdelta_error* error) {
  return call(error, [&] {
    return make_push(options, push, [&](bdelta_push& made, const PushOptions& how) -> Status {
      BDELTA_ASSIGN(const bdelta_reader reader, CallbackReader::check(source, "source"));
      BDELTA_ASSIGN(const bdelta_writer writer, CallbackWriter::check(target, false));
      CallbackReader& from = made.source.emplace(reader);
      CallbackWriter& to = made.target.emplace(writer);
      BDELTA_ASSIGN(made.push, to.is_stream() ? PushApply::open(from, static_cast<SequentialWriter&>(to), how)
                                              : PushApply::open(from, static_cast<PositionedWriter&>(to), how));
      return {};
    });
  });
}

int32_t bdelta_push_open_file(const char* source, const char* target, const bdelta_apply_options* options,
                              bdelta_push** push, bdelta_error* error) {
  return open_paths(&PushApply::open_file, source, target, options, push, error);
}

int32_t bdelta_push_open_tree(const char* source, const char* target, const bdelta_apply_options* options,
                              bdelta_push** push, bdelta_error* error) {
  return open_paths(&PushApply::open_tree, source, target, options, push, error);
}

int32_t bdelta_push_feed(bdelta_push* push, const void* bytes, size_t size, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(require(push, "push"));
    if (size == 0) return push->push->feed({});
    BDELTA_TRY(require(bytes, "bytes"));
    return push->push->feed({static_cast<const std::uint8_t*>(bytes), size});
  });
}

int32_t bdelta_push_finish(bdelta_push* push, bdelta_report* report, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(require(push, "push"));
    BDELTA_TRY(check_out(report, "bdelta_report"));
    return give(push->push->finish(), report);
  });
}

void bdelta_push_close(bdelta_push* push) {
  if (push) destroy(push);
}

}  // extern "C"
