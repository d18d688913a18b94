// Every file call fails at its n-th time, for n = 1, 2, …, with every errno of a list: the outcome is success with the
// right bytes, or an Error and nothing left behind. Short counts and EINTR must not be noticed at all.
#include <cerrno>
#include <functional>
#include <set>
#include <tuple>
#include <vector>

#include "support/io_support.hpp"
#include "io/file_ops.hpp"
#include "io/open.hpp"
#include "io/spool.hpp"
#include "support/faulty_ops.hpp"

namespace bdelta::test::io_fault_test {
namespace {

namespace fs = std::filesystem;
using io::FileOps;

constexpr std::size_t kHoleBegin = 40'000, kHoleEnd = 80'000;

// Zeros in the middle are a hole of the input.
const Bytes kBytes = [] {
  Bytes bytes = pattern(100'000);
  std::fill(bytes.begin() + kHoleBegin, bytes.begin() + kHoleEnd, std::uint8_t{0});
  return bytes;
}();
const Bytes kOld = pattern(500, 7);

// One use of the room in `folder`; the output, if any, is folder/out.
struct Scenario {
  const char* name;
  std::function<Status(const Folder&)> run;
  bool writes;
  bool replaces = false;
};

Status write_in_pieces(const Folder& folder, std::uint64_t buffer_bytes) {
  FileOptions options;
  options.buffer_bytes = buffer_bytes;
  auto output = open_output(folder / "out", options);
  if (!output) return std::move(output).error();
  if (Status claimed = (*output)->reserve(kBytes.size() + 5000); !claimed) return claimed;
  for (std::size_t at = 0; at < kBytes.size(); at += 9'000) {
    const ByteSpan piece = ByteSpan(kBytes).subspan(at, std::min<std::size_t>(9'000, kBytes.size() - at));
    if (Status written = (*output)->write(piece); !written) return written;
  }
  return (*output)->finish();
}

Status write_at_positions(const Folder& folder) {
  FileOptions options;
  options.overwrite = true;
  auto output = open_output(folder / "link", options);
  if (!output) return std::move(output).error();
  for (std::size_t at = kBytes.size(); at > 0; at -= 10'000) {
    // Failures are dropped here on purpose: finish must know them still.
    (void)(*output)->positioned()->write_at(at - 10'000, ByteSpan(kBytes).subspan(at - 10'000, 10'000));
  }
  return (*output)->finish();
}

// As NEW is written after OLD; without its holes where the system tells of none.
Status write_with_holes(const Folder& folder) {
  auto opened = io::open_model(folder / "in", {}, nullptr);
  if (!opened) return std::move(opened).error();
  auto output = io::open_output(folder / "out", {}, nullptr, opened->model);
  if (!output) return std::move(output).error();
  if (Status claimed = (*output)->reserve(kBytes.size()); !claimed) return claimed;
  for (std::size_t at = 0; at < kBytes.size(); at += 10'000) {
    (void)(*output)->positioned()->write_at(at, ByteSpan(kBytes).subspan(at, 10'000));
  }
  return (*output)->finish();
}

Status expect_bytes(const Bytes& found) {
  EXPECT_EQ(kBytes, found);
  return {};
}

Status read_forward(const Folder& folder) {
  auto reader = open_sequential(folder / "in", {});
  if (!reader) return std::move(reader).error();
  Bytes found(kBytes.size());
  auto got = (*reader)->read(found);
  if (!got) return std::move(got).error();
  found.resize(*got);
  return expect_bytes(found);
}

Status read_at_positions(const Folder& folder, IoMode mode) {
  FileOptions options;
  options.mode = mode;
  auto reader = open_random(folder / "in", options);
  if (!reader) return std::move(reader).error();
  Bytes found(static_cast<std::size_t>((*reader)->size()));
  if (Status read = (*reader)->read_at(0, found); !read) return read;
  if (Status same = (*reader)->check_unchanged(); !same) return same;
  return expect_bytes(found);
}

Status spool_and_back(const Folder& folder) {
  io::Spool spool({5'000, folder.path()});
  for (std::size_t at = 0; at < kBytes.size(); at += 3'000) {
    const ByteSpan piece = ByteSpan(kBytes).subspan(at, std::min<std::size_t>(3'000, kBytes.size() - at));
    if (Status added = spool.append(piece); !added) return added;
  }
  auto reader = spool.open_reader();
  if (!reader) return std::move(reader).error();
  Bytes found(kBytes.size());
  auto got = (*reader)->read(found);
  if (!got) return std::move(got).error();
  return expect_bytes(found);
}

// As an input that is read at many places, once all of it has come.
Status spool_a_stream(const Folder& folder) {
  const auto stream = io::open_file(folder / "in", io::OpenKind::kRead, 0, "cannot open");
  if (!stream) return stream.error();
  io::Spool spool({0, folder.path()});
  Bytes buffer(7'000);
  for (std::size_t count = 1; count != 0;) {
    const auto came = io::read_soon(*stream, spool.size(), buffer, "in", nullptr);
    if (!came) return came.error();
    count = came->value_or(1);
    if (Status added = spool.append(ByteSpan(buffer).first(came->value_or(0))); !added) return added;
  }
  auto file = spool.take_file();
  if (!file) return std::move(file).error();
  Bytes found(static_cast<std::size_t>(file->info.size));
  if (Status read = io::read_fully(file->file, 0, found, "in", nullptr); !read) return read;
  return expect_bytes(found);
}

const Scenario kScenarios[] = {
    {"write buffered", [](const Folder& folder) { return write_in_pieces(folder, 4096); }, true},
    {"write unbuffered", [](const Folder& folder) { return write_in_pieces(folder, 0); }, true},
    {"write at positions", write_at_positions, true, true},
    {"read forward", read_forward, false},
    {"read at positions", [](const Folder& folder) { return read_at_positions(folder, IoMode::kStdio); }, false},
    {"read mapped", [](const Folder& folder) { return read_at_positions(folder, IoMode::kMmap); }, false},
    {"spool", spool_and_back, false},
    {"write with holes", write_with_holes, true},
    {"spool a stream", spool_a_stream, false},
};

// Runs `scenario` under `plan` and checks what must hold whatever fails.
Status run_planned(const Scenario& scenario) {
  const Folder folder(quick_directory());
  put_sparse(folder / "in", kBytes.size(), {{0, Bytes(kBytes.begin(), kBytes.begin() + kHoleBegin)},
                                            {kHoleEnd, Bytes(kBytes.begin() + kHoleEnd, kBytes.end())}});
  if (scenario.replaces) {
    put(folder / "out", kOld);
    fs::create_symlink("out", folder / "link");
  }
  const std::ptrdiff_t files_before = folder.count();
  const std::ptrdiff_t descriptors = open_descriptors();
  const FileOps table = faulty_ops();
  Status status;
  {
    const io::ScopedFileOps scope(table);
    status = scenario.run(folder);
  }
  EXPECT_EQ(descriptors, open_descriptors()) << "a descriptor leaks";
  const bool durable_only = !status && status.error().code == ErrorCode::kSyncFailed;
  const bool appeared = scenario.writes && !scenario.replaces && fs::exists(folder / "out");
  EXPECT_EQ(files_before + (appeared ? 1 : 0), folder.count()) << "a temporary file stays behind";
  if (scenario.writes && (status || appeared)) {
    EXPECT_TRUE(get(folder / "out") == kBytes) << "wrong bytes";
  } else if (scenario.replaces) {
    const Bytes now = get(folder / "out");
    EXPECT_TRUE(now == kOld || (current_fault().call == "sync_directory" && now == kBytes));
  }
  if (!status && appeared) {
    EXPECT_TRUE(durable_only || current_fault().call == "sync_directory") << to_string(status.error());
  }
  return status;
}

TEST(IoFault, EveryCallFailsAtEveryTime) {
  for (const Scenario& scenario : kScenarios) {
    for (const std::string& call : faulty_calls()) {
      for (const int error : {EIO, ENOSPC, EACCES, EMFILE, EPIPE, EOPNOTSUPP}) {
        for (int nth = 1; nth < 100; ++nth) {
          SCOPED_TRACE(std::string(scenario.name) + ", " + call + " fails " + std::to_string(nth) + ", " +
                       std::to_string(error));
          set_fault({call, nth, error, false, false, false});
          const Status status = run_planned(scenario);
          if (!current_fault().hit) {
            EXPECT_OK(status);
            break;
          }
          if (!status) {
            EXPECT_NE(ErrorCode::kInternal, status.error().code);
            EXPECT_FALSE(status.error().file.empty()) << to_string(status.error());
          }
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(IoFault, InterruptionsAreNotNoticed) {
  const std::set<std::string> never_interrupted = {"set_buffer", "map", "open_stream"};
  for (const Scenario& scenario : kScenarios) {
    for (const std::string& call : faulty_calls()) {
      if (never_interrupted.count(call) != 0) continue;
      // Stdio itself says so only where it writes by calls of its own; then it has dropped what it held.
      const bool buffered = scenario.name == std::string("write buffered") &&
                            (call == "write_stream" || call == "flush_stream");
      if (buffered || call == "flush_stream") continue;
      for (int nth = 1; nth < 100; ++nth) {
        SCOPED_TRACE(std::string(scenario.name) + ", " + call + " interrupted " + std::to_string(nth));
        set_fault({call, nth, EINTR, false, false, false});
        const Status status = run_planned(scenario);
        EXPECT_OK(status);
        if (!current_fault().hit || ::testing::Test::HasFailure()) break;
      }
    }
  }
}

// The calls that move bytes, interrupted so often in a row, also where each moves half of what it is given.
TEST(IoFault, ManyInterruptionsInARowAreNotNoticedEither) {
  for (const Scenario& scenario : kScenarios) {
    for (const char* call : {"write", "write_at", "read_at", "read_stream", "read_soon"}) {
      for (const bool always_short : {false, true}) {
        for (const int nth : {1, 2, 4, 9}) {
          SCOPED_TRACE(std::string(scenario.name) + ", " + call + " interrupted from " + std::to_string(nth) + " on");
          set_fault({call, nth, EINTR, always_short, false, false, 1000});
          EXPECT_OK(run_planned(scenario));
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

#ifdef __linux__
// Elsewhere stdio may write by calls of its own.
TEST(IoFault, StreamsWriteThroughTheTable) {
  for (const std::size_t scenario : {0u, 1u}) {
    for (const auto& [error, code] : {std::pair{EIO, ErrorCode::kWriteFailed}, {ENOSPC, ErrorCode::kNoSpace},
                                      {EPIPE, ErrorCode::kBrokenPipe}}) {
      set_fault({"write", 3, error, false, false, false});
      EXPECT_FAILS(code, run_planned(kScenarios[scenario]));
      EXPECT_TRUE(current_fault().hit);
    }
    set_fault({"write", 3, EINTR, false, false, false, 1000});
    EXPECT_OK(run_planned(kScenarios[scenario]));
    EXPECT_TRUE(current_fault().hit);
  }
}
#endif

TEST(IoFault, AnInterruptedBufferedWriteIsAnErrorAndNoHole) {
  set_fault({"write_stream", 3, EINTR, false, false, false});
  const Status status = run_planned(kScenarios[0]);
  EXPECT_FAILS(ErrorCode::kWriteFailed, status);
  EXPECT_EQ(18000u, status.error().offset);
}

TEST(IoFault, ShortCountsAreNotNoticed) {
  for (const Scenario& scenario : kScenarios) {
    SCOPED_TRACE(scenario.name);
    set_fault({"", 0, 0, true, false, false});
    EXPECT_OK(run_planned(scenario));
  }
}

TEST(IoFault, CodesSayWhatFailed) {
  const std::tuple<std::size_t, const char*, int, ErrorCode> cases[] = {
      {0, "write_stream", ENOSPC, ErrorCode::kNoSpace},      {0, "flush_stream", ENOSPC, ErrorCode::kNoSpace},
      {0, "close_stream", ENOSPC, ErrorCode::kNoSpace},      {0, "close_stream", EIO, ErrorCode::kWriteFailed},
      {0, "sync", EIO, ErrorCode::kSyncFailed},              {0, "sync", ENOSPC, ErrorCode::kNoSpace},
      {0, "allocate", ENOSPC, ErrorCode::kNoSpace},          {0, "rename_new", EIO, ErrorCode::kRenameFailed},
      {0, "rename_new", EEXIST, ErrorCode::kOutputExists},   {0, "sync_directory", EIO, ErrorCode::kSyncFailed},
      {0, "open", EACCES, ErrorCode::kPermission},           {0, "open", EROFS, ErrorCode::kPermission},
      {0, "open", EMFILE, ErrorCode::kOpenFailed},           {0, "write_stream", EPIPE, ErrorCode::kBrokenPipe},
      {2, "write_at", EIO, ErrorCode::kWriteFailed},         {2, "close", EIO, ErrorCode::kWriteFailed},
      {2, "rename", ENOENT, ErrorCode::kRenameFailed},       {2, "rename", EACCES, ErrorCode::kPermission},
      {3, "read_stream", EIO, ErrorCode::kReadFailed},       {4, "read_at", EIO, ErrorCode::kReadFailed},
      {5, "map", ENOMEM, ErrorCode::kOutOfMemory},           {6, "write_at", ENOSPC, ErrorCode::kNoSpace},
      {8, "read_soon", EIO, ErrorCode::kReadFailed},         {8, "info", EIO, ErrorCode::kOpenFailed},
      {7, "write_at", ENOSPC, ErrorCode::kNoSpace},          {7, "truncate", EIO, ErrorCode::kWriteFailed},
  };
  for (const auto& [scenario, call, error, code] : cases) {
    SCOPED_TRACE(std::string(call) + ' ' + std::to_string(error));
    set_fault({call, 1, error, false, false, false});
    const Status status = run_planned(kScenarios[scenario]);
    EXPECT_FAILS(code, status);
    EXPECT_TRUE(current_fault().hit);
  }
}

TEST(IoFault, AllocationThatIsNotSupportedIsIgnored) {
  for (const int error : {EOPNOTSUPP, EINVAL, ENOSYS, EFBIG}) {
    set_fault({"allocate", 1, error, false, false, false});
    EXPECT_OK(run_planned(kScenarios[0]));
    EXPECT_TRUE(current_fault().hit);
  }
}

TEST(IoFault, WithoutLinksTheMoveLooksFirst) {
  set_fault({"rename_new", 1, EOPNOTSUPP, false, false, false});
  EXPECT_OK(run_planned(kScenarios[0]));
  const Folder folder;
  const FileOps table = faulty_ops();
  const io::ScopedFileOps scope(table);
  auto output = open_output(folder / "f", {});
  ASSERT_OK(output);
  put(folder / "f", text("theirs"));
  set_fault({"rename_new", 1, EOPNOTSUPP, false, false, false});
  EXPECT_FAILS(ErrorCode::kOutputExists, (*output)->finish());
  EXPECT_EQ(1, folder.count());
}

TEST(IoFault, AnotherFileSystemMeansACopyThatMayFailToo) {
  for (const char* call : {"", "open", "read_at", "write_at", "sync", "close", "rename", "info", "random_bytes"}) {
    for (int nth = 1; nth < 20; ++nth) {
      SCOPED_TRACE(std::string(call) + " fails " + std::to_string(nth));
      const Folder folder(quick_directory());
      const Folder elsewhere(quick_directory());
      FileOptions options;
      options.overwrite = true;
      options.temp_dir = elsewhere.path();
      FileOps table = faulty_ops();
      static int renames;
      renames = 0;
      table.rename = [](const char* from, const char* to) {
        if (++renames == 1) return errno = EXDEV, -1;
        return fault_strikes("rename") ? -1 : io::system_ops().rename(from, to);
      };
      const io::ScopedFileOps scope(table);
      set_fault({call, nth, EIO, false, false, false});
      Status status;
      {
        auto output = open_output(folder / "out", options);
        status = output ? (*output)->write(kBytes) : Status(output.error());
        if (status) status = (*output)->finish();
      }
      EXPECT_EQ(0, elsewhere.count());
      EXPECT_EQ(status ? 1 : 0, folder.count());
      if (status) {
        EXPECT_TRUE(get(folder / "out") == kBytes);
      }
      if (!current_fault().hit) {
        EXPECT_OK(status);
        break;
      }
    }
  }
}

TEST(IoFault, TablesNest) {
  const FileOps table = faulty_ops();
  EXPECT_EQ(&io::system_ops(), &io::file_ops());
  {
    const io::ScopedFileOps outer(table);
    EXPECT_EQ(&table, &io::file_ops());
    const FileOps inner_table = table;
    const io::ScopedFileOps inner(inner_table);
    EXPECT_EQ(&inner_table, &io::file_ops());
  }
  EXPECT_EQ(&io::system_ops(), &io::file_ops());
}

}  // namespace
}  // namespace bdelta::test::io_fault_test
