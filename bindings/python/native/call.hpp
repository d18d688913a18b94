// One call of the library as Python makes it. The work goes on in a thread of its own without the GIL. The thread that
// called waits, looks for signals and tells progress meanwhile.
//
//   Call call(progress);
//   options.progress = call.progress();
//   Report report = call.run([&] { return bdelta::apply(source, patch, target, options); });
//
// Idea: signal handlers of Python run in its main thread alone, and the library may ask its callback on any thread. So the
// thread that called stays free for both, and a callback of the user is always called where the call was made.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "bdelta/error.hpp"
#include "bdelta/progress.hpp"
#include "bdelta/trace.hpp"

namespace bdelta::python {

namespace nb = nanobind;

// Throws what Python knows the error as, see _errors.py. With the GIL.
[[noreturn]] void throw_error(const Error& error);

// What keyword arguments ask to be told of a call.
struct Told {
  nb::object progress = nb::none();  // a callable that takes a bdelta.Progress, or None
  nb::object trace = nb::none();     // a list that gets a bdelta.TraceSpan for each span, or None
};

// Spans of a run, until they can be given to Python.
class SpanLog final : public TraceSink {
 public:
  static constexpr std::size_t kMost = 1'000'000;  // those that come later are not kept

  void span(const TraceSpan& span) noexcept override;
  void move_to(nb::handle list);

 private:
  std::vector<TraceSpan> spans_;
};

// Made, used and destroyed with the GIL, but for what says otherwise. One `run` at a time.
class Call {
 public:
  explicit Call(Told told) : progress_(std::move(told.progress)), trace_(std::move(told.trace)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // What options.progress has to be, so that the work can be ended. Refers to this object.
  [[nodiscard]] ProgressCallback progress();

  // What options.trace has to be; null if nobody asks. What it gets goes to the list at the end of each `run`, also after an
  // error.
  [[nodiscard]] TraceSink* trace() noexcept { return trace_.is_none() ? nullptr : &spans_; }

  // The callback is called no more, and neither it nor the list is held: they may hold who holds this.
  void forget_told() { progress_ = trace_ = nb::none(); }

  // Runs `work`, which returns a Result, without the GIL, and gives its value. Throws what Python code raised meanwhile: a
  // handler of a signal, the callback, or a file object; else the library's error.
  template <class Work>
  auto run(Work work) {
    using Outcome = decltype(work());
    std::optional<Outcome> outcome;
    run_aside([&]() noexcept {
      try {
        outcome.emplace(work());
      } catch (const std::bad_alloc&) {
        outcome.emplace(Error{ErrorCode::kOutOfMemory, {}});
      } catch (const std::exception& thrown) {
        outcome.emplace(Error{ErrorCode::kInternal, thrown.what()});
      }
    });
    if (!*outcome) throw_error(outcome->error());
    return std::move(*outcome);
  }

  // For readers and writers, from any thread, without the GIL: calls `body` with it. One at a time, as seeking and reading
  // belong together and one file object may be given twice. What is raised in there ends the call, which throws it, and
  // becomes an error of this code for the library.
  template <class Body>
  auto with_python(ErrorCode code, Body&& body) noexcept -> decltype(body()) {
    const std::lock_guard one(bodies_);  // before the GIL, which a body may release
    const nb::gil_scoped_acquire gil;
    try {
      return body();
    } catch (nb::python_error& raised) {
      keep(std::move(raised));
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, {}};
    } catch (const std::exception& thrown) {
      return Error{code, thrown.what()};
    }
    return Error{code, {}};
  }

 private:
  // How often the waiting thread looks for signals.
  static constexpr std::chrono::milliseconds kLook{10};

  void run_aside(const std::function<void()>& work);
  void wait();
  bool look(const std::optional<Progress>& told);
  void keep(nb::python_error&& raised);

  nb::object progress_;
  nb::object trace_;
  SpanLog spans_;
  std::unique_ptr<nb::python_error> raised_;  // the first one; with the GIL

  std::mutex bodies_;
  std::mutex mutex_;  // held for moments, never while the GIL is asked for
  std::condition_variable changed_;
  bool cancelled_ = false;
  bool done_ = false;
  std::optional<Progress> told_;  // by the library, until the callback has answered
};

}  // namespace bdelta::python
