// When do three threads beat one at reading, processing and writing?
//
// The input is a regular file, a pipe that another process feeds as fast as it can, or a pipe fed at a bounded rate,
// like a network. The process is cheap (a digest, the bytes pass on) or costs more than the I/O (zstd level 1). The
// output is a regular file.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "cases.hpp"
#include "codec/codec.hpp"
#include "hash/xxh3.hpp"
#include "overlap.hpp"

namespace io_study {
namespace {

using bdelta::Bytes;

enum class Input { kFile, kPipe, kSlowPipe };
enum class Work { kHash, kCompress };

// Of the slow pipe: 256 KiB each 1.25 ms are 210 MB/s.
constexpr std::chrono::microseconds kSlowInterval{1250};
constexpr std::uint64_t kMostSlowBytes = 128 * kMiB;

// The bytes of a file through a pipe, sent by a process of its own.
class Feeder {
 public:
  Feeder(const std::filesystem::path& path, std::uint64_t bytes, bool slow) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) fail("cannot make a pipe");
    from_ = std::make_unique<Descriptor>(ends[0], "pipe");
    Descriptor to(ends[1], "pipe");
    std::fflush(nullptr);
    process_ = ::fork();
    if (process_ < 0) fail("cannot start a process");
    if (process_ != 0) return;
    from_.reset();
    feed_and_exit(path, bytes, slow, to.fd());
  }

  Descriptor& from() { return *from_; }
  void wait() const { wait_for(process_, "the process that feeds a pipe"); }

 private:
  [[noreturn]] static void feed_and_exit(const std::filesystem::path& path, std::uint64_t bytes, bool slow, int to) {
    try {
      feed(path, bytes, slow, to);
      ::_exit(0);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "io_study: feeding a pipe: %s\n", error.what());
    }
    ::_exit(2);
  }

  // A sender that was held up doesn't hurry afterwards.
  static void feed(const std::filesystem::path& path, std::uint64_t bytes, bool slow, int to) {
    const Descriptor from(path, Direction::kRead);
    Bytes piece(kOverlapBlockBytes);
    auto next = std::chrono::steady_clock::now();
    for (std::uint64_t done = 0; done < bytes;) {
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), bytes - done));
      if (read_some(from.fd(), piece.data(), wanted, path.string()) != wanted) throw Failure("the input ended early");
      write_all(to, piece.data(), wanted, "the pipe");
      done += wanted;
      next = std::max(next, std::chrono::steady_clock::now()) + kSlowInterval;
      if (slow) std::this_thread::sleep_until(next);
    }
  }

  std::unique_ptr<Descriptor> from_;
  pid_t process_ = -1;
};

Process make_process(Work work, std::uint64_t total_bytes) {
  if (work == Work::kHash) {
    const auto hasher = std::make_shared<bdelta::Xxh3Hasher>();
    return [hasher](bdelta::ByteSpan in, Bytes&, bool last) {
      hasher->update(in);
      if (last) keep(hasher->digest()[0]);
      return in;
    };
  }
  const bdelta::CodecSettings fast{bdelta::CodecId::kZstd, 1, 0};
  const std::shared_ptr<bdelta::FrameEncoder> encoder = must(bdelta::make_encoder(fast, total_bytes));
  return [encoder](bdelta::ByteSpan in, Bytes& out, bool last) -> bdelta::ByteSpan {
    must(encoder->encode(in, last, out));
    return out;
  };
}

double run_once(const std::filesystem::path& input, const std::filesystem::path& output, std::uint64_t bytes,
                Input kind, Work work, bool overlapped) {
  // Written over, not anew: where fresh memory comes from must not decide what overlapping brings.
  make_full(output, bytes);
  const Process process = make_process(work, bytes);
  std::optional<Feeder> feeder;
  if (kind != Input::kFile) feeder.emplace(input, bytes, kind == Input::kSlowPipe);
  const double seconds = seconds_of([&] {
    const auto from = feeder ? make_reader(feeder->from(), kLayerBufferBytes) : make_reader(input, kLayerBufferBytes);
    const auto to = make_writer(output, kLayerBufferBytes);
    (overlapped ? run_overlapped : run_in_turn)(*from, *to, process);
    must(to->finish());
  });
  if (feeder) feeder->wait();
  if (work == Work::kHash) check_size(output, bytes);
  return seconds;
}

}  // namespace

void add_overlap_cases(const StudyFiles& files, std::vector<Case>& cases) {
  const std::filesystem::path input = files.input.path();
  const std::filesystem::path output = files.output.path();
  for (const Input kind : {Input::kFile, Input::kPipe, Input::kSlowPipe}) {
    const std::string place = kind == Input::kFile ? "file" : kind == Input::kPipe ? "pipe" : "slow pipe";
    const std::uint64_t bytes =
        kind == Input::kSlowPipe ? std::min(files.size_bytes, kMostSlowBytes) : files.size_bytes;
    for (const Work work : {Work::kHash, Work::kCompress}) {
      for (const bool overlapped : {false, true}) {
        const std::string name = place + (work == Work::kHash ? " hash " : " zstd-1 ") +
                                 (overlapped ? "in three threads" : "in one thread");
        cases.push_back({"overlap", name, kOverlapBlockBytes, kLayerBufferBytes, bytes,
                         (bytes + kOverlapBlockBytes - 1) / kOverlapBlockBytes,
                         [=] { return run_once(input, output, bytes, kind, work, overlapped); }});
      }
    }
  }
}

}  // namespace io_study
