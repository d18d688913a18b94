#include "call.hpp"

#include <string>
#include <system_error>
#include <thread>

#include "arguments.hpp"

namespace bdelta::python {

void throw_error(const Error& error) {
  nb::object offset = nb::none();
  if (error.offset != Error::kNoOffset) offset = nb::int_(error.offset);
  const nb::object raised = nb::module_::import_("bdelta._errors")
                                .attr("from_library")(static_cast<int>(error.code), text_of(to_string(error)),
                                                      text_of(error.detail), offset, text_of(error.file),
                                                      text_of(error.remedy), error.needed_bytes);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  throw nb::python_error();
}

void SpanLog::span(const TraceSpan& span) noexcept {
  if (spans_.size() >= kMost) return;
  try {
    spans_.push_back(span);
  } catch (const std::bad_alloc&) {  // a trace is worth no call
  }
}

void SpanLog::move_to(nb::handle list) {
  const nb::object type = nb::module_::import_("bdelta._results").attr("TraceSpan");
  for (const TraceSpan& span : spans_) {
    nb::object index = nb::none();
    if (span.index != TraceSpan::kNone) index = nb::int_(span.index);
    list.attr("append")(type(span.name, span.phase, span.thread, span.begin_ns, span.end_ns, span.self_ns, index, span.bytes));
  }
  spans_.clear();
}

// Who tells waits for the answer, so that a callback which ends the work ends it there. Other threads go on.
ProgressCallback Call::progress() {
  return [this, tells = !progress_.is_none()](const Progress& now) {
    std::unique_lock lock(mutex_);
    if (tells) {
      told_ = now;
      changed_.notify_all();
      changed_.wait(lock, [&] { return !told_; });
    }
    return !cancelled_;
  };
}

void Call::run_aside(const std::function<void()>& work) {
  cancelled_ = done_ = false;
  told_.reset();
  {
    const nb::gil_scoped_release without_gil;
    std::thread worker;
    try {
      worker = std::thread([&] {
        work();
        const std::lock_guard lock(mutex_);
        done_ = true;
        changed_.notify_all();
      });
    } catch (const std::system_error& error) {
      const nb::gil_scoped_acquire gil;
      throw_error({ErrorCode::kOutOfMemory, std::string("no thread can be started: ") + error.what()});
    }
    wait();
    worker.join();
  }
  if (!trace_.is_none()) spans_.move_to(trace_);
  if (raised_) throw nb::python_error(*std::exchange(raised_, nullptr));
}

void Call::wait() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait_for(lock, kLook, [&] { return done_ || told_; });
    if (done_) return;
    const std::optional<Progress> told = told_;
    lock.unlock();
    const bool goes_on = look(told);
    lock.lock();
    if (!goes_on) cancelled_ = true;
    if (told) {
      told_.reset();
      changed_.notify_all();
    }
  }
}

// Lets handlers of signals run, and calls the callback if there is news. False: the work shall end.
bool Call::look(const std::optional<Progress>& told) {
  const nb::gil_scoped_acquire gil;
  if (raised_) return false;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!told) return true;
    const nb::object now = nb::module_::import_("bdelta._results").attr("Progress")(told->done, told->total, told->phase);
    return !progress_(now).is(nb::handle(Py_False));
  } catch (nb::python_error& raised) {
    keep(std::move(raised));
    return false;
  }
}

void Call::keep(nb::python_error&& raised) {
  if (!raised_) raised_ = std::make_unique<nb::python_error>(std::move(raised));
}

}  // namespace bdelta::python
