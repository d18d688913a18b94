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
};

namespace {

Status check_options(const PushOptions& options) {
  if (!options.apply.expected_patch_sha256) return {};
  return Error{ErrorCode::kUsage, "the SHA-256 of a whole patch is known only at its end; expect that of its head"};
}

}  // namespace

PushApply::PushApply(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PushApply::~PushApply() = default;

Result<std::unique_ptr<PushApply>> PushApply::open(RandomReader& source, PositionedWriter& target,
                                                   const PushOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<PushApply>> {
    BDELTA_TRY(check_options(options));
    auto impl = std::make_unique<Impl>(source, TargetSink{&target, nullptr}, options);
    return std::unique_ptr<PushApply>(new PushApply(std::move(impl)));
  });
}

Result<std::unique_ptr<PushApply>> PushApply::open(RandomReader& source, SequentialWriter& target,
                                                   const PushOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<PushApply>> {
    BDELTA_TRY(check_options(options));
    auto impl = std::make_unique<Impl>(source, TargetSink{nullptr, &target}, options);
    return std::unique_ptr<PushApply>(new PushApply(std::move(impl)));
  });
}

Result<std::unique_ptr<PushApply>> PushApply::open_file(const std::filesystem::path& source,
                                                        const std::filesystem::path& target,
                                                        const PushOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<PushApply>> {
    BDELTA_TRY(check_options(options));
    BDELTA_ASSIGN(io::ModelFile opened, open_source(source, options.apply, nullptr));
    BDELTA_ASSIGN(auto output, io::open_output(target, options.apply.files, nullptr, opened.model));
    auto impl = std::make_unique<Impl>(std::move(opened.reader), std::move(output), options);
    return std::unique_ptr<PushApply>(new PushApply(std::move(impl)));
  });
}

Result<std::unique_ptr<PushApply>> PushApply::open_tree(const std::filesystem::path& source,
                                                        const std::filesystem::path& target,
                                                        const PushOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<PushApply>> {
    BDELTA_TRY(check_options(options));
    BDELTA_TRY(check_tree_options(options.apply));
    BDELTA_ASSIGN(auto destination, TreeDestination::open(source, target, options.apply));
    BDELTA_TRY(destination->check_free());
    BDELTA_ASSIGN(const auto directory, io::Directory::open(source));
    static_cast<void>(directory);
    const auto make = [&](SequentialReader& part, const ApplyOptions& apply) {
      return std::make_unique<TreeSubject>(std::move(destination), source, target, part, apply);
    };
    return std::unique_ptr<PushApply>(new PushApply(std::make_unique<Impl>(make, options)));
  });
}

Status PushApply::feed(ByteSpan bytes) {
  return guarded([&] { return impl_->feed(bytes); });
}

Result<Report> PushApply::finish() {
  return guarded([&] { return impl_->finish(); });
}

}  // namespace bdelta
