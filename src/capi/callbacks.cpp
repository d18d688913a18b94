#include "capi/callbacks.hpp"

namespace bdelta::capi {

Status callback_status(std::int32_t code, ErrorCode otherwise) {
  if (code == BDELTA_OK) return {};
  const auto named = static_cast<ErrorCode>(code);
  const bool known = error_name(named) != error_name(static_cast<ErrorCode>(-1));
  return Error{known ? named : otherwise, "the caller's function returned " + std::to_string(code)};
}

Result<bdelta_reader> CallbackReader::check(const bdelta_reader* from, const char* name) {
  BDELTA_TRY(require(from, name));
  BDELTA_ASSIGN(const bdelta_reader reader, read_struct(from, "bdelta_reader"));
  if (reader.reserved != 0) return too_new("bdelta_reader");
  if (!reader.read_at) return Error{ErrorCode::kUsage, std::string(name) + ": read_at must not be NULL"};
  return reader;
}

Status CallbackReader::read_at(std::uint64_t pos, MutableByteSpan out) {
  if (out.empty()) return {};
  Status status = callback_status(from_.read_at(from_.user, pos, out.data(), out.size()), ErrorCode::kReadFailed);
  if (!status) status.error().offset = pos;
  return status;
}

Result<bdelta_input> CallbackInput::check(const bdelta_input* from) {
  BDELTA_TRY(require(from, "patch"));
  BDELTA_ASSIGN(const bdelta_input input, read_struct(from, "bdelta_input"));
  if (input.reserved != 0) return too_new("bdelta_input");
  if (!input.read) return Error{ErrorCode::kUsage, "patch: read must not be NULL"};
  return input;
}

// A SequentialReader gives less than was asked for at the end alone; the callback may at any time.
Result<std::size_t> CallbackInput::read(MutableByteSpan out) {
  std::size_t done = 0;
  while (done < out.size()) {
    std::size_t count = 0;
    const MutableByteSpan rest = out.subspan(done);
    const std::int32_t code = from_.read(from_.user, rest.data(), rest.size(), &count);
    BDELTA_TRY(callback_status(code, ErrorCode::kReadFailed));
    if (count > rest.size()) {
      return Error{ErrorCode::kReadFailed, "the caller's function says it gave " + std::to_string(count) +
                                               " bytes of " + std::to_string(rest.size()) + " asked for"};
    }
    if (count == 0) break;
    done += count;
  }
  return done;
}

Result<bdelta_writer> CallbackWriter::check(const bdelta_writer* from, bool stream_only) {
  BDELTA_TRY(require(from, stream_only ? "patch" : "target"));
  BDELTA_ASSIGN(const bdelta_writer writer, read_struct(from, "bdelta_writer"));
  if (writer.reserved != 0) return too_new("bdelta_writer");
  if ((writer.write != nullptr) == (writer.write_at != nullptr)) {
    return Error{ErrorCode::kUsage, "expected one of write and write_at to be set"};
  }
  if (stream_only && !writer.write) return Error{ErrorCode::kUsage, "a patch is written as a stream: set write"};
  return writer;
}

Status CallbackWriter::write(ByteSpan bytes) {
  if (bytes.empty()) return {};
  return callback_status(from_.write(from_.user, bytes.data(), bytes.size()), ErrorCode::kWriteFailed);
}

Status CallbackWriter::write_at(std::uint64_t pos, ByteSpan bytes) {
  if (bytes.empty()) return {};
  return callback_status(from_.write_at(from_.user, pos, bytes.data(), bytes.size()), ErrorCode::kWriteFailed);
}

}  // namespace bdelta::capi
