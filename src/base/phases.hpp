// The phases of both programs: the one place where they are named. docs/json.md says what each holds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bdelta {

enum class PhaseId : std::uint8_t {
  kRead,
  kHash,
  kUnpack,
  kCompare,
  kIndex,
  kScan,
  kSelect,
  kParse,
  kPredict,
  kPlan,
  kEncode,
  kCompress,
  kDecode,
  kExecute,
  kVerify,
  kWrite,
  kFinish,
  kWait,
};
inline constexpr std::size_t kPhaseCount = 18;

// Never null, never freed. Part of what reports and traces promise: renaming one is a change that users see.
[[nodiscard]] constexpr const char* phase_name(PhaseId id) noexcept {
  constexpr std::array<const char*, kPhaseCount> kNames = {"read",   "hash",     "unpack", "compare", "index",
                                                           "scan",   "select",  "parse",   "predict",
                                                           "plan",   "encode",   "compress", "decode", "execute",
                                                           "verify", "write",    "finish",  "wait"};
  return kNames[static_cast<std::size_t>(id)];
}

// In the order of the work, as reports list them.
inline constexpr PhaseId kCreatePhases[] = {PhaseId::kRead,   PhaseId::kHash,   PhaseId::kUnpack, PhaseId::kCompare, PhaseId::kIndex,
                                            PhaseId::kScan,   PhaseId::kSelect,  PhaseId::kParse,
                                            PhaseId::kPredict, PhaseId::kPlan,  PhaseId::kEncode, PhaseId::kCompress, PhaseId::kVerify, PhaseId::kWrite,
                                            PhaseId::kFinish, PhaseId::kWait};
inline constexpr PhaseId kApplyPhases[] = {PhaseId::kRead,   PhaseId::kHash,    PhaseId::kUnpack, PhaseId::kPredict, PhaseId::kDecode,
                                           PhaseId::kExecute, PhaseId::kVerify,  PhaseId::kWrite,  PhaseId::kFinish, PhaseId::kWait};

}  // namespace bdelta
