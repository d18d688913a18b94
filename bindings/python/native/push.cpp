#include "push.hpp"

#include <algorithm>
#include <memory>
#include <variant>

#include "arguments.hpp"
#include "bdelta/push.hpp"
#include "options.hpp"
#include "results.hpp"
#include "trees.hpp"

namespace bdelta::python {
namespace {

class Push {
 public:
  Push(nb::handle old_version, nb::handle new_version, nb::dict named)
      : call_(take_told(named)), source_(call_, old_version, "old"), target_(call_, new_version, "new") {
    options_.apply = apply_options(named);
    options_.apply.progress = call_.progress();
    options_.apply.trace = call_.trace();
    options_.apply.output_limit_bytes = std::min(options_.apply.output_limit_bytes, target_.room_bytes());
    push_ = std::move(*call_.run([&] { return open(); }));
  }

  ~Push() { close(); }
  Push(const Push&) = delete;
  Push& operator=(const Push&) = delete;

  void feed(nb::handle bytes) {
    const Buffer buffer(bytes, false);
    const Use use(*this);
    const auto fed = call_.run([&]() -> Result<std::monostate> {
      if (Status status = push_->feed(buffer.bytes()); !status) return status.error();
      return std::monostate();
    });
    static_cast<void>(fed);
  }

  nb::object finish() {
    const Use use(*this);
    return to_python(*call_.run([&]() -> Result<Report> {
      auto report = push_->finish();
      if (!report || by_path()) return report;
      if (Status finished = target_.finish(); !finished) return finished.error();
      return report;
    }));
  }

  // Abandons what is not finished. Does nothing the second time.
  void close() {
    if (in_use_) refuse();
    {
      const nb::gil_scoped_release without_gil;
      push_.reset();
      target_.abandon();
    }
    call_.forget_told();
  }

 private:
  // Holds the object for a call, in which the GIL is released.
  class Use {
   public:
    explicit Use(Push& push) : push_(push) {
      if (push.in_use_ || !push.push_) refuse();
      push.in_use_ = true;
    }
    ~Use() { push_.in_use_ = false; }

   private:
    Push& push_;
  };

  [[noreturn]] static void refuse() {
    throw_error({ErrorCode::kUsage, "the PushApply is closed, or at work for another call"});
  }

  [[nodiscard]] bool by_path() const { return source_.path() && target_.path(); }

  Result<std::unique_ptr<PushApply>> open() {
    const auto trees = are_trees({&source_.path(), &target_.path()}, std::filesystem::path(), has_tree_options(options_.apply));
    if (!trees) return trees.error();
    if (*trees) return PushApply::open_tree(*source_.path(), *target_.path(), options_);
    if (by_path()) return PushApply::open_file(*source_.path(), *target_.path(), options_);
    auto from = source_.open(options_.apply.files);
    if (!from) return from.error();
    if (Status opened = target_.open(options_.apply.files); !opened) return opened.error();
    if (PositionedWriter* const positioned = target_.positioned()) return PushApply::open(**from, *positioned, options_);
    return PushApply::open(**from, *target_.forward(), options_);
  }

  Call call_;
  RandomInput source_;
  Output target_;
  PushOptions options_;
  std::unique_ptr<PushApply> push_;  // before the others when it is destroyed
  bool in_use_ = false;
};

}  // namespace

void bind_push(nb::module_& module) {
  nb::class_<Push>(module, "Push")
      .def(nb::init<nb::handle, nb::handle, nb::dict>(), nb::arg("old").none(), nb::arg("new").none(), nb::arg("options"))
      .def("feed", &Push::feed)
      .def("finish", &Push::finish)
      .def("close", &Push::close);
}

}  // namespace bdelta::python
