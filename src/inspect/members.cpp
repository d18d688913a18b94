#include "bdelta/members.hpp"

#include "apply/opened_patch.hpp"
#include "base/guard.hpp"
#include "base/memory_limit.hpp"
#include "base/try.hpp"
#include "format/format.hpp"
#include "inspect/member_bytes.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

// Of the view, if the patch is about views.
std::uint64_t source_bytes_of(const PatchInfo& info, const ApplyPlan& plan) {
  return !plan.views.empty() ? plan.views.back().source_view_bytes : info.source_size.value_or(~std::uint64_t{0} >> 1);
}

}  // namespace

Result<PatchBytes> inspecting::read_alone(SequentialReader& patch, const ApplyOptions& options) {
  io::TypedReader in(patch);
  BDELTA_ASSIGN(const Format* const format, recognise_format(in, known_formats()));
  if (format->capabilities.source_while_decoding) {
    return Error{ErrorCode::kUnsupportedFeature, "windows of this format can't be read without OLD"};
  }
  BDELTA_ASSIGN(const auto reader, format->open(in, reachable_limit(options.memory_limit_bytes)));
  MemberBytesTap tap;
  reader->measure(tap);
  const ApplyPlan* plan = nullptr;
  while (!plan) {
    BDELTA_ASSIGN(plan, reader->read_plan());
  }
  const std::unique_ptr<inspecting::ListedTree> tree = inspecting::ListedTree::make(*plan, reader->info());
  WindowDelta window;
  for (;;) {
    BDELTA_ASSIGN(const bool more, reader->next(window));
    if (!more) break;
    BDELTA_TRY(validate_window(window, source_bytes_of(reader->info(), *plan), format->capabilities));
    BDELTA_TRY(tap.window(window, {}, {}));
    if (tree) tree->add_window(window);
  }
  PatchBytes bytes;
  bytes.info = reader->info();
  bytes.info.format = format->name;
  bytes.patch_bytes = in.position();
  if (tree && tree->prove()) tap.know_tree(*tree);
  BDELTA_TRY(tap.finish(bytes));
  return bytes;
}

namespace {

Result<PatchBytes> apply_tapped(const std::filesystem::path& source, const std::filesystem::path& patch, const ApplyOptions& options) {
  PatchBytes bytes;
  inspecting::MemberBytesTap tap;
  std::error_code ignored;
  const bool is_tree = std::filesystem::is_directory(source, ignored);
  BDELTA_ASSIGN(const Report report, is_tree ? check_tree_tapped(source, patch, options, tap) : check_file_tapped(source, patch, options, tap));
  bytes.patch_bytes = report.patch_bytes;
  BDELTA_TRY(tap.finish(bytes));
  if (report.tree) bytes.entries = inspecting::entries_of(*report.tree, bytes.members);
  return bytes;
}

}  // namespace

Result<PatchBytes> inspect_bytes(const std::filesystem::path& patch, const ApplyOptions& options) {
  return guarded([&]() -> Result<PatchBytes> {
    BDELTA_ASSIGN(OpenedPatch opened, OpenedPatch::open(patch, options, nullptr));
    auto bytes = inspecting::read_alone(opened.reader(), options);
    if (!bytes && exit_class(bytes.error().code) == 3) return io::with_file(std::move(bytes).error(), patch);
    if (bytes) BDELTA_TRY(opened.check_unchanged());
    return bytes;
  });
}

Result<PatchBytes> inspect_members(const std::filesystem::path& source, const std::filesystem::path& patch,
                                   const ApplyOptions& options) {
  return guarded([&] { return apply_tapped(source, patch, options); });
}

}  // namespace bdelta
