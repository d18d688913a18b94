// bdelta: makes patches.
#include "base/try.hpp"
#include "bdelta/tree.hpp"
#include "cli/pair_kind.hpp"
#include "cli/process.hpp"
#include "cli/session.hpp"
#include "manifest.hpp"
#include "options.hpp"
#include "release.hpp"
#include "texts.hpp"

namespace bdelta::cli {
namespace {

class CreateSession final : public Session {
 public:
  explicit CreateSession(CreateProgramOptions options) : Session("bdelta", all_.common), all_(std::move(options)) {}

 private:
  Result<Report> call(const ProgressCallback& progress, TraceSink* trace) override {
    all_.create.progress = progress;
    all_.create.trace = trace;
    BDELTA_ASSIGN(const bool trees, are_trees(options_.source, options_.target));
    if (trees) return create_tree(options_.source, options_.target, options_.patch, all_.create, all_.tree);
    const TreeOptions& tree = all_.tree;
    if (!tree.exclude.empty() || tree.times || tree.source_list) {
      return Error{ErrorCode::kUsage, "--exclude, --times and --old-list are for directories"};
    }
    return create_file(options_.source, options_.target, options_.patch, all_.create);
  }

  [[nodiscard]] const std::filesystem::path& output() const override { return options_.patch; }

  [[nodiscard]] std::string summary(const Report& report) const override { return made_text(options_.patch, report, all_.create); }

  [[nodiscard]] Json more_json(const Report&) const override { return making_facts(all_.create, all_.recorded_unix_seconds()); }

  CreateProgramOptions all_;
};

int run(int argc, const char* const* argv) {
  auto parsed = parse_create_options(argc, argv);
  if (const Exit* exit = std::get_if<Exit>(&parsed)) return exit->status;
  CreateProgramOptions& options = std::get<CreateProgramOptions>(parsed);
  if (options.create.memory_limit_bytes == 0) keep_freed_memory();
  return options.release ? run_release(std::move(options)) : CreateSession(std::move(options)).run();
}

}  // namespace
}  // namespace bdelta::cli

int main(int argc, char** argv) {
  return bdelta::cli::run_program("bdelta", [&] { return bdelta::cli::run(argc, argv); });
}
