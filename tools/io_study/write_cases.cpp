// Writing one file in every way that a program may choose: who locks, how large the records and the buffers are, and
// whether records are gathered before stdio sees them.
//
// A timed run opens the emptied file, writes and closes it; nothing is synced but where the name says so. So a figure
// is the cost of the calls and of filling fresh pages of the page cache, not of the disk.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/bytes.hpp"
#include "cases.hpp"
#include "record_writer.hpp"

namespace io_study {
namespace {

using bdelta::study::RecordWriter;

struct Fwrite {
  static bool write(const std::uint8_t* from, std::size_t size, std::FILE* to) {
    return std::fwrite(from, size, 1, to) == 1;
  }
};
struct FwriteUnlocked {
  static bool write(const std::uint8_t* from, std::size_t size, std::FILE* to) {
#ifdef BDELTA_HAVE_FREAD_UNLOCKED
    return ::fwrite_unlocked(from, size, 1, to) == 1;
#else
    return std::fwrite(from, size, 1, to) == 1;
#endif
  }
};
// For records of one byte.
struct Putc {
  static bool write(const std::uint8_t* from, std::size_t, std::FILE* to) { return putc(*from, to) != EOF; }
};
struct PutcUnlocked {
  static bool write(const std::uint8_t* from, std::size_t, std::FILE* to) { return putc_unlocked(*from, to) != EOF; }
};

// Times `body`, which writes `size` bytes to `path`.
template <class Body>
double timed_write(const std::filesystem::path& path, std::uint64_t size, Body&& body) {
  make_empty(path, size);
  const double seconds = seconds_of(body);
  check_size(path, size);
  return seconds;
}

template <class Call>
void write_stream(const std::filesystem::path& path, std::uint64_t record_bytes, std::uint64_t buffer_bytes,
                  std::uint64_t count) {
  const bdelta::Bytes record(record_bytes, 'r');
  Stream to(path, Direction::kWrite, buffer_bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!Call::write(record.data(), record_bytes, to.file())) fail("cannot write to " + path.string());
  }
  to.close();
}

void write_layer(const std::filesystem::path& path, std::uint64_t record_bytes, std::uint64_t count) {
  const bdelta::Bytes record(record_bytes, 'r');
  const auto to = make_writer(path, kLayerBufferBytes);
  for (std::uint64_t i = 0; i < count; ++i) must(to->write(record));
  must(to->finish());
}

template <class Put>
void put_records(RecordWriter& to, std::uint64_t count, Put put) {
  for (std::uint64_t i = 0; i < count; ++i) put(to, i);
}

void write_gathered(const std::filesystem::path& path, std::uint64_t record_bytes, std::uint64_t count) {
  const bdelta::Bytes record(record_bytes, 'r');
  const auto file = make_writer(path, kLayerBufferBytes);
  RecordWriter to(*file, kLayerBufferBytes);
  switch (record_bytes) {
    case 1: put_records(to, count, [](auto& w, auto i) { w.put_u8(static_cast<std::uint8_t>(i)); }); break;
    case 2: put_records(to, count, [](auto& w, auto i) { w.put_le(static_cast<std::uint16_t>(i)); }); break;
    case 4: put_records(to, count, [](auto& w, auto i) { w.put_le(static_cast<std::uint32_t>(i)); }); break;
    case 8: put_records(to, count, [](auto& w, auto i) { w.put_le(static_cast<std::uint64_t>(i)); }); break;
    default: put_records(to, count, [&](auto& w, auto) { w.put_bytes(record); }); break;
  }
  must(to.flush());
  must(file->finish());
}

enum class Disk { kNothing, kAllocateFirst, kSyncLast };

void write_blocks(const std::filesystem::path& path, std::uint64_t block_bytes, std::uint64_t count, Disk disk) {
  const bdelta::Bytes block(block_bytes, 'b');
  Descriptor to(path, Direction::kWrite);
  if (disk == Disk::kAllocateFirst) {
    errno = ::posix_fallocate(to.fd(), 0, static_cast<off_t>(block_bytes * count));
    if (errno != 0) fail("cannot allocate " + path.string());
  }
  for (std::uint64_t i = 0; i < count; ++i) write_all(to.fd(), block.data(), block.size(), path.string());
  if (disk == Disk::kSyncLast && ::fsync(to.fd()) != 0) fail("cannot sync " + path.string());
  to.close();
}

void write_mapped(const std::filesystem::path& path, std::uint64_t record_bytes, std::uint64_t count) {
  const bdelta::Bytes record(record_bytes, 'm');
  const std::size_t size = record_bytes * count;
  Descriptor to(path, Direction::kWrite);
  if (::ftruncate(to.fd(), static_cast<off_t>(size)) != 0) fail("cannot set the size of " + path.string());
  void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, to.fd(), 0);
  if (at == MAP_FAILED) fail("cannot map " + path.string());
  auto* const bytes = static_cast<std::uint8_t*>(at);
  if (record_bytes == 8) {
    for (std::uint64_t i = 0; i < count; ++i) bdelta::store_le(bytes + 8 * i, i);
  } else {
    for (std::uint64_t i = 0; i < count; ++i) std::memcpy(bytes + record_bytes * i, record.data(), record_bytes);
  }
  if (::munmap(at, size) != 0) fail("cannot unmap " + path.string());
  to.close();
}

class WriteCases {
 public:
  WriteCases(const StudyFiles& files, std::vector<Case>& cases)
      : path_(files.output.path()), size_bytes_(files.size_bytes), cases_(cases) {}

  // `write(path, record_bytes, count)` writes that many records.
  template <class Write>
  void add(std::string name, std::uint64_t record_bytes, std::optional<std::uint64_t> buffer_bytes, Write write,
           bool beside_thread = false) {
    const std::uint64_t count = records_of(size_bytes_, record_bytes, buffer_bytes);
    if (count == 0) return;  // the file is smaller than one block
    auto run = [path = path_, record_bytes, count, write, beside_thread] {
      if (beside_thread) start_sleeping_thread();
      return timed_write(path, record_bytes * count, [&] { write(path, record_bytes, count); });
    };
    cases_.push_back({"writing", std::move(name), record_bytes, buffer_bytes, record_bytes * count, count, run});
  }

  template <class Call>
  void add_stream(const char* name, std::uint64_t record_bytes, std::uint64_t buffer_bytes, bool beside_thread) {
    const auto write = [buffer_bytes](const auto& path, std::uint64_t size, std::uint64_t count) {
      write_stream<Call>(path, size, buffer_bytes, count);
    };
    add(beside_thread ? std::string(name) + " beside a thread" : name, record_bytes, buffer_bytes, write,
        beside_thread);
  }

  void add_streams(std::uint64_t record_bytes, std::uint64_t buffer_bytes) {
    add_stream<Fwrite>("fwrite", record_bytes, buffer_bytes, false);
    add_stream<FwriteUnlocked>("fwrite_unlocked", record_bytes, buffer_bytes, false);
  }

 private:
  std::filesystem::path path_;
  std::uint64_t size_bytes_;
  std::vector<Case>& cases_;
};

}  // namespace

void add_write_cases(const StudyFiles& files, std::vector<Case>& cases) {
  WriteCases all(files, cases);
  for (const std::uint64_t record : kManyBufferRecords) {
    for (const std::uint64_t buffer : kBuffers) all.add_streams(record, buffer);
  }
  for (const std::uint64_t record : kTwoBufferRecords) {
    for (const std::uint64_t buffer : kCommonBuffers) all.add_streams(record, buffer);
  }
  for (const std::uint64_t buffer : kCommonBuffers) {
    all.add_stream<Fwrite>("fwrite", 1, buffer, true);
    all.add_stream<Putc>("putc", 1, buffer, false);
    all.add_stream<Putc>("putc", 1, buffer, true);
    all.add_stream<PutcUnlocked>("putc_unlocked", 1, buffer, false);
  }
  for (const std::uint64_t record : kManyBufferRecords) all.add("StdioWriter", record, kLayerBufferBytes, write_layer);
  for (const std::uint64_t record : kRecords) {
    all.add("RecordWriter", record, kLayerBufferBytes, write_gathered);
  }
  const auto plain = [](Disk disk) {
    return [disk](const auto& path, std::uint64_t size, std::uint64_t count) { write_blocks(path, size, count, disk); };
  };
  for (const std::uint64_t block : kBlocks) {
    all.add("StdioWriter blocks", block, kLayerBufferBytes, write_layer);
    all.add("write", block, {}, plain(Disk::kNothing));
  }
  all.add("posix_fallocate + write", 64 * kKiB, {}, plain(Disk::kAllocateFirst));
  all.add("posix_fallocate + write", kMiB, {}, plain(Disk::kAllocateFirst));
  all.add("write + fsync", kMiB, {}, plain(Disk::kSyncLast));
  all.add("mapped stores", 8, {}, write_mapped);
  all.add("mapped blocks", 64 * kKiB, {}, write_mapped);
}

}  // namespace io_study
