// Want of memory: each allocation fails once, through the C interface.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "bdelta/bdelta.h"
#include "capi/push_pairs.hpp"
#include "support/expect.hpp"
#include "support/replace_new.hpp"

namespace {

std::atomic<long> g_until_failure{-1};  // allocations that still succeed; below 0: all do

}  // namespace

namespace bdelta::test {

void* allocate(std::size_t size) noexcept {
  if (g_until_failure >= 0 && g_until_failure-- <= 0) {
    g_until_failure = 0;
    return nullptr;
  }
  return std::malloc(size == 0 ? 1 : size);
}

void release(void* memory) noexcept { std::free(memory); }

namespace {

struct Sinks {
  Bytes source;
  Bytes patch;
  std::size_t read = 0;
  std::uint64_t written = 0;
};

std::int32_t read_source(void* user, std::uint64_t pos, void* out, std::size_t size) {
  std::memcpy(out, static_cast<Sinks*>(user)->source.data() + pos, size);
  return BDELTA_OK;
}

std::int32_t read_patch(void* user, void* out, std::size_t size, std::size_t* count) {
  auto* const sinks = static_cast<Sinks*>(user);
  *count = std::min(size, sinks->patch.size() - sinks->read);
  std::memcpy(out, sinks->patch.data() + sinks->read, *count);
  sinks->read += *count;
  return BDELTA_OK;
}

std::int32_t count_bytes(void* user, const void*, std::size_t size) {
  static_cast<Sinks*>(user)->written += size;
  return BDELTA_OK;
}

// The code of `work` for every number of allocations that succeed, up to where it succeeds.
template <class Work>
void fail_each_allocation(Work&& work) {
  for (long allowed = 0; allowed < 100'000; ++allowed) {
    g_until_failure = allowed;
    const std::int32_t code = work();
    const bool reached = g_until_failure <= 0;
    g_until_failure = -1;
    if (code == BDELTA_OK) {
      EXPECT_GT(allowed, 10);
      return;
    }
    ASSERT_EQ(BDELTA_kOutOfMemory, code) << bdelta_error_name(code) << " after " << allowed;
    ASSERT_TRUE(reached);
  }
  FAIL() << "no end";
}

enum class Kind { kSmallGroups, kPrograms, kRenumbered };

class CWithoutMemory : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    const Pair pair = GetParam() == Kind::kPrograms      ? programs()
                      : GetParam() == Kind::kRenumbered ? renumbered(false)
                                                        : small_groups();
    sinks_.source = pair.source;
    sinks_.patch = pair.patch;
    reader_.struct_size = sizeof reader_;
    reader_.size = pair.source.size();
    reader_.read_at = read_source;
    input_.struct_size = sizeof input_;
    input_.read = read_patch;
    writer_.struct_size = sizeof writer_;
    writer_.write = count_bytes;
    reader_.user = input_.user = writer_.user = &sinks_;
    error_.struct_size = sizeof error_;
    error_.message = text_;
    error_.message_size = sizeof text_;
  }

  Sinks sinks_;
  bdelta_reader reader_{};
  bdelta_input input_{};
  bdelta_writer writer_{};
  bdelta_error error_{};
  char text_[100] = {};
};

TEST_P(CWithoutMemory, ApplyingGivesTheCode) {
  fail_each_allocation([&] {
    sinks_.read = 0;
    const std::int32_t code = bdelta_apply(&reader_, &input_, &writer_, nullptr, nullptr, &error_);
    EXPECT_EQ(code, error_.code);
    EXPECT_EQ(code == BDELTA_OK, text_[0] == '\0');
    return code;
  });
}

TEST_P(CWithoutMemory, PushingGivesTheCode) {
  fail_each_allocation([&] {
    bdelta_push* push = nullptr;
    std::int32_t code = bdelta_push_open(&reader_, &writer_, nullptr, &push, &error_);
    for (std::size_t at = 0; at < sinks_.patch.size() && code == BDELTA_OK; at += 50) {
      const ByteSpan rest = ByteSpan(sinks_.patch).subspan(at);
      code = bdelta_push_feed(push, rest.data(), std::min<std::size_t>(50, rest.size()), &error_);
    }
    if (code == BDELTA_OK) code = bdelta_push_finish(push, nullptr, &error_);
    bdelta_push_close(push);
    return code;
  });
}

TEST_P(CWithoutMemory, DescribingGivesTheCode) {
  bdelta_info info{};
  info.struct_size = sizeof info;
  for (long allowed = 0; allowed < 3; ++allowed) {
    sinks_.read = 0;
    g_until_failure = allowed;
    const std::int32_t code = bdelta_info_stream(&input_, &info, &error_);
    g_until_failure = -1;
    EXPECT_EQ(BDELTA_kOutOfMemory, code);
  }
  EXPECT_EQ(0u, info.version);
  for (long allowed = 0; allowed < 3; ++allowed) {
    sinks_.read = 0;
    g_until_failure = allowed;
    const std::int32_t code = bdelta_verify_patch(&input_, &info, &error_);
    g_until_failure = -1;
    EXPECT_EQ(BDELTA_kOutOfMemory, code);
  }
  EXPECT_EQ(0u, info.version);
  sinks_.read = 0;
  EXPECT_EQ(BDELTA_OK, bdelta_verify_patch(&input_, &info, &error_));
  EXPECT_EQ(1u, info.verified);
  sinks_.read = 0;
  EXPECT_EQ(BDELTA_OK, bdelta_info_stream(&input_, &info, &error_));
  EXPECT_EQ(GetParam() == Kind::kPrograms ? 1u : 0u, info.predicted);
}

INSTANTIATE_TEST_SUITE_P(Patches, CWithoutMemory,
                         ::testing::Values(Kind::kSmallGroups, Kind::kPrograms, Kind::kRenumbered));

}  // namespace
}  // namespace bdelta::test
