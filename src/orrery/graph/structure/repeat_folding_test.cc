// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/repeat_folding.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>

namespace orrery::graph {
namespace {

using Symbols = std::vector<std::uint32_t>;

void repeat(Symbols& to, const Symbols& body, int times) {
  for (int i = 0; i < times; ++i) to.insert(to.end(), body.begin(), body.end());
}

TEST(Fold, FindsWhatIsRepeated) {
  Symbols sequence = {9};
  repeat(sequence, {1, 2, 3}, 4);
  sequence.push_back(8);
  const auto folded = fold_repeats(sequence);
  ASSERT_EQ(folded.size(), 3u);
  EXPECT_EQ(folded[1].times, 4u);
  EXPECT_EQ(folded[1].body.size(), 3u);
  EXPECT_EQ(folded[1].first, 1u);
  EXPECT_EQ(folded[1].length, 12u);
  EXPECT_EQ(unfold(folded), sequence);
}

// Two steps of four microbatches, each with layers forward and backward.
TEST(Fold, FindsBodiesInBodies) {
  Symbols microbatch = {5};
  repeat(microbatch, {1, 2, 2, 3}, 8);
  repeat(microbatch, {4, 6, 7}, 8);
  Symbols step;
  repeat(step, microbatch, 4);
  step.push_back(10);
  Symbols sequence;
  repeat(sequence, step, 2);
  const auto folded = fold_repeats(sequence);
  ASSERT_EQ(folded.size(), 1u);
  EXPECT_EQ(folded[0].times, 2u);
  ASSERT_EQ(folded[0].body.size(), 2u);
  EXPECT_EQ(folded[0].body[0].times, 4u);
  ASSERT_EQ(folded[0].body[0].body.size(), 3u);
  EXPECT_EQ(folded[0].body[0].body[1].times, 8u);
  EXPECT_EQ(folded[0].body[0].body[2].times, 8u);
  EXPECT_EQ(unfold(folded), sequence);
}

TEST(Fold, OfNothingAndOfOne) {
  EXPECT_TRUE(fold_repeats({}).empty());
  EXPECT_EQ(fold_repeats(Symbols{7}).size(), 1u);
  EXPECT_EQ(fold_repeats(Symbols{7, 7})[0].times, 2u);
}

TEST(Fold, LosesNothing) {
  EXPECT_TRUE(rc::check("unfolded again", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Symbols sequence;
    for (int part = 0; part < 4; ++part) {
      Symbols body;
      for (std::uint64_t i = 1 + random() % 6; i > 0; --i)
        body.push_back(static_cast<std::uint32_t>(random() % 3));
      repeat(sequence, body, static_cast<int>(1 + random() % 5));
    }
    const auto folded = fold_repeats(sequence);
    RC_ASSERT(unfold(folded) == sequence);
    std::size_t at = 0;
    for (const Repeat& one : folded) {
      RC_ASSERT(one.first == at);
      at += one.length;
    }
    RC_ASSERT(at == sequence.size());
  }));
}

}  // namespace
}  // namespace orrery::graph
