#include "study_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/bytes.hpp"
#include "files.hpp"

namespace io_study {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// Words in an order that follows from `state`: what zstd level 1 halves or so.
void fill_with_words(bdelta::Bytes& piece, std::uint64_t& state) {
  constexpr std::array<std::string_view, 16> kWords{
      "window ", "of ",    "source ", "delta", " group", "\n",    "the ", "0x1f",
      " copy",   "match ", "patch",   " and ", "record", " read", "; ",   "byte "};
  std::size_t filled = 0;
  while (filled < piece.size()) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    for (unsigned shift = 24; shift < 64 && filled < piece.size(); shift += 4) {
      const std::string_view word = kWords[(state >> shift) & 15];
      const std::size_t count = std::min(word.size(), piece.size() - filled);
      std::memcpy(piece.data() + filled, word.data(), count);
      filled += count;
    }
  }
}

void fill_input(int fd, std::uint64_t size_bytes) {
  bdelta::Bytes piece(kPieceBytes);
  std::uint64_t state = 1;
  for (std::uint64_t done = 0; done < size_bytes; done += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, size_bytes - done)));
    fill_with_words(piece, state);
    write_all(fd, piece.data(), piece.size(), "the input file");
  }
  if (::fsync(fd) != 0) fail("cannot sync the input file");
}

}  // namespace

StudyFiles::StudyFiles(const std::filesystem::path& dir, std::uint64_t size)
    : input(must(bdelta::io::TempFile::create(dir, 0600))),
      output(must(bdelta::io::TempFile::create(dir, 0600))),
      records(must(bdelta::io::TempFile::create(dir, 0600))),
      varints(must(bdelta::io::TempFile::create(dir, 0600))),
      fixed(must(bdelta::io::TempFile::create(dir, 0600))),
      size_bytes(size) {
  fill_input(input.file().fd(), size);
}

}  // namespace io_study
