// bpatch: applies a patch. It links the half of the library that applies, and nothing that makes patches.
#include "members.hpp"
#include "options.hpp"
#include "base/try.hpp"
#include "bdelta/inspect.hpp"
#include "bdelta/members.hpp"
#include "bdelta/tree.hpp"
#include "cli/json.hpp"
#include "cli/pair_kind.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"

namespace bdelta::cli {
namespace {

class ApplySession final : public Session {
 public:
  explicit ApplySession(ApplyProgramOptions options) : Session("bpatch", all_.common), all_(std::move(options)) {}

 private:
  Result<Report> call(const ProgressCallback& progress, TraceSink* trace) override {
    all_.apply.progress = progress;
    all_.apply.trace = trace;
    if (options_.action == Action::kInPlace) return apply_in_place(options_.source, options_.patch, all_.apply, all_.in_place);
    if (options_.action == Action::kResume) return resume_in_place(options_.source, all_.apply, all_.in_place);
    BDELTA_ASSIGN(const bool trees, are_trees(options_.source, options_.target));
    if (trees && options_.action == Action::kCheck) {
      BDELTA_ASSIGN(Report report, check_tree(options_.source, options_.patch, all_.apply));
      if (!all_.dry_run) report.tree.reset();
      return report;
    }
    if (trees) return apply_tree(options_.source, options_.target, options_.patch, all_.apply);
    const ApplyOptions& apply = all_.apply;
    if (apply.outside_links || apply.keep_others || apply.keep_state || apply.state_file || apply.trust_times) {
      return Error{ErrorCode::kUsage, "--outside-links, --keep-others, --keep-state, --state and --trust-times are for directories"};
    }
    if (all_.dry_run) return Error{ErrorCode::kUsage, "--dry-run and --scratch of files need --in-place"};
    if (options_.action == Action::kCheck) return check_file(options_.source, options_.patch, all_.apply);
    return apply_file(options_.source, options_.target, options_.patch, all_.apply);
  }

  [[nodiscard]] int work() override {
    std::error_code ignored;
    if (options_.action == Action::kResume && std::filesystem::is_directory(options_.source, ignored)) return resume();
    return checks_patch_alone(options_) ? check_patch() : Session::work();
  }

  [[nodiscard]] int resume() {
    ProgressDisplay display(options_.progress, program_, options_.quiet, ProgressUnit::kEntries);
    std::uint64_t total = 0;
    all_.apply.progress = [&, show = display.callback()](const Progress& now) {
      total = now.total;
      return !show || show(now);
    };
    const auto done = resume_tree(options_.source, all_.apply);
    display.finish(done ? std::optional(total) : std::nullopt);
    if (!done) return fail(done.error());
    if (options_.json) return answer(stdout, resumed_json(program_, options_.source, *done));
    if (!options_.quiet) say(resumed_text(program_, options_.source, *done));
    return 0;
  }

  [[nodiscard]] int show_info() override {
    const bool has_source = !options_.source.empty();
    if (!all_.members) return has_source || options_.patch != "-" ? show_changes() : Session::show_info();
    const auto bytes = inspect();
    if (!bytes) return fail(bytes.error());
    return answer(stdout, options_.json ? members_json(*bytes, has_source) : members_text(*bytes, has_source));
  }

  [[nodiscard]] Result<PatchBytes> inspect() {
    ProgressDisplay progress(options_.progress, program_, options_.quiet);
    all_.apply.progress = progress.callback();
    auto bytes = options_.source.empty() ? inspect_bytes(options_.patch, all_.apply)
                                         : inspect_members(options_.source, options_.patch, all_.apply);
    progress.finish(std::nullopt);
    return bytes;
  }

  // The head of the patch and, of directories, what becomes of each entry, if that can be known.
  [[nodiscard]] int show_changes() {
    const bool has_source = !options_.source.empty();
    std::error_code ignored;
    if (has_source && !std::filesystem::is_directory(options_.source, ignored)) {
      return fail({ErrorCode::kUsage, "--info takes one PATCH, or OLD PATCH of directories; with --members of files, too"});
    }
    const auto info = inspect_file(options_.patch, options_.files);
    if (!info) return fail(info.error());
    if (!has_source && !(info->tree && info->tree->has_source_list)) {
      return answer(stdout, options_.json ? info_json(program_, *info, Json::object()) : info_text(*info));
    }
    const auto bytes = inspect();
    if (!bytes) return fail(bytes.error());
    if (options_.json) return answer(stdout, info_json(program_, *info, changes_json(*bytes)));
    return answer(stdout, info_text(*info) + changes_text(*bytes));
  }

  [[nodiscard]] int check_patch() {
    const auto info = verify_patch_file(options_.patch, options_.files);
    if (!info) return fail(info.error());
    if (options_.json) return answer(stdout, info_json(program_, *info, Json::object()));
    if (!options_.quiet) say(verified_text(program_, options_.patch, *info));
    return 0;
  }

  [[nodiscard]] const std::filesystem::path& output() const override {
    return is_in_place() ? options_.source : options_.target;
  }

  [[nodiscard]] bool is_in_place() const noexcept {
    return options_.action == Action::kInPlace || options_.action == Action::kResume;
  }

  [[nodiscard]] Json more_json(const Report& report) const override {
    if (!is_in_place()) return Json::object();
    return {{"written_bytes", report.written_bytes}, {"journal_bytes", report.journal_bytes}, {"dry_run", all_.in_place.dry_run}};
  }

  [[nodiscard]] std::string in_place_summary(const Report& report) const {
    const std::string begin = "bpatch: " + shown(options_.source);
    if (options_.action == Action::kResume && report.up_to_date) return begin + " is not unfinished, nothing was written\n";
    if (options_.action == Action::kResume) return begin + " is complete: " + human_size(report.written_bytes) + " written\n";
    if (!all_.in_place.dry_run) {
      return begin + ": " + human_size(report.target_bytes) + ", " + human_size(report.written_bytes) + " written in place, " +
             seconds_text(report.wall_seconds) + ending(report);
    }
    return begin + ": " + human_size(report.written_bytes) + " would be written in place, by way of a journal of " +
           human_size(report.journal_bytes) + "\n";
  }

  [[nodiscard]] static std::string ending(const Report& report) {
    return report.verified ? ", verified\n"
                           : "\nbpatch: this format has no checksum: alteration of OLD or PATCH can't be detected\n";
  }

  [[nodiscard]] std::string summary(const Report& report) const override {
    if (options_.action == Action::kResume || (is_in_place() && !report.up_to_date)) return in_place_summary(report);
    if (report.up_to_date) return "bpatch: " + shown(output()) + " is already up to date, nothing was written\n";
    if (report.tree) return changes_text(program_, options_.source, *report.tree);
    const std::string what = options_.action == Action::kCheck ? "OLD and " + shown(options_.patch) + " fit and make "
                                                               : shown(options_.target) + ": ";
    return "bpatch: " + what + human_size(report.target_bytes) + ", " + seconds_text(report.wall_seconds) + ending(report);
  }

  ApplyProgramOptions all_;
};

int run(int argc, const char* const* argv) {
  auto parsed = parse_apply_options(argc, argv);
  if (const Exit* exit = std::get_if<Exit>(&parsed)) return exit->status;
  return ApplySession(std::move(std::get<ApplyProgramOptions>(parsed))).run();
}

}  // namespace
}  // namespace bdelta::cli

int main(int argc, char** argv) {
  return bdelta::cli::run_program("bpatch", [&] { return bdelta::cli::run(argc, argv); });
}
