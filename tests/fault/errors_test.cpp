// Every code of the table is provoked here, or the table below says where it is or why it cannot be.
#include <map>
#include <set>

#include <sys/stat.h>

#include "bdelta/tree.hpp"
#include "create/self_check.hpp"
#include "io/spool.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test::errors_test {
namespace {

const Bytes kOld = wordy_bytes(3000, 1);
const Bytes kNew = edited(kOld, {{Edit::kInsert, 1000, 50, 0, 2}});

Bytes good_patch() {
  auto patch = make_patch(kOld, kNew, create_options(1));
  EXPECT_OK(patch);
  return std::move(*patch);
}

ErrorCode code_of(const Result<Bytes>& result) { return result ? ErrorCode{} : result.error().code; }
ErrorCode code_of(const Result<Report>& result) { return result ? ErrorCode{} : result.error().code; }

ErrorCode creating(RandomReader& source, RandomReader& target, const CreateOptions& options = {}) {
  Bytes patch;
  MemoryWriter writer(patch);
  const auto report = create(source, target, writer, options);
  EXPECT_TRUE(report || patch.empty()) << "bytes were written before the error";
  return code_of(report);
}

ErrorCode usage() {
  for (const int level : {-1, 0, 12, 1000}) {
    const auto code = code_of(make_patch(kOld, kNew, create_options(level)));
    if (code != ErrorCode::kUsage) return code;
  }
  return ErrorCode::kUsage;
}

ErrorCode another_patch() {
  ApplyOptions options;
  options.expected_patch_sha256 = Sha256Bytes{};
  return code_of(apply_patch(kOld, good_patch(), Sink::kSequential, options));
}

ErrorCode same_path() {
  const Folder folder;
  put(folder / "old", kOld);
  put(folder / "new", kNew);
  CreateOptions options;
  options.files.overwrite = true;
  EXPECT_EQ(ErrorCode::kSamePath, code_of(create_file(folder / "old", folder / "new", folder / "old", options)));
  EXPECT_EQ(kOld, get(folder / "old"));
  return code_of(create_file(folder / "old", folder / "new", folder / "new", options));
}

ErrorCode output_exists() {
  const Folder folder;
  put(folder / "old", kOld);
  put(folder / "new", kNew);
  put(folder / "patch", kOld);
  const ErrorCode code = code_of(create_file(folder / "old", folder / "new", folder / "patch", {}));
  EXPECT_EQ(kOld, get(folder / "patch"));
  return code;
}

ErrorCode not_found() {
  const Folder folder;
  return code_of(check_file(folder / "no-old", folder / "no-patch", {}));
}

ErrorCode is_directory() {
  const Folder folder;
  return code_of(create_file(folder.path(), folder.path(), folder / "patch", {}));
}

ErrorCode not_seekable() {
  return code_of(check_file("/dev/null", "/dev/null", {}));
}

ErrorCode claiming(std::uint64_t size, PatchFormat format) {
  HiddenReader source(kOld);
  HiddenReader target(kNew);
  source.claimed_size = size;
  const ErrorCode first = creating(source, target, create_options(1, format));
  source.claimed_size.reset();
  target.claimed_size = size;
  EXPECT_EQ(first, creating(source, target, create_options(1, format)));
  return first;
}

ErrorCode read_error(ErrorCode code) {
  HiddenReader source(kOld);
  source.read_error = Error{code, "as the test wants it"};
  HiddenReader target(kNew);
  EXPECT_EQ(code, creating(source, target));
  EXPECT_EQ(code, creating(target, source));
  const Bytes patch = good_patch();
  io::MemorySequentialReader reader(patch);
  Bytes made;
  MemoryWriter writer(made);
  return code_of(apply(source, reader, writer, {}));
}

ErrorCode input_changed() {
  HiddenReader source(kOld);
  HiddenReader target(kNew);
  target.unchanged_error = Error{ErrorCode::kInputChanged, "as the test wants it"};
  EXPECT_EQ(ErrorCode::kInputChanged, creating(source, target));
  EXPECT_EQ(ErrorCode::kInputChanged, creating(target, source));
  const Bytes patch = good_patch();
  io::MemorySequentialReader reader(patch);
  source.unchanged_error = target.unchanged_error;
  return code_of(check(source, reader, {}));
}

ErrorCode write_error(ErrorCode code) {
  const Bytes patch = good_patch();
  io::MemoryReader source(kOld);
  io::MemoryReader target(kNew);
  io::MemorySequentialReader reader(patch);
  FailingWriter refuses(10, code);
  EXPECT_EQ(code, code_of(create(source, target, refuses, {})));
  return code_of(apply(source, reader, refuses, {}));
}

ErrorCode bent(std::size_t at, std::uint8_t value) {
  Bytes patch = good_patch();
  patch[at] = value;
  return code_of(apply_patch(kOld, patch));
}

ErrorCode truncated() {
  Bytes patch = good_patch();
  patch.pop_back();
  return code_of(apply_patch(kOld, patch));
}

ErrorCode trailing() {
  Bytes patch = good_patch();
  patch.push_back(0);
  return code_of(apply_patch(kOld, patch));
}

ErrorCode with(const std::function<void(SplitPatch&)>& change) {
  SplitPatch split = split_patch(good_patch());
  change(split);
  return code_of(apply_patch(kOld, with_header(split.header, split.body)));
}

ErrorCode codec_failed() {
  Craft craft;
  craft.codec = {CodecId::kLzma, 6, 0};
  const Bytes target = wordy_bytes(4000, 9);
  SplitPatch split = split_patch(craft_patch({}, target, {}, craft));
  std::size_t worst = split.body.size() / 2;
  ErrorCode code{};
  for (std::size_t at = worst; at < split.body.size() && code != ErrorCode::kCodecFailed; ++at) {
    Bytes body = split.body;
    body[at] ^= 0xff;
    code = code_of(apply_patch({}, with_header(split.header, body)));
  }
  return code;
}

ErrorCode window_checksum() {
  const Bytes target = random_bytes(500, 3);
  Craft craft;
  craft.codec = {};
  SplitPatch split = split_patch(craft_patch({}, target, {}, craft));
  split.body[split.body.size() - 10] ^= 1;  // a literal
  return code_of(apply_patch({}, with_header(split.header, split.body)));
}

ErrorCode target_digest() {
  return with([](SplitPatch& split) { split.header.target_digest[0] ^= 1; });
}

ErrorCode self_check_failed() {
  // The body of another patch behind a right header.
  const SplitPatch split = split_patch(good_patch());
  io::Spool body;
  EXPECT_OK(body.append(split.body));
  Bytes other = kNew;
  other[5] ^= 1;
  WorkerPool pool(1);
  io::MemoryReader source(kOld);
  io::MemoryReader target(other);
  const Status status = check_patch(source, target, native::encode_header(split.header), body, pool);
  return status ? ErrorCode{} : status.error().code;
}

ErrorCode output_limit() {
  ApplyOptions options;
  options.output_limit_bytes = kNew.size() - 1;
  return code_of(apply_patch(kOld, good_patch(), Sink::kCheck, options));
}

ErrorCode memory_limit() {
  CreateOptions options;
  options.memory_limit_bytes = 1000;
  EXPECT_EQ(ErrorCode::kMemoryLimit, code_of(make_patch(kOld, kNew, options)));
  return with([](SplitPatch& split) { split.header.decoder_memory_bytes = std::uint64_t{1} << 40; });
}

ErrorCode cancelled() {
  CreateOptions options;
  options.progress = [](std::uint64_t, std::uint64_t) { return false; };
  EXPECT_EQ(ErrorCode::kCancelled, code_of(make_patch(kOld, kNew, options)));
  ApplyOptions apply_options;
  apply_options.progress = options.progress;
  return code_of(apply_patch(kOld, good_patch(), Sink::kCheck, apply_options));
}

ErrorCode limited(double seconds, double ratio) {
  CreateOptions options;
  options.time_limit_seconds = seconds;
  options.max_patch_ratio = ratio;
  return code_of(make_patch(kOld, kNew, options));
}

// Of a patch between two directories; the second holds a fifo, where that is asked for.
ErrorCode of_trees(bool with_fifo, const char* source) {
  const Folder folder;
  put(folder / "file", kOld);
  std::filesystem::create_directory(folder / "folder");
  std::filesystem::create_directory(folder / "new");
  if (with_fifo && ::mkfifo((folder / "new/fifo").c_str(), 0600) != 0) ADD_FAILURE() << "no fifo could be made";
  const auto made = create_tree(folder / source, folder / "new", folder / "patch", {}, {});
  return made ? ErrorCode::kInternal : made.error().code;
}

// A link out of NEW.
ErrorCode unsafe_name() {
  const Folder folder;
  std::filesystem::create_directory(folder / "old");
  std::filesystem::create_directory(folder / "new");
  std::filesystem::create_symlink("../away", folder / "new/link");
  EXPECT_OK(create_tree(folder / "old", folder / "new", folder / "patch", {}, {}));
  const auto made = apply_tree(folder / "old", folder / "made", folder / "patch", {});
  return made ? ErrorCode::kInternal : made.error().code;
}

struct Provoked {
  ErrorCode code;
  ErrorCode (*how)();
};

const Provoked kProvoked[] = {
    {ErrorCode::kUsage, usage},
    {ErrorCode::kSamePath, same_path},
    {ErrorCode::kOutputExists, output_exists},
    {ErrorCode::kFormatCannotHold, [] { return claiming(std::uint64_t{1} << 31, PatchFormat::kBdt1); }},
    {ErrorCode::kNotFound, not_found},
    {ErrorCode::kIsDirectory, is_directory},
    {ErrorCode::kReadFailed, [] { return read_error(ErrorCode::kReadFailed); }},
    {ErrorCode::kInputTruncated, [] { return read_error(ErrorCode::kInputTruncated); }},
    {ErrorCode::kWriteFailed, [] { return write_error(ErrorCode::kWriteFailed); }},
    {ErrorCode::kNoSpace, [] { return write_error(ErrorCode::kNoSpace); }},
    {ErrorCode::kBrokenPipe, [] { return write_error(ErrorCode::kBrokenPipe); }},
    {ErrorCode::kInputChanged, input_changed},
    {ErrorCode::kNotSeekable, not_seekable},
    {ErrorCode::kNotADirectory, [] { return of_trees(false, "file"); }},
    {ErrorCode::kUnsupportedEntry, [] { return of_trees(true, "folder"); }},
    {ErrorCode::kUnsafeName, unsafe_name},
    {ErrorCode::kNotAPatch, [] { return bent(0, 'X'); }},
    {ErrorCode::kUnsupportedVersion, [] { return bent(3, 3); }},
    {ErrorCode::kUnsupportedFeature, [] { return with([](SplitPatch& s) { s.header.required_features = 8; }); }},
    {ErrorCode::kPatchTruncated, truncated},
    {ErrorCode::kPatchCorrupt, [] { return with([](SplitPatch& s) { s.body[0] = 9; }); }},
    {ErrorCode::kPatchTrailingBytes, trailing},
    {ErrorCode::kPatchDigest, another_patch},
    {ErrorCode::kHeaderChecksum, [] { return bent(12, 0x55); }},
    {ErrorCode::kCodecFailed, codec_failed},
    {ErrorCode::kOpOutOfRange, [] { return code_of(apply_patch(Bytes(5), bdt1_patch(5, 3, {{4, 0, 3}}, {}))); }},
    {ErrorCode::kWrongSourceSize, [] { return code_of(apply_patch(kNew, good_patch())); }},
    {ErrorCode::kWrongSourceDigest, [] { return code_of(apply_patch(wordy_bytes(3000, 5), good_patch())); }},
    {ErrorCode::kWindowChecksum, window_checksum},
    {ErrorCode::kTargetDigest, target_digest},
    {ErrorCode::kSelfCheckFailed, self_check_failed},
    {ErrorCode::kOutputLimit, output_limit},
    {ErrorCode::kMemoryLimit, memory_limit},
    {ErrorCode::kFileTooLarge, [] { return claiming(std::uint64_t{1} << 40, PatchFormat::kBdt2); }},
    {ErrorCode::kTimeLimit, [] { return limited(1e-9, 0); }},
    {ErrorCode::kPatchTooLarge, [] { return limited(0, 1e-6); }},
    {ErrorCode::kCancelled, cancelled},
};

// Where the others are provoked, or why they are not.
const std::map<ErrorCode, const char*> kElsewhere = {
    {ErrorCode::kOpenFailed, "fault/io_fault_test: an open that the system fails"},
    {ErrorCode::kPermission, "fault/io_fault_test: as root nothing is refused"},
    {ErrorCode::kSyncFailed, "fault/io_fault_test: an fsync that fails"},
    {ErrorCode::kRenameFailed, "fault/io_fault_test: a rename that fails"},
    {ErrorCode::kOutOfMemory, "fault/memory_test: every allocation in turn fails"},
    {ErrorCode::kWrongJournal, "unit/journal_test: each damage to a journal"},
    {ErrorCode::kUnfinished, "unit/in_place_test: a journal that is left behind"},
    {ErrorCode::kInUse, "unit/in_place_test: a lock that another process holds"},
    {ErrorCode::kScratchLimit, "unit/in_place_test: a journal of one byte too many"},
    {ErrorCode::kInternal, "broken rules of our own; no input leads to it"},
};

// NEW, of which no more can be read from some call on.
class FailsLater final : public RandomReader {
 public:
  FailsLater(ByteSpan bytes, ErrorCode code) : bytes_(bytes), code_(code) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  Status read_at(std::uint64_t, MutableByteSpan) override { return Error{code_, "as the test wants"}; }

 private:
  ByteSpan bytes_;
  ErrorCode code_;
};

// What a caller's reader says while a patch is checked is what the caller hears: no patch is to blame for it.
TEST(SelfCheck, ErrorsOfInputsKeepTheirCodes) {
  const SplitPatch split = split_patch(good_patch());
  io::Spool body;
  ASSERT_OK(body.append(split.body));
  WorkerPool pool(1);
  io::MemoryReader source(kOld);
  for (const ErrorCode code : {ErrorCode::kReadFailed, ErrorCode::kInputChanged, ErrorCode::kCancelled, ErrorCode::kInternal}) {
    FailsLater target(kNew, code);
    EXPECT_FAILS(code, check_patch(source, target, native::encode_header(split.header), body, pool));
  }
}

class EachError : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EachError, IsProvoked) {
  const Provoked& row = kProvoked[GetParam()];
  const ErrorCode found = row.how();
  EXPECT_EQ(row.code, found) << "expected " << error_name(row.code) << ", found " << error_name(found);
}

INSTANTIATE_TEST_SUITE_P(Errors, EachError, ::testing::Range<std::size_t>(0, std::size(kProvoked)),
                         [](const auto& row) { return std::string(error_name(kProvoked[row.param].code)); });

TEST(AllErrors, EachIsProvokedHereOrAccountedFor) {
  std::set<ErrorCode> known;
  for (const Provoked& row : kProvoked) known.insert(row.code);
  for (const auto& [code, why] : kElsewhere) {
    EXPECT_TRUE(known.insert(code).second) << error_name(code) << " is in both tables";
  }
#define BDELTA_ERROR(name, number, exit_class, message) EXPECT_TRUE(known.contains(ErrorCode::name)) << #name;
#include "bdelta/errors.def"
#undef BDELTA_ERROR
}

}  // namespace
}  // namespace bdelta::test::errors_test
