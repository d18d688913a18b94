#include "io/mapped_file.hpp"

#include <cerrno>
#include <cstring>
#include <new>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta::io {

Result<std::unique_ptr<MappedFile>> MappedFile::create(OpenedFile opened, std::filesystem::path name,
                                                       IoCounters* counters) {
  std::unique_ptr<MappedFile> mapped(new (std::nothrow)
                                         MappedFile(std::move(opened), std::move(name), counters));
  if (!mapped) return Error{ErrorCode::kOutOfMemory, "for a reader"};
  if (mapped->size() == 0) return mapped;
  if (!fits_size(mapped->size())) {
    return file_error(ErrorCode::kFileTooLarge, mapped->name_,
                      std::to_string(mapped->size()) + " bytes do not fit into the address space", "read it without mapping");
  }
  const auto bytes = static_cast<std::size_t>(mapped->size());
  mapped->at_ = mapped->opened_.file.ops().map(mapped->opened_.file.fd(), bytes);
  if (mapped->at_ == nullptr) {
    return file_error(errno, ErrorCode::kOpenFailed, mapped->name_, "mapping it; reading without that may work");
  }
  mapped->view_ = {static_cast<const std::uint8_t*>(mapped->at_), bytes};
  return mapped;
}

MappedFile::~MappedFile() {
  if (at_ != nullptr) (void)opened_.file.ops().unmap(at_, view_.size());
}

Status MappedFile::read_at(std::uint64_t pos, MutableByteSpan out) {
  BDELTA_TRY(check_range(pos, out.size(), size(), name_));
  if (out.empty()) return {};
  std::memcpy(out.data(), view_.data() + static_cast<std::size_t>(pos), out.size());
  count_read(counters_, out.size());
  return {};
}

void MappedFile::advise(Access access) noexcept {
  if (at_ != nullptr) opened_.file.ops().advise(at_, view_.size(), access);
}

}  // namespace bdelta::io
