// io_study: what each way of writing and reading files costs on this machine.
//
// The stdio layer of src/io rests on a claim: what costs is not the bytes but the calls, and in a call the lock. The
// study takes the claim apart. It moves one file through every step of the ladder, from a locked call for a byte to a
// mapping. It also times what else the layer decided by figures: typed records, seeks, overlapping of stages. All
// cases take turns, each run in a process of its own, and median and minimum are reported. README.md says what came
// out.
//
// Exit status: 0 done, 1 usage, 2 a call of the system failed.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "cases.hpp"
#include "cli/process.hpp"
#include "cli/text.hpp"
#include "cli/values.hpp"
#include "report.hpp"

namespace io_study {
namespace {

constexpr std::uint64_t kLeastSize = kMiB;
constexpr std::uint64_t kQuickSize = 4 * kMiB;
constexpr int kExitUsage = 1;
constexpr int kExitFailed = 2;

struct Options {
  Settings settings;
  std::filesystem::path csv;  // empty: none
};

std::string check_size_word(const std::string& word) {
  const auto size = bdelta::cli::parse_size(word);
  if (!size) return "expected a size such as 64M or 2GiB, found " + word;

  if (*size < kLeastSize || *size % kMiB != 0) return "expected a multiple of 1M, found " + word;
  return {};
}

// Exits where the words are wrong or help was asked for.
Options parse(int argc, char** argv) {
  CLI::App app("Times every way of writing and reading a file, from a locked call for a byte to mapped memory.");
  std::string size = "512M", dir = ".", csv;
  unsigned repeats = 3;
  bool quick = false;
  Options options;
  app.add_option("--size", size, "Size of the file (default 512M)")->type_name("SIZE")->check(check_size_word);
  app.add_option("--dir", dir, "Where the temporary files live (default: here);\nneeds three times SIZE")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  app.add_option("--csv", csv, "Write the figures to FILE too")->type_name("FILE");
  app.add_option("--repeats", repeats, "Runs of each case (default 3)")->type_name("N")->check(CLI::Range(1u, 1000u));
  app.add_option("--only", options.settings.only, "One section: writing, reading, typed, seek or overlap")
      ->type_name("SECTION")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kSections), std::end(kSections))));
  app.add_flag("--quick", quick, "4 MiB and one run: shows that everything works");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : kExitUsage);
  }
  options.settings.dir = std::filesystem::absolute(bdelta::cli::path_of(dir));
  options.settings.size_bytes = quick ? kQuickSize : *bdelta::cli::parse_size(size);
  options.settings.repeats = quick ? 1 : repeats;
  options.csv = bdelta::cli::path_of(csv);
  return options;
}

// Input, output and the files of records are there at the same time.
void check_space(const Settings& settings) {
  const std::uint64_t needed = 3 * settings.size_bytes;
  const std::uint64_t found = std::filesystem::space(settings.dir).available;
  if (found >= needed) return;
  throw Failure(settings.dir.string() + ": expected " + bdelta::cli::human_size(needed) + " of free space, found " +
                bdelta::cli::human_size(found) + ". Name another place with --dir or a smaller --size.");
}

// Replaces what the file held by `text`, or leaves it as it is where there is none.
void write_csv(const std::filesystem::path& path, const std::optional<std::string>& text) {
  std::FILE* const file = std::fopen(path.c_str(), text ? "wb" : "ab");
  if (file == nullptr) fail("cannot create " + path.string());
  const bool written = !text || std::fwrite(text->data(), 1, text->size(), file) == text->size();
  if (std::fclose(file) != 0 || !written) fail("cannot write " + path.string());
}

std::vector<Case> choose_cases(StudyFiles& files, const std::string& only) {
  std::vector<Case> cases;
  const auto wanted = [&](const char* section) { return only.empty() || only == section; };
  if (wanted("writing")) add_write_cases(files, cases);
  if (wanted("reading")) add_read_cases(files, cases);
  if (wanted("typed")) add_typed_cases(files, cases);
  if (wanted("seek")) add_seek_cases(files, cases);
  if (wanted("overlap")) add_overlap_cases(files, cases);
  return cases;
}

void run(const Options& options) {
  const Settings& settings = options.settings;
  check_space(settings);
  if (!options.csv.empty()) write_csv(options.csv, {});  // tells a wrong name now and not after the work
  StudyFiles files(settings.dir, settings.size_bytes);
  const std::vector<Case> cases = choose_cases(files, settings.only);
  const std::vector<Timing> timings = time_all(cases, settings.repeats);
  const Machine machine = describe_machine(settings.dir);
  print_table(stdout, cases, timings, machine);
  if (std::fflush(stdout) != 0) fail("cannot write the table");
  if (!options.csv.empty()) write_csv(options.csv, csv_text(cases, timings, machine));
}

}  // namespace
}  // namespace io_study

int main(int argc, char** argv) {
  try {
    const io_study::Options options = io_study::parse(argc, argv);
    bdelta::cli::install_signal_handlers({"io_study"});
    io_study::run(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "io_study: %s\n", error.what());
    return io_study::kExitFailed;
  }
}
