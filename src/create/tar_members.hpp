// What a tar archive holds: the headers and files of the POSIX pax interchange format and of GNU's, as far as a pass needs
// them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace bdelta {

// The text of a header's field: up to its first zero byte.
[[nodiscard]] std::string_view tar_text(ByteSpan header, std::size_t at, std::size_t most) noexcept;

// The name that a header itself has, with the directories that it has apart.
[[nodiscard]] std::string tar_name(ByteSpan header);

// Whether an entry only tells more of the next one, its long name for example.
[[nodiscard]] bool is_tar_extension(ByteSpan header) noexcept;

struct TarMember {
  std::string name;  // whole, also where an extension has it
  bool is_file = false;          // a regular one
  std::uint64_t begin = 0;       // in the archive, of the first header: its own, or that of an extension
  std::uint64_t data_pos = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t end = 0;         // behind what fills the last block
};

// Each member in order, up to the end of the archive or the first thing that is not understood. Reads nothing but
// headers and extensions.
void for_each_tar_member(ByteSpan archive, const std::function<void(const TarMember&)>& visit);

}  // namespace bdelta
