// Literals and misses through their models.
#include <memory>

#include "base/deciding/prices.hpp"
#include "io/memory_io.hpp"
#include "model/literal_model.hpp"
#include "model/miss_model.hpp"
#include "model/modelled_scope.hpp"
#include "model/range_coder.hpp"
#include "prices.hpp"
#include "support/generate.hpp"
#include "support/whole_code.hpp"

namespace bdelta::bench {
namespace {

constexpr std::uint64_t kRunBytes = 100;
constexpr unsigned kMissLog = 16;  // tables of some hundred thousand misses

template <class Coder>
void code_literals(Coder& coder, RandomReader& source, ByteSpan literals, MutableByteSpan out) {
  const auto model = std::make_unique<mix::LiteralModel>(source);
  for (std::uint64_t at = 0; at < literals.size(); at += kRunBytes) {
    LiteralRun run;
    run.length = std::min<std::uint64_t>(kRunBytes, literals.size() - at);
    run.target_pos = at;
    run.source_before = run.source_after = at * 4 % source.size();
    expect(static_cast<bool>(model->begin(run)), "a run of literals");
    for (std::uint64_t i = at; i < at + run.length; ++i) {
      const auto place = static_cast<std::size_t>(i);
      out[place] = model->code(coder, Coder::kDecoding ? std::uint8_t{0} : literals[place]);
    }
  }
}

// Nanoseconds to decode so many literals.
double literal_ns(RandomReader& source, std::size_t count) {
  const Bytes literals = test::wordy_bytes(count, 2);
  Bytes out(count);
  RangeEncoder encoder;
  code_literals(encoder, source, literals, out);
  const Bytes code = encoder.finish();
  return least_ns([&] {
    test::WholeCode feed(code);
    RangeDecoder decoder(feed);
    decoder.begin();
    code_literals(decoder, source, literals, out);
    expect(out == literals, "modelled literals");
  });
}

// Nanoseconds to decode a copy where one byte in so many differs, 0: none, and the misses in it.
struct Missed {
  double ns;
  double count;
};
Missed missed_ns(const Bytes& copied, std::uint64_t one_in) {
  Bytes target = copied;
  test::Random random(3);
  for (std::size_t i = 0; one_in != 0 && i < target.size(); ++i) {
    if (random.below(one_in) == 0) target[i] = static_cast<std::uint8_t>(target[i] + 8 * random.between(1, 6));
  }
  Bytes bytes = copied;
  RangeEncoder encoder;
  std::make_unique<mix::MissModel>(kMissLog)->code(encoder, 0, bytes, target.data(), nullptr);
  const Bytes code = encoder.finish();
  double count = 0;
  const double ns = least_ns([&] {
    bytes = copied;
    const auto model = std::make_unique<mix::MissModel>(kMissLog);
    test::WholeCode feed(code);
    RangeDecoder decoder(feed);
    decoder.begin();
    model->code(decoder, 0, bytes, nullptr, nullptr);
    expect(bytes == target, "modelled misses");
    count = static_cast<double>(model->changed_count());
  });
  return {ns, count};
}

}  // namespace

void measure_modelled(Prices& prices) {
  constexpr std::size_t kFew = 24, kMany = 400'000;
  const Bytes text = test::wordy_bytes(std::size_t{4} << 20, 1);
  io::MemoryReader source(text);
  const double first_ns = literal_ns(source, kFew);
  prices.push_back({"kFirstLiteralNs", static_cast<double>(kFirstLiteralNs), first_ns});
  prices.push_back({"kLiteralNs", static_cast<double>(kLiteralNs), (literal_ns(source, kMany) - first_ns) / (kMany - kFew)});
  const auto bytes = static_cast<double>(text.size());
  const Missed none = missed_ns(text, 0);
  const Missed some = missed_ns(text, 100);
  prices.push_back({"kCopiedNs", static_cast<double>(kCopiedNs), none.ns / bytes});
  prices.push_back({"kMissNs", static_cast<double>(kMissNs), (some.ns - none.ns) / some.count});
}

}  // namespace bdelta::bench
