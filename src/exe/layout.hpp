// Where the addresses of an image lie in the file. Sections out of a header are made consistent here, so that what
// works with an Image need not doubt them.
#pragma once

#include <vector>

#include "exe/image.hpp"

namespace bdelta::exe {

// Drops sections that are empty, lie outside of [begin, end), the bytes of the image, wrap around, or overlap one kept
// before, in the file or in memory; the earlier of `sections` wins. Sorts what is left as Image demands.
void settle_sections(std::vector<Section>& sections, std::uint64_t begin, std::uint64_t end);

class ImageLayout {
 public:
  explicit ImageLayout(const Image& image);

  // The section that holds `address`, or nullptr. An address one past a section is not in it.
  [[nodiscard]] const Section* section_of(std::uint64_t address) const noexcept {
    if (address - near_address_.begin < near_address_.size_bytes) return &by_address_[near_address_.section];
    return find_section_of(address);
  }

  // In a section or one past it: where a pointer may lead.
  [[nodiscard]] bool is_place(std::uint64_t address) const noexcept {
    return section_of(address) != nullptr || (address != 0 && section_of(address - 1) != nullptr);
  }

  // Position in the file of the byte at `address`; false if it has none.
  [[nodiscard]] bool file_pos_of(std::uint64_t address, std::uint64_t& pos) const noexcept;

  // Address of the byte at `pos` of the file; false if it is in no section.
  [[nodiscard]] bool address_of(std::uint64_t pos, std::uint64_t& address) const noexcept {
    if (pos - near_pos_.begin >= near_pos_.size_bytes) return find_address_of(pos, address);
    address = by_pos_[near_pos_.section].address + (pos - near_pos_.begin);
    return true;
  }

  // The same for whoever shares the layout with other threads: it remembers nothing.
  [[nodiscard]] bool shared_address_of(std::uint64_t pos, std::uint64_t& address) const noexcept;

  // Addresses [low, high) that hold all sections.
  [[nodiscard]] std::uint64_t low() const noexcept { return by_address_.empty() ? 0 : by_address_.front().address; }
  [[nodiscard]] std::uint64_t high() const noexcept;

 private:
  struct Near {  // what belongs to a section, up to its end or the start of the next one
    std::uint64_t begin = 0;
    std::uint64_t size_bytes = 0;
    std::size_t section = 0;
  };

  [[nodiscard]] const Section* find_section_of(std::uint64_t address) const noexcept;
  [[nodiscard]] bool find_address_of(std::uint64_t pos, std::uint64_t& address) const noexcept;

  std::vector<Section> by_address_;
  std::vector<Section> by_pos_;  // backed ones
  // Neighbouring look-ups mostly hit the section of the one before. Not for use by several threads.
  mutable Near near_address_;
  mutable Near near_pos_;
};

}  // namespace bdelta::exe
