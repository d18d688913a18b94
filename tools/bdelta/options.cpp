#include "options.hpp"

#include "cli/text.hpp"
#include "cli/values.hpp"
#include "utc_time.hpp"

namespace bdelta::cli {
namespace {

constexpr ProgramTexts kTexts{
    .name = "bdelta",
    .about = "Makes PATCH, from which bpatch rebuilds NEW where OLD is.",
    .usage = "  bdelta app-1.bin app-2.bin app.patch    make app.patch\n"
             "  bdelta -6 old new patch                 smaller, slower\n\n"
             "Usage: bdelta [OPTIONS] OLD NEW PATCH\n"
             "       bdelta [OPTIONS] --to NEW --out DIR OLD...\n"
             "       bdelta --info PATCH",
    .source = "The file or directory that both sides have; - is\nstandard input",
    .target = "What the patch is to make; likewise",
    .patch = "The patch to write; - is standard output",
    .memory = "Private memory to stay within, e.g. 512M (from 64M\non any files will do)",
    .levels = "levels are -1 to -9 and --ultra"};

constexpr const char* kNoStream = "- can't stand for this file, which is read at many places at once; give a file";

struct Words {
  std::string max_ratio, max_apply_seconds, to, out, hash_files;
  std::string format = "bdt2", unpack = "auto";
  std::vector<std::string> more;  // arguments behind the third
  std::vector<std::string> exclude;
  bool times = false, old_list = false;
  bool verify = true, predict = true, digests = false;
  bool levels[kUltraLevel + 1] = {};
};

std::string level_name(int level) {
  return level == kUltraLevel ? "--ultra" : "-" + std::to_string(level);
}

// Empty for what works, too; the help names each kind once.
const char* level_text(int level) {
  switch (level) {
    case 1: return "Fastest; -2 a little smaller";
    case 3: return "Balanced: the default; -4 and -5 compress harder";
    case 6: return "Small; -7 and -8 smaller, -9 tries several ways";
    case kUltraLevel: return "Smallest; slower to apply than -9";
    default: return "";
  }
}

void add_options(CLI::App& app, Words& words) {
  app.add_option("MORE", words.more)->group("");
  for (int level = kMinLevel; level <= kUltraLevel; ++level) {
    CLI::Option* option = app.add_flag(level_name(level), words.levels[level], level_text(level));
    if (*level_text(level) == '\0') option->group("");
  }
  app.add_option("--format", words.format, "Patch format: bdt2 (default), or bdt1 for the\noriginal bpatch")
      ->type_name("NAME")
      ->check(one_of({"bdt2", "bdt1"}));
  app.add_option("--max-ratio", words.max_ratio, "Give up once PATCH is known to pass this share of\nNEW, e.g. 0.6 or 60%")
      ->type_name("R")
      ->check(check_ratio);
  app.add_option("--max-apply-seconds", words.max_apply_seconds,
                 "Leave out of PATCH what makes bpatch take longer\nthan that, by a table of nominal times")
      ->type_name("SECONDS")
      ->check(check_seconds);
  app.add_flag("--predict,!--no-predict", words.predict, "Predict addresses in programs, and numbers of\ntypes in kernel modules (default: yes)");
  app.add_option("--unpack", words.unpack, "Compare what archives hold (gzip, zip, jar, wheel,\napk): auto (default), none or all")
      ->type_name("WHAT")
      ->check(one_of({"auto", "none", "all"}));
  app.add_flag("--digests", words.digests,
               "Add digests, so that each part can be proven before\nit is decoded, also while it is still coming");
  app.add_option("--exclude", words.exclude, "Directories: skip names that match, e.g. '*.log';\nmay be given several times")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_flag("--times", words.times, "Directories: store when files were changed");
  app.add_flag("--old-list", words.old_list, "Directories: store what OLD has, so that bpatch\nnames what differs");
  app.add_option("--to", words.to, "Make a patch to NEW from each OLD that is named:\n--to NEW --out DIR OLD...")
      ->type_name("FILE");
  app.add_option("--out", words.out, "Where these patches and manifest.json go; made if\nits parent exists")
      ->type_name("DIR");
  app.add_option("--hash-files", words.hash_files, "Give SHA-256 of OLD and NEW, too, in --json or the\nmanifest")
      ->type_name("WAY")
      ->check(one_of({"sha256"}));
  app.add_flag("--verify,!--no-verify", words.verify, "Apply the patch in memory before it is published\n(default: yes)");
}

// The text of what is wrong, or nothing.
std::string place_level(const Words& words, CreateOptions& create) {
  std::string names;
  int count = 0;
  for (int level = kMinLevel; level <= kUltraLevel; ++level) {
    if (!words.levels[level]) continue;
    create.level = level;
    names += (count++ == 0 ? "" : " and ") + level_name(level);
  }
  return count > 1 ? "expected one level, found " + names : "";
}

// For one patch, the usual three arguments. Gives what is wrong, or nothing.
std::string place_pair(CommandLine& line, const Words& words, CommonOptions& common) {
  if (!words.more.empty()) {
    return "one argument too many: " + words.more.front() + "; for several OLDs give --to NEW --out DIR OLD...";
  }
  return line.place(common);
}

// Likewise, for a release.
std::string place_release(CommandLine& line, const Words& words, CreateProgramOptions& options) {
  std::vector<std::string> sources;
  const std::string wrong = line.place(options.common, sources);
  if (!wrong.empty()) return wrong;
  sources.insert(sources.end(), words.more.begin(), words.more.end());
  if (words.to.empty() || words.out.empty() || sources.empty()) return "expected --to NEW --out DIR OLD...";
  if (!options.common.trace.empty()) return "--trace takes one OLD: it tells of one patch";
  ReleaseOptions release{path_of(words.to), path_of(words.out), {}};
  for (const std::string& source : sources) {
    if (source.empty()) return "expected names of files, found an empty one";
    if (source == "-") return kNoStream;
    release.sources.push_back(path_of(source));
  }
  if (release.target == "-") return kNoStream;
  options.common.target = release.target;
  options.release = std::move(release);
  return "";
}

// Likewise, for what JSON tells besides.
std::string place_facts(const Words& words, CreateProgramOptions& options) {
  const bool tells = options.release || (options.common.json && options.common.action == Action::kRun);
  if (!words.hash_files.empty() && !tells) return "--hash-files takes --json or --to, which tell the digests";
  options.create.digest_patch = tells;
  options.create.sha256_inputs = !words.hash_files.empty();
  options.begin_unix_seconds = now_unix_seconds();
  if (!tells) return "";
  const auto epoch = source_date_epoch();
  if (!epoch) return epoch.error().detail;
  options.source_date_epoch = *epoch;
  return "";
}

CreateOptions create_options(const Words& words, const CommonOptions& common) {
  CreateOptions create;
  create.files = common.files;
  create.temp_dir = common.files.temp_dir;
  create.threads = common.threads;
  create.memory_limit_bytes = common.memory_bytes;
  create.time_limit_seconds = common.time_limit_seconds;
  create.format = words.format == "bdt1" ? PatchFormat::kBdt1 : PatchFormat::kBdt2;
  create.predict = words.predict;
  create.unpack = words.unpack == "none" ? Unpack::kNone : words.unpack == "all" ? Unpack::kAll : Unpack::kAuto;
  create.verify = words.verify;
  create.group_digests = words.digests;
  if (!words.max_ratio.empty()) create.max_patch_ratio = *parse_ratio(words.max_ratio);
  if (!words.max_apply_seconds.empty()) create.max_apply_seconds = *parse_seconds(words.max_apply_seconds);
  return create;
}

}  // namespace

std::variant<CreateProgramOptions, Exit> parse_create_options(int argc, const char* const* argv) {
  CommandLine line(kTexts, argc, argv);
  Words words;
  add_options(line.app(), words);
  line.add_common();
  if (const auto exit = line.parse()) return *exit;
  CreateProgramOptions options;
  const bool is_release = !words.to.empty() || !words.out.empty();
  std::string wrong = is_release ? place_release(line, words, options) : place_pair(line, words, options.common);
  options.create = create_options(words, options.common);
  options.tree = {words.exclude, words.times, words.old_list};
  if (wrong.empty()) wrong = place_level(words, options.create);
  if (wrong.empty()) wrong = place_facts(words, options);
  if (!wrong.empty()) return line.refuse(wrong);
  return options;
}

}  // namespace bdelta::cli
