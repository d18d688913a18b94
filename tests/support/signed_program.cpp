#include "support/signed_program.hpp"

#include "hash/sha256.hpp"
#include "support/exe_craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test {
namespace {

void put_big32(CraftedBytes& out, std::size_t pos, std::uint64_t value) {
  for (unsigned i = 0; i < 4; ++i) out.put8(pos + i, static_cast<unsigned>(value >> (24 - 8 * i) & 0xff));
}

void put_segment(CraftedBytes& out, std::size_t at, std::size_t pos, std::size_t size, unsigned section_count) {
  out.put32(at, 0x19).put32(at + 4, 72 + 80 * section_count).put64(at + 24, 0x100000000 + pos).put64(at + 32, size);
  out.put64(at + 40, pos).put64(at + 48, size).put32(at + 64, section_count);
}

}  // namespace

SignedProgram signed_program(ByteSpan code, unsigned page_log) {
  SignedProgram program;
  const std::size_t limit = (kSignedCode + code.size() + 15) / 16 * 16;
  program.signature_pos = limit;
  program.digests = {kPageDigests, page_log, {{0, limit, limit + kSignedHashes}}};
  const std::uint64_t page_bytes = std::uint64_t{1} << page_log;
  const std::uint64_t page_count = (limit + page_bytes - 1) / page_bytes;
  const std::size_t signature_bytes = kSignedHashes + page_count * kDigestBytes;

  CraftedBytes out;
  out.grow_to(limit + signature_bytes);
  out.put32(0, 0xfeedfacf).put32(4, 0x0100000c).put32(12, 2).put32(16, 3).put32(20, kSignedHeader - 32);
  put_segment(out, 32, 0, limit, 1);
  out.put_bytes(104, bytes_of("__text"));
  out.put64(136, 0x100000000 + kSignedCode).put64(144, code.size()).put32(152, kSignedCode).put32(168, 0x80000400);
  put_segment(out, 184, limit, signature_bytes, 0);
  out.put32(256, 0x1d).put32(260, 16).put32(264, limit).put32(268, signature_bytes);
  out.put_bytes(kSignedCode, code);

  // One blob, a directory of version 0x20400.
  put_big32(out, limit, 0xfade0cc0);
  put_big32(out, limit + 4, signature_bytes);
  put_big32(out, limit + 8, 1);
  put_big32(out, limit + 16, kSignedDirectory);
  const std::size_t directory = limit + kSignedDirectory;
  put_big32(out, directory, 0xfade0c02);
  put_big32(out, directory + 4, signature_bytes - kSignedDirectory);
  put_big32(out, directory + 8, 0x20400);
  put_big32(out, directory + 16, kSignedHashes - kSignedDirectory);
  put_big32(out, directory + 28, page_count);
  put_big32(out, directory + 32, limit);
  out.put8(directory + 36, 32).put8(directory + 37, 2).put8(directory + 39, page_log);
  program.bytes = out.take();

  for (std::uint64_t page = 0; page < page_count; ++page) {
    const std::uint64_t pos = page * page_bytes;
    const Sha256Digest hash = sha256(ByteSpan(program.bytes).subspan(pos, std::min(page_bytes, limit - pos)));
    const auto at = static_cast<std::ptrdiff_t>(program.list_pos() + 32 * page);
    std::copy(hash.begin(), hash.end(), program.bytes.begin() + at);
  }
  return program;
}

SignedPair signed_pair(std::size_t code_bytes, std::uint64_t seed, unsigned page_log) {
  const Bytes code = wordy_bytes(code_bytes, seed);
  Bytes changed = edited(code, {{Edit::kInsert, code_bytes / 3, 900, 0, seed + 1},
                                {Edit::kDelete, code_bytes / 2, 300, 0, 0}});
  for (std::size_t i = 100; i < changed.size(); i += 1000) ++changed[i];
  return {signed_program(code, page_log), signed_program(changed, page_log)};
}

}  // namespace bdelta::test
