#include "create/view_bytes.hpp"

#include "base/large_pages.hpp"
#include "hash/adler32.hpp"
#include "hash/crc32.hpp"
#include "create/alike_streams.hpp"
#include "view/member_fields.hpp"
#include "view/zip_directory.hpp"

namespace bdelta {
namespace {

// Puts the gaps of a file between texts.
class ViewBuilder {
 public:
  ViewBuilder(ByteSpan file, const DescribedFile& described, view::StreamKind kind, std::uint64_t room_bytes)
      : file_(file), described_(described), kind_(kind) {
    view_.reserve(static_cast<std::size_t>(view::view_bytes_of(file.size(), described.replaced.all()) + room_bytes));
    prefer_large_pages(view_.data(), view_.capacity());
  }

  // fields_of(index, place) says what stands beside a stream.
  template <class FieldsOf>
  bool run(const FieldsOf& fields_of, const PutText& put_text) {
    bool found_again = true;
    std::size_t stream = 0, directory = 0;
    const auto on_stream = [&](const view::PackedStream& place) {
      const view::MemberFields fields = fields_of(stream, place);
      found_again &= gaps_.add(gap_to(place.file_pos), kind_ == view::StreamKind::kDeflate ? &fields : nullptr, view_);
      put_text(stream++, view_);
      end_ = place.file_end();
    };
    view::visit(described_.replaced, on_stream, [&](const view::ZipDirectory& place) {
      (void)gaps_.add(gap_to(place.file_pos), nullptr, view_);
      append(view_, described_.descriptions[directory++]);
      end_ = place.file_end();
    });
    (void)gaps_.add(gap_to(file_.size()), nullptr, view_);
    return found_again;
  }

  [[nodiscard]] Bytes take() { return std::move(view_); }

 private:
  [[nodiscard]] ByteSpan gap_to(std::uint64_t pos) const {
    return file_.subspan(static_cast<std::size_t>(end_), static_cast<std::size_t>(pos - end_));
  }

  const ByteSpan file_;
  const DescribedFile& described_;
  const view::StreamKind kind_;
  view::GapTeller gaps_;
  Bytes view_;
  std::uint64_t end_ = 0;  // of the file, so far
};

}  // namespace

std::set<Digest128> entries_of(const ViewedFile& file) {
  std::set<Digest128> digests;
  for (const auto& [place, name] : file.found.directories) digests.insert(packed_digest(file.bytes, place.file_pos, place.bytes));
  return digests;
}

DescribedFile describe_file(const ViewedFile& file, view::PackedStreams streams, const std::set<Digest128>& alike) {
  DescribedFile result;
  view::DirectoryRoom room(file.bytes.size(), file.bytes.size());
  view::FileWindow window(file.bytes);
  view::PackedStreams parts;
  std::size_t next = 0;
  for (const FoundDirectory& found : file.found.directories) {
    view::ZipDirectory place = found.place;
    for (; next < streams.size() && streams[next].file_pos < place.file_pos; ++next) parts.push_back(streams[next]);
    if (next < streams.size() && streams[next].file_pos < place.file_end()) continue;
    if (alike.count(packed_digest(file.bytes, place.file_pos, place.bytes)) != 0 || !room.take(place)) continue;
    auto description = view::describe_directory(window, parts, place);
    if (!description) continue;
    place.description_bytes = description->size();
    result.replaced.directories.push_back(place);
    result.descriptions.push_back(std::move(*description));
    result.names.push_back(found.name);
    parts.push_back({place.file_pos, place.bytes, place.description_bytes});
  }
  result.replaced.streams = std::move(streams);
  return result;
}

std::optional<Bytes> make_target_view(ByteSpan file, std::vector<UnpackedStream>& streams, const DescribedFile& described,
                                      view::StreamKind kind) {
  ViewBuilder builder(file, described, kind, 0);
  const auto fields_of = [&](std::size_t index, const view::PackedStream& place) {
    view::MemberFields fields{{}, place.packed_bytes, place.raw_bytes};
    fields.crc = fields.tells_crc() ? crc32(streams[index].text) : 0;
    fields.adler = fields.tells_crc() ? adler32(streams[index].text) : 0;
    return fields;
  };
  const bool found_again = builder.run(fields_of, [&](std::size_t index, Bytes& view) {
    append(view, streams[index].text);
    Bytes().swap(streams[index].text);
  });
  if (!found_again) return std::nullopt;
  return builder.take();
}

Bytes make_source_view(ByteSpan file, const DescribedFile& described, view::StreamKind kind, std::uint64_t room_bytes,
                       const PutText& put_text) {
  ViewBuilder builder(file, described, kind, room_bytes);
  (void)builder.run([](std::size_t, const view::PackedStream& place) { return view::MemberFields{{}, place.packed_bytes, place.raw_bytes}; },
                    put_text);
  return builder.take();
}

}  // namespace bdelta
