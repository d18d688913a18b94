// Fields of a zip archive (PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.3.16).
#pragma once

#include "base/bytes.hpp"
#include "base/checked.hpp"

namespace bdelta::view {

inline constexpr std::uint32_t kZipLocalMagic = 0x04034b50;
inline constexpr std::uint32_t kZipEntryMagic = 0x02014b50;
inline constexpr std::uint32_t kZipEndMagic = 0x06054b50;
inline constexpr std::uint32_t kZipDescriptorMagic = 0x08074b50;
inline constexpr std::uint32_t kZip64EndMagic = 0x06064b50;
inline constexpr std::uint32_t kZip64LocatorMagic = 0x07064b50;
inline constexpr std::uint64_t kZipLocalBytes = 30;    // without name and extra field
inline constexpr std::uint64_t kZipEntryBytes = 46;    // without name, extra field and comment
inline constexpr std::uint64_t kZipEndBytes = 22;      // without comment
inline constexpr std::uint64_t kMostZipComment = 65535;
inline constexpr std::uint16_t kZipStored = 0;         // methods
inline constexpr std::uint16_t kZipDeflated = 8;
inline constexpr std::uint64_t kZip64LocatorBytes = 20;
inline constexpr std::uint64_t kZip64EndBytes = 56;

template <class T>
[[nodiscard]] T zip_field(ByteSpan file, std::uint64_t pos) noexcept {
  return load_le<T>(file.data() + static_cast<std::size_t>(pos));
}

// Behind the local header at pos; 0 if none stands there. Not held against the file's end.
[[nodiscard]] inline std::uint64_t zip_data_pos(ByteSpan file, std::uint64_t pos) noexcept {
  if (!range_fits(pos, kZipLocalBytes, file.size()) || zip_field<std::uint32_t>(file, pos) != kZipLocalMagic) return 0;
  return pos + kZipLocalBytes + zip_field<std::uint16_t>(file, pos + 26) + zip_field<std::uint16_t>(file, pos + 28);
}

}  // namespace bdelta::view
