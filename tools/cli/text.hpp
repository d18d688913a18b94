// What the programs say to people and machines.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bdelta/inspect.hpp"
#include "bdelta/report.hpp"
#include "bdelta/tree.hpp"

namespace bdelta::cli {

// A path from a word of the command line, whatever its bytes.
[[nodiscard]] std::filesystem::path path_of(const std::string& word);

// A path for a message: control characters and what is no UTF-8 as \xNN.
[[nodiscard]] std::string shown(const std::filesystem::path& path);

// Text that may hold anything, for a message of one line; likewise.
[[nodiscard]] std::string one_line(const std::string& text);

// "12.3 MiB"
[[nodiscard]] std::string human_size(std::uint64_t bytes);

// Bytes as a SIZE that the programs take, rounded up: "819", "800K", "97M".
[[nodiscard]] std::string size_argument(std::uint64_t bytes);

// "1.25 s"
[[nodiscard]] std::string seconds_text(double seconds);

// "12 s", "3 min 05 s" or "1 h 02 min": what is begun counts as whole.
[[nodiscard]] std::string duration_text(double seconds);

// A line about a patch that bpatch refuses with its usual limit of memory, or nothing: who ships it should not hear of that
// from those who apply it.
[[nodiscard]] std::string memory_note(std::uint64_t decoder_memory_bytes);

// What such a limit left no room for, and the one that would do; empty where nothing was left out.
[[nodiscard]] std::string left_out_note(const std::vector<LeftOut>& left_out, std::uint64_t limit_bytes);

// Both without an end of line; the second is JSON.
[[nodiscard]] std::string version_text(const char* program);
[[nodiscard]] std::string version_json(const char* program);

// As they were given; the target's is empty where there is none.
struct FileNames {
  std::filesystem::path source;
  std::filesystem::path target;
  std::filesystem::path patch;
};

// The table of --stats.
[[nodiscard]] std::string stats_text(const Report& report, std::uint64_t peak_resident_bytes);

// What the programs know of an error besides the library.
struct Circumstances {
  const char* signal_name = nullptr;  // of the signal that the program ends by, e.g. "SIGTERM"
  int signal_number = 0;
  bool output_kept = false;  // the output of an earlier run is still there, as it was
};

// One JSON object in one line, with "schema": 1.
// `more` is an object of the program's own, whose keys come first.
[[nodiscard]] std::string report_json(const char* program, const FileNames& names, const Report& report,
                                      std::uint64_t peak_resident_bytes, const nlohmann::ordered_json& more);
[[nodiscard]] std::string error_json(const char* program, const Error& error, const Circumstances& circumstances = {});
// "otherData" of a trace: the report, or after an error what is known then.
[[nodiscard]] std::string trace_json(const char* program, const Result<Report>& result, std::uint64_t dropped_count);
// `more` is put behind the rest.
[[nodiscard]] std::string info_json(const char* program, const PatchInfo& info, const nlohmann::ordered_json& more);
[[nodiscard]] std::string info_text(const PatchInfo& info);

// What an update of a directory would do: lines, the last behind the name of the program.
[[nodiscard]] std::string changes_text(const char* program, const std::filesystem::path& directory, const TreeChanges& changes);

// What resume_tree did.
[[nodiscard]] std::string resumed_text(const char* program, const std::filesystem::path& directory, Resumed done);
[[nodiscard]] std::string resumed_json(const char* program, const std::filesystem::path& directory, Resumed done);

// What verify_patch proved and what not: lines, each behind the name of the program.
[[nodiscard]] std::string verified_text(const char* program, const std::filesystem::path& patch, const PatchInfo& info);

}  // namespace bdelta::cli
