#include "cli/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bdelta/apply.hpp"
#include "cli/json.hpp"
#include "codec/codec.hpp"
#include "hash/sha256.hpp"
#include "hash/xxh3.hpp"
#include "io/file_error.hpp"

namespace bdelta::cli {
namespace {

constexpr int kJsonSchema = 1;

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char line[256];
  const int length = std::snprintf(line, sizeof line, pattern, values...);
  return length < 0 ? std::string() : std::string(line);
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string speed(const Phase& phase) {
  if (phase.bytes == 0 || phase.seconds < 0.0005) return "";  // too short to tell
  return format("%9.0f MB/s", static_cast<double>(phase.bytes) / 1e6 / phase.seconds);
}

std::string line_of(const Json& json) { return dump(json) + "\n"; }

}  // namespace

std::filesystem::path path_of(const std::string& word) {
#ifdef _WIN32
  return std::filesystem::u8path(word);
#else
  return std::filesystem::path(word);
#endif
}

std::string shown(const std::filesystem::path& path) { return io::shown(path); }

std::string one_line(const std::string& text) { return io::escaped(text); }

std::string human_size(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return format("%.1f %s", value, kUnits[unit]);
}

std::string seconds_text(double seconds) { return format("%.2f s", seconds); }

std::string size_argument(std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = 1024, kMiB = kKiB * kKiB;
  const std::uint64_t unit = bytes < kKiB ? 1 : bytes < kMiB ? kKiB : kMiB;
  return std::to_string(bytes / unit + (bytes % unit != 0 ? 1 : 0)) + (unit == 1 ? "" : unit == kKiB ? "K" : "M");
}

std::string duration_text(double seconds) {
  const double most = 359'999;  // 99 h 59 min 59 s
  const int whole = static_cast<int>(std::ceil(std::clamp(seconds, 0.0, most)));
  if (whole < 60) return format("%d s", whole);
  if (whole < 3600) return format("%d min %02d s", whole / 60, whole % 60);
  return format("%d h %02d min", whole / 3600, whole % 3600 / 60);
}

std::string memory_note(std::uint64_t decoder_memory_bytes) {
  if (decoder_memory_bytes <= ApplyOptions().memory_limit_bytes) return "";
  return "bdelta: whoever applies this patch has to allow more memory than is usual: bpatch --memory " +
         size_argument(decoder_memory_bytes) + "\n";
}

std::string left_out_note(const std::vector<LeftOut>& left_out, std::uint64_t limit_bytes) {
  std::string names;
  std::uint64_t needed_bytes = 0;
  std::size_t count = 0;
  for (const LeftOut& work : left_out) {
    if (work.needed_bytes == 0) continue;
    ++count;
    std::string name = work.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    names += (names.empty() ? "" : ", ") + name;
    needed_bytes = std::max(needed_bytes, work.needed_bytes);
  }
  if (count == 0) return "";
  return "bdelta: left out for --memory " + size_argument(limit_bytes) + ": " + names + " (with " + size_argument(needed_bytes) +
         (count == 1 ? " it would be in)\n" : " they would be in)\n");
}

std::string version_text(const char* program) {
  return std::string(program) + " " BDELTA_VERSION " (BDT 2 draft " + std::to_string(BDELTA_FORMAT_DRAFT) + ", zstd " +
         zstd_version() + ", liblzma " + lzma_version() + ")";
}

// With the names that JSON and statistics have for them.
static std::vector<std::pair<const char*, UnpackReport::Streams>> outcomes_of(const UnpackReport& unpack) {
  return {{"unpacked", unpack.unpacked}, {"same", unpack.same},       {"costly", unpack.costly},
          {"damaged", unpack.damaged},   {"encrypted", unpack.encrypted}, {"no_room", unpack.no_room},
          {"unlike", unpack.unlike},       {"unscanned", unpack.unscanned}};
}

std::string stats_text(const Report& report, std::uint64_t peak_resident_bytes) {
  double total = 0;
  for (const Phase& phase : report.phases) total += phase.seconds;
  std::string text = format("%-18s %9s %11s %14s %7s\n", "phase", "seconds", "wall clock", "speed", "share");
  for (const Phase& phase : report.phases) {
    text += format("%-18s %9.3f %11.3f %14s %6.1f%%\n", phase.name.c_str(), phase.seconds, phase.wall_seconds,
                   speed(phase).c_str(), percent(phase.seconds, total));
  }
  text += format("%-18s %9.3f %11.3f  (threads: %u)\n", "total", total, report.wall_seconds, report.threads);
  if (!report.streams.empty()) {
    text += format("\n%-18s %12s %12s\n", "stream", "raw bytes", "coded bytes");
    for (const StreamReport& stream : report.streams) {
      text += format("%-18s %12llu %12llu\n", stream.name.c_str(), static_cast<unsigned long long>(stream.raw_bytes),
                     static_cast<unsigned long long>(stream.coded_bytes));
    }
  }
  if (report.unpack.unpacked.count != 0 || report.unpack.left_bytes() + report.unpack.unscanned.bytes != 0) {
    text += format("\n%-18s %12s %12s\n", "packed streams", "count", "bytes");
    for (const auto& [name, streams] : outcomes_of(report.unpack)) {
      text += format("%-18s %12llu %12llu\n", name, static_cast<unsigned long long>(streams.count),
                     static_cast<unsigned long long>(streams.bytes));
    }
  }
  const auto row = [&](const char* name, std::uint64_t value) {
    text += format("%-18s %12llu\n", name, static_cast<unsigned long long>(value));
  };
  text += "\n";
  row("covers", report.cover_count);
  row("covered bytes", report.covered_bytes);
  row("literal bytes", report.literal_bytes);
  row("residual bytes", report.residual_bytes);
  row("windows", report.window_count);
  row("read calls", report.read_calls);
  row("write calls", report.write_calls);
  text += format("%-18s %12s\n", "peak memory", human_size(peak_resident_bytes).c_str());
  return text;
}

namespace {

// Names that are no UTF-8 have their bytes besides.
Json changes_json(const std::vector<TreeChange>& changes) {
  Json list = Json::array();
  for (const TreeChange& change : changes) {
    Json entry = Json::object();
    put_name(entry, "path", std::filesystem::path(change.path));
    if (!change.from.empty()) put_name(entry, "from", std::filesystem::path(change.from));
    entry["bytes"] = change.bytes;
    list.push_back(std::move(entry));
  }
  return list;
}

Json json_head(const char* program, bool ok) {
  return {{"schema", kJsonSchema}, {"program", program}, {"version", BDELTA_VERSION}, {"ok", ok}};
}

}  // namespace

std::string report_json(const char* program, const FileNames& names, const Report& report,
                        std::uint64_t peak_resident_bytes, const Json& more) {
  Json json = json_head(program, true);
  json.update(more);
  put_name(json, "source", names.source);
  if (!names.target.empty()) put_name(json, "target", names.target);
  if (!names.patch.empty()) put_name(json, "patch", names.patch);
  if (!report.format.empty()) json["format"] = report.format;
  if (report.level != 0) json["level"] = report.level;
  json["source_bytes"] = report.source_bytes;
  json["target_bytes"] = report.target_bytes;
  json["patch_bytes"] = report.patch_bytes;
  put_digests(json, "source_", report.source_digests);
  put_digests(json, "target_", report.target_digests);
  put_digests(json, "patch_", report.patch_digests);
  if (report.level != 0) {
    json["decoder_memory_bytes"] = report.decoder_memory_bytes;
    json["nominal_apply_seconds"] = static_cast<double>(report.nominal_apply_ns) * 1e-9;
    json["left_out"] = Json::array();
    for (const LeftOut& work : report.left_out) {
      Json left_out{{"name", work.name}};
      if (work.needed_bytes != 0) left_out["needed_bytes"] = work.needed_bytes;
      else left_out["needed_seconds"] = work.needed_seconds;
      json["left_out"].push_back(std::move(left_out));
    }
  }
  if (report.head_sha256) json["head_sha256"] = to_hex(*report.head_sha256);
  json["up_to_date"] = report.up_to_date;
  json["verified"] = report.verified;
  json["threads"] = report.threads;
  json["wall_seconds"] = report.wall_seconds;
  if (report.tree) {
    json["tree"] = {{"changed", changes_json(report.tree->changed)}, {"added", changes_json(report.tree->added)},
                    {"moved", changes_json(report.tree->moved)}, {"removed", changes_json(report.tree->removed)},
                    {"written_bytes", report.tree->written_bytes}};
  }
  json["phases"] = Json::array();
  for (const Phase& phase : report.phases) {
    json["phases"].push_back({{"name", phase.name}, {"seconds", phase.seconds}, {"wall_seconds", phase.wall_seconds},
                              {"bytes", phase.bytes}});
  }
  json["streams"] = Json::array();
  for (const StreamReport& stream : report.streams) {
    json["streams"].push_back({{"name", stream.name}, {"raw_bytes", stream.raw_bytes}, {"coded_bytes", stream.coded_bytes}});
  }
  if (report.level != 0) {
    for (const auto& [name, streams] : outcomes_of(report.unpack)) {
      json["packed"][name] = {{"count", streams.count}, {"bytes", streams.bytes}};
    }
  }
  json["cover_count"] = report.cover_count;
  json["covered_bytes"] = report.covered_bytes;
  json["literal_bytes"] = report.literal_bytes;
  json["residual_bytes"] = report.residual_bytes;
  json["window_count"] = report.window_count;
  json["read_calls"] = report.read_calls;
  json["write_calls"] = report.write_calls;
  json["peak_resident_bytes"] = peak_resident_bytes;
  return line_of(json);
}

std::string changes_text(const char* program, const std::filesystem::path& directory, const TreeChanges& changes) {
  std::string text;
  const auto list = [&](const char* what, const std::vector<TreeChange>& entries) {
    for (const TreeChange& entry : entries) {
      text += format("%-9s", what) + (entry.from.empty() ? "" : one_line(entry.from) + " -> ") + one_line(entry.path) + "\n";
    }
  };
  list("changed", changes.changed);
  list("added", changes.added);
  list("moved", changes.moved);
  list("removed", changes.removed);
  return text + program + ": " + shown(directory) + ": " + std::to_string(changes.changed.size()) + " changed, " +
         std::to_string(changes.added.size()) + " added, " + std::to_string(changes.moved.size()) + " moved, " +
         std::to_string(changes.removed.size()) + " removed, " + human_size(changes.written_bytes) +
         " would be written; nothing was\n";
}

std::string resumed_text(const char* program, const std::filesystem::path& directory, Resumed done) {
  const char* what = "there was nothing to complete";
  if (done == Resumed::kDiscarded) what = "what an interrupted update had made was removed; nothing else had changed";
  if (done == Resumed::kFinished) what = "its update was finished";
  if (done == Resumed::kTakenBack) what = "its update was taken back";
  return std::string(program) + ": " + shown(directory) + ": " + what + "\n";
}

std::string resumed_json(const char* program, const std::filesystem::path& directory, Resumed done) {
  Json json = json_head(program, true);
  put_name(json, "target", directory);
  json["resumed"] = done == Resumed::kFinished    ? "finished"
                    : done == Resumed::kTakenBack ? "taken_back"
                    : done == Resumed::kDiscarded ? "discarded"
                                                  : "nothing";
  return line_of(json);
}

std::string version_json(const char* program) {
  Json json = json_head(program, true);
  json["format"] = "bdt2";
  json["draft"] = BDELTA_FORMAT_DRAFT;
  json.update(codec_versions());
  json["xxhash"] = xxhash_version();
  json["sha256"] = sha256_library();
  return json.dump();
}

std::string error_json(const char* program, const Error& error, const Circumstances& circumstances) {
  Json json = json_head(program, false);
  Json& what = json["error"] = error_object(error);
  if (circumstances.signal_name) {
    what["exit"] = 128 + circumstances.signal_number;
    what["signal"] = circumstances.signal_name;
  }
  if (circumstances.output_kept) what["output_kept"] = true;
  return line_of(json);
}

std::string trace_json(const char* program, const Result<Report>& result, std::uint64_t dropped_count) {
  Json json{{"program", program}, {"version", BDELTA_VERSION}, {"ok", static_cast<bool>(result)}};
  if (result) {
    const Report& report = *result;
    if (report.level != 0) json["level"] = report.level;
    json["threads"] = report.threads;
    json["source_bytes"] = report.source_bytes;
    json["target_bytes"] = report.target_bytes;
    json["patch_bytes"] = report.patch_bytes;
    json["wall_seconds"] = report.wall_seconds;
  } else {
    json["error"] = std::string(error_name(result.error().code));
  }
  json["dropped_spans"] = dropped_count;
  return json.dump();
}

std::string info_json(const char* program, const PatchInfo& info, const Json& more) {
  Json json = json_head(program, true);
  json["format"] = info.format;
  json["format_version"] = info.version;
  json["draft"] = info.draft;
  if (info.source_size) json["source_bytes"] = *info.source_size;
  if (info.target_size) json["target_bytes"] = *info.target_size;
  if (info.source_digest) json["source_xxh3_128"] = to_hex(*info.source_digest);
  if (info.target_digest) json["target_xxh3_128"] = to_hex(*info.target_digest);
  json["required_features"] = info.required_features;
  json["optional_features"] = info.optional_features;
  json["predicted"] = info.predicted;
  json["unpacked"] = info.unpacked;
  if (info.of_tree) json["of"] = "directories";
  if (info.tree) {
    json["tree"] = {{"entries", info.tree->entry_count}, {"kept_files", info.tree->kept_files},
                    {"changed_files", info.tree->changed_files}, {"added_files", info.tree->added_files},
                    {"removed_files", info.tree->removed_files}, {"made_bytes", info.tree->made_bytes},
                    {"has_times", info.tree->has_times}, {"has_old_list", info.tree->has_source_list},
                    {"exclude", info.tree->excluded}};
  }
  json["window_bytes"] = info.window_bytes;
  json["decoder_memory_bytes"] = info.decoder_memory_bytes;
  if (info.head_sha256) json["head_sha256"] = to_hex(*info.head_sha256);
  if (info.patch_bytes != 0) {
    json["patch_bytes"] = info.patch_bytes;
    json["verified"] = info.verified;
  }
  json.update(more);
  return line_of(json);
}

std::string verified_text(const char* program, const std::filesystem::path& patch, const PatchInfo& info) {
  const std::string begin = std::string(program) + ": ";
  const std::string size = human_size(info.patch_bytes);
  return begin + shown(patch) +
         (info.verified ? " is undamaged: " + size + ", all checksums fit\n"
                        : " is whole: " + size + "; this format has no checksum: alteration of PATCH can't be detected\n") +
         begin + "whether it fits OLD is not known: --check OLD PATCH tells\n";
}

namespace {

std::string tree_text(const TreeInfo& tree) {
  const auto number = [](std::uint64_t count) { return std::to_string(count); };
  std::string text = "entries         " + number(tree.entry_count) + "\n";
  text += "files           " + number(tree.kept_files) + " kept, " + number(tree.changed_files) + " changed, " +
          number(tree.added_files) + " added, " + number(tree.removed_files) + " removed\n";
  text += "made            " + human_size(tree.made_bytes) + ", all else is copied from OLD\n";
  for (const std::string& pattern : tree.excluded) text += "passed over     " + one_line(pattern) + "\n";
  if (tree.has_times) text += "times           of files are held\n";
  if (tree.has_source_list) text += "list of OLD     is held: --check names what differs\n";
  return text;
}

}  // namespace

std::string info_text(const PatchInfo& info) {
  std::string text = format("format          BDT version %u", info.version);
  if (info.draft != 0) text += format(", draft %u", info.draft);
  text += "\n";
  if (info.of_tree) text += "of              directories\n";
  if (info.source_size) text += format("OLD             %llu bytes\n", static_cast<unsigned long long>(*info.source_size));
  if (info.source_digest) text += "  XXH3-128      " + to_hex(*info.source_digest) + "\n";
  if (info.target_size) text += format("NEW             %llu bytes\n", static_cast<unsigned long long>(*info.target_size));
  if (info.target_digest) text += "  XXH3-128      " + to_hex(*info.target_digest) + "\n";
  if (info.tree) text += tree_text(*info.tree);
  if (info.predicted) text += "programs        addresses are predicted: bpatch needs those of OLD as a whole\n";
  if (info.unpacked) text += "archives        are unpacked: bpatch holds OLD unpacked, and packs NEW again\n";
  text += "largest window  " + human_size(info.window_bytes) + "\n";
  text += "decoder memory  " + size_argument(info.decoder_memory_bytes) + "\n";
  if (info.head_sha256) text += "head SHA-256    " + to_hex(*info.head_sha256) + "\n";
  if (!info.target_digest) text += "no checksums: alteration can't be detected\n";
  return text;
}

}  // namespace bdelta::cli
