#include "cli/command_line.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <string_view>

#include "bdelta/error.hpp"
#include "cli/describe.hpp"
#include "cli/suggest.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"

namespace bdelta::cli {
namespace {

std::string check_trace(const std::string& text) {
  return text.empty() || text == "-" ? "expected the name of a file; - can't stand for it" : std::string();
}

// Names by which other tools know a level.
constexpr std::string_view kLevelNames[] = {"--level", "--fast", "--best", "--max", "--ultra"};

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

bool is_level(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && word.find_first_not_of("0123456789", 1) == word.npos;
}

// As CLI11 has it, but for how to call the program, and what it adds to the name of a flag that takes another back.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(const char* usage) : usage_(usage) {}

  std::string make_usage(const CLI::App*, std::string) const override { return "\n" + usage_ + "\n"; }

  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string text = CLI::Formatter::make_option_name(option, is_positional);
    constexpr std::string_view kTakenBack = "{false}";
    for (std::size_t at = text.find(kTakenBack); at != text.npos; at = text.find(kTakenBack)) text.erase(at, kTakenBack.size());
    return text;
  }

 private:
  const std::string usage_;
};

}  // namespace

CLI::Validator one_of(std::vector<std::string> choices) {
  const auto check = [choices](const std::string& word) {
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return std::string();
    return "expected " + CLI::detail::join(choices, " or ") + ", found " + word + did_you_mean(word, choices);
  };
  return CLI::Validator(check, "{" + CLI::detail::join(choices, ",") + "}");
}

CommandLine::CommandLine(const ProgramTexts& texts, int argc, const char* const* argv)
    : texts_(texts), argc_(argc), argv_(argv), app_(texts.about, texts.name) {
  app_.formatter(std::make_shared<HelpFormatter>(texts.usage));
  app_.get_formatter()->column_width(28);
  app_.footer(exit_status_text());
  const auto version = [this] { return asks_for_json() ? version_json(texts_.name) : version_text(texts_.name); };
  app_.set_version_flag("--version", version, "Print the versions of the program and its codecs");
  app_.add_option("OLD", words_.source, texts.source)->type_name("");
  app_.add_option("NEW", words_.target, texts.target)->type_name("");
  app_.add_option("PATCH", words_.patch, texts.patch)->type_name("");
}

void CommandLine::add_common() {
  // Its value is optional, so that other options may stand in front of PATCH, which is then an argument like others.
  app_.add_option("--info", words_.info, "Say what PATCH is, and do nothing else")->type_name("PATCH")->expected(0, 1);
  app_.add_option("-t,--threads", words_.threads, "Threads to use; 0, the default: one for each core\n(the result is the same for any number)")
      ->type_name("N")
      ->check(check_threads);
  app_.add_option("--memory", words_.memory, texts_.memory)->type_name("SIZE")->check(check_size);
  app_.add_option("--io", words_.io, "How inputs are read: mmap (default) or stdio")->type_name("WAY")->check(one_of({"mmap", "stdio"}));
  app_.add_option("--io-buffer", words_.io_buffer, "Buffer of stdio, 0 to 64M (default 64K)")->type_name("SIZE")->check(check_buffer);
  app_.add_option("--timeout", words_.timeout, "Give up after so many seconds, e.g. 2.5")->type_name("SECONDS")->check(check_seconds);
  app_.add_option("--temp-dir", words_.temp_dir, "Where temporary files live (default: beside the\noutput; a large patch waits in the system's)")->type_name("DIR");
  app_.add_flag("-f,--force", words_.force, "Replace an existing output");
  app_.add_flag("--no-sync", words_.no_sync, "Do not wait until the output is on the disk");
  app_.add_flag("--stats", words_.stats, "Print where time, bytes and memory went (to stderr)");
  app_.add_option("--trace", words_.trace, "Write what each thread did when, for Perfetto or\nchrome://tracing")->type_name("FILE")->check(check_trace);
  app_.add_option("--progress", words_.progress, "What stderr tells of progress: auto (default: a line\non a terminal), json (a line each) or none")
      ->type_name("WAY")
      ->check(one_of({"auto", "json", "none"}));
  app_.add_flag("--json", words_.json, "Print the result as JSON (to stdout, or to stderr\nif that is taken)");
  app_.add_flag("-q,--quiet", words_.quiet, "Print nothing but errors");
  app_.add_flag("--all-in-ram", words_.all_in_ram, "Accepted for scripts of the original; has no effect");
  app_.add_flag_callback(kDescribeOption, [this] { throw CLI::CallForVersion(describe_options(app_), 0); })->group("");
}

std::optional<Exit> CommandLine::parse() {
  if (const std::string_view level = level_word(2); !level.empty() && app_.get_option_no_throw("-1")) {
    return refuse(std::string(texts_.levels) + ", found " + std::string(level));
  }
  for (CLI::Option* option : app_.get_options([](CLI::Option* all) { return all->get_expected_max() == 0; })) {
    option->disable_flag_override();
  }
  try {
    app_.parse(argc_, argv_);
  } catch (const CLI::ExtrasError&) {
    return refuse(what_is_left_over());
  } catch (const CLI::ArgumentMismatch& error) {
    return refuse(what_mismatches(error));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return refuse(error.what());
    const int status = app_.exit(error);
    return Exit{std::cout.flush() ? status : exit_class(ErrorCode::kWriteFailed)};
  }
  return std::nullopt;
}

Exit CommandLine::refuse(const std::string& what) const {
  const std::string text = one_line(what) + "; see " + texts_.name + " --help";
  if (asks_for_json()) std::cout << error_json(texts_.name, {ErrorCode::kUsage, text}) << std::flush;
  std::cerr << texts_.name << ": " << text << "\n";
  return Exit{exit_class(ErrorCode::kUsage)};
}

// Looked for by itself, as it counts where the line can't be parsed, too.
bool CommandLine::asks_for_json() const {
  return std::any_of(argv_, argv_ + argc_, [](const char* word) { return std::string_view(word) == "--json"; });
}

// The first word that is a level of so many digits, or -0, which is none; empty if there is none.
std::string_view CommandLine::level_word(std::size_t least_digits) const {
  for (const char* const* at = argv_ + 1; at < argv_ + argc_ && std::string_view(*at) != "--"; ++at) {
    const std::string_view word(*at);
    if (is_level(word) && (word.size() > least_digits || word == "-0")) return word;
  }
  return {};
}

std::vector<std::string> CommandLine::option_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_.get_options()) {
    if (option->get_group().empty()) continue;
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

// What is wrong with words that nothing takes.
std::string CommandLine::what_is_left_over() const {
  const std::vector<std::string> words = app_.remaining();
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  const std::string name = option == words.end() ? std::string(level_word(1)) : option->substr(0, option->find('='));
  if (name.empty()) return "expected OLD NEW PATCH, found another argument: " + words.front();
  if (is_level(name) || std::find(std::begin(kLevelNames), std::end(kLevelNames), name) != std::end(kLevelNames)) {
    return std::string(texts_.levels) + ", found " + name;
  }
  const std::size_t letters_pos = name.find_first_not_of('-');
  if (letters_pos == name.npos) return "expected an option, found " + *option + "; one of a single letter takes no =";
  return "unknown option " + name + did_you_mean(name.substr(letters_pos), option_names(), "--");
}

// An option with more or fewer values than it takes. CLI11 tells which by the beginning of its text alone.
std::string CommandLine::what_mismatches(const CLI::ArgumentMismatch& error) const {
  const std::string text = error.what();
  std::string name = text.substr(0, text.find_first_of(": "));
  const CLI::Option* option = app_.get_option_no_throw(name);
  if (!option) option = app_.get_option_no_throw(name = "--" + name);  // of a flag it tells the name without dashes
  if (!option) return text;
  if (option->get_expected_max() == 0) return name + " takes no value";
  if (option->count() > 1) return "expected " + name + " once, found it " + std::to_string(option->count()) + " times";
  const std::string value = option->get_type_name();
  return name + ": expected " + value.substr(0, value.find(':')) + ", found nothing";
}

// The value of --info is the first of its arguments, wherever it stands.
std::string CommandLine::place_info(CommonOptions& options, bool takes_source) {
  options.action = Action::kInfo;
  std::vector<std::string> arguments;
  for (const std::string* word : {&words_.info, &words_.source, &words_.target, &words_.patch}) {
    if (!word->empty()) arguments.push_back(*word);
  }
  if (arguments.empty()) return "--info expects PATCH";
  options.patch = path_of(arguments.back());
  if (arguments.size() == 2 && takes_source) options.source = path_of(arguments.front());
  const bool fits = arguments.size() <= (takes_source ? 2 : 1) && words_.trace.empty();
  if (fits) return "";
  return takes_source ? "--info takes OLD PATCH or PATCH alone" : "--info takes one PATCH and nothing else";
}

std::string CommandLine::place_values(CommonOptions& options) {
  options.files.mode = words_.io == "stdio" ? IoMode::kStdio : IoMode::kMmap;
  options.files.buffer_bytes = size_or(words_.io_buffer, options.files.buffer_bytes);
  options.files.sync = !words_.no_sync;
  options.files.overwrite = words_.force;
  if (!words_.temp_dir.empty()) options.files.temp_dir = path_of(words_.temp_dir);
  options.memory_bytes = size_or(words_.memory, 0);
  if (!words_.timeout.empty()) options.time_limit_seconds = *parse_seconds(words_.timeout);
  if (!words_.threads.empty()) options.threads = *parse_threads(words_.threads);
  if (words_.progress != "auto") options.progress = words_.progress == "json" ? ProgressWay::kJson : ProgressWay::kNone;
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

// Which of the arguments is which.
std::string CommandLine::place_arguments(CommonOptions& options) {
  const bool has_two = !words_.target.empty() && words_.patch.empty();
  switch (options.action) {
    case Action::kInPlace:
      if (!has_two) return "--in-place expects FILE PATCH";
      std::swap(words_.patch, words_.target);
      return "";
    case Action::kResume: return words_.target.empty() && !words_.source.empty() ? "" : "--resume expects one FILE";
    case Action::kCheck:
      if (words_.patch.empty()) std::swap(words_.patch, words_.target.empty() ? words_.source : words_.target);
      break;
    default: break;
  }
  return words_.patch.empty() ? "expected OLD NEW PATCH" : "";
}

std::string CommandLine::place(CommonOptions& options, bool info_takes_source) {
  if (std::string wrong = place_values(options); !wrong.empty()) return wrong;
  if (app_.count("--info") != 0) return place_info(options, info_takes_source);
  if (std::string wrong = place_arguments(options); !wrong.empty()) return wrong;
  options.source = path_of(words_.source);
  options.target = path_of(words_.target);
  options.patch = path_of(words_.patch);
  return "";
}

}  // namespace bdelta::cli
