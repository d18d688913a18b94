// Seeds in shapes of the targets' own: structured inputs, and programs of calls of the C interface.
#include <initializer_list>
#include <string>

#include "fuzz/program_input.hpp"
#include "fuzz/seeds.hpp"
#include "support/generate.hpp"

namespace bdelta::fuzz {
namespace {

// A program is such parts one behind the other; the numbers are those of c_abi_calls.cpp.
struct Calls {
  static constexpr std::uint8_t kPlain = 0;   // ends, arguments or options as they should be
  static constexpr std::uint8_t kAll = 0x80;  // feeds what is left

  Bytes bytes;

  Calls& raw(std::initializer_list<std::uint8_t> call) {
    bytes.insert(bytes.end(), call);
    return *this;
  }
  // A struct that is filled, or an error, of the right size.
  Calls& out() { return raw({0, 0}); }
  Calls& apply(std::uint8_t sample) { return raw({1, sample, kPlain, kPlain, kPlain}).out().out(); }
  Calls& check(std::uint8_t sample) { return raw({3, sample, kPlain, kPlain, kPlain}).out().out(); }
  Calls& info(std::uint8_t sample) { return raw({4, sample, kPlain, kPlain}).out().out(); }
  Calls& open(std::uint8_t sample) { return raw({5, sample, kPlain, kPlain, kPlain}).out(); }
  Calls& feed(std::uint8_t how) { return raw({12, how}).out(); }
  Calls& finish() { return raw({7}).out().out(); }
  Calls& close() { return raw({8}); }
  Calls& create(std::uint8_t sample, std::uint8_t how) {
    return raw({11, sample, kPlain, kPlain, how}).out().out();
  }
};

}  // namespace

void save_structured() {
  for (std::uint8_t program = 0; program < kProgramCount; ++program) {
    Bytes covers = {3};
    for (const unsigned at : {0x100u, 0x200u, 0x80u, 0x300u}) {
      append(covers, joined({Bytes{16}, number(static_cast<std::uint16_t>(at)), number(std::uint16_t{0x1f0})}));
    }
    const Bytes labels = {2, 0, 0x10, 0, 0, 0x20, 0, 0, 0x40, 0, 0, 0x90, 0};
    const auto save_predicted = [&](const char* name, std::uint8_t options, const Bytes& images) {
      save("apply_predicted", name + std::to_string(program),
           joined({Bytes{program, 0, options}, number(std::uint32_t{0x1ffffff}), covers, Bytes{5}, images, labels,
                   Bytes{7, 1, 80, 160}}));
    };
    // How images are told, which are chosen, page breaks with tables, the program that NEW's images are of.
    save_predicted("program", program, {0, 1, program, 0});
    if (program >= kFirstSorted) {
      save_predicted("tables", 32, {0, 1, 0, program, 0});
      save_predicted("page_breaks", 32, {0, 1, 3, 0x00, 0x10, 0x01, 0x04, 0x80, 0x01, program, 0});
    }
    const auto other = static_cast<std::uint8_t>(program == 0 ? 1 : program);
    save("round_trip_program", "program" + std::to_string(program),
         Bytes{static_cast<std::uint8_t>(program + 189), program, 0, other, 2, 0x82, 0x40, 1, 1, 2, 3, 4, 0x01, 20, 0,
               5, 6, 2, 0, 0, 2, 40, 0x30, 0, 3, 0x80, 1, 60, 0x10, 1});
  }
  for (std::uint8_t level = 0; level < 9; ++level) {
    save("round_trip", "level" + std::to_string(level + 1),
         joined({Bytes{level, 4, 1, 0, 2, 2, 0, 8, 3, 0, 1, 0, 16, 0}, test::bytes_of("sixteen of these"),
                 Bytes{5, 0, 100, 0, 90, 0, 0, 0, 1, 2, 0, 2, 0, 1, 0, 0, 2, 3, 0, 3, 0, 2, 200, 0, 4,
                       4, 1, 0, 1, 9, 9, 9, 5, 3, 3, 40, 0, 0, 0, 0},
                 test::wordy_bytes(200, level)}));
  }
  save("round_trip", "bdt1", joined({Bytes{250, 1, 2, 0, 16, 2, 0, 0, 1, 50, 0, 0, 0, 5, 3, 0, 2, 100, 0, 0, 0, 0}}));
}

void save_calls() {
  for (std::uint8_t sample = 0; sample < 5; ++sample) {
    const std::string name = "sample" + std::to_string(sample);
    save("c_abi_calls", name + "-whole", Calls().info(sample).check(sample).apply(sample).bytes);
    Calls pieces;
    pieces.open(sample).feed(7).feed(1).feed(60).feed(0x41).raw({200, 0}).feed(Calls::kAll).finish();
    save("c_abi_calls", name + "-pieces", pieces.feed(1).finish().close().finish().bytes);
  }
  save("c_abi_calls", "create", Calls().create(0, 1).create(3, 3).bytes);
  // An altered OLD and an altered patch, callbacks that fail or ask for an end, limits, digests, structs of other ages.
  save("c_abi_calls", "altered",
       Calls().raw({1, 0, 1, 0, 5, 0, 0, 0}).out().out().raw({1, 1, 4, 0, 50, 0, 0, 0}).out().out().bytes);
  save("c_abi_calls", "failing",
       Calls().raw({1, 0, 2, 3, 1, 0, 0}).out().out().raw({2, 1, 0x18, 9, 2, 0, 0, 0}).out().out()
           .raw({1, 4, 0xa0, 1, 1, 0, 0}).out().out().raw({3, 3, 0x40, 1, 3, 9, 4, 0, 0}).out().out().bytes);
  save("c_abi_calls", "limits",
       Calls().raw({1, 0, 0, 0, 7, 12, 16, 9, 0, 2}).out().out().raw({5, 1, 0, 0, 9, 12, 1}).out()
           .feed(Calls::kAll).finish().raw({5, 1, 0, 0, 8, 1}).out().feed(Calls::kAll).finish().bytes);
  save("c_abi_calls", "allocator",
       Calls().raw({5, 0, 0x40, 9, 0, 2, 0, 0, 0x40, 0}).out().feed(9).feed(60).feed(60).feed(Calls::kAll).finish()
           .bytes);
  save("c_abi_calls", "sizes",
       Calls().raw({1, 0, 0, 0, 0x80, 0x26, 0, 0x41, 0, 0x23}).raw({4, 0, 0, 0, 0, 0x22, 0, 0x62}).bytes);
  save("c_abi_calls", "others", Calls().raw({0, 1, 2, 0, 0, 3, 9, 1, 0, 3, 0}).out().raw({10, 0, 0}).out().bytes);
}

}  // namespace bdelta::fuzz
