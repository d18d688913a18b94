#include "support/crash_disk.hpp"

#include <algorithm>
#include <map>

#include "support/generate.hpp"

namespace bdelta::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSectorBytes = 512;
constexpr std::size_t kMostExhaustive = 10;  // pending steps up to which every subset is looked at
constexpr std::size_t kSampledSubsets = 300;  // beyond

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
  explicit Disk(const DiskRecord& record) : names_(record.names.begin(), record.names.end()) {
    for (const Bytes& content : record.contents) files_.push_back({content, content, {}});
  }

  void replay(const DiskEvent& event) {
    if (event.file >= 0 && static_cast<std::size_t>(event.file) >= files_.size()) {
      files_.resize(static_cast<std::size_t>(event.file) + 1);
    }
    switch (event.kind) {
      case DiskEvent::kWrite: file(event).write(event.pos, event.bytes); break;
      case DiskEvent::kResize: file(event).live.resize(static_cast<std::size_t>(event.pos)); break;
      case DiskEvent::kSync: file(event).sync(); break;
      case DiskEvent::kSyncDirectory: sync_directory(event.path); break;
      default: pending_.push_back(&event);
    }
  }

  // What `place` may hold now: files by number, -1 for none.
  [[nodiscard]] std::vector<int> files_at(const fs::path& place) const {
    std::vector<int> found;
    for (const Chosen& chosen : subsets(pending_.size())) {
      std::map<fs::path, int> names = names_;
      for (std::size_t i = 0; i < pending_.size(); ++i) {
        if (chosen[i]) apply(*pending_[i], names);
      }
      const auto entry = names.find(place);
      const int file = entry == names.end() ? -1 : entry->second;
      if (std::find(found.begin(), found.end(), file) == found.end()) found.push_back(file);
    }
    return found;
  }

  [[nodiscard]] const File& file(int number) const { return files_[static_cast<std::size_t>(number)]; }

 private:
  File& file(const DiskEvent& event) { return files_[static_cast<std::size_t>(event.file)]; }

  static void apply(const DiskEvent& event, std::map<fs::path, int>& names) {
    if (event.kind == DiskEvent::kRename) names.erase(event.from);
    if (event.kind == DiskEvent::kUnname) {
      names.erase(event.path);
    } else {
      names[event.path] = event.file;
    }
  }

  void sync_directory(const fs::path& directory) {
    std::vector<const DiskEvent*> left;
    for (const DiskEvent* event : pending_) {
      if (event->path.parent_path() == directory) {
        apply(*event, names_);
      } else {
        left.push_back(event);
      }
    }
    pending_ = std::move(left);
  }

  std::vector<File> files_;
  std::map<fs::path, int> names_;           // durable
  std::vector<const DiskEvent*> pending_;  // steps on names, in order
};

void look(const Disk& disk, const fs::path& place, const Acceptable& acceptable, std::size_t events,
          CrashFindings& findings) {
  const auto judge = [&](const std::optional<Bytes>& content) {
    ++findings.state_count;
    if (findings.violation || acceptable(content)) return;
    findings.violation = "after event " + std::to_string(events) + " the place " +
                         (content ? "holds " + std::to_string(content->size()) + " wrong bytes" : "is empty");
  };
  for (const int number : disk.files_at(place)) {
    if (number < 0) {
      judge(std::nullopt);
      continue;
    }
    for (const Bytes& content : disk.file(number).after_a_crash()) judge(content);
  }
}

}  // namespace

CrashFindings crash_everywhere(const DiskRecord& record, const fs::path& place, const Acceptable& meanwhile,
                               const Acceptable& at_the_end) {
  CrashFindings findings;
  Disk disk(record);
  look(disk, place, meanwhile, 0, findings);
  for (std::size_t i = 0; i < record.events.size(); ++i) {
    disk.replay(record.events[i]);
    const bool last = i + 1 == record.events.size();
    look(disk, place, last ? at_the_end : meanwhile, i + 1, findings);
  }
  return findings;
}

}  // namespace bdelta::test
