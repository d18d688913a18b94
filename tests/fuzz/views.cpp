// Archives and what a patch says of them. Searches for reads out of bounds, for streams that can't be, and for records of
// views that take more than they declare or make more of NEW than there is.
#include "apply/applied_views.hpp"
#include "create/find_pngs.hpp"
#include "format/native/envelope.hpp"
#include "format/native/view_record.hpp"
#include "fuzz/fuzz_input.hpp"
#include "io/memory_io.hpp"
#include "support/guard_page.hpp"
#include "support/zip_streams.hpp"
#include "view/find_streams.hpp"
#include "view/png_chunks.hpp"
#include "view/zip_entries.hpp"
#include "view/zip_members.hpp"

namespace bdelta::fuzz {
namespace {

constexpr std::uint64_t kMostViewBytes = 1 << 16;

// What is told of a directory makes it again, whatever is asked to be told.
void describe_directory(ByteSpan file, const view::ZipDirectory& directory) {
  view::FileWindow window(file);
  const auto told = view::describe_directory(window, {}, directory);
  if (!told) return;
  require(told->size() <= view::most_description_bytes(directory.bytes), "no more is told than may be");
  const std::uint64_t pos = directory.file_pos;
  const view::ZipDirectories directories = {directory};
  view::HeadersAhead headers(directories);
  for (std::uint64_t at = 0; at < pos; at += 7) {
    headers.pass(at, file.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(std::min<std::uint64_t>(7, pos - at))));
  }
  const auto made = view::make_directory(*told, headers.take_next(), directory);
  const ByteSpan right = file.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(directory.bytes));
  require(made && std::equal(made->begin(), made->end(), right.begin(), right.end()), "a directory is made again");
}

// With every second stream unpacked, as if it had all bytes that are said.
void list_members(ByteSpan file, const std::vector<view::FoundStream>& found) {
  view::PackedStreams streams;
  for (std::size_t i = 0; i < found.size(); i += 2) {
    streams.push_back({found[i].file_pos, found[i].packed_bytes, found[i].raw_bytes});
  }
  view::Members members;
  view::add_zip_members(file, streams, members);
  std::uint64_t end = 0;
  for (const view::Member& member : members) {
    require(member.begin >= end && member.data_pos >= member.begin, "members ascend and don't overlap");
    require(member.data_bytes <= member.end - member.data_pos, "a member has its bytes inside");
    end = member.end;
  }
  require(end <= view::view_bytes_of(file.size(), streams), "members are in the view");
}

// All that is looked for in a file of which nothing is known, and in what was unpacked of it.
void find_anything(ByteSpan file) {
  for (const bool is_of_view : {false, true}) {
    const FoundParts found = find_parts(file, {whole_part(file.size())}, {is_of_view, true, kMostViewBytes});
    std::uint64_t end = 0;
    view::PackedStreams streams;
    for (const view::FoundStream& stream : found.streams) {
      require(stream.file_pos >= end && range_fits(stream.file_pos, stream.packed_bytes, file.size()), "streams ascend in the file");
      end = stream.file_pos + stream.packed_bytes;
      if (streams.size() % 3 != 2) streams.push_back({stream.file_pos, stream.packed_bytes, stream.raw_bytes});
    }
    end = 0;
    view::DirectoryRoom room(file.size(), file.size());
    for (const FoundDirectory& directory : found.directories) {
      require(directory.place.file_pos >= end && room.take(directory.place), "directories ascend, and there is room for them");
      end = directory.place.file_end();
      describe_directory(file, directory.place);
    }
    end = 0;
    for (const ViewPart& part : parts_in_view(found.parts, {streams, {}})) {
      require(part.member.begin >= end && part.member.data_pos >= part.member.begin, "parts ascend and don't overlap");
      require(part.member.data_end() <= part.member.end, "a part has its bytes inside");
      end = part.member.end;
    }
    require(end <= view::view_bytes_of(file.size(), streams), "parts are in the view");
  }
}

// Runs of chunks come out as they were, or not at all.
void find_images(ByteSpan file) {
  const FoundParts found = find_png_runs(file, {whole_part(file.size())});
  for (const view::FoundStream& run : found.streams) {
    const auto joined = view::join_chunks(file, run.file_pos, run.raw_bytes);
    require(joined && joined->packed_bytes == run.packed_bytes, "a run is found again");
    Bytes told;
    view::ChunkSizes::encode(joined->sizes, told);
    ByteCursor cursor(told);
    auto sizes = view::ChunkSizes::decode(cursor, {run.file_pos, run.packed_bytes, run.raw_bytes});
    require(sizes && cursor.available() == 0, "what is told of chunks can be read");
    std::uint64_t pos = run.file_pos;
    view::ChunkWriter writer(std::move(*sizes), [&](ByteSpan bytes) -> Status {
      pos += bytes.size();
      require(pos <= run.file_pos + run.packed_bytes, "chunks are made no larger");
      return {};
    });
    require(writer.write(joined->data) && writer.finish() && pos == run.file_pos + run.packed_bytes, "chunks are made again");
  }
}

void find_zip(ByteSpan file) {
  std::uint64_t end = 0;
  const std::vector<view::FoundStream> found = test::zip_streams(file);
  list_members(file, found);
  for (const view::FoundStream& stream : found) {
    require(stream.file_pos >= end && stream.packed_bytes > 0, "streams ascend and don't overlap");
    require(range_fits(stream.file_pos, stream.packed_bytes, file.size()), "streams are in the file");
    require(stream.raw_bytes / view::kMostRatio <= stream.packed_bytes, "streams have no more than deflate can make");
    end = stream.file_pos + stream.packed_bytes;
  }
  const auto directory = view::find_zip_directory(file);
  if (!directory) return;
  require(view::DirectoryRoom(file.size(), file.size()).take(*directory), "a directory is in the file");
  describe_directory(file, *directory);
}

void find_gzip(ByteSpan file) {
  for (std::uint64_t pos = 0; pos <= file.size(); ++pos) {
    const auto found = view::find_gzip_stream(file, pos);
    require(found.empty() || (found[0].file_pos > pos && found[0].file_pos < file.size()), "a stream begins in the file");
    require(view::likely_stream_pos(file, pos) >= pos, "a stream begins behind what is in front of it");
  }
}

bool read(ByteSpan body, const native::Header& header, view::ViewPlans& plans) {
  io::MemorySequentialReader from(body);
  io::TypedReader reader(from, 64);
  auto found = native::read_view(reader, header);
  if (!found) require(found.error().code != ErrorCode::kInternal, "no record is an internal error");
  if (!found || !reader.at_end()) return false;
  plans = std::move(*found);
  return true;
}

class CountingWriter final : public SequentialWriter {
 public:
  std::uint64_t bytes = 0;

  Status write(ByteSpan more) override {
    bytes += more.size();
    return {};
  }
  Status finish() override { return {}; }
};

// NEW of any view, cut anywhere: ends whole or with an error, and never has more than it may have.
void rebuild(AppliedViews& views, std::uint64_t target_bytes, ByteSpan start, std::uint8_t seed) {
  if (views.target_view_bytes() > kMostViewBytes) return;
  Bytes view(start.begin(), start.end());
  view.resize(static_cast<std::size_t>(views.target_view_bytes()));
  CountingWriter writer;
  const WorkerPool pool(1);
  const TargetSink sink = views.rebuild_into({nullptr, &writer}, pool, 1);
  for (std::size_t pos = 0, piece = std::size_t{1} + seed; pos < view.size(); pos += piece) {
    if (!sink.sequential->write(ByteSpan(view).subspan(pos, std::min(piece, view.size() - pos)))) return;
  }
  if (views.finish()) require(writer.bytes == target_bytes, "NEW is whole");
  require(writer.bytes <= target_bytes, "NEW is not larger than is said");
}

void read_record(Input& input) {
  native::Header header;
  header.target_size = input.u16();
  header.decoder_memory_bytes = std::uint64_t{input.u16()} << 12;
  const std::uint8_t seed = input.u8();
  const ByteSpan target_view = input.bytes(input.u16());
  const test::GuardedBytes source(input.bytes(input.u16()));
  header.source_size = source.bytes().size();
  const test::GuardedBytes body(input.rest());
  view::ViewPlans plans, again;
  if (!read(body.bytes(), header, plans)) return;
  require(native::held_bytes(plans) <= header.decoder_memory_bytes, "views take what is declared");
  const auto record = native::encode_view(plans, {CodecId::kStore, 0, 0});
  require(static_cast<bool>(record), "what was read can be written");
  require(read(*native::open_record(*record), header, again), "what was written can be read");
  require(again.size() == plans.size(), "what was written is the same");
  for (std::size_t i = 0; i < plans.size(); ++i) {
    require(again[i].geometry == plans[i].geometry && again[i].recipe == plans[i].recipe, "what was written is the same");
  }
  io::MemoryReader reader(source.bytes());
  auto views = AppliedViews::make(reader, plans, header.target_size, nullptr);
  if (!views) {
    require(exit_class(views.error().code) == 3, "the patch is to blame");
    return;
  }
  require(views->source_bytes() == plans.back().source_view_bytes, "OLD's view is as large as is said");
  rebuild(*views, header.target_size, target_view, seed);
}

}  // namespace

void run(Input& input) {
  const std::uint8_t what = input.u8() % 5;
  if (what == 2) return read_record(input);
  const test::GuardedBytes file(input.rest());
  constexpr std::array kFinders = {find_zip, find_gzip, find_gzip, find_anything, find_images};
  kFinders[what](file.bytes());
}

}  // namespace bdelta::fuzz
