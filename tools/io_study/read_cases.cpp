// Reading one file in every way: the mirror of write_cases.cpp.
//
// The file lies in the page cache. Every way looks at what it reads: it adds up the first byte of each record, or all
// integers where it decodes integers.
#include <unistd.h>

#include "base/bytes.hpp"
#include "cases.hpp"
#include "io/mapped_file.hpp"
#include "io/typed_reader.hpp"

namespace io_study {
namespace {

using bdelta::io::MappedFile;
using bdelta::io::RandomFile;
using bdelta::io::TypedReader;

struct Fread {
  static bool read(std::uint8_t* to, std::size_t size, std::FILE* from) { return std::fread(to, size, 1, from) == 1; }
};
struct FreadUnlocked {
  static bool read(std::uint8_t* to, std::size_t size, std::FILE* from) {
#ifdef BDELTA_HAVE_FREAD_UNLOCKED
    return ::fread_unlocked(to, size, 1, from) == 1;
#else
    return std::fread(to, size, 1, from) == 1;
#endif
  }
};
// For records of one byte.
struct Getc {
  static bool read(std::uint8_t* to, std::size_t, std::FILE* from) {
    const int byte = getc(from);
    *to = static_cast<std::uint8_t>(byte);
    return byte != EOF;
  }
};
struct GetcUnlocked {
  static bool read(std::uint8_t* to, std::size_t, std::FILE* from) {
    const int byte = getc_unlocked(from);
    *to = static_cast<std::uint8_t>(byte);
    return byte != EOF;
  }
};

[[noreturn]] void ended_early(const std::filesystem::path& path) {
  throw Failure(path.string() + ": ended before its expected size. Something else changes the files of the study.");
}

template <class Call>
void read_stream(const std::filesystem::path& path, std::uint64_t record_bytes, std::uint64_t buffer_bytes,
                 std::uint64_t count) {
  bdelta::Bytes record(record_bytes);
  Stream from(path, Direction::kRead, buffer_bytes);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!Call::read(record.data(), record_bytes, from.file())) ended_early(path);
    sum += record[0];
  }
  keep(sum);
}

void read_layer(const std::filesystem::path& path, std::uint64_t record_bytes, std::uint64_t count) {
  bdelta::Bytes record(record_bytes);
  const auto from = make_reader(path, kLayerBufferBytes);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (must(from->read(record)) != record_bytes) ended_early(path);
    sum += record[0];
  }
  keep(sum);
}

template <class Get>
std::uint64_t sum_records(TypedReader& from, std::uint64_t count, Get get) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) sum += get(from);
  return sum;
}

template <class T>
std::uint64_t sum_integers(TypedReader& from, std::uint64_t count) {
  return sum_records(from, count, [](auto& reader) -> std::uint64_t { return reader.template le<T>(); });
}

void read_typed(const std::filesystem::path& path, std::uint64_t record_bytes, std::uint64_t count) {
  bdelta::Bytes record(record_bytes);
  const auto file = make_reader(path, kLayerBufferBytes);
  TypedReader from(*file, kLayerBufferBytes);
  const auto first = [&](auto& reader) -> std::uint64_t { return reader.read_exact(record) ? record[0] : 0; };
  switch (record_bytes) {
    case 1: keep(sum_integers<std::uint8_t>(from, count)); break;
    case 2: keep(sum_integers<std::uint16_t>(from, count)); break;
    case 4: keep(sum_integers<std::uint32_t>(from, count)); break;
    case 8: keep(sum_integers<std::uint64_t>(from, count)); break;
    default: keep(sum_records(from, count, first));
  }
  must(from.status());
}

void read_blocks(const std::filesystem::path& path, std::uint64_t block_bytes, std::uint64_t count) {
  bdelta::Bytes block(block_bytes);
  const Descriptor from(path, Direction::kRead);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (read_some(from.fd(), block.data(), block.size(), path.string()) != block.size()) ended_early(path);
    sum += block[0];
  }
  keep(sum);
}

void read_positions(const std::filesystem::path& path, std::uint64_t block_bytes, std::uint64_t count) {
  bdelta::Bytes block(block_bytes);
  RandomFile from(must(bdelta::io::open_regular(path)), path, nullptr);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    must(from.read_at(i * block_bytes, block));
    sum += block[0];
  }
  keep(sum);
}

// Single bytes or integers of 8 bytes, straight from the mapping.
void read_mapped(const std::filesystem::path& path, std::uint64_t record_bytes, std::uint64_t count) {
  const auto from = must(MappedFile::create(must(bdelta::io::open_regular(path)), path, nullptr));
  const bdelta::ByteSpan view = from->view();
  std::uint64_t sum = 0;
  if (record_bytes == 1) {
    for (std::uint64_t i = 0; i < count; ++i) sum += view[i];
  } else {
    for (std::uint64_t i = 0; i < count; ++i) sum += bdelta::load_le<std::uint64_t>(view.data() + 8 * i);
  }
  keep(sum);
}

void copy_mapped(const std::filesystem::path& path, std::uint64_t block_bytes, std::uint64_t count) {
  bdelta::Bytes block(block_bytes);
  const auto from = must(MappedFile::create(must(bdelta::io::open_regular(path)), path, nullptr));
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    must(from->read_at(i * block_bytes, block));
    sum += block[0];
  }
  keep(sum);
}

class ReadCases {
 public:
  ReadCases(const StudyFiles& files, std::vector<Case>& cases)
      : path_(files.input.path()), size_bytes_(files.size_bytes), cases_(cases) {}

  // `read(path, record_bytes, count)` reads that many records.
  template <class Read>
  void add(std::string name, std::uint64_t record_bytes, std::optional<std::uint64_t> buffer_bytes, Read read,
           bool beside_thread = false) {
    const std::uint64_t count = records_of(size_bytes_, record_bytes, buffer_bytes);
    if (count == 0) return;  // the file is smaller than one block
    auto run = [path = path_, record_bytes, count, read, beside_thread] {
      if (beside_thread) start_sleeping_thread();
      return seconds_of([&] { read(path, record_bytes, count); });
    };
    cases_.push_back({"reading", std::move(name), record_bytes, buffer_bytes, record_bytes * count, count, run});
  }

  template <class Call>
  void add_stream(const char* name, std::uint64_t record_bytes, std::uint64_t buffer_bytes, bool beside_thread) {
    const auto read = [buffer_bytes](const auto& path, std::uint64_t size, std::uint64_t count) {
      read_stream<Call>(path, size, buffer_bytes, count);
    };
    add(beside_thread ? std::string(name) + " beside a thread" : name, record_bytes, buffer_bytes, read, beside_thread);
  }

  void add_streams(std::uint64_t record_bytes, std::uint64_t buffer_bytes) {
    add_stream<Fread>("fread", record_bytes, buffer_bytes, false);
    add_stream<FreadUnlocked>("fread_unlocked", record_bytes, buffer_bytes, false);
  }

 private:
  std::filesystem::path path_;
  std::uint64_t size_bytes_;
  std::vector<Case>& cases_;
};

}  // namespace

void add_read_cases(const StudyFiles& files, std::vector<Case>& cases) {
  ReadCases all(files, cases);
  for (const std::uint64_t record : kManyBufferRecords) {
    for (const std::uint64_t buffer : kBuffers) all.add_streams(record, buffer);
  }
  for (const std::uint64_t record : kTwoBufferRecords) {
    for (const std::uint64_t buffer : kCommonBuffers) all.add_streams(record, buffer);
  }
  for (const std::uint64_t buffer : kCommonBuffers) {
    all.add_stream<Fread>("fread", 1, buffer, true);
    all.add_stream<Getc>("getc", 1, buffer, false);
    all.add_stream<Getc>("getc", 1, buffer, true);
    all.add_stream<GetcUnlocked>("getc_unlocked", 1, buffer, false);
  }
  for (const std::uint64_t record : kRecords) {
    all.add("StdioReader", record, kLayerBufferBytes, read_layer);
    all.add("TypedReader", record, kLayerBufferBytes, read_typed);
  }
  for (const std::uint64_t block : kBlocks) {
    all.add("StdioReader blocks", block, kLayerBufferBytes, read_layer);
    all.add("read", block, {}, read_blocks);
  }
  for (const std::uint64_t block : {4 * kKiB, 64 * kKiB, kMiB}) {
    all.add("RandomFile::read_at", block, {}, read_positions);
    all.add("MappedFile::read_at", block, {}, copy_mapped);
  }
  for (const std::uint64_t record : kManyBufferRecords) all.add("mapped view", record, {}, read_mapped);
}

}  // namespace io_study
