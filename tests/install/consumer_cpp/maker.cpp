// Makes a patch from OLD and NEW, asks what it is, and sees errors come as values. usage: maker OLD NEW PATCH
#include <bdelta/create.hpp>
#include <bdelta/inspect.hpp>
#include <cstdio>
#include <fstream>

namespace {

int fail(const char* what, const bdelta::Error& error) {
  std::fprintf(stderr, "%s: %s\n", what, bdelta::to_string(error).c_str());
  return bdelta::exit_class(error.code);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 1;
  bdelta::CreateOptions options;
  options.level = 6;
  const auto report = bdelta::create_file(argv[1], argv[2], argv[3], options);
  if (!report) return fail("create", report.error());
  const auto info = bdelta::inspect_file(argv[3], {});
  if (!info) return fail("inspect", info.error());
  if (info->format != "bdt2" || info->target_size != report->target_bytes) return 100;

  const auto refused = bdelta::create_file(argv[1], argv[2], argv[3], options);
  if (refused || refused.error().code != bdelta::ErrorCode::kOutputExists) return 101;
  if (bdelta::error_name(refused.error().code) != "OutputExists") return 102;
  return 0;
}
