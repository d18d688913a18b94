#include "io/file_ops.hpp"

#include <atomic>

namespace bdelta::io {
namespace {

// Null means system_ops, so that no initialisation order matters and a signal handler may read it.
std::atomic<const FileOps*> current{nullptr};

}  // namespace

const FileOps& file_ops() noexcept {
  const FileOps* ops = current.load(std::memory_order_acquire);
  return ops != nullptr ? *ops : system_ops();
}

ScopedFileOps::ScopedFileOps(const FileOps& ops) noexcept : previous_(current.exchange(&ops)) {}

ScopedFileOps::~ScopedFileOps() { current.store(previous_, std::memory_order_release); }

}  // namespace bdelta::io
