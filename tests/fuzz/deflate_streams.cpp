// Deflate streams and their recipes. Of a stream that inflates: its recipe has to bring it back. Of a recipe with a text:
// it ends in a stream of the size that was said, or is refused. Searches for reads and writes out of bounds, for streams
// that do not come back, and for recipes that make too much work.
#include "fuzz/fuzz_input.hpp"
#include "support/guard_page.hpp"
#include "support/rebuild.hpp"
#include "view/deflate/analyse.hpp"
#include "view/deflate/rebuild.hpp"
#include "view/deflate/recipe_reader.hpp"
#include "view/deflate/recipe_writer.hpp"
#include "view/deflate/token_cursor.hpp"

namespace bdelta::fuzz {
namespace {

using namespace bdelta::deflate;

constexpr std::uint64_t kMostRawBytes = 1500;  // longer texts take long to analyse, and few paths depend on it

// Without its text a stream says the same, and what is none ends.
void read_tokens(ByteSpan packed) {
  const auto stream = inflate(packed, {.most_raw_bytes = kMostRawBytes});
  TokenCursor cursor([packed](std::uint64_t pos) { return packed.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(pos, packed.size()))); });
  std::vector<Token> tokens(kMostRawBytes);
  for (std::uint64_t pos = 0; cursor.move_to(pos) && pos < kMostRawBytes; pos = cursor.pos() + 1) {
    const std::size_t count = cursor.read(tokens.data(), tokens.size(), kMostRawBytes).count;
    if (!stream || pos > 0) continue;
    require(count <= stream->tokens.size() && std::equal(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count), stream->tokens.begin()),
            "tokens read without a text are those of the stream");
  }
}

void bring_back(Analyser& analyser, ByteSpan input) {
  const test::GuardedBytes packed(input);
  read_tokens(packed.bytes());
  const auto analysis = analyser.analyse(packed.bytes(), {.most_raw_bytes = kMostRawBytes});
  if (!analysis) return;
  RecipeWriter writer;
  require(writer.add(analysis->recipe, analysis->sizes()), "a recipe can be written");
  const Bytes recipe = writer.finish();
  auto reader = RecipeReader::open(recipe);
  require(static_cast<bool>(reader), "what was written can be opened");
  const auto read = reader->next(analysis->sizes());
  require(read && *read == analysis->recipe && reader->finish(), "what was written can be read");
  const auto made = test::rebuild(analyser.matchers(), *read, analysis->stream.raw(), analysis->stream.packed_bytes);
  require(static_cast<bool>(made), "what was analysed can be rebuilt");
  require(std::equal(made->begin(), made->end(), packed.bytes().begin()), "what was rebuilt is the stream");
}

// Two numbers, the text, the recipe.
void try_recipe(MatcherSet& matchers, Input& input) {
  const std::uint64_t packed_bytes = input.u16() % 4096;
  const test::GuardedBytes text(input.bytes(input.u16() % 4096));
  const test::GuardedBytes recipe(input.rest());
  auto reader = RecipeReader::open(recipe.bytes());
  if (!reader) return;
  for (unsigned i = 0; i < 3; ++i) {
    const auto stream = reader->next({text.bytes().size(), packed_bytes});
    if (!stream) return;
    const auto made = test::rebuild(matchers, *stream, text.bytes(), packed_bytes);
    require(!made || made->size() == packed_bytes, "a stream has the size that was said");
  }
}

}  // namespace

void run(Input& input) {
  static Analyser analyser;  // its tables go on from one input to the next, as they do from stream to stream
  if (input.u8() % 2 == 0) {
    bring_back(analyser, input.rest());
  } else {
    try_recipe(analyser.matchers(), input);
  }
}

}  // namespace bdelta::fuzz
