#include "options.hpp"

#include "cli/text.hpp"
#include "cli/values.hpp"

namespace bdelta::cli {
namespace {

constexpr ProgramTexts kTexts{
    .name = "bpatch",
    .about = "Rebuilds NEW from OLD and PATCH: a file, or a directory.",
    .usage = "  bpatch app-1.bin app-2.bin app.patch    make app-2.bin from the others\n"
             "  bpatch --force app app app.patch        put NEW in the place of OLD\n\n"
             "Usage: bpatch [OPTIONS] OLD NEW PATCH\n"
             "       bpatch [OPTIONS] --check OLD PATCH\n"
             "       bpatch [OPTIONS] --check PATCH\n"
             "       bpatch [OPTIONS] --dry-run OLD PATCH\n"
             "       bpatch [OPTIONS] --in-place FILE PATCH\n"
             "       bpatch [OPTIONS] --resume FILE_OR_DIR\n"
             "       bpatch --info PATCH\n"
             "       bpatch --info OLD PATCH\n"
             "       bpatch --info --members OLD PATCH",
    .source = "The file or directory that both sides have",
    .target = "What to make; - is standard output for a file",
    .patch = "The patch; - is standard input",
    .memory = "Refuse PATCH if decoding it takes more, e.g. 1G\n(default 256M); buffers come on top",
    .levels = "levels are for bdelta, and bpatch takes none"};

struct Words {
  std::string max_output, mode, sha256, head_sha256, journal, scratch, state;
  bool check = false, outside_links = false, in_place = false, resume = false, dry_run = false, members = false;
  bool keep_others = false, keep_state = false, trust_times = false;
};

void add_options(CLI::App& app, Words& words) {
  app.add_flag("--check", words.check, "Verify OLD and PATCH (OLD PATCH or OLD NEW PATCH),\nor PATCH by itself; write nothing");
  app.add_flag("--in-place", words.in_place, "Make NEW of FILE, or of a block device, by\nwriting the blocks that differ");
  app.add_flag("--resume", words.resume, "Complete an update of FILE that was interrupted;\nof a directory finish it, or take it back");
  app.add_option("--journal", words.journal, "Where the journal of --in-place and --resume is\n(default: beside FILE; a device needs one)")
      ->type_name("FILE");
  app.add_option("--scratch", words.scratch, "The largest journal to accept, e.g. 100M")->type_name("SIZE")->check(check_size);
  app.add_flag("--dry-run", words.dry_run, "With --in-place or of directories: say what would\nbe written, and write nothing");
  app.add_option("--sha256", words.sha256, "The SHA-256 that PATCH must have; checked before\nanything in it is read")
      ->type_name("HEX")
      ->check(check_sha256);
  app.add_option("--head-sha256", words.head_sha256, "The SHA-256 that the head of a PATCH with digests\nmust have; it proves each part as it comes")
      ->type_name("HEX")
      ->check(check_sha256);
  app.add_option("--mode", words.mode, "Permission bits of NEW, e.g. 644 (default: those of\nthe file that it replaces, else OLD's less umask)")
      ->type_name("OCTAL")
      ->check(check_mode);
  app.add_flag("--members", words.members, "With --info: where the bytes of PATCH go, and with\nOLD in front of it by members of NEW");
  app.add_flag("--outside-links", words.outside_links, "Make links of a directory that lead out of it");
  app.add_flag("--keep-others", words.keep_others, "Leave alone entries of a directory that are not in\nthe list of OLD (in PATCH or in the state)");
  app.add_flag("--keep-state", words.keep_state, "Leave the state of NEW's files in .bdelta or in FILE");
  app.add_option("--state", words.state, "Where the state is: a file outside of the directory")->type_name("FILE");
  app.add_flag("--trust-times", words.trust_times, "Do not read files of OLD that are as the state\nhas them");
  app.add_option("--max-output", words.max_output, "The largest NEW to accept, e.g. 2G")->type_name("SIZE")->check(check_size);
}

ApplyOptions apply_options(const Words& words, const CommonOptions& common) {
  ApplyOptions apply;
  apply.files = common.files;
  apply.threads = common.threads;
  apply.time_limit_seconds = common.time_limit_seconds;
  if (common.memory_bytes != 0) apply.memory_limit_bytes = common.memory_bytes;
  if (!words.sha256.empty()) apply.expected_patch_sha256 = parse_sha256(words.sha256);
  if (!words.head_sha256.empty()) apply.expected_head_sha256 = parse_sha256(words.head_sha256);
  if (!words.mode.empty()) apply.target_mode = parse_mode(words.mode);
  apply.outside_links = words.outside_links;
  apply.keep_others = words.keep_others;
  apply.keep_state = words.keep_state;
  apply.trust_times = words.trust_times;
  if (!words.state.empty()) apply.state_file = path_of(words.state);
  apply.output_limit_bytes = size_or(words.max_output, apply.output_limit_bytes);
  return apply;
}

InPlaceOptions in_place_options(const Words& words) {
  InPlaceOptions in_place;
  if (!words.journal.empty()) in_place.journal = path_of(words.journal);
  in_place.scratch_limit_bytes = size_or(words.scratch, in_place.scratch_limit_bytes);
  in_place.dry_run = words.dry_run;
  return in_place;
}

// What goes with which action; nothing if all is well.
std::string check_actions(const Words& words) {
  if (words.check + words.in_place + words.resume > 1) return "--check, --in-place and --resume exclude each other";
  if (words.dry_run && (words.check || words.resume)) return "--dry-run takes OLD PATCH, or --in-place FILE PATCH";
  if (!words.in_place && !words.scratch.empty()) return "--dry-run and --scratch of files need --in-place";
  if (!words.in_place && !words.resume && !words.journal.empty()) return "--journal needs --in-place or --resume";
  return words.in_place && !words.mode.empty() ? "--mode is not for --in-place: FILE keeps its permissions" : "";
}

}  // namespace

std::variant<ApplyProgramOptions, Exit> parse_apply_options(int argc, const char* const* argv) {
  CommandLine line(kTexts, argc, argv);
  Words words;
  add_options(line.app(), words);
  line.add_common();
  if (const auto exit = line.parse()) return *exit;
  ApplyProgramOptions options;
  if (words.check || words.dry_run) options.common.action = Action::kCheck;
  if (words.in_place) options.common.action = Action::kInPlace;
  if (words.resume) options.common.action = Action::kResume;
  options.dry_run = words.dry_run && !words.in_place;
  std::string wrong = check_actions(words);
  if (wrong.empty()) wrong = line.place(options.common, true);
  options.apply = apply_options(words, options.common);
  options.in_place = in_place_options(words);
  options.members = words.members;
  if (wrong.empty() && words.members && options.common.action != Action::kInfo) wrong = "--members is for --info";
  if (wrong.empty() && options.common.source == "-") {
    wrong = "- can't stand for this file, which is read at many places at once; give a file";
  }
  const bool expects = options.apply.expected_patch_sha256 || options.apply.expected_head_sha256;
  if (wrong.empty() && options.common.action == Action::kInfo && expects && !words.members) {
    wrong = "--info takes one PATCH and nothing else";
  }
  const bool limits = expects || options.common.time_limit_seconds != 0 || !options.common.trace.empty();
  if (wrong.empty() && checks_patch_alone(options.common) && limits) {
    wrong = "--sha256, --head-sha256, --timeout and --trace need OLD";
  }
  if (wrong.empty() && options.dry_run && checks_patch_alone(options.common)) wrong = "--dry-run takes OLD PATCH";
  if (!wrong.empty()) return line.refuse(wrong);
  return options;
}

}  // namespace bdelta::cli
