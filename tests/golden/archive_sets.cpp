#include "golden/archive_sets.hpp"

#include "deflate/zlib_stream.hpp"
#include "support/archive.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/own_deflate.hpp"
#include "support/program_pair.hpp"
#include "support/signed_jar.hpp"
#include "support/tar.hpp"
#include "view/deflate/guesses.hpp"

namespace bdelta::test {
namespace {

using namespace deflate;

Parameters ng_parameters(Search search) {
  Parameters p;
  p.ng = search == Search::kMedium ? 2 : 1;
  p.hash = Hash::kKnuth;
  p.hash_bits = 16;
  p.search = search;
  return p;
}

Bytes changed(const Bytes& text, std::uint64_t seed) {
  return edited(text, {{Edit::kInsert, text.size() / 3, 30, 0, seed}, {Edit::kOverwrite, text.size() / 2, 20, 0, seed + 1}});
}

// All headers of a tar have new times.
ArchivePair tar_with_new_times() {
  const TarPair tars = tar_pair(24, 31);
  return {"bdt2-view-tar", gzip_with(tars.old_version, own_deflate(tars.old_version)),
          gzip_with(tars.new_version, own_deflate(tars.new_version))};
}

// Two files of a tar are changed; by zlib-ng.
ArchivePair changed_tar() {
  std::vector<TarFile> files;
  for (unsigned i = 0; i < 6; ++i) {
    files.push_back({"folder/file-" + std::to_string(i), 1'600'000'000, wordy_bytes(3000 + 700 * i, 40 + i)});
  }
  const Bytes before = tar_of(files);
  files[1].content = changed(files[1].content, 50);
  files[4].content = changed(files[4].content, 60);
  const Bytes after = tar_of(files);
  const GzipHead head = {.name = "archive.tar"};
  const Parameters medium = ng_parameters(Search::kMedium);
  return {"bdt2-view-gzip", gzip_with(before, own_deflate(before, medium), head),
          gzip_with(after, own_deflate(after, medium), head)};
}

ZipMember packed_member(const std::string& name, const Bytes& content, const Parameters& parameters = {}) {
  ZipMember member;
  member.name = name;
  member.content = content;
  member.packed = own_deflate(content, parameters);
  return member;
}

// Deflated and stored, with descriptors, an encrypted one, one of an unknown encoder, listed in another order.
ArchivePair zip_of_many() {
  Parameters unknown;
  unknown.nice = 11;
  unknown.chain = 3;
  unknown.block_tokens = 1500;
  const auto archive = [&](bool newer) {
    std::vector<ZipMember> members;
    for (unsigned i = 0; i < 6; ++i) {
      Bytes content = wordy_bytes(2500 + 900 * i, 70 + i);
      if (newer && i != 2) content = changed(content, 80 + i);
      members.push_back(packed_member("folder/part-" + std::to_string(i), content, i == 4 ? unknown : Parameters{}));
    }
    members[0].descriptor = members[4].descriptor = true;
    members[1].packed = members[1].content;
    members[1].level = 0;
    members[3].encrypted = true;
    if (newer) members.push_back(packed_member("folder/added", wordy_bytes(1500, 90)));
    return zip_of(members, {.comment = "many", .reversed = true});
  };
  return {"bdt2-view-zip", archive(false), archive(true)};
}

// A signed archive whose lists stand in front of its files: digests of these, of parts of the list, and of all of it.
ArchivePair signed_jar() {
  JarShape shape;
  shape.file_count = 16;
  shape.seed = 33;
  const JarPair jars = jar_pair(shape);
  const auto archive = [](const std::vector<TarFile>& files) {
    std::vector<ZipMember> members;
    for (const TarFile& file : files) members.push_back(packed_member(file.name, file.content));
    return zip_of(members);
  };
  return {"bdt2-view-jar", archive(jars.old_version), archive(jars.new_version)};
}

// Words with stretches of what stands before among them, so that encoders find other matches.
Bytes tangled_bytes(std::size_t size, std::uint64_t seed) {
  Bytes text = wordy_bytes(1200, seed);
  Random random(seed);
  while (text.size() < size) {
    std::size_t pos = static_cast<std::size_t>(random.below(text.size()));
    for (std::uint64_t left = random.between(3, random.below(2) == 0 ? 5 : 150); left > 0; --left) text.push_back(text[pos++]);
    if (random.below(3) == 0) append(text, random_bytes(static_cast<std::size_t>(random.between(1, 6)), random.next()));
  }
  text.resize(text.size() + 100, 'x');
  return text;
}

// Members of one file, each by another encoder, with other heads and flushes.
ArchivePair members_by(const std::string& name, const std::vector<Parameters>& encoders) {
  const auto archive = [&](bool newer) {
    Bytes file;
    for (unsigned i = 0; i < encoders.size(); ++i) {
      Bytes text = tangled_bytes(encoders[i].ng ? 16'000 : 6'000, 100 + i);
      if (newer) text = changed(text, 120 + i);
      const unsigned flush = encoders[i].hash == Hash::kGo ? 0 : i % 3;  // Go has one kind
      const auto kind = static_cast<JointKind>(flush);
      const auto marker = static_cast<JointMarker>(flush + 1);
      std::vector<Joint> joints;
      if (i < 6) joints = {{2000 + 100 * i, kind, marker}, {4000, kind, marker}};
      const GzipHead full = {.name = "part", .comment = "of many", .extra = Bytes(7), .check = true};
      const GzipHead head = i % 2 == 0 ? GzipHead{} : full;
      append(file, gzip_with(text, own_deflate(text, encoders[i], joints), head));
    }
    return file;
  };
  return {name, archive(false), archive(true)};
}

ArchivePair members_of_go() {
  std::vector<Parameters> encoders;
  for (const unsigned level : {1u, 2u, 3u, 6u, 0u, 1u, 3u, 5u, 9u}) encoders.push_back(go_parameters(level));
  return members_by("bdt2-view-go", encoders);
}

// Of several pieces, with and without flushes.
ArchivePair members_in_pieces() {
  const auto archive = [](bool newer) {
    Bytes file;
    for (unsigned i = 0; i < 6; ++i) {
      Parameters encoder = two_hash_parameters(5 + i % 2);
      encoder.block_end = static_cast<BlockEnd>(i / 2);
      Bytes text = periodic_bytes(70'000, 700, 180 + i);
      append(text, tangled_bytes(3000, 190 + i));
      append(text, i % 2 == 0 ? periodic_bytes(60'000, 300, 182 + i) : Bytes(70'000));
      append(text, random_bytes(i < 2 ? 1500 : 10, 184 + i));
      if (newer) text = changed(text, 186 + i);
      std::vector<Joint> joints;
      if (i > 2) joints = {{66'000, static_cast<JointKind>(i - 3), JointMarker::kStored}, {66'100, static_cast<JointKind>(i - 3), JointMarker::kStored}};
      append(file, gzip_with(text, own_deflate(text, encoder, joints), {}));
    }
    return file;
  };
  return {"bdt2-view-pieces", archive(false), archive(true)};
}

// By the CRC of three bytes and of four; of so few values that strangers share buckets.
ArchivePair members_by_crc() {
  const auto archive = [](bool newer) {
    Bytes file;
    for (const unsigned level : {6u, 1u, 2u, 7u}) {
      Parameters encoder = zlib_parameters(level);
      encoder.hash = level >= 6 ? Hash::kCrcOfThree : Hash::kCrcOfFour;
      Bytes text = random_bytes(20'000, 250 + level);
      for (std::uint8_t& byte : text) byte &= level >= 6 ? 0xc0 : 0xe0;
      if (newer) text = changed(text, 260 + level);
      append(file, gzip_with(text, own_deflate(text, encoder)));
    }
    return file;
  };
  return {"bdt2-view-crc", archive(false), archive(true)};
}

// By an encoder of which what it makes depends on how text came in: as an archive is written, and in equal pieces.
ArchivePair members_in_turn() {
  const auto archive = [](bool newer) {
    Bytes file;
    for (const std::uint32_t feed_bytes : {8u, 8192u}) {
      std::vector<TarFile> files;
      for (unsigned i = 0; i < 12; ++i) files.push_back({"folder/file-" + std::to_string(i), 1'600'000'000, tangled_bytes(i * i * 90, 270 + i % 3)});
      if (newer) files[7].content = changed(files[7].content, 280);
      Parameters encoder = ng_parameters(Search::kMedium);
      encoder.feed_bytes = feed_bytes;
      const Bytes text = tar_of(files);
      append(file, gzip_with(text, own_deflate(text, encoder)));
    }
    return file;
  };
  return {"bdt2-view-fed", archive(false), archive(true)};
}

ArchivePair members_of_gzip() {
  Parameters farthest = zlib_parameters(9);
  farthest.ng = 1;
  Parameters chromium = zlib_parameters(1);
  chromium.hash = Hash::kFourBytes;
  Parameters gzip = zlib_parameters(6, 9);
  gzip.block_end = BlockEnd::kGzip;
  Parameters runs = zlib_parameters(0);
  runs.search = Search::kRuns;
  const Parameters literals = zlib_parameters(0);
  Parameters fast = ng_parameters(Search::kMedium);
  fast.good = 4;
  fast.lazy = 6;
  fast.nice = 16;
  fast.chain = 6;
  Parameters filtered = zlib_parameters(6);
  filtered.filtered = 1;
  const std::vector<Parameters> encoders = {farthest, chromium, zlib_parameters(1), fast,    ng_parameters(Search::kMedium),
                                            gzip,     runs,     ng_parameters(Search::kLazy), filtered, literals};
  return members_by("bdt2-view-members", encoders);
}

// Streams of encoders whose tokens and trees are told one by one; of OLD there is only the text.
ArchivePair other_encoders(const std::filesystem::path& vectors) {
  Bytes text, file;
  for (const char* name : {"zopfli.deflate", "7zip.deflate"}) {
    const Bytes packed = get(vectors / name);
    const auto inflated = zlib_inflate(packed);
    if (!inflated) continue;
    text = inflated->raw;
    append(file, gzip_with(text, packed));
  }
  return {"bdt2-view-encoders", text, file};
}

// A zip archive with two others, a stream of zlib and images in it, in gzip: four views, one of the other, and three
// directories of archives.
ArchivePair archives_in_archive() {
  const auto archive = [](bool next) {
    const auto text = [next](std::uint64_t seed) { return next ? changed(wordy_bytes(2000, seed), seed) : wordy_bytes(2000, seed); };
    const auto image = [&](std::uint64_t seed, std::size_t chunk_bytes) {
      return png_of(zlib_with(text(seed), own_deflate(text(seed))), chunk_bytes);
    };
    ZipMember stored{"stored.zip", zip_of({packed_member("one", text(140)), packed_member("two", text(141))}), 0};
    ZipMember other{"other.zip", zip_of({packed_member("three", text(145)), packed_member("four", wordy_bytes(900, 146))}), 0};
    Bytes document = bytes_of("a document with ");
    append(document, zlib_with(text(142), own_deflate(text(142))));
    append(document, bytes_of(" in it"));
    return zip_of({stored, packed_member("document", document), packed_member("image", image(143, 300)),
                   packed_member("small", image(144, 5000)), other});
  };
  const Bytes before = archive(false), after = archive(true);
  return {"bdt2-view-nested", gzip_with(before, own_deflate(before)), gzip_with(after, own_deflate(after))};
}

// Members that NEW has as they are, and what they hold in others.
ArchivePair copies_in_zip() {
  const auto archive = [](bool next) {
    std::vector<ZipMember> members;
    for (std::uint64_t i = 0; i < 5; ++i) {
      Bytes document = wordy_bytes(1500, 150 + i);
      append(document, zlib_with(wordy_bytes(2000, 160 + i), own_deflate(wordy_bytes(2000, 160 + i))));
      members.push_back(packed_member("file" + std::to_string(i), document));
    }
    if (next) members.push_back(packed_member("of1", changed(wordy_bytes(1500, 151), 1)));
    if (next) members.push_back(packed_member("in3", changed(wordy_bytes(2000, 163), 3)));
    return zip_of(members);
  };
  return {"bdt2-view-kept", archive(false), archive(true)};
}

// Two long texts, of which the first may take OLD's tokens, and the second, which had another encoder in OLD, may not.
ArchivePair lending_members() {
  const auto archive = [](bool next) {
    Bytes file;
    for (unsigned i = 0; i < 2; ++i) {
      Bytes text = tangled_bytes(150'000, 230 + i);
      if (next) text = changed(text, 240 + i);
      append(file, gzip_with(text, own_deflate(text, zlib_parameters(i == 1 && !next ? 4 : 6))));
    }
    return file;
  };
  return {"bdt2-view-lent", archive(false), archive(true)};
}

ArchivePair program_in_zip() {
  const ProgramPair programs = program_pair(11, 60);
  const auto archive = [](const Bytes& program) {
    return zip_of({packed_member("program", program), packed_member("readme", wordy_bytes(900, 130))},
                  {.program = bytes_of("#!/bin/sh\nexit\n")});
  };
  return {"bdt2-view-program", archive(programs.old_version), archive(programs.new_version)};
}

}  // namespace

std::vector<ArchivePair> archive_pairs(const std::filesystem::path& vectors) {
  return {tar_with_new_times(), changed_tar(), zip_of_many(), signed_jar(), members_of_gzip(), members_of_go(), members_in_pieces(), members_by_crc(), members_in_turn(),
          other_encoders(vectors), program_in_zip(), archives_in_archive(), copies_in_zip(), lending_members()};
}

}  // namespace bdelta::test
