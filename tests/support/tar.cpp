#include "support/tar.hpp"

#include <algorithm>
#include <random>

#include "support/generate.hpp"
#include "view/tar_members.hpp"

namespace bdelta::test {
namespace {

// Octal digits with zeros in front.
void put_number(Bytes& block, std::size_t at, unsigned digit_count, std::uint64_t number) {
  for (unsigned i = digit_count; i-- > 0; number /= 8) block[at + i] = static_cast<std::uint8_t>('0' + number % 8);
}

void put_text(Bytes& block, std::size_t at, const std::string& text) {
  std::copy(text.begin(), text.end(), block.begin() + static_cast<std::ptrdiff_t>(at));
}

Bytes header_of(const TarFile& file, FillEncoding form) {
  Bytes block(kTarBlockBytes);
  put_text(block, 0, file.name);
  put_number(block, 100, 7, 0644);
  put_number(block, 108, 7, 1000);
  put_number(block, 116, 7, 1000);
  put_number(block, 124, 11, file.content.size());
  put_number(block, 136, 11, file.time);
  block[156] = static_cast<std::uint8_t>(file.kind);
  put_text(block, 257, std::string("ustar\0" "00", 8));
  put_text(block, 265, "maker");
  // Not by the library's sum: the one the tests hold it against.
  std::uint64_t sum = 8 * 32;
  for (const std::uint8_t byte : block) sum += byte;
  const bool seven = form == FillEncoding::kSevenNul;
  put_number(block, 148, seven ? 7 : 6, sum);
  if (!seven) block[form == FillEncoding::kSixNulSpace ? 155 : 154] = ' ';
  return block;
}

}  // namespace

Bytes tar_of(const std::vector<TarFile>& files, FillEncoding form) {
  Bytes archive;
  for (const TarFile& file : files) {
    append(archive, header_of(file, form));
    append(archive, file.content);
    archive.resize((archive.size() + kTarBlockBytes - 1) / kTarBlockBytes * kTarBlockBytes);
  }
  archive.resize(archive.size() + 2 * kTarBlockBytes);
  return archive;
}

view::Members members_of(ByteSpan view, std::uint64_t archive_pos) {
  view::Members members;
  view::add_tar_members(view, archive_pos, members);
  return members;
}

TarPair tar_pair(unsigned file_count, unsigned seed, const char* old_folder, const char* new_folder, FillEncoding form) {
  std::mt19937 random(seed);
  std::vector<TarFile> before;
  std::vector<TarFile> after;
  for (unsigned i = 0; i < file_count; ++i) {
    const std::string name = "/src/file" + std::to_string(i) + ".txt";
    TarFile file{old_folder + name, 1'700'000'000 + random() % 100'000'000, wordy_bytes(200 + random() % 1500, seed + i)};
    before.push_back(file);
    file.name = new_folder + name;
    file.time += 1'000'000 + random() % 10'000'000;
    if (i % 5 == 2) file.content.insert(file.content.begin() + 100, file.content.begin(), file.content.begin() + 50);
    after.push_back(std::move(file));
    if (i == file_count / 2) after.push_back({std::string(new_folder) + "/src/new.txt", 1'799'999'999, wordy_bytes(300, seed + 777)});
  }
  return {tar_of(before, form), tar_of(after, form)};
}

}  // namespace bdelta::test
