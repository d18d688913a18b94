// Archives made up: gzip and zip files with what real ones hold, of streams that zlib makes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace bdelta::test {

// Optional fields of a gzip member's head; empty ones are left out.
struct GzipHead {
  std::string name = {};
  std::string comment = {};
  Bytes extra = {};
  bool check = false;
};

// A file of one member.
[[nodiscard]] Bytes gzip_of(ByteSpan content, int level = 6, const GzipHead& head = {});

// Likewise, with that stream of the content.
[[nodiscard]] Bytes gzip_with(ByteSpan content, ByteSpan packed, const GzipHead& head = {});

// A stream of zlib, with its head and trailer; of the second form with that deflate stream of the content.
[[nodiscard]] Bytes zlib_of(ByteSpan content, int level = 6);
[[nodiscard]] Bytes zlib_with(ByteSpan content, ByteSpan packed);

// A file of an image, whose data (a stream of zlib) stands in chunks of that size.
[[nodiscard]] Bytes png_of(ByteSpan data, std::size_t chunk_bytes);

// A chunk of such a file.
[[nodiscard]] Bytes png_chunk(std::string_view type, ByteSpan data);

struct ZipMember {
  std::string name = {};
  Bytes content = {};
  int level = 6;            // of zlib; 0 stores
  bool descriptor = false;  // sizes stand behind the stream
  bool zip64 = false;       // its fields stand in the extra field of 64-bit ones
  bool encrypted = false;   // says so; the stream is as it would be otherwise
  std::string comment = {};
  Bytes packed = {};             // in the place of the stream, if not empty
};

struct ZipShape {
  Bytes program = {};       // in front of the archive; positions in the archive don't count it
  std::string comment = {};
  bool reversed = false;    // the directory lists the last member first
  bool zip64 = false;       // with the 64-bit end record
};

[[nodiscard]] Bytes zip_of(const std::vector<ZipMember>& members, const ZipShape& shape = {});

}  // namespace bdelta::test
