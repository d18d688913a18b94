#include "cli/command_line.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <string_view>

#include "bdelta/error.hpp"
#include "cli/describe.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

namespace bdelta::cli {
namespace {

constexpr std::uint64_t kMaxIoBufferBytes = std::uint64_t{64} << 20;

std::string check_trace(const std::string& text) {
  return text.empty() || text == "-" ? "expected the name of a file; - can't stand for it" : std::string();
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

  // An argument of no group is for the parser alone.
  std::string make_option_usage(const CLI::Option* option) const override {
    return option->get_group().empty() ? std::string() : CLI::Formatter::make_option_usage(option);
  }
};

}  // namespace

CommandLine::CommandLine(const ProgramTexts& texts, int argc, const char* const* argv)
    : name_(texts.name), argc_(argc), argv_(argv), app_(texts.about, texts.name) {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.get_formatter()->column_width(28);
  app_.footer(exit_status_text());
  app_.set_version_flag("--version", version_text(name_), "Print the versions of the program and its codecs");
  app_.add_option("OLD", words_.source, texts.source);
  app_.add_option("NEW", words_.target, texts.target);
  app_.add_option("PATCH", words_.patch, texts.patch);
}

void CommandLine::add_common() {
  // Its value is optional, so that other options may stand in front of PATCH, which is then an argument like others.
  app_.add_option("--info", words_.info, "Say what PATCH is, and do nothing else")->type_name("PATCH")->expected(0, 1);
  app_.add_option("-t,--threads", words_.threads, "Threads to use; 0, the default: one for each core\n(the result is the same for any number)")
      ->type_name("N")
      ->check(CLI::Range(0u, 1024u));
  app_.add_option("--memory", words_.memory, "Private memory to stay within, e.g. 512M (from 64M\non any files will do)")->type_name("SIZE")->check(check_size);
  app_.add_option("--io", words_.io, "How inputs are read: mmap (default) or stdio")->type_name("WAY")->check(CLI::IsMember({"mmap", "stdio"}));
  app_.add_option("--io-buffer", words_.io_buffer, "Buffer of stdio, 0 to 64M (default 64K)")->type_name("SIZE")->check(check_size);
  app_.add_option("--timeout", words_.timeout, "Give up after so many seconds, e.g. 2.5")->type_name("SECONDS")->check(check_seconds);
  app_.add_option("--temp-dir", words_.temp_dir, "Where temporary files live (default: beside the\noutput; a large patch waits in the system's)")->type_name("DIR");
  app_.add_flag("-f,--force", words_.force, "Replace an existing output");
  app_.add_flag("--no-sync", words_.no_sync, "Do not wait until the output is on the disk");
  app_.add_flag("--stats", words_.stats, "Print where time, bytes and memory went (to stderr)");
  app_.add_option("--trace", words_.trace, "Write what each thread did when, for Perfetto or\nchrome://tracing")->type_name("FILE")->check(check_trace);
  app_.add_flag("--json", words_.json, "Print the result as JSON (to stdout, or to stderr\nif that is taken)");
  app_.add_flag("-q,--quiet", words_.quiet, "Print nothing but errors");
  app_.add_flag("--all-in-ram", words_.all_in_ram, "Accepted for scripts of the original; has no effect");
  app_.add_flag_callback(kDescribeOption, [this] { throw CLI::CallForVersion(describe_options(app_), 0); })->group("");
}

std::optional<Exit> CommandLine::parse() {
  try {
    app_.parse(argc_, argv_);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return refuse(error.what());
    const int status = app_.exit(error);
    return Exit{std::cout.flush() ? status : exit_class(ErrorCode::kWriteFailed)};
  }
  return std::nullopt;
}

Exit CommandLine::refuse(const std::string& what) const {
  const std::string text = one_line(what) + "; see " + name_ + " --help";
  if (asks_for_json()) std::cout << error_json(name_, {ErrorCode::kUsage, text}) << std::flush;
  std::cerr << name_ << ": " << text << "\n";
  return Exit{exit_class(ErrorCode::kUsage)};
}

// Looked for by itself, as it counts where the line can't be parsed, too.
bool CommandLine::asks_for_json() const {
  return std::any_of(argv_, argv_ + argc_, [](const char* word) { return std::string_view(word) == "--json"; });
}

std::string CommandLine::place_info(CommonOptions& options) {
  options.action = Action::kInfo;
  if (words_.info.empty()) std::swap(words_.info, words_.source);
  if (words_.info.empty()) return "--info expects PATCH";
  options.patch = path_of(words_.info);
  const bool alone = words_.source.empty() && words_.target.empty() && words_.trace.empty();
  return alone ? "" : "--info takes one PATCH and nothing else";
}

std::string CommandLine::place_values(CommonOptions& options) {
  if (size_or(words_.io_buffer, 0) > kMaxIoBufferBytes) return "--io-buffer takes 0 to 64M";
  options.files.mode = words_.io == "stdio" ? IoMode::kStdio : IoMode::kMmap;
  options.files.buffer_bytes = size_or(words_.io_buffer, options.files.buffer_bytes);
  options.files.sync = !words_.no_sync;
  options.files.overwrite = words_.force;
  if (!words_.temp_dir.empty()) options.files.temp_dir = path_of(words_.temp_dir);
  options.memory_bytes = size_or(words_.memory, 0);
  if (!words_.timeout.empty()) options.time_limit_seconds = *parse_seconds(words_.timeout);
  options.threads = words_.threads;
  options.stats = words_.stats;
  options.json = words_.json;
  options.quiet = words_.quiet;
  options.trace = path_of(words_.trace);
  return "";
}

std::string CommandLine::place(CommonOptions& options, std::vector<std::string>& arguments) {
  for (const char* name : {"OLD", "NEW", "PATCH"}) {
    for (const std::string& word : app_.get_option(name)->results()) arguments.push_back(word);
  }
  if (app_.count("--info") != 0) return "--info takes one PATCH and nothing else";
  return place_values(options);
}

std::string CommandLine::place(CommonOptions& options) {
  if (std::string wrong = place_values(options); !wrong.empty()) return wrong;
  if (app_.count("--info") != 0) return place_info(options);
  if (options.action == Action::kCheck && words_.patch.empty()) std::swap(words_.patch, words_.target);
  if (words_.patch.empty()) return "expected OLD NEW PATCH";
  options.source = path_of(words_.source);
  options.target = path_of(words_.target);
  options.patch = path_of(words_.patch);
  return "";
}

}  // namespace bdelta::cli
