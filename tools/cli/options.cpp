#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <locale>
#include <memory>
#include <sstream>
#include <string_view>

#include "base/checked.hpp"
#include "cli/describe.hpp"
#include "cli/text.hpp"

namespace bdelta::cli {
namespace {

constexpr std::uint64_t kMaxIoBuffer = std::uint64_t{64} << 20;

// Raw values as they stand on the command line.
struct Words {
  std::string source, target, patch;
  std::string info;
  bool asks_for_info = false;
  std::string memory, io_buffer, max_output, sha256;
  std::string max_ratio, timeout;
  std::string format = "bdt2";
  std::string io = "mmap";
  std::string temp_dir;
  std::string trace;
  unsigned threads = 0;
  bool force = false, no_sync = false, check = false, all_in_ram = false, verify = true, predict = true, digests = false;
  bool levels[kMaxLevel + 1] = {};
};

std::string check_size(const std::string& text) {
  return parse_size(text) ? std::string() : "expected a size such as 64M or 2GiB, found " + text;
}

std::string check_ratio(const std::string& text) {
  return parse_ratio(text) ? std::string() : "expected a share above 0 such as 0.6 or 60%, found " + text;
}

std::string check_seconds(const std::string& text) {
  return parse_seconds(text) ? std::string() : "expected seconds above 0 such as 2.5, found " + text;
}

std::string check_sha256(const std::string& text) {
  return parse_sha256(text) ? std::string() : "expected 64 hexadecimal digits, found " + text;
}

std::string check_trace(const std::string& text) {
  return text.empty() || text == "-" ? "expected the name of a file; - can't stand for it" : std::string();
}

void add_common(CLI::App& app, Words& words, Options& options) {
  // Its value is optional, so that other options may stand in front of PATCH, which is then an argument like others.
  app.add_option("--info", words.info, "Say what PATCH is, and do nothing else")->type_name("PATCH")->expected(0, 1);
  app.add_option("-t,--threads", words.threads, "Threads to use; 0, the default: one for each core\n(the result is the same for any number)")
      ->type_name("N")
      ->check(CLI::Range(0u, 1024u));
  app.add_option("--memory", words.memory, "Private memory to stay within, e.g. 512M (from 64M\non any files will do)")->type_name("SIZE")->check(check_size);
  app.add_option("--io", words.io, "How inputs are read: mmap (default) or stdio")->type_name("WAY")->check(CLI::IsMember({"mmap", "stdio"}));
  app.add_option("--io-buffer", words.io_buffer, "Buffer of stdio, 0 to 64M (default 64K)")->type_name("SIZE")->check(check_size);
  app.add_option("--timeout", words.timeout, "Give up after so many seconds, e.g. 2.5")->type_name("SECONDS")->check(check_seconds);
  app.add_option("--temp-dir", words.temp_dir, "Where temporary files live (default: beside the\noutput; a large patch waits in the system's)")->type_name("DIR");
  app.add_flag("-f,--force", words.force, "Replace an existing output");
  app.add_flag("--no-sync", words.no_sync, "Do not wait until the output is on the disk");
  app.add_flag("--stats", options.stats, "Print where time, bytes and memory went (to stderr)");
  app.add_option("--trace", words.trace, "Write what each thread did when, for Perfetto or\nchrome://tracing")->type_name("FILE")->check(check_trace);
  app.add_flag("--json", options.json, "Print the result as JSON (to stdout, or to stderr\nif that is taken)");
  app.add_flag("-q,--quiet", options.quiet, "Print nothing but errors");
  app.add_flag("--all-in-ram", words.all_in_ram, "Accepted for scripts of the original; has no effect");
}

void add_create(CLI::App& app, Words& words) {
  for (int level = kMinLevel; level <= kMaxLevel; ++level) {
    const char* text = level == 1   ? "Fastest; -2 a little smaller"
                       : level == 3 ? "Balanced: the default; -4 and -5 compress harder"
                       : level == 6 ? "Small; -7 and -8 smaller, -9 tries several ways"
                       : level == kUltraLevel ? "Smaller than -9; slower to apply"
                       : level == kMaxLevel   ? "Smallest; slow to make and to apply"
                                    : "";
    const std::string name = level == kMaxLevel     ? "--max"
                             : level == kUltraLevel ? "--ultra"
                                                    : "-" + std::to_string(level);
    CLI::Option* option = app.add_flag(name, words.levels[level], text);
    if (*text == '\0') option->group("");  // works, but the help names each kind once
  }
  app.add_option("--format", words.format, "Patch format: bdt2 (default), or bdt1 for the\noriginal bpatch")
      ->type_name("NAME")
      ->check(CLI::IsMember({"bdt2", "bdt1"}));
  app.add_option("--max-ratio", words.max_ratio, "Give up once PATCH is known to pass this share of\nNEW, e.g. 0.6 or 60%")
      ->type_name("R")
      ->check(check_ratio);
  app.add_flag("--predict,!--no-predict", words.predict, "Predict addresses in programs, and numbers of\ntypes in kernel modules (default: yes)");
  app.add_flag("--digests", words.digests,
               "Add digests, so that each part can be proven before\nit is decoded, also while it is still coming");
  app.add_flag("--verify,!--no-verify", words.verify, "Apply the patch in memory before it is published\n(default: yes)");
}

void add_apply(CLI::App& app, Words& words) {
  app.add_flag("--check", words.check, "Verify OLD and PATCH (OLD PATCH or OLD NEW PATCH),\nwrite nothing");
  app.add_option("--sha256", words.sha256, "The SHA-256 that PATCH must have; checked before\nanything in it is read")
      ->type_name("HEX")
      ->check(check_sha256);
  app.add_option("--max-output", words.max_output, "The largest NEW to accept, e.g. 2G")->type_name("SIZE")->check(check_size);
}

// Nothing where the size is absent; it has passed check_size.
std::uint64_t size_or(const std::string& text, std::uint64_t otherwise) {
  return text.empty() ? otherwise : *parse_size(text);
}

FileOptions file_options(const Words& words) {
  FileOptions files;
  files.mode = words.io == "stdio" ? IoMode::kStdio : IoMode::kMmap;
  files.buffer_bytes = size_or(words.io_buffer, files.buffer_bytes);
  files.sync = !words.no_sync;
  files.overwrite = words.force;
  if (!words.temp_dir.empty()) files.temp_dir = path_of(words.temp_dir);
  return files;
}

// The text of what is wrong, or nothing.
std::string place_arguments(Program program, Words& words, Options& options) {
  if (words.asks_for_info) {
    options.action = Action::kInfo;
    if (words.info.empty()) std::swap(words.info, words.source);
    if (words.info.empty()) return "--info expects PATCH";
    options.patch = path_of(words.info);
    const bool alone = words.source.empty() && words.target.empty() && words.trace.empty() && words.sha256.empty();
    return alone ? "" : "--info takes one PATCH and nothing else";
  }
  if (words.check) {
    options.action = Action::kCheck;
    if (words.patch.empty()) std::swap(words.patch, words.target);
  }
  if (words.patch.empty()) return "expected OLD NEW PATCH";
  options.source = path_of(words.source);
  options.target = path_of(words.target);
  options.patch = path_of(words.patch);
  options.trace = path_of(words.trace);
  if (words.source == "-" || (program == Program::kBdelta && words.target == "-")) {
    return "- can't stand for this file, which is read at many places at once; give a file";
  }
  if (size_or(words.io_buffer, 0) > kMaxIoBuffer) return "--io-buffer takes 0 to 64M";
  return "";
}

void place_options(const Words& words, Options& options) {
  const FileOptions files = file_options(words);
  options.create.files = options.apply.files = files;
  options.create.temp_dir = files.temp_dir;
  options.create.threads = options.apply.threads = words.threads;
  options.create.memory_limit_bytes = size_or(words.memory, 0);
  options.create.format = words.format == "bdt1" ? PatchFormat::kBdt1 : PatchFormat::kBdt2;
  options.create.predict = words.predict;
  options.create.verify = words.verify;
  options.create.group_digests = words.digests;
  if (!words.max_ratio.empty()) options.create.max_patch_ratio = *parse_ratio(words.max_ratio);
  if (!words.timeout.empty()) {
    options.create.time_limit_seconds = options.apply.time_limit_seconds = *parse_seconds(words.timeout);
  }
  for (int level = kMinLevel; level <= kMaxLevel; ++level) {
    if (words.levels[level]) options.create.level = level;
  }
  if (options.create.memory_limit_bytes != 0) options.apply.memory_limit_bytes = options.create.memory_limit_bytes;
  if (!words.sha256.empty()) options.apply.expected_patch_sha256 = parse_sha256(words.sha256);
  options.apply.output_limit_bytes = size_or(words.max_output, options.apply.output_limit_bytes);
}

// Looked for by itself, as it counts where the line can't be parsed, too.
bool asks_for_json(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

// As CLI11 has it, but for what it adds to the name of a flag that takes another back.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string text = CLI::Formatter::make_option_name(option, is_positional);
    constexpr std::string_view kTakenBack = "{false}";
    for (std::size_t at = text.find(kTakenBack); at != text.npos; at = text.find(kTakenBack)) text.erase(at, kTakenBack.size());
    return text;
  }
};

int count_levels(const Words& words) {
  int count = 0;
  for (const bool set : words.levels) count += set;
  return count;
}

}  // namespace

std::optional<std::uint64_t> parse_size(const std::string& text) {
  std::uint64_t value = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    if (!checked_mul(value, 10, value) || !checked_add(value, static_cast<std::uint64_t>(text[at] - '0'), value)) return std::nullopt;
  }
  if (at == 0) return std::nullopt;
  std::string unit = text.substr(at);
  if (unit.size() == 3 && unit.substr(1) == "iB") unit.resize(1);
  if (unit.empty() || unit == "B") return value;
  const std::size_t power = std::string("KMGT").find(unit);
  if (unit.size() != 1 || power == std::string::npos) return std::nullopt;
  if (!checked_mul(value, std::uint64_t{1} << (10 * (power + 1)), value)) return std::nullopt;
  return value;
}

namespace {

// Digits with at most one point among or around them, above 0, whatever the locale.
std::optional<double> parse_decimal(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string::npos) return std::nullopt;
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double value = 0;
  stream >> value;
  if (stream.fail() || !stream.eof() || !(value > 0)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> parse_ratio(const std::string& text) {
  if (text.empty() || text.back() != '%') return parse_decimal(text);
  const std::optional<double> percent = parse_decimal(text.substr(0, text.size() - 1));
  return percent ? std::optional<double>(*percent / 100) : std::nullopt;
}

std::optional<double> parse_seconds(const std::string& text) { return parse_decimal(text); }

std::optional<Sha256Bytes> parse_sha256(const std::string& text) {
  Sha256Bytes bytes{};
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = std::string("0123456789abcdef0123456789ABCDEF").find(text[i]);
    if (digit == std::string::npos) return std::nullopt;
    bytes[i / 2] = static_cast<std::uint8_t>(unsigned{bytes[i / 2]} << 4 | (digit & 15));
  }
  return bytes;
}

std::variant<Options, Exit> parse_options(Program program, int argc, const char* const* argv) {
  const bool creating = program == Program::kBdelta;
  const char* const name = creating ? "bdelta" : "bpatch";
  CLI::App app(creating ? "Makes PATCH, from which bpatch rebuilds NEW where OLD is." : "Rebuilds NEW from OLD and PATCH.", name);
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(28);
  app.footer(exit_status_text());
  app.set_version_flag("--version", version_text(name), "Print the versions of the program and its codecs");
  Words words;
  Options options;
  app.add_option("OLD", words.source, "The file that both sides have");
  app.add_option("NEW", words.target, creating ? "The file that the patch shall make" : "The file to make; - is standard output");
  app.add_option("PATCH", words.patch, creating ? "The patch to write; - is standard output" : "The patch; - is standard input");
  if (creating) {
    add_create(app, words);
  } else {
    add_apply(app, words);
  }
  add_common(app, words, options);
  app.add_flag_callback(kDescribeOption, [&app] { throw CLI::CallForVersion(describe_options(app), 0); })->group("");
  const auto refuse = [&](const std::string& what) {
    const std::string text = one_line(what) + "; see " + name + " --help";
    if (asks_for_json(argc, argv)) std::cout << error_json(name, {ErrorCode::kUsage, text}) << std::flush;
    std::cerr << name << ": " << text << "\n";
    return Exit{1};
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return refuse(error.what());
    const int status = app.exit(error);
    return Exit{std::cout.flush() ? status : exit_class(ErrorCode::kWriteFailed)};
  }
  words.asks_for_info = app.count("--info") != 0;
  std::string wrong = place_arguments(program, words, options);
  if (wrong.empty() && count_levels(words) > 1) wrong = "expected one level, found several";
  if (!wrong.empty()) return refuse(wrong);
  place_options(words, options);
  return options;
}

}  // namespace bdelta::cli
