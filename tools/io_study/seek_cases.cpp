// Chunks of 4 KiB at positions: what a seek, an open file or a question to the system costs beside the chunk itself.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "cases.hpp"
#include "io/mapped_file.hpp"
#include "io/typed_reader.hpp"

namespace io_study {
namespace {

using bdelta::RandomReader;
using bdelta::io::MappedFile;
using bdelta::io::RandomFile;
using bdelta::io::TypedReader;
using Positions = std::vector<std::uint64_t>;

constexpr std::uint64_t kChunkBytes = 4 * kKiB;
constexpr std::uint64_t kMostOpens = 20'000;
constexpr std::uint64_t kMostAsked = 4 * kMiB;
constexpr std::uint64_t kIntegerBytes = 8;

// A chunk each, one after the other or in an order that no read-ahead guesses.
Positions chunk_positions(std::uint64_t count, bool shuffled) {
  Positions positions(count);
  for (std::uint64_t i = 0; i < count; ++i) positions[i] = i * kChunkBytes;
  std::uint64_t state = 1;
  for (std::uint64_t i = count; shuffled && i > 1; --i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::swap(positions[i - 1], positions[(state >> 33) % i]);
  }
  return positions;
}

std::size_t read_unlocked(void* to, std::size_t size, std::FILE* from) {
  return bdelta::io::file_ops().read_stream(from, to, size);
}

enum class Steps { kRead, kSeek, kSeekAndRead };

double seek_and_read(const std::filesystem::path& path, const Positions& positions, std::uint64_t buffer_bytes,
                     Steps steps) {
  bdelta::Bytes chunk(kChunkBytes);
  Stream from(path, Direction::kRead, buffer_bytes);
  std::uint64_t sum = 0;
  const double seconds = seconds_of([&] {
    for (const std::uint64_t pos : positions) {
      if (steps != Steps::kRead && ::fseeko(from.file(), static_cast<off_t>(pos), SEEK_SET) != 0) fail("cannot seek");
      if (steps == Steps::kSeek) continue;
      if (read_unlocked(chunk.data(), chunk.size(), from.file()) != chunk.size()) fail("cannot read a chunk");
      sum += chunk[0];
    }
  });
  keep(sum);
  return seconds;
}

double read_at_positions(RandomReader& from, const Positions& positions) {
  bdelta::Bytes chunk(kChunkBytes);
  std::uint64_t sum = 0;
  const double seconds = seconds_of([&] {
    for (const std::uint64_t pos : positions) {
      must(from.read_at(pos, chunk));
      sum += chunk[0];
    }
  });
  keep(sum);
  return seconds;
}

double open_and_close(const std::filesystem::path& path, std::uint64_t count, bool with_chunk) {
  bdelta::Bytes chunk(kChunkBytes);
  std::uint64_t sum = 0;
  const double seconds = seconds_of([&] {
    for (std::uint64_t i = 0; i < count; ++i) {
      Stream from(path, Direction::kRead, kChunkBytes);
      if (!with_chunk) continue;
      if (read_unlocked(chunk.data(), chunk.size(), from.file()) != chunk.size()) fail("cannot read a chunk");
      sum += chunk[0];
    }
  });
  keep(sum);
  return seconds;
}

// Integers, each with the question whether one more is there: asked of the system, or answered from what is known.
double ask_each_time(const std::filesystem::path& path, std::uint64_t count, bool ask_system) {
  Stream from(path, Direction::kRead, kLayerBufferBytes);
  std::uint8_t integer[kIntegerBytes];
  std::uint64_t sum = 0;
  std::uint64_t pos = 0;
  std::uint64_t size = std::filesystem::file_size(path);
  const double seconds = seconds_of([&] {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (ask_system) {
        struct ::stat found {};
        if (::fstat(::fileno(from.file()), &found) != 0) fail("cannot ask for the size");
        size = static_cast<std::uint64_t>(found.st_size);
        pos = static_cast<std::uint64_t>(::ftello(from.file()));
      }
      if (size - pos < sizeof integer) throw Failure("the file ended before its expected end");
      if (read_unlocked(integer, sizeof integer, from.file()) != sizeof integer) fail("cannot read an integer");
      pos += sizeof integer;
      sum += bdelta::load_le<std::uint64_t>(integer);
    }
  });
  keep(sum);
  return seconds;
}

double typed_position(const std::filesystem::path& path, std::uint64_t count) {
  const auto file = make_reader(path, kLayerBufferBytes);
  TypedReader from(*file, kLayerBufferBytes);
  const std::uint64_t size = std::filesystem::file_size(path);
  std::uint64_t sum = 0;
  const double seconds = seconds_of([&] {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (size - from.position() < kIntegerBytes) throw Failure("the file ended before its expected end");
      sum += from.le<std::uint64_t>();
    }
  });
  must(from.status());
  keep(sum);
  return seconds;
}

void add_chunks(const std::filesystem::path& path, std::uint64_t count, bool shuffled, std::vector<Case>& cases) {
  const std::string order = shuffled ? " shuffled" : " in order";
  const auto add = [&](std::string name, std::optional<std::uint64_t> buffer, std::function<double()> run) {
    cases.push_back({"seek", std::move(name), kChunkBytes, buffer, count * kChunkBytes, count, std::move(run)});
  };
  for (const std::uint64_t buffer : kCommonBuffers) {
    add("fseek + fread" + order, buffer, [=] {
      return seek_and_read(path, chunk_positions(count, shuffled), buffer, Steps::kSeekAndRead);
    });
  }
  add("RandomFile::read_at" + order, {}, [=] {
    RandomFile from(must(bdelta::io::open_regular(path)), path, nullptr);
    return read_at_positions(from, chunk_positions(count, shuffled));
  });
  add("MappedFile::read_at" + order, {}, [=] {
    const auto from = must(MappedFile::create(must(bdelta::io::open_regular(path)), path, nullptr));
    return read_at_positions(*from, chunk_positions(count, shuffled));
  });
}

}  // namespace

void add_seek_cases(const StudyFiles& files, std::vector<Case>& cases) {
  const std::filesystem::path path = files.input.path();
  const std::uint64_t count = files.size_bytes / kChunkBytes;
  const auto add = [&](std::string name, std::uint64_t record, std::optional<std::uint64_t> buffer, std::uint64_t bytes,
                       std::uint64_t calls, std::function<double()> run) {
    cases.push_back({"seek", std::move(name), record, buffer, bytes, calls, std::move(run)});
  };
  for (const std::uint64_t buffer : kCommonBuffers) {
    add("fread without a seek", kChunkBytes, buffer, count * kChunkBytes, count,
        [=] { return seek_and_read(path, chunk_positions(count, false), buffer, Steps::kRead); });
  }
  add("fseek without a read", 0, kChunkBytes, 0, count,
      [=] { return seek_and_read(path, chunk_positions(count, true), kChunkBytes, Steps::kSeek); });
  add_chunks(path, count, false, cases);
  add_chunks(path, count, true, cases);

  const std::uint64_t opens = std::min(count, kMostOpens);
  add("open + close", 0, kChunkBytes, 0, opens, [=] { return open_and_close(path, opens, false); });
  add("open + fread + close", kChunkBytes, kChunkBytes, opens * kChunkBytes, opens,
      [=] { return open_and_close(path, opens, true); });

  const std::uint64_t asked = std::min(files.size_bytes / kIntegerBytes, kMostAsked);
  add("fread asking size and position", kIntegerBytes, kLayerBufferBytes, asked * kIntegerBytes, asked,
      [=] { return ask_each_time(path, asked, true); });
  add("fread knowing size and position", kIntegerBytes, kLayerBufferBytes, asked * kIntegerBytes, asked,
      [=] { return ask_each_time(path, asked, false); });
  add("TypedReader knowing size and position", kIntegerBytes, kLayerBufferBytes, asked * kIntegerBytes, asked,
      [=] { return typed_position(path, asked); });
}

}  // namespace io_study
