// NEW of a release, to which several patches are made.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bdelta/create.hpp"

namespace bdelta::cli {

// NEW for any number of calls of create_file, of which none has to read it again: it is mapped, or with --io=stdio held in
// memory. With --io=stdio and a --memory, in which it may have no room, each call reads it as far as that allows.
Result<std::unique_ptr<RandomReader>> open_release_target(const std::filesystem::path& path, const CreateOptions& options);

// Reads all of it, once.
Result<KnownDigests> digests_of(RandomReader& reader, bool with_sha256);

// What a manifest tells of a file or of a directory.
struct InputFacts {
  std::uint64_t bytes = 0;
  KnownDigests digests;
};

// Of a directory as create_tree takes it: what is excluded is passed over. Reads all of it.
Result<InputFacts> facts_of_tree(const std::filesystem::path& path, const std::vector<std::string>& excluded, unsigned threads);

}  // namespace bdelta::cli
