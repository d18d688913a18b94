// An input that is changed while a patch is made.
#include "create/input.hpp"

#include "io/memory_io.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::create_input_test {
namespace {

// What is changed in an input leaves the reader's bytes as they are.
TEST(InputBytes, AreCopiedWholeToBeChanged) {
  WorkerPool pool(3);
  const Bytes file = random_bytes((std::size_t{5} << 20) + 7, 10);
  io::MemoryReader reader(file);
  auto input = InputBytes::load(reader, pool);
  ASSERT_OK(input);
  EXPECT_FALSE(input->is_edited());
  const auto bytes = input->edit(pool);
  ASSERT_OK(bytes);
  EXPECT_TRUE(input->is_edited());
  EXPECT_TRUE(same_bytes(file, *bytes));
  (*bytes)[3] ^= 1;
  EXPECT_NE(file[3], input->bytes()[3]);
  const auto again = input->edit(pool);
  ASSERT_OK(again);
  EXPECT_EQ(bytes->data(), again->data());
}

}  // namespace
}  // namespace bdelta::test::create_input_test
