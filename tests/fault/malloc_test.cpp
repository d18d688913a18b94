// Every allocation in turn fails, whoever makes it: the library, the codecs, stdio, the threads. malloc and its
// relatives are replaced for the whole process; those of glibc do the work. (memory_test does the same for operator new
// alone, on any system and with sanitizers.)
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "base/guard.hpp"
#include "codec/codec.hpp"
#include "format/native/layout.hpp"
#include "support/archive.hpp"
#include "support/fail_each.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"
#include "support/program_pair.hpp"

namespace {

std::atomic<long> g_left{-1};  // allocations that still succeed; negative: all

bool refused() {
  if (g_left.load(std::memory_order_relaxed) < 0) return false;
  if (g_left.fetch_sub(1) > 0) return false;
  g_left = -1;
  errno = ENOMEM;
  return true;
}

}  // namespace

#pragma GCC visibility push(default)  // hidden ones would not take the place of glibc's in its callers
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

void* malloc(std::size_t size) { return refused() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return refused() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* memory, std::size_t size) { return refused() ? nullptr : __libc_realloc(memory, size); }
void* memalign(std::size_t alignment, std::size_t size) {
  return refused() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  void* memory = memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *out = memory;
  return 0;
}
void free(void* memory) { __libc_free(memory); }

}  // extern "C"
#pragma GCC visibility pop

namespace bdelta::test::malloc_test {
namespace {

namespace fs = std::filesystem;

struct Case {
  const char* name;
  int level;
  PatchFormat format = PatchFormat::kBdt2;
  bool programs = false;
  bool archives = false;
};

const Case kCases[] = {
    {"level1", 1},
    {"level3", 3},
    {"level6", 6},
    {"bdt1", 3, PatchFormat::kBdt1},
    {"programs", 6, PatchFormat::kBdt2, true},
    {"archives", 3, PatchFormat::kBdt2, false, true},
};

ProgramPair pair_for(const Case& wanted) {
  if (wanted.programs) return program_pair(11, 12);
  Bytes source = wordy_bytes(9'000, 1);
  Bytes target = edited(source, random_edits(8, source.size(), 400, 2));
  if (wanted.archives) return {zip_of({{"member", source}}), zip_of({{"member", target}})};
  return {std::move(source), std::move(target)};
}

class EveryMalloc : public ::testing::TestWithParam<Case> {};

// OLD and PATCH, or OLD and NEW, as files; what was written in their place by whom.
TEST_P(EveryMalloc, WhileCreatingAFile) {
  const ProgramPair pair = pair_for(GetParam());
  const Folder folder(quick_directory());
  const fs::path old_path = folder / "old";
  const fs::path new_path = folder / "new";
  const fs::path patch_path = folder / "patch";
  put(old_path, pair.old_version);
  put(new_path, pair.new_version);
  const CreateOptions options = create_options(GetParam().level, GetParam().format);
  fail_each_allocation(
      g_left, [&] { return create_file(old_path, new_path, patch_path, options); },
      [&](bool succeeded) {
        EXPECT_EQ(succeeded ? 3 : 2, folder.count());
        fs::remove(patch_path);
      });
}

TEST_P(EveryMalloc, WhileApplyingInPlace) {
  const ProgramPair pair = pair_for(GetParam());
  const auto patch =
      make_patch(pair.old_version, pair.new_version, create_options(GetParam().level, GetParam().format));
  ASSERT_OK(patch);
  EXPECT_EQ(GetParam().archives, GetParam().format == PatchFormat::kBdt2 && has_feature(*patch, native::kFeatureView));
  const Folder folder(quick_directory());
  const fs::path file = folder / "file";
  const fs::path patch_path = folder / "patch";
  put(file, pair.old_version);
  put(patch_path, *patch);
  ApplyOptions options;
  options.files.overwrite = true;
  options.files.sync = false;
  fail_each_allocation(
      g_left, [&] { return apply_file(file, file, patch_path, options); },
      [&](bool succeeded) {
        EXPECT_EQ(2, folder.count());
        EXPECT_TRUE(same_bytes(succeeded ? pair.new_version : pair.old_version, get(file)));
        if (succeeded) put(file, pair.old_version);
      });
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryMalloc, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

// The codecs by themselves, so that it is sure that their own allocations were among those that failed.
class EveryMallocOfACodec : public ::testing::TestWithParam<CodecId> {};

TEST_P(EveryMallocOfACodec, WhileCoding) {
  const CodecSettings settings{GetParam(), 6, 0};
  const Bytes raw = wordy_bytes(20'000, 3);
  Bytes coded;
  const auto encode = [&]() -> Status {
    coded.clear();
    auto encoder = make_encoder(settings, raw.size());
    if (!encoder) return std::move(encoder).error();
    return (*encoder)->encode(raw, true, coded);
  };
  fail_each_allocation(g_left, [&] { return guarded(encode); });
  EXPECT_OK(encode());
  const unsigned window_log = window_log_for(raw.size());
  Bytes again(raw.size());
  const auto decode = [&]() -> Status {
    auto decoder = make_decoder(GetParam(), window_log);
    if (!decoder) return std::move(decoder).error();
    return (*decoder)->decode(coded, again);
  };
  fail_each_allocation(g_left, [&] { return guarded(decode); });
  EXPECT_OK(decode());
  EXPECT_TRUE(same_bytes(raw, again));
}

INSTANTIATE_TEST_SUITE_P(Codecs, EveryMallocOfACodec, ::testing::Values(CodecId::kZstd, CodecId::kLzma));

}  // namespace
}  // namespace bdelta::test::malloc_test
