#include "view/zip_directory.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::view {
namespace {

// What a byte says of an entry: what of it follows. Nothing more is of one that is the next header's.
constexpr std::uint8_t kWhole = 1;       // all of it, and nothing else
constexpr std::uint8_t kHeader = 2;      // which header it is of
constexpr std::uint8_t kAttributes = 4;  // what it doesn't share with a header; else as of the entry before
constexpr std::uint8_t kShared = 8;      // what is not as in its header

constexpr std::size_t kMadeByAt = 4, kSharedAt = 6, kNameBytesAt = 28, kAttributesAt = 30, kPositionAt = 42;
constexpr std::size_t kMadeByBytes = kSharedAt - kMadeByAt;

using Attributes = std::array<std::uint8_t, kMadeByBytes + kPositionAt - kAttributesAt>;

// Of extra field and comment, that stand behind the name.
std::uint64_t rest_bytes_of(const Attributes& attributes) {
  return std::uint64_t{load_le<std::uint16_t>(attributes.data() + 2)} + load_le<std::uint16_t>(attributes.data() + 4);
}

Attributes attributes_of(ByteSpan entry) {
  Attributes attributes;
  const auto behind = std::copy_n(entry.begin() + kMadeByAt, kMadeByBytes, attributes.begin());
  std::copy(entry.begin() + kAttributesAt, entry.begin() + kPositionAt, behind);
  return attributes;
}

// The entry that begins there; empty if none does.
ByteSpan entry_at(ByteSpan entries) {
  if (entries.size() < kZipEntryBytes || zip_field<std::uint32_t>(entries, 0) != kZipEntryMagic) return {};
  const std::uint64_t bytes = kZipEntryBytes + zip_field<std::uint16_t>(entries, kNameBytesAt) + rest_bytes_of(attributes_of(entries));
  return bytes <= entries.size() ? entries.first(static_cast<std::size_t>(bytes)) : ByteSpan();
}

class Teller {
 public:
  Teller(const ZipHeaders& headers, const ZipDirectory& directory) : headers_(headers), archive_pos_(directory.archive_pos) {
    description_.reserve(static_cast<std::size_t>(most_description_bytes(directory.bytes)));
  }

  void add(ByteSpan entry) {
    const std::optional<std::size_t> number = header_of(entry);
    if (!number) {
      description_.push_back(kWhole);
      return append(description_, entry);
    }
    const ZipHeader& header = headers_.found()[*number];
    std::array<std::uint8_t, kZipSharedBytes> differing;
    std::transform(header.shared.begin(), header.shared.end(), entry.begin() + kSharedAt, differing.begin(), std::bit_xor<>());
    const bool shares = std::all_of(differing.begin(), differing.end(), [](std::uint8_t byte) { return byte == 0; });
    const Attributes attributes = attributes_of(entry);
    const bool moved = *number != next_, changed = attributes != attributes_;
    description_.push_back(static_cast<std::uint8_t>((moved ? kHeader : 0) | (changed ? kAttributes : 0) | (shares ? 0 : kShared)));
    if (moved) append_varint(description_, zigzag(static_cast<std::int64_t>(*number - next_)));
    if (changed) append(description_, attributes);
    if (!shares) append(description_, differing);
    append(description_, entry.subspan(kZipEntryBytes + header.name_bytes));
    attributes_ = attributes;
    next_ = *number + 1;
  }

  [[nodiscard]] Bytes take() { return std::move(description_); }

 private:
  // The header at the entry's position, if it has the entry's name.
  [[nodiscard]] std::optional<std::size_t> header_of(ByteSpan entry) const {
    const std::vector<ZipHeader>& found = headers_.found();
    const std::uint64_t pos = zip_field<std::uint32_t>(entry, kPositionAt) + archive_pos_;
    const auto at = std::lower_bound(found.begin(), found.end(), pos, [](const ZipHeader& header, std::uint64_t is) { return header.pos < is; });
    if (at == found.end() || at->pos != pos) return std::nullopt;
    const ByteSpan name = entry.subspan(kZipEntryBytes, zip_field<std::uint16_t>(entry, kNameBytesAt));
    const ByteSpan known = headers_.name_of(*at);
    if (!std::equal(name.begin(), name.end(), known.begin(), known.end())) return std::nullopt;
    return static_cast<std::size_t>(at - found.begin());
  }

  const ZipHeaders& headers_;
  const std::uint64_t archive_pos_;
  std::uint64_t next_ = 0;  // the header that is expected
  Attributes attributes_{};
  Bytes description_;
};

class Maker {
 public:
  Maker(ByteSpan description, const ZipHeaders& headers, const ZipDirectory& directory) : description_(description), headers_(headers), directory_(directory) {
    made_.reserve(static_cast<std::size_t>(directory.bytes));
  }

  [[nodiscard]] std::optional<Bytes> make() {
    while (description_.available() != 0) {
      const std::uint8_t what = description_.u8();
      if (what > (kHeader | kAttributes | kShared) || !(what == kWhole ? add_whole() : (what & kWhole) == 0 && add(what))) return std::nullopt;
    }
    return made_.size() == directory_.bytes ? std::optional(std::move(made_)) : std::nullopt;
  }

 private:
  [[nodiscard]] bool fits(std::uint64_t bytes) const { return bytes <= directory_.bytes - made_.size(); }

  bool add_whole() {
    const ByteSpan entry = entry_at({description_.position(), description_.available()});
    if (entry.empty() || !fits(entry.size())) return false;
    append(made_, description_.bytes(entry.size()));
    return true;
  }

  bool add(std::uint8_t what) {
    if ((what & kHeader) != 0 && !checked_add_signed(next_, description_.svarint(), next_)) return false;
    if ((what & kAttributes) != 0) read(attributes_);
    std::array<std::uint8_t, kZipSharedBytes> shared{};
    if ((what & kShared) != 0) read(shared);
    const ByteSpan rest = description_.bytes(rest_bytes_of(attributes_));
    if (!description_.ok() || next_ >= headers_.found().size()) return false;
    const ZipHeader& header = headers_.found()[static_cast<std::size_t>(next_++)];
    const std::uint64_t pos = header.pos - directory_.archive_pos;
    if (pos > UINT32_MAX || !fits(kZipEntryBytes + header.name_bytes + rest.size())) return false;
    std::transform(shared.begin(), shared.end(), header.shared.begin(), shared.begin(), std::bit_xor<>());
    append_le(made_, kZipEntryMagic);
    append(made_, ByteSpan(attributes_).first(kMadeByBytes));
    append(made_, shared);
    append_le(made_, static_cast<std::uint16_t>(header.name_bytes));
    append(made_, ByteSpan(attributes_).subspan(kMadeByBytes));
    append_le(made_, static_cast<std::uint32_t>(pos));
    append(made_, headers_.name_of(header));
    append(made_, rest);
    return true;
  }

  template <std::size_t kCount>
  void read(std::array<std::uint8_t, kCount>& to) {
    const ByteSpan from = description_.bytes(kCount);
    std::copy(from.begin(), from.end(), to.begin());
  }

  ByteCursor description_;
  const ZipHeaders& headers_;
  const ZipDirectory directory_;
  std::uint64_t next_ = 0;
  Attributes attributes_{};
  Bytes made_;
};

}  // namespace

bool DirectoryRoom::take(const ZipDirectory& directory) noexcept {
  if (directory.bytes == 0 || !range_fits(directory.file_pos, directory.bytes, file_bytes_)) return false;
  if (directory.archive_pos > directory.file_pos || directory.bytes > left_entry_bytes_) return false;
  const std::uint64_t archive_bytes = directory.file_pos - directory.archive_pos;
  if (archive_bytes > left_archive_bytes_) return false;
  left_entry_bytes_ -= directory.bytes;
  left_archive_bytes_ -= archive_bytes;
  return true;
}

std::optional<Bytes> describe_directory(FileWindow& file, const PackedStreams& replaced, const ZipDirectory& directory) {
  if (!replaced.empty() && replaced.back().file_end() > directory.file_pos) return std::nullopt;
  ZipHeaders headers(directory.bytes);
  std::uint64_t pos = directory.archive_pos;
  const auto take = [&](ByteSpan bytes) -> Status {
    headers.pass(pos, bytes);
    pos += bytes.size();
    return {};
  };
  const auto is_in_front = [&](const PackedStream& part) { return part.file_end() <= directory.archive_pos; };
  for (auto part = std::partition_point(replaced.begin(), replaced.end(), is_in_front); part != replaced.end(); ++part) {
    if (!file.pass(pos, part->file_pos, take)) return std::nullopt;
    pos = part->file_end();
  }
  if (!file.pass(pos, directory.file_pos, take)) return std::nullopt;
  Bytes entries;
  entries.reserve(static_cast<std::size_t>(directory.bytes));
  const auto collect = [&](ByteSpan bytes) -> Status {
    append(entries, bytes);
    return {};
  };
  if (!file.pass(directory.file_pos, directory.file_end(), collect)) return std::nullopt;
  Teller teller(headers, directory);
  for (ByteSpan left = entries; !left.empty();) {
    const ByteSpan entry = entry_at(left);
    if (entry.empty()) return std::nullopt;
    teller.add(entry);
    left = left.subspan(entry.size());
  }
  return teller.take();
}

std::optional<Bytes> make_directory(ByteSpan description, const ZipHeaders& headers, const ZipDirectory& directory) {
  return Maker(description, headers, directory).make();
}

HeadersAhead::HeadersAhead(const ZipDirectories& directories) : directories_(directories) {
  for (const ZipDirectory& directory : directories) archives_.push_back({directory.archive_pos, archives_.size()});
  std::sort(archives_.rbegin(), archives_.rend());
}

void HeadersAhead::pass(std::uint64_t pos, ByteSpan bytes) {
  for (; !archives_.empty() && archives_.back().pos < pos + bytes.size(); archives_.pop_back()) {
    const Archive& archive = archives_.back();
    if (archive.directory >= next_) begun_.push_back({archive, ZipHeaders(directories_[archive.directory].bytes)});
  }
  for (Begun& begun : begun_) {
    const std::uint64_t begin = std::max(pos, begun.archive.pos);
    begun.headers.pass(begin, bytes.subspan(static_cast<std::size_t>(begin - pos)));
  }
}

ZipHeaders HeadersAhead::take_next() {
  const std::size_t number = next_++;
  ZipHeaders headers(directories_[number].bytes);
  for (std::size_t i = 0; i < begun_.size(); ++i) {
    if (begun_[i].archive.directory != number) continue;
    headers = std::move(begun_[i].headers);
    begun_.erase(begun_.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  return headers;
}

}  // namespace bdelta::view
