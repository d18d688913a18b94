#include "support/package.hpp"

#include <algorithm>
#include <random>

#include "hash/sha256.hpp"
#include "support/fills.hpp"
#include "support/generate.hpp"

namespace bdelta::test {
namespace {

// A file of each version; empty where it isn't there.
struct TwoFiles {
  std::string path;
  Bytes before;
  Bytes after;
};

std::vector<TwoFiles> files_of(const PackageShape& shape) {
  std::mt19937 random(shape.seed);
  std::vector<TwoFiles> files;
  for (unsigned i = 0; i < shape.file_count; ++i) {
    const Bytes bytes = wordy_bytes(200 + random() % 1500, shape.seed + i);
    files.push_back({"kit/part" + std::to_string(i) + ".py", bytes, bytes});
    if (i % 3 == 1) files.back().after[i % 100] ^= 1;
  }
  files.back().before.clear();
  return files;
}

// Puts the package together; tells where each file's data begin and where its digest is.
class Builder {
 public:
  Builder(const PackageShape& shape, const std::string& name) : shape_(shape), folder_(name + ".dist-info/") {}

  void add(const std::string& path, const Bytes& content) { files_.push_back({path, content}); }

  Bytes build() {
    std::vector<TarFile> members;
    if (shape_.list_first) members.push_back({list_name(), 1'700'000'000, list()});
    for (const auto& [path, content] : files_) members.push_back({shape_.root + path, 1'700'000'000, content});
    if (!shape_.list_first) members.push_back({list_name(), 1'700'000'000, list()});
    std::uint64_t pos = 0;
    for (const TarFile& member : members) {
      pos += kTarBlockBytes;
      if (member.name == list_name()) list_pos_ = pos;
      if (member.name != list_name()) data_pos_.push_back(pos);
      pos += (member.content.size() + kTarBlockBytes - 1) / kTarBlockBytes * kTarBlockBytes;
    }
    return tar_of(members);
  }

  // After build.
  [[nodiscard]] FillRange digest(std::size_t file) const {
    const std::string lines(text_.begin(), text_.end());
    const std::string mark = files_[file].first + ",sha256=";
    return {data_pos_[file], files_[file].second.size(), list_pos_ + lines.find(mark) + mark.size()};
  }

 private:
  [[nodiscard]] std::string list_name() const { return shape_.root + folder_ + "RECORD"; }

  const Bytes& list() {
    auto lines = files_;
    if (shape_.reversed_list) std::reverse(lines.begin(), lines.end());
    std::string text;
    for (const auto& [path, content] : lines) {
      text += path + ",sha256=" + base64url(sha256(content)) + "," + std::to_string(content.size()) + "\n";
    }
    text += folder_ + "RECORD,,\n";
    text_.assign(text.begin(), text.end());
    return text_;
  }

  const PackageShape& shape_;
  const std::string folder_;
  std::vector<std::pair<std::string, Bytes>> files_;
  Bytes text_;
  std::vector<std::uint64_t> data_pos_;
  std::uint64_t list_pos_ = 0;
};

}  // namespace

PackagePair package_pair(const PackageShape& shape) {
  Builder before(shape, shape.old_name);
  Builder after(shape, shape.new_name);
  std::vector<std::size_t> changed;
  const std::vector<TwoFiles> files = files_of(shape);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].before.empty()) before.add(files[i].path, files[i].before);
    after.add(files[i].path, files[i].after);
    if (files[i].before != files[i].after) changed.push_back(i);
  }
  PackagePair pair{before.build(), after.build(), {kListedDigests, 0, {}}};
  for (const std::size_t file : changed) pair.changed.ranges.push_back(after.digest(file));
  return pair;
}

}  // namespace bdelta::test
