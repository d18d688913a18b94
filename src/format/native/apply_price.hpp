// Nominal nanoseconds that applying takes: the one price that models, codecs and the context coder are compared by.
#pragma once

#include "format/native/group_choice.hpp"

namespace bdelta::native {

// Literals and misses of windows with modelled bytes.
[[nodiscard]] std::uint64_t literal_ns(const ModelledBytes& bytes) noexcept;
[[nodiscard]] std::uint64_t miss_ns(const ModelledBytes& bytes) noexcept;

// The numbers of a stream through the context coder, and so many bytes of a codec's own.
[[nodiscard]] std::uint64_t number_ns(const GroupDraft& draft, std::size_t stream) noexcept;
[[nodiscard]] std::uint64_t codec_ns(std::uint64_t coded_bytes) noexcept;

// Undoing what was chosen for a group, which is not let go of yet. About.
[[nodiscard]] std::uint64_t choice_ns(const GroupDraft& draft, const GroupChoices& made) noexcept;

}  // namespace bdelta::native
