#include "support/crash_disk.hpp"

#include <algorithm>
#include <set>

#include "hash/xxh3.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"

namespace bdelta::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSectorBytes = 512;
constexpr std::size_t kMostExhaustive = 10;  // pending steps up to which every subset is looked at
constexpr std::size_t kSampledSubsets = 300;  // beyond
constexpr std::size_t kMostProducts = 1500;  // states of several files together
constexpr std::size_t kSampledProducts = 200;

using Chosen = std::vector<bool>;

// Every subset of `count` steps; where those are too many: all, none, all but one, one alone, and some by chance.
std::vector<Chosen> subsets(std::size_t count) {
  std::vector<Chosen> found;
  if (count <= kMostExhaustive) {
    for (std::size_t mask = 0; mask < std::size_t{1} << count; ++mask) {
      Chosen chosen(count);
      for (std::size_t i = 0; i < count; ++i) chosen[i] = (mask >> i & 1) != 0;
      found.push_back(std::move(chosen));
    }
    return found;
  }
  for (const bool most : {true, false}) {
    found.emplace_back(count, most);
    for (std::size_t i = 0; i < count; ++i) {
      found.emplace_back(count, most);
      found.back()[i] = !most;
    }
  }
  Random random(count);
  for (std::size_t i = 0; i < kSampledSubsets; ++i) {
    Chosen chosen(count);
    for (std::size_t at = 0; at < count; ++at) chosen[at] = random.below(2) != 0;
    found.push_back(std::move(chosen));
  }
  return found;
}

void put_bytes(Bytes& content, std::uint64_t pos, ByteSpan bytes) {
  const auto begin = static_cast<std::size_t>(pos);
  if (content.size() < begin + bytes.size()) content.resize(begin + bytes.size());
  std::copy(bytes.begin(), bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(begin));
}

// A file: what is durable, and what was done since, cut at sectors.
struct File {
  struct Piece {
    std::uint64_t pos;
    Bytes bytes;
  };
  Bytes durable;
  Bytes live;
  std::vector<Piece> pending;

  void write(std::uint64_t pos, ByteSpan bytes) {
    put_bytes(live, pos, bytes);
    while (!bytes.empty()) {
      const auto room =
          static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), kSectorBytes - pos % kSectorBytes));
      pending.push_back({pos, Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(room))});
      pos += room;
      bytes = bytes.subspan(room);
    }
  }

  void sync() {
    durable = live;
    pending.clear();
  }

  [[nodiscard]] std::vector<Bytes> after_a_crash() const {
    std::vector<Bytes> all;
    for (const Chosen& chosen : subsets(pending.size())) {
      for (const std::size_t size : {durable.size(), live.size()}) {
        Bytes content = durable;
        for (std::size_t i = 0; i < pending.size(); ++i) {
          if (chosen[i]) put_bytes(content, pending[i].pos, pending[i].bytes);
        }
        content.resize(size);
        all.push_back(std::move(content));
        if (durable.size() == live.size()) break;
      }
    }
    return all;
  }
};

// The disk while the record is replayed.
class Disk {
 public:
  explicit Disk(const DiskRecord& record) : record_(record), names_(record.names) {
    for (const DiskNode& node : record.nodes) files_.push_back({node.bytes, node.bytes, {}});
  }

  void replay(const DiskEvent& event) {
    switch (event.kind) {
      case DiskEvent::kWrite: file(event).write(event.pos, event.bytes); break;
      case DiskEvent::kResize: file(event).live.resize(static_cast<std::size_t>(event.pos)); break;
      case DiskEvent::kSync: file(event).sync(); break;
      case DiskEvent::kSyncDirectory: sync_directory(event.directory); break;
      case DiskEvent::kSyncAll: sync_all(); break;
      default: pending_.push_back(&event);
    }
  }

  // What the names of the disk may be now, each once.
  [[nodiscard]] std::vector<DiskNames> names() const {
    std::vector<DiskNames> found;
    for (const Chosen& chosen : subsets(pending_.size())) {
      DiskNames names = names_;
      for (std::size_t i = 0; i < pending_.size(); ++i) {
        if (chosen[i]) apply(*pending_[i], names);
      }
      if (std::find(found.begin(), found.end(), names) == found.end()) found.push_back(std::move(names));
    }
    return found;
  }

  [[nodiscard]] const File& file(int number) const { return files_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const DiskNode& node(int number) const { return record_.nodes[static_cast<std::size_t>(number)]; }

 private:
  File& file(const DiskEvent& event) { return files_[static_cast<std::size_t>(event.node)]; }

  static void apply(const DiskEvent& event, DiskNames& names) {
    if (event.kind == DiskEvent::kRename) names.erase({event.from_directory, event.from_name});
    if (event.kind == DiskEvent::kUnname) {
      names.erase({event.directory, event.name});
    } else {
      names[{event.directory, event.name}] = event.node;
    }
  }

  void sync_directory(int directory) {
    std::vector<const DiskEvent*> left;
    for (const DiskEvent* event : pending_) {
      if (event->directory == directory) {
        apply(*event, names_);
      } else {
        left.push_back(event);
      }
    }
    pending_ = std::move(left);
  }

  void sync_all() {
    for (const DiskEvent* event : pending_) apply(*event, names_);
    pending_.clear();
    for (File& each : files_) each.sync();
  }

  const DiskRecord& record_;
  std::vector<File> files_;
  DiskNames names_;                        // durable
  std::vector<const DiskEvent*> pending_;  // steps on names, in order
};

// What stands at a path, -1 for nothing.
int node_at(const DiskRecord& record, const DiskNames& names, const fs::path& path) {
  for (std::size_t i = 0; i < record.folders.size(); ++i) {
    const fs::path inside = path.lexically_relative(record.folders[i]);
    if (inside.empty() || *inside.begin() == "..") continue;
    int node = static_cast<int>(i);
    for (const fs::path& part : inside) {
      const auto found = names.find({node, part.string()});
      if (found == names.end()) return -1;
      node = found->second;
    }
    return node;
  }
  return -1;
}

void look(const Disk& disk, const DiskRecord& record, const fs::path& place, const Acceptable& acceptable, std::size_t events,
          CrashFindings& findings) {
  const auto judge = [&](const std::optional<Bytes>& content) {
    ++findings.state_count;
    if (findings.violation || acceptable(content)) return;
    findings.violation = "after event " + std::to_string(events) + " the place " +
                         (content ? "holds " + std::to_string(content->size()) + " wrong bytes" : "is empty");
  };
  std::set<int> seen;
  for (const DiskNames& names : disk.names()) {
    const int number = node_at(record, names, place);
    if (!seen.insert(number).second) continue;
    if (number < 0) {
      judge(std::nullopt);
      continue;
    }
    for (const Bytes& content : disk.file(number).after_a_crash()) judge(content);
  }
}

// The states of a whole disk at one moment.
class Images {
 public:
  Images(const Disk& disk, const DiskRecord& record, const std::function<void(const DiskImage&)>& visit)
      : disk_(disk), record_(record), visit_(visit) {}

  void of(const DiskNames& names) {
    image_.clear();
    varied_.clear();
    for (std::size_t i = 0; i < record_.folders.size(); ++i) add(names, static_cast<int>(i), record_.folders[i], 0);
    std::size_t count = 1;
    for (const Varied& varied : varied_) count = std::min(kMostProducts + 1, count * varied.contents.size());
    if (count <= kMostProducts) {
      each_product(0);
    } else {
      sample();
    }
  }

 private:
  struct Varied {
    fs::path path;
    std::vector<Bytes> contents;  // the first is what is durable
  };

  void add(const DiskNames& names, int directory, const fs::path& path, int depth) {
    if (depth > 64) return;
    for (auto entry = names.lower_bound({directory, ""}); entry != names.end() && entry->first.first == directory; ++entry) {
      const int number = entry->second;
      const DiskNode& node = disk_.node(number);
      const fs::path name = path / entry->first.second;
      image_[name] = {node.kind, node.kind == DiskNode::kFile ? disk_.file(number).durable : node.bytes};
      if (node.kind == DiskNode::kDirectory) add(names, number, name, depth + 1);
      const File& file = disk_.file(number);
      const bool varies = !file.pending.empty() || file.durable.size() != file.live.size();
      if (node.kind == DiskNode::kFile && varies) varied_.push_back({name, file.after_a_crash()});
    }
  }

  void each_product(std::size_t at) {
    if (at == varied_.size()) return visit_(image_);
    for (const Bytes& content : varied_[at].contents) {
      image_[varied_[at].path].bytes = content;
      each_product(at + 1);
    }
  }

  // Each state of one file with all others as old as they may be and as new as they may be; then some by chance.
  void sample() {
    for (const bool newest : {false, true}) {
      for (const Varied& varied : varied_) {
        for (const Varied& other : varied_) image_[other.path].bytes = newest ? other.contents.back() : other.contents.front();
        for (const Bytes& content : varied.contents) {
          image_[varied.path].bytes = content;
          visit_(image_);
        }
      }
    }
    Random random(varied_.size());
    for (std::size_t i = 0; i < kSampledProducts; ++i) {
      for (const Varied& varied : varied_) image_[varied.path].bytes = varied.contents[random.below(varied.contents.size())];
      visit_(image_);
    }
  }

  const Disk& disk_;
  const DiskRecord& record_;
  const std::function<void(const DiskImage&)>& visit_;
  DiskImage image_;
  std::vector<Varied> varied_;
};

Digest128 digest_of_image(const DiskImage& image) {
  Xxh3Hasher hasher;
  for (const auto& [path, node] : image) {
    Bytes head = bytes_of(path.string());
    head.push_back(0);
    head.push_back(static_cast<std::uint8_t>(node.kind));
    append_le(head, std::uint64_t{node.bytes.size()});
    hasher.update(head);
    hasher.update(node.bytes);
  }
  return hasher.digest();
}

}  // namespace

CrashFindings crash_everywhere(const DiskRecord& record, const fs::path& place, const Acceptable& meanwhile,
                               const Acceptable& at_the_end) {
  CrashFindings findings;
  Disk disk(record);
  look(disk, record, place, meanwhile, 0, findings);
  for (std::size_t i = 0; i < record.events.size(); ++i) {
    disk.replay(record.events[i]);
    const bool last = i + 1 == record.events.size();
    look(disk, record, place, last ? at_the_end : meanwhile, i + 1, findings);
  }
  return findings;
}

CrashFindings crash_disk_everywhere(const DiskRecord& record, const JudgeDisk& judge) {
  CrashFindings findings;
  std::set<Digest128> seen;
  Disk disk(record);
  for (std::size_t i = 0; i <= record.events.size(); ++i) {
    if (i > 0) disk.replay(record.events[i - 1]);
    const bool at_the_end = i == record.events.size();
    const std::function<void(const DiskImage&)> visit = [&](const DiskImage& image) {
      if (findings.violation || (!seen.insert(digest_of_image(image)).second && !at_the_end)) return;
      ++findings.state_count;
      if (auto wrong = judge(image, at_the_end)) findings.violation = "after event " + std::to_string(i) + ": " + *wrong;
    };
    Images images(disk, record, visit);
    for (const DiskNames& names : disk.names()) images.of(names);
    if (findings.violation) break;
  }
  return findings;
}

void put_image(const DiskImage& image, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
  }
  for (const auto& [path, node] : image) {  // directories come in front of what is in them
    switch (node.kind) {
      case DiskNode::kFile: put(path, node.bytes); break;
      case DiskNode::kDirectory: fs::create_directory(path); break;
      case DiskNode::kLink: fs::create_symlink(std::string(node.bytes.begin(), node.bytes.end()), path); break;
    }
  }
}

}  // namespace bdelta::test
