// What both programs do around their one call of the library.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bdelta/progress.hpp"
#include "bdelta/report.hpp"
#include "cli/command_line.hpp"
#include "cli/trace.hpp"

namespace bdelta::cli {

// Signals, progress, the trace, the report as text and as JSON, the exit status. The program says what to call.
class Session {
 public:
  Session(const char* program, const CommonOptions& options) : program_(program), options_(options) {}
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The value for main to return.
  [[nodiscard]] int run();

 protected:
  // The one call. `progress` may be empty and `trace` null.
  [[nodiscard]] virtual Result<Report> call(const ProgressCallback& progress, TraceSink* trace) = 0;

  // What the program writes; "-" is standard output.
  [[nodiscard]] virtual const std::filesystem::path& output() const = 0;

  // What was done, for people: lines of text.
  [[nodiscard]] virtual std::string summary(const Report& report) const = 0;

  // What the program's JSON says besides: an object.
  [[nodiscard]] virtual nlohmann::ordered_json more_json(const Report& report) const;

  // What is done once handlers are there: the one call, with its trace, and what is told of it. Gives the exit status.
  [[nodiscard]] virtual int work();

  // The call, with progress shown meanwhile.
  [[nodiscard]] Result<Report> call_watched();

  // To stderr.
  static void say(const std::string& text);

  // What was asked for: if it can't be written the program has failed, whatever else it did.
  [[nodiscard]] int answer(std::FILE* to, const std::string& text) const;

  // Tells an error that ends the program, and gives the exit status.
  [[nodiscard]] int fail(Error error);

  const char* const program_;
  const CommonOptions& options_;

 private:
  [[nodiscard]] Status open_trace();
  void finish_trace(const Result<Report>& report);
  [[nodiscard]] std::FILE* json_stream() const;
  [[nodiscard]] int show_info();
  void install_handlers();
  [[nodiscard]] bool keeps_output(const Error& error) const;
  [[nodiscard]] int tell(const Report& report);

  TraceLog trace_log_;
  std::unique_ptr<OutputFile> trace_file_;  // null without --trace
};

// What main does: `body` with what may still be thrown turned into an exit status.
[[nodiscard]] int run_program(const char* program, const std::function<int()>& body);

}  // namespace bdelta::cli
