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

namespace bdelta::test {
namespace {

namespace fs = std::filesystem;
using io::FileOps;

// What is injected: the `nth` use of `call` fails with `error`. One for the process, as the table has no context.
struct Plan {
  std::string call;
  int nth = 0;
  int error = 0;
  bool always_short = false;  // reads and writes move half of what is asked
  bool hit = false;
  bool stream_error = false;  // what ferror would say after an injected fault

  bool strikes(std::string_view name) {
    if (name != call || --nth != 0) return false;
    hit = true;
    errno = error;
    return true;
  }
};
Plan plan;

const FileOps& real() { return io::system_ops(); }

std::size_t shortened(std::size_t size) { return plan.always_short ? (size + 1) / 2 : size; }

// Replaces `table.member` by a function that fails as planned and else calls the real one.
#define INJECT(member, failed)                                                            \
  table.member = [](auto... arguments) {                                                  \
    return plan.strikes(#member) ? (failed) : real().member(arguments...);                \
  }

FileOps injecting_table() {
  FileOps table = real();
  INJECT(open, -1);
  INJECT(duplicate, -1);
  INJECT(sync, -1);
  INJECT(allocate, -1);
  INJECT(truncate, -1);
  INJECT(set_mode, -1);
  INJECT(set_owner, -1);
  INJECT(set_buffer, -1);
  INJECT(rename, -1);
  INJECT(rename_new, -1);
  INJECT(sync_directory, -1);
  INJECT(random_bytes, -1);
  INJECT(map, nullptr);
  INJECT(open_stream, nullptr);
  table.info = [](int fd, io::FileInfo& out) { return plan.strikes("info") ? -1 : real().info(fd, out); };
  table.path_info = [](const char* path, io::FileInfo& out) {
    return plan.strikes("path_info") ? -1 : real().path_info(path, out);
  };
  table.link_info = [](const char* path, io::FileInfo& out) {
    return plan.strikes("link_info") ? -1 : real().link_info(path, out);
  };
  table.read_link = [](const char* path, fs::path& out) {
    return plan.strikes("read_link") ? -1 : real().read_link(path, out);
  };
  table.close = [](int fd) {
    const int result = real().close(fd);
    return plan.strikes("close") ? -1 : result;
  };
  table.close_stream = [](std::FILE* file) {
    const int result = real().close_stream(file);
    return plan.strikes("close_stream") ? EOF : result;
  };
  table.flush_stream = [](std::FILE* file) {
    return plan.strikes("flush_stream") ? (plan.stream_error = true, EOF) : real().flush_stream(file);
  };
  table.read_at = [](int fd, void* to, std::size_t size, std::uint64_t pos) {
    return plan.strikes("read_at") ? std::ptrdiff_t{-1} : real().read_at(fd, to, shortened(size), pos);
  };
  table.write_at = [](int fd, const void* from, std::size_t size, std::uint64_t pos) {
    return plan.strikes("write_at") ? std::ptrdiff_t{-1} : real().write_at(fd, from, shortened(size), pos);
  };
  table.read_stream = [](std::FILE* file, void* to, std::size_t size) -> std::size_t {
    if (plan.strikes("read_stream")) return plan.stream_error = true, 0;
    return real().read_stream(file, to, shortened(size));
  };
  table.write_stream = [](std::FILE* file, const void* from, std::size_t size) -> std::size_t {
    if (plan.strikes("write_stream")) return plan.stream_error = true, 0;
    return real().write_stream(file, from, shortened(size));
  };
  table.stream_failed = [](std::FILE* file) { return plan.stream_error || real().stream_failed(file); };
  table.clear_stream = [](std::FILE* file) {
    plan.stream_error = false;
    real().clear_stream(file);
  };
  return table;
}

const char* const kCalls[] = {"open",         "duplicate",  "sync",        "allocate",     "truncate",
                              "set_mode",     "set_owner",  "set_buffer",  "rename",       "rename_new",
                              "random_bytes", "map",        "open_stream", "info",         "path_info",
                              "link_info",    "read_link",  "close",       "close_stream", "flush_stream",
                              "read_at",      "write_at",   "read_stream", "write_stream", "sync_directory"};

const Bytes kBytes = pattern(100'000);
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

const Scenario kScenarios[] = {
    {"write buffered", [](const Folder& folder) { return write_in_pieces(folder, 4096); }, true},
    {"write unbuffered", [](const Folder& folder) { return write_in_pieces(folder, 0); }, true},
    {"write at positions", write_at_positions, true, true},
    {"read forward", read_forward, false},
    {"read at positions", [](const Folder& folder) { return read_at_positions(folder, IoMode::kStdio); }, false},
    {"read mapped", [](const Folder& folder) { return read_at_positions(folder, IoMode::kMmap); }, false},
    {"spool", spool_and_back, false},
};

std::ptrdiff_t open_descriptors() {
  std::error_code error;
  const fs::directory_iterator all("/proc/self/fd", error);
  return error ? 0 : std::distance(all, fs::directory_iterator());
}

// Runs `scenario` under `plan` and checks what must hold whatever fails.
Status run_planned(const Scenario& scenario) {
  const Folder folder;
  put(folder / "in", kBytes);
  if (scenario.replaces) {
    put(folder / "out", kOld);
    fs::create_symlink("out", folder / "link");
  }
  const std::ptrdiff_t files_before = folder.count();
  const std::ptrdiff_t descriptors = open_descriptors();
  const FileOps table = injecting_table();
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
    EXPECT_TRUE(now == kOld || (plan.call == "sync_directory" && now == kBytes));
  }
  if (!status && appeared) {
    EXPECT_TRUE(durable_only || plan.call == "sync_directory") << to_string(status.error());
  }
  return status;
}

TEST(IoFault, EveryCallFailsAtEveryTime) {
  for (const Scenario& scenario : kScenarios) {
    for (const char* call : kCalls) {
      for (const int error : {EIO, ENOSPC, EACCES, EMFILE, EPIPE, EOPNOTSUPP}) {
        for (int nth = 1; nth < 100; ++nth) {
          SCOPED_TRACE(std::string(scenario.name) + ", " + call + " fails " + std::to_string(nth) + ", " +
                       std::to_string(error));
          plan = {call, nth, error, false, false, false};
          const Status status = run_planned(scenario);
          if (!plan.hit) {
            EXPECT_OK(status);
            break;
          }
          if (!status) {
            EXPECT_NE(ErrorCode::kInternal, status.error().code);
            EXPECT_FALSE(status.error().detail.empty());
          }
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(IoFault, InterruptionsAreNotNoticed) {
  const std::set<std::string> never_interrupted = {"set_buffer", "map", "open_stream", "random_bytes", "path_info"};
  for (const Scenario& scenario : kScenarios) {
    for (const char* call : kCalls) {
      if (never_interrupted.count(call) != 0) continue;
      // Stdio may have dropped what it held: going on would leave a hole.
      const bool buffered = scenario.name == std::string("write buffered") &&
                            (call == std::string("write_stream") || call == std::string("flush_stream"));
      if (buffered || call == std::string("flush_stream")) continue;
      for (int nth = 1; nth < 100; ++nth) {
        SCOPED_TRACE(std::string(scenario.name) + ", " + call + " interrupted " + std::to_string(nth));
        plan = {call, nth, EINTR, false, false, false};
        const Status status = run_planned(scenario);
        EXPECT_OK(status);
        if (!plan.hit || ::testing::Test::HasFailure()) break;
      }
    }
  }
}

TEST(IoFault, AnInterruptedBufferedWriteIsAnErrorAndNoHole) {
  plan = {"write_stream", 3, EINTR, false, false, false};
  const Status status = run_planned(kScenarios[0]);
  EXPECT_FAILS(ErrorCode::kWriteFailed, status);
  EXPECT_NE(std::string::npos, status.error().detail.find("after 18000 bytes")) << status.error().detail;
}

TEST(IoFault, ShortCountsAreNotNoticed) {
  for (const Scenario& scenario : kScenarios) {
    SCOPED_TRACE(scenario.name);
    plan = {"", 0, 0, true, false, false};
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
  };
  for (const auto& [scenario, call, error, code] : cases) {
    SCOPED_TRACE(std::string(call) + ' ' + std::to_string(error));
    plan = {call, 1, error, false, false, false};
    const Status status = run_planned(kScenarios[scenario]);
    EXPECT_FAILS(code, status);
    EXPECT_TRUE(plan.hit);
  }
}

TEST(IoFault, AllocationThatIsNotSupportedIsIgnored) {
  for (const int error : {EOPNOTSUPP, EINVAL, ENOSYS, EFBIG}) {
    plan = {"allocate", 1, error, false, false, false};
    EXPECT_OK(run_planned(kScenarios[0]));
    EXPECT_TRUE(plan.hit);
  }
}

TEST(IoFault, WithoutLinksTheMoveLooksFirst) {
  plan = {"rename_new", 1, EOPNOTSUPP, false, false, false};
  EXPECT_OK(run_planned(kScenarios[0]));
  const Folder folder;
  const FileOps table = injecting_table();
  const io::ScopedFileOps scope(table);
  auto output = open_output(folder / "f", {});
  ASSERT_OK(output);
  put(folder / "f", text("theirs"));
  plan = {"rename_new", 1, EOPNOTSUPP, false, false, false};
  EXPECT_FAILS(ErrorCode::kOutputExists, (*output)->finish());
  EXPECT_EQ(1, folder.count());
}

TEST(IoFault, AnotherFileSystemMeansACopyThatMayFailToo) {
  for (const char* call : {"", "open", "read_at", "write_at", "sync", "close", "rename", "info", "random_bytes"}) {
    for (int nth = 1; nth < 20; ++nth) {
      SCOPED_TRACE(std::string(call) + " fails " + std::to_string(nth));
      const Folder folder;
      const Folder elsewhere;
      FileOptions options;
      options.overwrite = true;
      options.temp_dir = elsewhere.path();
      FileOps table = injecting_table();
      static int renames;
      renames = 0;
      table.rename = [](const char* from, const char* to) {
        if (++renames == 1) return errno = EXDEV, -1;
        return plan.strikes("rename") ? -1 : real().rename(from, to);
      };
      const io::ScopedFileOps scope(table);
      plan = {call, nth, EIO, false, false, false};
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
      if (!plan.hit) {
        EXPECT_OK(status);
        break;
      }
    }
  }
}

TEST(IoFault, TablesNest) {
  const FileOps table = injecting_table();
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
}  // namespace bdelta::test
