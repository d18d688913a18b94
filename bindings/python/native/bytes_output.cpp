#include "bytes_output.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace bdelta::python {

Status TargetBytes::write_at(std::uint64_t pos, ByteSpan bytes) {
  if (Status claimed = claim(); !claimed) return claimed;
  if (pos > size_ || bytes.size() > size_ - pos) return Error{ErrorCode::kInternal, "bytes beyond the size of NEW"};
  std::copy(bytes.begin(), bytes.end(), room_ + pos);
  return {};
}

// Nobody else knows the object yet, so its bytes may be written without the GIL.
Status TargetBytes::claim() {
  const std::lock_guard lock(mutex_);
  if (room_ != nullptr) return {};
  return call_.with_python(ErrorCode::kOutOfMemory, [&]() -> Status {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Py_ssize_t>::max());
    PyObject* const made = size_ < kMost ? PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size_)) : nullptr;
    if (made == nullptr) {
      PyErr_Clear();
      return Error{ErrorCode::kOutOfMemory, "NEW has " + std::to_string(size_) + " bytes"};
    }
    object_ = nb::steal(made);
    room_ = reinterpret_cast<std::uint8_t*>(PyBytes_AsString(made));
    return {};
  });
}

nb::object TargetBytes::take() {
  if (room_ == nullptr) return nb::bytes("", 0);
  return std::move(object_);
}

Result<std::size_t> AgainReader::read(MutableByteSpan out) {
  if (rewound_ && given_ < kept_.size()) {
    const std::size_t count = std::min(out.size(), kept_.size() - given_);
    std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(given_), count, out.begin());
    given_ += count;
    auto rest = read(out.subspan(count));
    if (!rest) return rest;
    return count + *rest;
  }
  if (out.empty()) return std::size_t{0};
  auto count = stream_.read(out);
  if (count && !rewound_) kept_.insert(kept_.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(*count));
  return count;
}

}  // namespace bdelta::python
