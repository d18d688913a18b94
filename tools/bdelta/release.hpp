// Patches from several OLDs to one NEW, and the manifest that tells of them.
#pragma once

#include "options.hpp"

namespace bdelta::cli {

// Makes them one after the other, and goes on where one fails. options.release is set. The value for main to return: 0, or
// the status of the first failure, but one of a patch that is not worth it only if there are no others.
[[nodiscard]] int run_release(CreateProgramOptions options);

}  // namespace bdelta::cli
