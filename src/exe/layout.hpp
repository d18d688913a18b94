// Where the addresses of an image lie in the file. Sections out of a header are made consistent here, so that what
// works with an Image need not doubt them.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "exe/image.hpp"

namespace bdelta::exe {

// Drops sections that are empty, wrap around, or lie outside of [begin, end), the bytes of the image. Drops those,
// too, that overlap one kept before, in the file or in memory. The earlier of `sections` wins. Sorts what is left as
// Image demands.
void settle_sections(std::vector<Section>& sections, std::uint64_t begin, std::uint64_t end);

// Immutable but for a hint: any number of threads may ask it. Those that ask often are faster with copies of their own,
// which share all but the hint.
class ImageLayout {
 public:
  explicit ImageLayout(const Image& image);

  // The section that holds `address`, or nullptr. An address one past a section is not in it.
  [[nodiscard]] const Section* section_of(std::uint64_t address) const noexcept {
    const Section& near = sections_->by_address[near_address_.section()];
    return address - near.address < near.memory_bytes ? &near : find_section_of(address);
  }

  // In a section or one past it: where a pointer may lead.
  [[nodiscard]] bool is_mapped(std::uint64_t address) const noexcept {
    return section_of(address) != nullptr || (address != 0 && section_of(address - 1) != nullptr);
  }

  // Position in the file of the byte at `address`; false if it has none.
  [[nodiscard]] bool file_pos_of(std::uint64_t address, std::uint64_t& pos) const noexcept;

  // Address of the byte at `pos` of the file; false if it is in no section.
  [[nodiscard]] bool address_of(std::uint64_t pos, std::uint64_t& address) const noexcept {
    const Section& near = sections_->by_pos[near_pos_.section()];
    if (pos - near.file_pos >= near.size_bytes) return find_address_of(pos, address);
    address = near.address + (pos - near.file_pos);
    return true;
  }

  // Addresses [low, high) that hold all sections.
  [[nodiscard]] std::uint64_t low() const noexcept { return sections_->by_address.front().address; }
  [[nodiscard]] std::uint64_t high() const noexcept;

 private:
  // The section that was found last: neighbouring look-ups mostly hit the same one. A single number, as threads that
  // share a layout may write it at any time: it decides where is looked first, never what is found.
  class Hint {
   public:
    Hint() = default;
    Hint(const Hint& other) noexcept : section_(other.section()) {}
    Hint& operator=(const Hint& other) noexcept {
      remember(other.section());
      return *this;
    }
    [[nodiscard]] std::size_t section() const noexcept { return section_.load(std::memory_order_relaxed); }
    void remember(std::size_t section) noexcept { section_.store(section, std::memory_order_relaxed); }

   private:
    std::atomic<std::size_t> section_{0};
  };

  [[nodiscard]] const Section* find_section_of(std::uint64_t address) const noexcept;
  [[nodiscard]] bool find_address_of(std::uint64_t pos, std::uint64_t& address) const noexcept;

  // No two of an image overlap. An empty one where there is none, so that the hint is always of one.
  struct Sorted {
    std::vector<Section> by_address;
    std::vector<Section> by_pos;  // backed ones
  };
  std::shared_ptr<const Sorted> sections_;
  mutable Hint near_address_;
  mutable Hint near_pos_;
};

}  // namespace bdelta::exe
