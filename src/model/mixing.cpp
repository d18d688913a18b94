#include "model/mixing.hpp"

#include "model/small_lines.hpp"

namespace bdelta::mix {

namespace {

constexpr unsigned fall(unsigned p, unsigned seen) {
  const std::uint32_t rate = 2 * 65536 / kPaces[seen];
  return (p * rate + 32768) >> 16;
}

constexpr unsigned small_fall(unsigned p, unsigned seen) {
  const std::uint32_t rate = 2 * 65536 / (2 * seen + 3);
  return (p * rate + 65535) >> 16;
}

}  // namespace

constinit const Tables kTables = {make_stretch(), make_squash(), make_next_slots<kSeenLimit>(fall)};

constinit const NextSlots<kSmallSeenLimit> kSmallNext = make_next_slots<kSmallSeenLimit>(small_fall);

}  // namespace bdelta::mix
