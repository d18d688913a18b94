#include "cli/program.hpp"

#include <cstdio>
#include <exception>
#include <memory>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "cli/process.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "cli/trace.hpp"

namespace bdelta::cli {
namespace {

const char* name_of(Program program) { return program == Program::kBdelta ? "bdelta" : "bpatch"; }

// False if it could not be written.
bool print(std::FILE* to, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), to) == text.size();
  return std::fflush(to) == 0 && written;
}

class Session {
 public:
  Session(Program program, Options options) : program_(program), options_(std::move(options)) {}

  int run() {
    install_handlers();
    if (options_.action == Action::kInfo) return show_info();
    if (Status opened = open_trace(); !opened) return fail(opened.error());
    Progress progress(stderr_is_terminal() && !options_.quiet);
    options_.create.progress = options_.apply.progress = progress.callback();
    Result<Report> report = call();
    progress.clear();
    finish_trace(report);
    return report ? tell(*report) : fail(report.error());
  }

 private:
  Result<Report> call() {
    if (program_ == Program::kBdelta) {
      return create_file(options_.source, options_.target, options_.patch, options_.create);
    }
    if (options_.action == Action::kCheck) return check_file(options_.source, options_.patch, options_.apply);
    return apply_file(options_.source, options_.target, options_.patch, options_.apply);
  }

  // Before the work, so that a refusal comes at once.
  Status open_trace() {
    if (options_.trace.empty()) return {};
    for (const std::filesystem::path* other : {&options_.source, &options_.target, &options_.patch}) {
      if (other->empty() || *other == "-" || !same_file(options_.trace, *other)) continue;
      return Error{ErrorCode::kSamePath, "the trace and another file are both " + shown(options_.trace)};
    }
    FileOptions files = options_.apply.files;
    files.sync = false;  // a trace can be made again
    auto file = open_output(options_.trace, files);
    if (!file) return std::move(file).error();
    trace_file_ = std::move(*file);
    options_.create.trace = options_.apply.trace = &trace_log_;
    return {};
  }

  // Whatever became of the work. What is missing then is the trace and nothing else, so the exit status stays.
  void finish_trace(const Result<Report>& report) {
    if (!trace_file_ || (trace_log_.spans().empty() && !report)) return;  // refused before it began
    const Status done = guarded([&]() -> Status {
      trace_log_.sort();
      const std::string other = trace_json(name_of(program_), report, trace_log_.dropped_count());
      BDELTA_TRY(write_trace(*trace_file_, name_of(program_), trace_log_, other));
      return trace_file_->finish();
    });
    trace_file_.reset();
    if (done) return;
    print(stderr, std::string(name_of(program_)) + ": the trace was not written: " + to_string(done.error()) + "\n");
  }

  // Where JSON goes: not into a patch or a NEW that is on its way through standard output.
  [[nodiscard]] std::FILE* json_stream() const {
    const bool taken = options_.action == Action::kRun &&
                       (program_ == Program::kBdelta ? options_.patch == "-" : options_.target == "-");
    return taken ? stderr : stdout;
  }

  int show_info() {
    const auto info = inspect_file(options_.patch, options_.apply.files);
    if (!info) return fail(info.error());
    return answer(stdout, options_.json ? info_json(name_of(program_), *info) : info_text(*info));
  }

  // What was asked for: if it can't be written the program has failed, whatever else it did.
  int answer(std::FILE* to, const std::string& text) {
    if (print(to, text)) return 0;
    print(stderr, std::string(name_of(program_)) + ": " +
                      to_string(Error{ErrorCode::kWriteFailed, "what was to be printed could not be, all of it"}) + "\n");
    return exit_class(ErrorCode::kWriteFailed);
  }

  // Objects for the handlers are made before there is anything to handle.
  void install_handlers() {
    LastWords words{name_of(program_), "", "", json_stream() == stdout ? 1 : 2};
    if (options_.json) {
      interrupted_json_ = error_json(words.program, {ErrorCode::kCancelled, "by a signal"});
      input_lost_json_ = error_json(words.program, {ErrorCode::kInputChanged, "it was truncated, or its disk failed"});
      words.interrupted_json = interrupted_json_.c_str();
      words.input_lost_json = input_lost_json_.c_str();
    }
    install_signal_handlers(words);
  }

  int fail(const Error& error) {
    if (options_.json) print(json_stream(), error_json(name_of(program_), error));
    std::string text = std::string(name_of(program_)) + ": " + to_string(error);
    if (error.code == ErrorCode::kTargetDigest && options_.target == "-") {
      text += "; " + std::to_string(error.offset) + " bytes went out and must not be used";
    }
    print(stderr, text + "\n");
    return exit_class(error.code);
  }

  int tell(const Report& report) {
    int status = 0;
    if (options_.json) status = answer(json_stream(), report_json(name_of(program_), report, peak_resident_bytes()));
    if (options_.quiet) return status;
    if (!options_.json) print(stderr, summary(report));
    if (options_.stats) print(stderr, stats_text(report, peak_resident_bytes()));
    return status;
  }

  [[nodiscard]] std::string summary(const Report& report) const {
    const std::string name = name_of(program_);
    if (report.up_to_date) return name + ": " + shown(options_.target) + " is already up to date, nothing was written\n";
    char time[32];
    std::snprintf(time, sizeof time, "%.2f s", report.wall_seconds);
    if (program_ == Program::kBdelta) {
      const double share = report.target_bytes == 0 ? 0 : 100 * static_cast<double>(report.patch_bytes) / static_cast<double>(report.target_bytes);
      char percent[32];
      std::snprintf(percent, sizeof percent, "%.2f%%", share);
      return name + ": " + shown(options_.patch) + ": " + human_size(report.patch_bytes) + ", " + percent + " of " +
             human_size(report.target_bytes) + ", " + time + (report.verified ? ", verified\n" : ", not verified\n") +
             memory_note(report.decoder_memory_bytes);
    }
    const std::string proof =
        report.verified ? ", verified\n" : "\nbpatch: this format has no checksum: alteration of OLD or PATCH can't be detected\n";
    if (options_.action == Action::kCheck) {
      return name + ": OLD and " + shown(options_.patch) + " fit and make " + human_size(report.target_bytes) + ", " + time + proof;
    }
    return name + ": " + shown(options_.target) + ": " + human_size(report.target_bytes) + ", " + time + proof;
  }

  const Program program_;
  Options options_;
  TraceLog trace_log_;
  std::unique_ptr<OutputFile> trace_file_;  // null without --trace
  std::string interrupted_json_, input_lost_json_;
};

}  // namespace

int run_program(Program program, int argc, const char* const* argv) {
  try {
    auto parsed = parse_options(program, argc, argv);
    if (const Exit* exit = std::get_if<Exit>(&parsed)) return exit->status;
    Options& options = std::get<Options>(parsed);
    if (program == Program::kBdelta && options.create.memory_limit_bytes == 0) keep_freed_memory();
    return Session(program, std::move(options)).run();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: the system has no more memory to give\n", name_of(program));
    return exit_class(ErrorCode::kOutOfMemory);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: internal error, please report it: %s\n", name_of(program), error.what());
    return exit_class(ErrorCode::kInternal);
  }
}

}  // namespace bdelta::cli
