#include "support/generate.hpp"

#include <algorithm>
#include <string>

namespace bdelta::test {
namespace {

using Offset = std::ptrdiff_t;

Bytes take(const Bytes& bytes, std::size_t at, std::size_t length) {
  return Bytes(bytes.begin() + static_cast<Offset>(at), bytes.begin() + static_cast<Offset>(at + length));
}

void insert(Bytes& bytes, std::size_t at, const Bytes& what) {
  bytes.insert(bytes.begin() + static_cast<Offset>(at), what.begin(), what.end());
}

void apply_edit(Bytes& bytes, const Edit& edit) {
  const std::size_t at = edit.at % (bytes.size() + 1);
  const std::size_t length = std::min(edit.length, bytes.size() - at);
  switch (edit.kind) {
    case Edit::kInsert: insert(bytes, at, random_bytes(edit.length, edit.seed)); return;
    case Edit::kDelete:
      bytes.erase(bytes.begin() + static_cast<Offset>(at), bytes.begin() + static_cast<Offset>(at + length));
      return;
    case Edit::kOverwrite: {
      const Bytes fresh = random_bytes(length, edit.seed);
      std::copy(fresh.begin(), fresh.end(), bytes.begin() + static_cast<Offset>(at));
      return;
    }
    case Edit::kMove:
    case Edit::kCopy: {
      const std::size_t from = edit.from % (bytes.size() + 1);
      const Bytes piece = take(bytes, from, std::min(edit.length, bytes.size() - from));
      if (edit.kind == Edit::kMove) {
        bytes.erase(bytes.begin() + static_cast<Offset>(from),
                    bytes.begin() + static_cast<Offset>(from + piece.size()));
      }
      insert(bytes, std::min(at, bytes.size()), piece);
      return;
    }
    case Edit::kRepeat: {
      const Bytes piece = take(bytes, at, length);
      for (int i = 0; i < 3; ++i) insert(bytes, at, piece);
      return;
    }
  }
}

}  // namespace

std::uint64_t Random::next() noexcept {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

Bytes random_bytes(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  Bytes bytes((size + 7) / 8 * 8);
  for (std::size_t at = 0; at < bytes.size(); at += 8) store_le(bytes.data() + at, random.next());
  bytes.resize(size);
  return bytes;
}

void append_ballast(Bytes& old_version, Bytes& new_version) {
  const Bytes ballast = random_bytes(std::size_t{24} << 20, 977);
  append(old_version, ballast);
  append(new_version, ballast);
}

Bytes wordy_bytes(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<Bytes> words;
  for (std::uint64_t i = 0; i < 700; ++i) {
    Bytes word;
    for (std::uint64_t letter = random.between(2, 11); letter > 0; --letter) {
      word.push_back(static_cast<std::uint8_t>('a' + random.below(26)));
    }
    word.push_back(i % 9 == 0 ? '\n' : ' ');
    words.push_back(std::move(word));
  }
  Bytes bytes;
  bytes.reserve(size + 16);
  while (bytes.size() < size) append(bytes, words[static_cast<std::size_t>(random.below(words.size()))]);
  bytes.resize(size);
  return bytes;
}

Bytes periodic_bytes(std::size_t size, std::size_t period, std::uint64_t seed) {
  const Bytes pattern = random_bytes(period, seed);
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = pattern[i % period];
  return bytes;
}

Bytes bytes_of(std::string_view text) { return Bytes(text.begin(), text.end()); }

Bytes edited(Bytes bytes, const Edits& edits) {
  for (const Edit& edit : edits) apply_edit(bytes, edit);
  return bytes;
}

Edits random_edits(std::size_t count, std::size_t size, std::size_t longest, std::uint64_t seed) {
  Random random(seed);
  Edits edits;
  for (std::size_t i = 0; i < count; ++i) {
    edits.push_back({static_cast<Edit::Kind>(random.below(6)), static_cast<std::size_t>(random.below(size + 1)),
                     static_cast<std::size_t>(random.between(1, longest)),
                     static_cast<std::size_t>(random.below(size + 1)), random.next()});
  }
  return edits;
}

}  // namespace bdelta::test
