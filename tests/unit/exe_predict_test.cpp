// Prediction, from the owner map to predicted bytes: on toy images and on x86 calls made by hand.
#include <algorithm>
#include <optional>
#include <string>

#include "exe/choose_kinds.hpp"
#include "exe/field_predictor.hpp"
#include "exe/images.hpp"
#include "exe/labels.hpp"
#include "exe/relabel.hpp"
#include "support/expect.hpp"
#include "support/toy_program.hpp"

namespace bdelta::test::exe_predict_test {
namespace {

using namespace exe;

std::size_t code_pos(const Program& program) {
  return static_cast<std::size_t>(program.images().all[0].sections[0].file_pos);
}

TEST(OwnerMap, AgreesWithAskingEachCover) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    Covers covers;
    std::uint64_t target = 0;
    const std::uint64_t size = random.between(1, 2000);
    for (std::uint64_t i = random.below(30); i > 0; --i) {
      const std::uint64_t length = random.between(1, random.between(1, 200));
      target += random.below(5);
      covers.push_back({random.below(size), target, length});
      target += length;
    }
    const OwnerMap map(covers);
    std::size_t stretch_count = 1;
    std::uint32_t before = OwnerMap::kNoCover;  // the owner of the byte in front
    std::uint32_t last = OwnerMap::kNoCover;
    for (std::uint64_t pos = 0; pos < size + 300; ++pos) {
      std::uint32_t owner = OwnerMap::kNoCover;
      for (std::uint32_t i = 0; i < covers.size(); ++i) {
        if (pos < covers[i].source_pos || pos >= covers[i].source_end()) continue;
        if (owner == OwnerMap::kNoCover || covers[i].length > covers[owner].length) owner = i;
      }
      if (owner != OwnerMap::kNoCover) last = owner;
      if (pos > 0 && owner != before) ++stretch_count;
      before = owner;
      ASSERT_EQ(owner, map.owner(pos)) << "round " << round << " at " << pos;
      ASSERT_EQ(last, map.owner_before(pos)) << "round " << round << " at " << pos;
      const OwnerMap::Stretch stretch = map.stretch_at(pos);
      ASSERT_TRUE(pos - stretch.begin < stretch.size_bytes) << "round " << round << " at " << pos;
      ASSERT_EQ(last, stretch.owner_before);
    }
    ASSERT_EQ(stretch_count, map.stretch_count()) << "round " << round;
    ASSERT_TRUE(OwnerMap(covers, nullptr, stretch_count).is_complete()) << "round " << round;
    ASSERT_FALSE(OwnerMap(covers, nullptr, stretch_count - 1).is_complete()) << "round " << round;
  }
}

TEST(LabelIndex, FindsWhatIsThereAndNothingElse) {
  std::vector<Label> labels;
  for (std::uint64_t i = 0; i < 1000; ++i) labels.push_back({i % 500 * 16, i, static_cast<std::uint32_t>(i / 500) * 300});
  const LabelIndex index(labels);
  for (const Label& label : labels) {
    ASSERT_NE(nullptr, index.find(label.image, label.address));
    EXPECT_EQ(label, *index.find(label.image, label.address));
    EXPECT_EQ(nullptr, index.find(label.image, label.address + 1));
  }
  EXPECT_EQ(nullptr, index.find(2, 16));
  EXPECT_EQ(nullptr, LabelIndex({}).find(0, 0));
}

// A short branch to address 0 that is copied to where no section is: it counts from its position there like any other.
TEST(Predictor, AFieldInNoSectionCountsFromItsPosition) {
  const Bytes file = bytes_of("~toy-image\ncode 0 8\nend\n12345678");
  const Images images(find_images(file));
  const std::uint64_t code = images.all[0].sections[0].file_pos;
  const Covers covers = {{code + 4, 2, 4}, {code, code, 4}};
  const OwnerMap map(covers);
  Predictor predictor(images, images, map, nullptr);
  const Field field{code + 5, 0, 0, FieldForm::kRel8, FieldKind::kShortBranch, 0, 0};
  EXPECT_FALSE(predictor.stays(field, 0));
  Prediction prediction;
  ASSERT_TRUE(predictor.predict(field, 0, prediction));
  EXPECT_EQ(3u, prediction.origin.own_address);
  EXPECT_EQ(0u, prediction.target_address);
}

// OLD and NEW of which NEW has 1000 bytes more in the middle of its code; every call and pointer still leads to the
// same.
class ShiftedFunction : public ::testing::Test {
 protected:
  static constexpr std::size_t kCount = 60'000;
  static constexpr std::size_t kShift = 1000;
  static constexpr std::size_t kBorder = 5 * (kCount / 3);  // of the code, where the bytes come in

  ShiftedFunction() {
    const auto moved = [](std::uint64_t offset) { return offset < kBorder ? offset : offset + kShift; };
    Random random(5);
    Bytes old_code = calls(kCount, 6);
    Bytes new_code = old_code;
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::size_t at = 5 * i + 1;
      const std::uint64_t to = at + 4 + load_le<std::uint32_t>(old_code.data() + at);
      store_le(new_code.data() + at, static_cast<std::uint32_t>(moved(to & 0xffffffff) - moved(5 * i) - 5));
    }
    new_code.insert(new_code.begin() + kBorder, kShift, 0x90);
    std::vector<std::uint64_t> old_pointers, new_pointers;
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t offset = random.below(old_code.size());
      old_pointers.push_back(0x1000 + offset);
      new_pointers.push_back(0x1000 + moved(offset));
    }
    old_ = toy_file(old_code, old_pointers);
    new_ = toy_file(new_code, new_pointers);
    source_.emplace(old_, x86_images(old_), pool_);
    target_.emplace(new_, x86_images(new_), pool_);
    const std::size_t begin = code_pos(*source_);
    EXPECT_EQ(begin, code_pos(*target_));
    covers_ = {{0, 0, begin + kBorder},
               {begin + kBorder, begin + kBorder + kShift, old_.size() - begin - kBorder}};
  }

  // NEW as it is predicted, each cover in pieces of random lengths up to `most`; what is not covered is that of NEW.
  Bytes predicted(const FieldPredictor& predictor, std::size_t most, std::uint64_t seed) {
    Random random(seed);
    Bytes bytes = new_;
    FieldPredictor::Cache cache(predictor);
    for (std::uint32_t i = 0; i < covers_.size(); ++i) {
      const Cover& cover = covers_[i];
      std::copy_n(old_.data() + cover.source_pos, cover.length, bytes.data() + cover.target_pos);
      for (std::uint64_t at = 0; at < cover.length;) {
        const std::uint64_t size = std::min<std::uint64_t>(cover.length - at, random.between(1, most));
        predictor.predict(i, at, {bytes.data() + cover.target_pos + at, static_cast<std::size_t>(size)}, cache);
        at += size;
      }
    }
    return bytes;
  }

  // Makes `count` pointers of the tables lead to other offsets of the code; pair_of gives those of OLD and NEW.
  template <class PairOf>
  void change_pointers(std::size_t first, std::size_t count, PairOf&& pair_of) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto [old_offset, new_offset] = pair_of(i);
      store_le<std::uint64_t>(old_.data() + old_.size() - 8 * (5000 - first - i), 0x1000 + std::uint64_t{old_offset});
      store_le<std::uint64_t>(new_.data() + new_.size() - 8 * (5000 - first - i), 0x1000 + std::uint64_t{new_offset});
    }
  }

  std::vector<Label> learn(LabelUse use, unsigned threads) {
    WorkerPool pool(threads);
    const Program source(old_, x86_images(old_), pool);
    return learn_labels(source, target_->images(), new_, OwnerMap(covers_), kAllKinds, use, pool);
  }

  WorkerPool pool_{1};
  Bytes old_, new_;
  std::optional<Program> source_, target_;
  Covers covers_;
};

TEST_F(ShiftedFunction, AllReferencesArePredicted) {
  const OwnerMap map(covers_);
  const FieldPredictor predictor(*source_, target_->images(), map, {}, kAllKinds);
  Bytes found = predicted(predictor, new_.size(), 1);
  // The header names the size of the code, which is no reference.
  std::copy_n(new_.data(), code_pos(*target_), found.data());
  EXPECT_TRUE(same_bytes(new_, found));
}

TEST_F(ShiftedFunction, PiecesMakeTheWhole) {
  const OwnerMap map(covers_);
  const std::vector<Label> labels = {{0x1000 + 50, 0x1000 + 51, 0}};
  const FieldPredictor predictor(*source_, target_->images(), map, labels, kAllKinds);
  const Bytes whole = predicted(predictor, new_.size(), 1);
  EXPECT_FALSE(same_bytes(old_, whole));
  for (const std::size_t most : {1u, 2u, 3u, 9u, 100u, 70'000u}) {
    EXPECT_TRUE(same_bytes(whole, predicted(predictor, most, most))) << most;
  }
}

TEST_F(ShiftedFunction, KindsThatAreOffStayAsInOld) {
  const OwnerMap map(covers_);
  const KindSet kinds = kAllKinds & ~(KindSet{1} << static_cast<unsigned>(FieldKind::kCall));
  const FieldPredictor predictor(*source_, target_->images(), map, {}, kinds);
  const Bytes found = predicted(predictor, 5000, 7);
  const std::size_t begin = code_pos(*source_);
  EXPECT_TRUE(std::equal(old_.begin(), old_.begin() + static_cast<std::ptrdiff_t>(begin + kBorder), found.begin()));
  EXPECT_TRUE(same_bytes(ByteSpan(new_).last(40'000), ByteSpan(found).last(40'000)));
}

TEST_F(ShiftedFunction, MaskedOrLabelledTheCodeIsEqual) {
  const auto same_code = [&](const Bytes& old_copy, const Bytes& new_copy) {
    for (const Cover& cover : covers_) {
      const std::uint64_t skipped = cover.source_pos == 0 ? code_pos(*source_) : 0;
      if (!std::equal(old_copy.begin() + static_cast<std::ptrdiff_t>(cover.source_pos + skipped),
                      old_copy.begin() + static_cast<std::ptrdiff_t>(cover.source_end()),
                      new_copy.begin() + static_cast<std::ptrdiff_t>(cover.target_pos + skipped))) {
        return false;
      }
    }
    return true;
  };
  EXPECT_FALSE(same_code(old_, new_));
  Bytes old_copy = old_, new_copy = new_;
  mask_fields(*source_, kAllKinds, old_copy, pool_);
  mask_fields(*target_, kAllKinds, new_copy, pool_);
  EXPECT_TRUE(same_code(old_copy, new_copy));

  const OwnerMap map(covers_);
  old_copy = old_, new_copy = new_;
  label_source(*source_, target_->images(), map, LabelIndex({}), kAllKinds, old_copy, pool_);
  label_target(*target_, kAllKinds, new_copy, pool_);
  EXPECT_TRUE(same_code(old_copy, new_copy));
  EXPECT_NE(load_le<std::uint32_t>(old_copy.data() + code_pos(*source_) + 1),
            load_le<std::uint32_t>(old_copy.data() + code_pos(*source_) + 6));

  const ByteBuffer buffer = miss_scale(*target_, kAllKinds, pool_);
  const ByteSpan scale = buffer.span();
  ASSERT_EQ(new_.size(), scale.size());
  EXPECT_GT(scale[code_pos(*target_)], scale[code_pos(*target_) + 1]);
}

TEST_F(ShiftedFunction, NeedsNoLabels) {
  const OwnerMap map(covers_);
  EXPECT_TRUE(learn_labels(*source_, target_->images(), new_, map, kAllKinds, LabelUse::kPredict, pool_).empty());
}

TEST_F(ShiftedFunction, OneMovedThingIsLearnedOnce) {
  // The pointers to one place lead elsewhere, and so does one pointer to a place of its own.
  change_pointers(0, 30, [](std::size_t) { return std::pair(777u, 9999u); });
  change_pointers(40, 1, [](std::size_t) { return std::pair(8000u, 4u); });
  const std::vector<Label> labels = learn(LabelUse::kPredict, 1);
  EXPECT_EQ(std::vector<Label>({{0x1000 + 777, 0x1000 + 9999, 0}}), labels);
  EXPECT_EQ(labels, learn(LabelUse::kPredict, 2));
  EXPECT_EQ(labels, learn(LabelUse::kRelabel, 1));
}

TEST_F(ShiftedFunction, StretchesThatMovedAreLearnedForPredictionOnly) {
  // Each pointer of a list leads 16 bytes farther than the covers say, to where no call leads.
  change_pointers(100, 50, [](std::size_t i) { return std::pair(8001 + 10 * i, 8017 + 10 * i); });
  const std::vector<Label> labels = learn(LabelUse::kPredict, 1);
  ASSERT_EQ(50u, labels.size());
  EXPECT_EQ(Label({0x1000 + 8001, 0x1000 + 8017, 0}), labels.front());
  EXPECT_TRUE(learn(LabelUse::kRelabel, 1).empty());
}

TEST_F(ShiftedFunction, KindsThatHurtAreSwitchedOff) {
  // Pointers stay as they were although the code moved.
  std::copy_n(old_.end() - 8 * 5000, 8 * 5000, new_.end() - 8 * 5000);
  const OwnerMap map(covers_);
  const KindCounts counts = count_kinds(*source_, target_->images(), new_, map, LabelIndex({}), pool_);
  const KindSet kinds = choose_kinds(counts);
  EXPECT_TRUE(has_kind(kinds, FieldKind::kCall));
  EXPECT_FALSE(has_kind(kinds, FieldKind::kPointer));
  EXPECT_FALSE(has_kind(kinds, FieldKind::kJump));
  const KindCount& call = counts[static_cast<std::size_t>(FieldKind::kCall)];
  EXPECT_EQ(call.field_count, call.right_count);
  EXPECT_EQ(0u, call.predicted_misses);
  EXPECT_GT(call.plain_misses, 1000u);
  // Nor is anything learned from them.
  change_pointers(0, 30, [](std::size_t) { return std::pair(777u, 9999u); });
  const Program source(old_, x86_images(old_), pool_);
  EXPECT_FALSE(learn_labels(source, target_->images(), new_, map, kAllKinds, LabelUse::kPredict, pool_).empty());
  const LearnedPrediction learned = learn_prediction(source, target_->images(), new_, map, LabelUse::kPredict, pool_);
  EXPECT_EQ(kinds, learned.kinds);
  EXPECT_TRUE(learned.labels.empty());
}

std::vector<Label> random_labels(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Label> labels;
  std::uint64_t address = 0;
  for (std::size_t i = 0; i < count; ++i) {
    address += random.between(1, 5000);
    const std::uint64_t new_address = random.below(4) == 0 ? random.next() : address + 64;
    labels.push_back({address, new_address, static_cast<std::uint8_t>(3 * (2 * i / count))});
  }
  return labels;
}

TEST(Labels, ComeBack) {
  for (const std::size_t count : {0u, 1u, 2u, 1000u}) {
    const std::vector<Label> labels = random_labels(count, count);
    Bytes bytes;
    append_labels(bytes, labels);
    const auto found = parse_labels(bytes, 4, count);
    ASSERT_OK(found);
    EXPECT_EQ(labels, *found);
    if (count == 0) continue;
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_labels(bytes, 4, count - 1));
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_labels(bytes, labels.back().image, count));
  }
}

TEST(Labels, DamageIsRefusedOrHarmless) {
  Bytes bytes;
  append_labels(bytes, random_labels(50, 9));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_labels(ByteSpan(bytes).first(size), 4, 1000));
  }
  Bytes longer = bytes;
  longer.push_back(0);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_labels(longer, 4, 1000));
  Random random(10);
  for (int round = 0; round < 5000; ++round) {
    Bytes other = round % 2 == 0 ? bytes : random_bytes(random.below(60), random.next());
    if (round % 2 == 0) other[random.below(other.size())] = static_cast<std::uint8_t>(random.next());
    const auto found = parse_labels(other, 4, 100);
    if (!found) continue;
    EXPECT_LE(found->size(), 100u);
    for (std::size_t i = 1; i < found->size(); ++i) {
      const Label& before = (*found)[i - 1];
      const Label& label = (*found)[i];
      EXPECT_TRUE(before.image < label.image || (before.image == label.image && before.address < label.address));
    }
  }
}

}  // namespace
}  // namespace bdelta::test::exe_predict_test
