#include "support/signed_jar.hpp"

#include <random>

#include "hash/sha256.hpp"
#include "parallel/worker_pool.hpp"
#include "support/fills.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "view/file_digests.hpp"

namespace bdelta::test {
namespace {

constexpr std::uint64_t kTime = 1'700'000'000;

std::string digest_line(const std::string& mark, ByteSpan of, const JarShape& shape) {
  return mark + base64(sha256(of)) + shape.line_end;
}

// A line of a name, in as many lines as it takes.
std::string name_lines(const std::string& name, const JarShape& shape) {
  constexpr std::size_t kLineBytes = 72;
  const std::string line = "Name: " + name;
  std::string lines = line.substr(0, kLineBytes);
  for (std::size_t at = kLineBytes; at < line.size(); at += kLineBytes - 1) {
    lines += shape.line_end + (" " + line.substr(at, kLineBytes - 1));
  }
  return lines + shape.line_end;
}

std::vector<TarFile> signed_files(const std::vector<TarFile>& files, const char* version, const JarShape& shape) {
  const std::string end = shape.line_end;
  std::string manifest = "Manifest-Version: 1.0" + end + "Bundle-Version: " + version + end + end;
  std::string sections;
  for (const TarFile& file : files) {
    const std::string name = name_lines(file.name, shape);
    const std::string section = name + digest_line("SHA-256-Digest: ", file.content, shape) + end;
    sections += name + digest_line("SHA-256-Digest: ", bytes_of(section), shape) + end;
    manifest += section;
  }
  const std::string head = "Signature-Version: 1.0" + end + digest_line("SHA-256-Digest-Manifest: ", bytes_of(manifest), shape);
  const Bytes list = bytes_of(head + end + sections);
  std::vector<TarFile> all;
  const auto add_signatures = [&] {
    for (unsigned i = 0; i < shape.signer_count; ++i) all.push_back({"META-INF/SIGNER" + std::to_string(i) + ".SF", kTime, list});
  };
  const auto add_lists = [&] {
    if (shape.signatures_first) add_signatures();
    all.push_back({"META-INF/MANIFEST.MF", kTime, bytes_of(manifest)});
    if (!shape.signatures_first) add_signatures();
  };
  if (shape.lists_first) add_lists();
  all.insert(all.end(), files.begin(), files.end());
  if (!shape.lists_first) add_lists();
  for (TarFile& file : all) file.name = shape.root + file.name;
  return all;
}

}  // namespace

JarPair jar_pair(const JarShape& shape) {
  std::mt19937 random(shape.seed);
  std::vector<TarFile> before, after;
  JarPair pair;
  for (unsigned i = 0; i < shape.file_count; ++i) {
    const Bytes bytes = wordy_bytes(200 + random() % 1500, shape.seed + i);
    const std::string folder = shape.long_names ? "org/" + std::string(80, 'n') + "/" : "org/kit/";
    after.push_back({folder + "Part" + std::to_string(i) + ".class", kTime, bytes});
    const bool is_new = i + 1 == shape.file_count;
    if (!is_new) before.push_back(after.back());
    if (i % 3 == 1) after.back().content[i % 100] ^= 1;
    pair.changed_count += is_new || i % 3 == 1;
  }
  pair.old_version = signed_files(before, "1.0", shape);
  pair.new_version = signed_files(after, "1.1", shape);
  return pair;
}

JarArchives jar_archives(const JarShape& shape) {
  const JarPair pair = jar_pair(shape);
  JarArchives archives{tar_of(pair.old_version), tar_of(pair.new_version), {}};
  WorkerPool pool(1);
  const view::Members before = members_of(archives.old_version), after = members_of(archives.new_version);
  archives.fills = view::find_file_digests(archives.old_version, before, archives.new_version, after, {}, 0, pool).fills;
  return archives;
}

}  // namespace bdelta::test
