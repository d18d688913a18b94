#include "cli/session.hpp"

#include <exception>
#include <new>
#include <utility>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "bdelta/inspect.hpp"
#include "cli/advice.hpp"
#include "cli/json.hpp"
#include "cli/process.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace bdelta::cli {
namespace {

// False if it could not be written.
bool print(std::FILE* to, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), to) == text.size();
  return std::fflush(to) == 0 && written;
}

}  // namespace

int Session::run() {
  install_handlers();
  return options_.action == Action::kInfo ? show_info() : work();
}

int Session::work() {
  if (Status opened = open_trace(); !opened) return fail(opened.error());
  Result<Report> report = call_watched();
  finish_trace(report);
  return report ? tell(*report) : fail(report.error());
}

Result<Report> Session::call_watched() {
  ProgressDisplay progress(options_.progress, program_, options_.quiet);
  Result<Report> report = call(progress.callback(), trace_file_ ? &trace_log_ : nullptr);
  progress.finish(report ? std::optional(report->target_bytes) : std::nullopt);
  return report;
}

Json Session::more_json(const Report&) const { return Json::object(); }

void Session::say(const std::string& text) { print(stderr, text); }

// Before the work, so that a refusal comes at once.
Status Session::open_trace() {
  if (options_.trace.empty()) return {};
  for (const std::filesystem::path* other : {&options_.source, &options_.target, &options_.patch}) {
    if (other->empty() || *other == "-" || !same_file(options_.trace, *other)) continue;
    return Error{.code = ErrorCode::kSamePath, .detail = "the trace and another argument", .file = shown(options_.trace)};
  }
  FileOptions files = options_.files;
  files.sync = false;  // a trace can be made again
  BDELTA_ASSIGN(trace_file_, open_output(options_.trace, files));
  return {};
}

// Whatever became of the work. What is missing then is the trace and nothing else, so the exit status stays.
void Session::finish_trace(const Result<Report>& report) {
  if (!trace_file_ || (trace_log_.spans().empty() && !report)) return;  // refused before it began
  const Status done = guarded([&]() -> Status {
    trace_log_.sort();
    const std::string other = trace_json(program_, report, trace_log_.dropped_count());
    BDELTA_TRY(write_trace(*trace_file_, program_, trace_log_, other));
    return trace_file_->finish();
  });
  trace_file_.reset();
  if (done) return;
  print(stderr, std::string(program_) + ": the trace was not written: " + to_string(in_flags(done.error(), program_)) + "\n");
}

// Where JSON goes: not into a patch or a NEW that is on its way through standard output.
std::FILE* Session::json_stream() const { return options_.action == Action::kRun && output() == "-" ? stderr : stdout; }

int Session::show_info() {
  const auto info = inspect_file(options_.patch, options_.files);
  if (!info) return fail(info.error());
  return answer(stdout, options_.json ? info_json(program_, *info, Json::object()) : info_text(*info));
}

int Session::answer(std::FILE* to, const std::string& text) const {
  if (print(to, text)) return 0;
  print(stderr, std::string(program_) + ": " +
                    to_string(Error{ErrorCode::kWriteFailed, "what was to be printed could not be, all of it"}) + "\n");
  return exit_class(ErrorCode::kWriteFailed);
}

// Objects for the handlers are made before there is anything to handle.
void Session::install_handlers() {
  LastWords words{program_, {}, {}, json_stream() == stdout ? 1 : 2};
  if (options_.json) {
    for (const EndingSignal& ending : ending_signals()) {
      words.interrupted_json.push_back(
          error_json(program_, {ErrorCode::kCancelled, "by a signal"}, {.signal_name = ending.name, .signal_number = ending.number}));
    }
    words.input_lost_json = error_json(program_, {ErrorCode::kInputChanged, "it was truncated, or its disk failed"});
  }
  install_signal_handlers(std::move(words));
}

// What has to be known when scripts go on after a limit: that an output of before is no result of this run.
bool Session::keeps_output(const Error& error) const {
  std::error_code ignored;
  return exit_class(error.code) == exit_class(ErrorCode::kTimeLimit) && options_.action == Action::kRun && output() != "-" &&
         std::filesystem::is_regular_file(output(), ignored);
}

int Session::fail(Error error) {
  error = in_flags(std::move(error), program_);
  if (std::string order = order_advice(error, options_, output()); !order.empty()) error.remedy = std::move(order);
  std::error_code ignored;
  if (error.code == ErrorCode::kOutputExists && std::filesystem::is_directory(output(), ignored)) {
    error.remedy = "choose another name: a directory is not replaced";
  }
  const bool kept = keeps_output(error);
  if (kept) error.remedy += "; what stood at " + shown(output()) + " before stays there as it was";
  if (options_.json) print(json_stream(), error_json(program_, error, {.output_kept = kept}));
  if (error.code == ErrorCode::kTargetDigest && options_.target == "-") {
    error.remedy = std::to_string(std::exchange(error.offset, Error::kNoOffset)) + " bytes went out and must not be used";
  }
  print(stderr, std::string(program_) + ": " + to_string(error) + "\n");
  return exit_class(error.code);
}

int Session::tell(const Report& report) {
  int status = 0;
  if (options_.json) {
    const FileNames names{options_.source, options_.target, options_.patch};
    status = answer(json_stream(), report_json(program_, names, report, peak_resident_bytes(), more_json(report)));
  }
  if (options_.quiet) return status;
  if (!options_.json) print(stderr, summary(report));
  if (options_.stats) print(stderr, stats_text(report, peak_resident_bytes()));
  return status;
}

int run_program(const char* program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: the system has no more memory to give\n", program);
    return exit_class(ErrorCode::kOutOfMemory);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: internal error, please report it: %s\n", program, error.what());
    return exit_class(ErrorCode::kInternal);
  }
}

}  // namespace bdelta::cli
