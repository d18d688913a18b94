// Values of options: from words to numbers, whatever the locale. Each gives nothing for what it does not understand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bdelta/inspect.hpp"

namespace bdelta::cli {

// "512M", "64KiB", "1G": bytes; K, M, G, T are powers of 1024, with or without iB. Nothing on overflow.
[[nodiscard]] std::optional<std::uint64_t> parse_size(const std::string& text);

// "0.6" or "60%": a share above 0.
[[nodiscard]] std::optional<double> parse_ratio(const std::string& text);

// "2.5": seconds above 0.
[[nodiscard]] std::optional<double> parse_seconds(const std::string& text);

// "8": threads, in decimal digits, up to 1024.
[[nodiscard]] std::optional<unsigned> parse_threads(const std::string& text);

// 64 hexadecimal digits, large or small.
[[nodiscard]] std::optional<Sha256Bytes> parse_sha256(const std::string& text);

// "644": permission bits in octal, up to 777.
[[nodiscard]] std::optional<std::uint32_t> parse_mode(const std::string& text);

// For CLI11: what is wrong with a word, or nothing. A ratio above 1 needs its %, as 60 is 60% with the % forgotten.
[[nodiscard]] std::string check_size(const std::string& text);
[[nodiscard]] std::string check_ratio(const std::string& text);
[[nodiscard]] std::string check_seconds(const std::string& text);
[[nodiscard]] std::string check_threads(const std::string& text);
[[nodiscard]] std::string check_buffer(const std::string& text);
[[nodiscard]] std::string check_sha256(const std::string& text);
[[nodiscard]] std::string check_mode(const std::string& text);

// The size of a word that passed check_size; `otherwise` where there is no word.
[[nodiscard]] std::uint64_t size_or(const std::string& text, std::uint64_t otherwise);

}  // namespace bdelta::cli
