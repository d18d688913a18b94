#include "release.hpp"

#include <chrono>
#include <utility>

#include "apply/tree_places.hpp"
#include "base/try.hpp"
#include "bdelta/tree.hpp"
#include "cli/advice.hpp"
#include "cli/pair_kind.hpp"
#include "cli/process.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"
#include "manifest.hpp"
#include "patch_names.hpp"
#include "release_outputs.hpp"
#include "release_target.hpp"
#include "texts.hpp"
#include "utc_time.hpp"

namespace bdelta::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// NEW had better be shipped.
bool is_not_worth_it(ErrorCode code) { return code == ErrorCode::kPatchTooLarge || code == ErrorCode::kTimeLimit; }

bool is_not_worth_it(const ManifestEntry& entry) { return !entry.made && is_not_worth_it(entry.made.error().code); }

class ReleaseSession final : public Session {
 public:
  explicit ReleaseSession(CreateProgramOptions options)
      : Session("bdelta", all_.common), all_(std::move(options)), release_(*all_.release) {}

 private:
  int work() override;
  Result<Report> call(const ProgressCallback& progress, TraceSink*) override;
  [[nodiscard]] const std::filesystem::path& output() const override { return patch_; }
  [[nodiscard]] std::string summary(const Report& report) const override { return made_text(patch_, report, all_.create); }

  Status prepare();  // all that is refused before the work
  Status find_kind();
  Status find_outputs();
  [[nodiscard]] Result<InputFacts> facts_of(const std::filesystem::path& source) const;
  void make(const std::filesystem::path& source, const std::string& name);
  void look_at_source(ManifestEntry& entry) const;
  void tell(const ManifestEntry& entry) const;
  int conclude();
  Status write_manifest(const std::string& text);
  [[nodiscard]] std::string total_text() const;
  [[nodiscard]] int status() const;

  CreateProgramOptions all_;
  const ReleaseOptions& release_;
  const Clock::time_point begin_ = Clock::now();
  const std::filesystem::path manifest_path_ = release_.directory / "manifest.json";
  std::vector<std::string> names_;  // of patches
  bool of_trees_ = false;
  std::unique_ptr<RandomReader> target_;  // null for directories
  std::unique_ptr<OutputFile> manifest_file_;
  Manifest manifest_;
  std::vector<std::string> last_words_;  // of a signal handler, after so many patches

  // Of the OLD that is worked on:
  std::filesystem::path source_, patch_;
};

int ReleaseSession::work() {
  if (Status prepared = prepare(); !prepared) return fail(prepared.error());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    note_outputs(last_words_[i].c_str());
    make(release_.sources[i], names_[i]);
  }
  return conclude();
}

Status ReleaseSession::prepare() {
  BDELTA_TRY(find_kind());
  BDELTA_TRY(find_outputs());
  if (!of_trees_) {
    BDELTA_ASSIGN(target_, open_release_target(release_.target, all_.create));
  }
  BDELTA_TRY(make_directory(release_.directory, all_.create.files.sync));
  BDELTA_ASSIGN(manifest_file_, open_output(manifest_path_, all_.create.files));
  if (of_trees_) {
    BDELTA_ASSIGN(const InputFacts facts, facts_of_tree(release_.target, all_.tree.exclude, all_.create.threads));
    manifest_ = {release_.target, facts.bytes, facts.digests, {}, !all_.source_date_epoch, true};
  } else {
    BDELTA_ASSIGN(all_.create.known_target, digests_of(*target_, all_.create.sha256_inputs));
    manifest_ = {release_.target, target_->size(), all_.create.known_target, {}, !all_.source_date_epoch, false};
  }
  const std::string count = std::to_string(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    last_words_.push_back("patches already finished stay (at least " + std::to_string(i) + " of " + count +
                          "), no manifest was written");
  }
  return {};
}

// NEW tells what all are; an OLD that is something else fails alone. Outputs are in no directory that is an input.
Status ReleaseSession::find_kind() {
  BDELTA_ASSIGN(of_trees_, are_trees(release_.target, {}));
  if (of_trees_) {
    BDELTA_TRY(check_apart(release_.target, "NEW", release_.directory, "--out"));
    for (const std::filesystem::path& source : release_.sources) BDELTA_TRY(check_apart(source, "OLD", release_.directory, "--out"));
  }
  const TreeOptions& tree = all_.tree;
  if (!of_trees_ && (!tree.exclude.empty() || tree.times || tree.source_list)) {
    return Error{ErrorCode::kUsage, "--exclude, --times and --old-list are for directories"};
  }
  if (of_trees_ && all_.create.sha256_inputs) return Error{ErrorCode::kUsage, "--hash-files is for files"};
  return {};
}

Status ReleaseSession::find_outputs() {
  std::vector<std::filesystem::path> sources;
  for (const std::filesystem::path& source : release_.sources) sources.push_back(absolute_path(source));
  BDELTA_ASSIGN(names_, patch_names(sources, absolute_path(release_.target)));
  std::vector<std::filesystem::path> outputs{manifest_path_};
  for (const std::string& name : names_) outputs.push_back(release_.directory / path_of(name));
  sources.push_back(release_.target);
  return check_outputs(outputs, sources, all_.create.files.overwrite);
}

Result<Report> ReleaseSession::call(const ProgressCallback& progress, TraceSink*) {
  all_.create.progress = progress;
  if (of_trees_) return create_tree(source_, release_.target, patch_, all_.create, all_.tree);
  return create_file(source_, *target_, patch_, all_.create);
}

void ReleaseSession::make(const std::filesystem::path& source, const std::string& name) {
  const Clock::time_point begin = Clock::now();
  source_ = source;
  patch_ = release_.directory / path_of(name);
  ManifestEntry entry{source, {}, {}, name, call_watched(), 0};
  look_at_source(entry);
  entry.seconds = seconds_since(begin);
  tell(entry);
  manifest_.entries.push_back(std::move(entry));
}

// Of an OLD that is not worth a patch too, so that who has it finds out from the manifest that NEW is to be fetched.
void ReleaseSession::look_at_source(ManifestEntry& entry) const {
  if (entry.made) {
    entry.source_bytes = entry.made->source_bytes;
    entry.source_digests = entry.made->source_digests;
  } else if (is_not_worth_it(entry)) {
    const auto facts = facts_of(entry.source);
    if (!facts) return;
    entry.source_bytes = facts->bytes;
    entry.source_digests = facts->digests;
  }
}

Result<InputFacts> ReleaseSession::facts_of(const std::filesystem::path& source) const {
  if (of_trees_) return facts_of_tree(source, all_.tree.exclude, all_.create.threads);
  BDELTA_ASSIGN(const auto file, open_random(source, all_.create.files));
  BDELTA_ASSIGN(const KnownDigests digests, digests_of(*file, all_.create.sha256_inputs));
  return InputFacts{file->size(), digests};
}

void ReleaseSession::tell(const ManifestEntry& entry) const {
  if (!entry.made) {
    Error error = in_flags(entry.made.error(), program_);
    if (error.file.empty() || is_not_worth_it(entry)) error.file = shown(entry.source);
    if (is_not_worth_it(entry)) error.file += ": not worth a patch";
    const auto is_there = name_is_taken(patch_);
    if (is_there && *is_there) error.remedy += "; what stood at " + shown(patch_) + " before stays there as it was";
    say("bdelta: " + to_string(error) + "\n");
  } else if (!options_.quiet) {
    if (!options_.json) say(summary(*entry.made));
    if (options_.stats) say(stats_text(*entry.made, peak_resident_bytes()));
  }
}

int ReleaseSession::conclude() {
  const Json json = manifest_json(manifest_, all_.create, all_.recorded_unix_seconds());
  note_outputs("patches already finished stay, and the manifest is whole or as it was");
  int result = status();
  if (const Status written = write_manifest(dump(json, 2) + "\n"); !written) {
    say("bdelta: the manifest was not written: " + to_string(written.error()) + "\n");
    if (result == 0) result = exit_class(written.error().code);
  } else if (!options_.quiet && !options_.json) {
    say(total_text());
  }
  const int answered = options_.json ? answer(stdout, dump(json) + "\n") : 0;
  return result == 0 ? answered : result;
}

Status ReleaseSession::write_manifest(const std::string& text) {
  BDELTA_TRY(manifest_file_->write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
  return manifest_file_->finish();
}

std::string ReleaseSession::total_text() const {
  std::size_t made = 0, not_worth_it = 0;
  std::uint64_t bytes = 0;
  for (const ManifestEntry& entry : manifest_.entries) {
    not_worth_it += is_not_worth_it(entry);
    if (!entry.made) continue;
    ++made;
    bytes += entry.made->patch_bytes;
  }
  const std::size_t failed = manifest_.entries.size() - made - not_worth_it;
  std::string text = "bdelta: " + std::to_string(made) + " of " + std::to_string(manifest_.entries.size()) + " patches made, " +
                     human_size(bytes) + " in all, " + seconds_text(seconds_since(begin_));
  if (not_worth_it != 0) text += ", " + std::to_string(not_worth_it) + " not worth a patch";
  if (failed != 0) text += ", " + std::to_string(failed) + " failed";
  return text + "; see " + shown(manifest_path_) + "\n";
}

// A pipeline that goes on where patches are not worth it must not overlook another failure.
int ReleaseSession::status() const {
  int status = 0;
  for (const ManifestEntry& entry : manifest_.entries) {
    if (entry.made) continue;
    const int failure = exit_class(entry.made.error().code);
    if (!is_not_worth_it(entry)) return failure;
    if (status == 0) status = failure;
  }
  return status;
}

}  // namespace

int run_release(CreateProgramOptions options) { return ReleaseSession(std::move(options)).run(); }

}  // namespace bdelta::cli
