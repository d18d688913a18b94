#include "bdelta/push.hpp"

#include "apply/push_run.hpp"
#include "apply/push_tree.hpp"
#include "apply/source_file.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"

namespace bdelta {

class PushApply::Impl : public PushRun {
 public:
  using PushRun::PushRun;

  template <class Make>
  static Result<std::unique_ptr<PushApply>> open(const PushOptions& options, const Make& make) {
    return guarded([&]() -> Result<std::unique_ptr<PushApply>> {
      if (options.apply.expected_patch_sha256) {
        return Error{ErrorCode::kUsage, "the SHA-256 of a whole patch is known only at its end; expect that of its head"};
      }
      BDELTA_ASSIGN(std::unique_ptr<Impl> impl, make());
      return std::unique_ptr<PushApply>(new PushApply(std::move(impl)));
    });
  }
};

PushApply::PushApply(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PushApply::~PushApply() = default;

Result<std::unique_ptr<PushApply>> PushApply::open(RandomReader& source, PositionedWriter& target,
                                                   const PushOptions& options) {
  return Impl::open(options, [&]() -> Result<std::unique_ptr<Impl>> {
    return std::make_unique<Impl>(source, TargetSink{&target, nullptr}, options);
  });
}

Result<std::unique_ptr<PushApply>> PushApply::open(RandomReader& source, SequentialWriter& target,
                                                   const PushOptions& options) {
  return Impl::open(options, [&]() -> Result<std::unique_ptr<Impl>> {
    return std::make_unique<Impl>(source, TargetSink{nullptr, &target}, options);
  });
}

Result<std::unique_ptr<PushApply>> PushApply::open_file(const std::filesystem::path& source,
                                                        const std::filesystem::path& target,
                                                        const PushOptions& options) {
  return Impl::open(options, [&]() -> Result<std::unique_ptr<Impl>> {
    BDELTA_ASSIGN(io::ModelFile opened, open_source(source, options.apply, nullptr));
    BDELTA_ASSIGN(auto output, io::open_output(target, options.apply.files, nullptr, opened.model));
    return std::make_unique<Impl>(std::move(opened.reader), std::move(output), options);
  });
}

Result<std::unique_ptr<PushApply>> PushApply::open_tree(const std::filesystem::path& source,
                                                        const std::filesystem::path& target,
                                                        const PushOptions& options) {
  return Impl::open(options, [&]() -> Result<std::unique_ptr<Impl>> {
    BDELTA_TRY(check_tree_options(options.apply));
    BDELTA_ASSIGN(auto destination, TreeDestination::open(source, target, options.apply));
    BDELTA_TRY(destination->check_free());
    BDELTA_ASSIGN(const auto directory, io::Directory::open(source));
    static_cast<void>(directory);
    const auto make = [&](SequentialReader& part, const ApplyOptions& apply) {
      return std::make_unique<TreeSubject>(std::move(destination), source, target, part, apply);
    };
    return std::make_unique<Impl>(make, options);
  });
}

Status PushApply::feed(ByteSpan bytes) {
  return guarded([&] { return impl_->feed(bytes); });
}

Result<Report> PushApply::finish() {
  return guarded([&] { return impl_->finish(); });
}

}  // namespace bdelta
