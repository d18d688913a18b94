#include "support/renumbered.hpp"

#include <map>

#include "base/byte_cursor.hpp"

namespace bdelta::test {

RenumberedPair renumbered_pair(std::size_t record_count, std::size_t number_count, std::uint64_t seed) {
  Random random(seed);
  const auto any_number = [&] { return static_cast<std::uint32_t>(random.next()); };
  std::map<std::uint32_t, std::uint32_t> renumbered;  // by keys, which is the order of substitutions in a record
  std::vector<std::uint32_t> numbers;
  while (renumbered.size() < number_count) {
    const std::uint32_t number = any_number();
    if (renumbered.emplace(pattern_key(number), any_number()).second) numbers.push_back(number);
  }
  const Bytes text = wordy_bytes(record_count * 20, seed);
  std::size_t text_pos = 0;
  Bytes versions[3];
  for (std::size_t i = 0; i < record_count; ++i) {
    const std::uint32_t number = numbers[static_cast<std::size_t>(random.below(numbers.size()))];
    append_le(versions[0], number);
    append_le(versions[1], renumbered.at(pattern_key(number)));
    append_le(versions[2], any_number());
    const auto length = static_cast<std::size_t>(random.between(4, 20));
    for (Bytes& version : versions) append(version, ByteSpan(text).subspan(text_pos, length));
    text_pos += length;
  }
  std::vector<Substitution> changes;
  for (const auto& [key, number] : renumbered) changes.push_back({pattern_key(key), number});
  return {std::move(versions[0]), std::move(versions[1]), std::move(versions[2]), SubstitutionTable(std::move(changes))};
}

}  // namespace bdelta::test
