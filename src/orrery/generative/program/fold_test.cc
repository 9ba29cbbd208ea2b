// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/program/fold.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace orrery::generative {
namespace {

using Kind = FoldedItem::Kind;
constexpr std::uint64_t kNoLimit = 1 << 20;

TEST(Fold, NestedLoops) {
  // ((1 2 2 2 2 2) x 3, 7) x 2
  std::vector<std::uint32_t> symbols;
  for (int outer = 0; outer < 2; ++outer) {
    for (int inner = 0; inner < 3; ++inner) {
      symbols.push_back(1);
      symbols.insert(symbols.end(), 5, 2);
    }
    symbols.push_back(7);
  }
  const Folded folded = fold(symbols);
  const Folded expected{{Kind::loop, 2}, {Kind::loop, 3},   {Kind::symbol, 1},
                        {Kind::loop, 5}, {Kind::symbol, 2}, {Kind::end, 0},
                        {Kind::end, 0},  {Kind::symbol, 7}, {Kind::end, 0}};
  EXPECT_EQ(folded, expected);
  EXPECT_EQ(unfold(folded, kNoLimit), symbols);
}

TEST(Fold, KeepsShortRepetitions) {
  const std::vector<std::uint32_t> symbols{1, 1, 2, 3, 2, 3};
  EXPECT_EQ(fold(symbols).size(), symbols.size());
}

TEST(Fold, RefusesWhatIsNotWellFormed) {
  EXPECT_TRUE(unfold({{Kind::end, 0}}, kNoLimit).empty());
  EXPECT_TRUE(unfold({{Kind::loop, 3}, {Kind::symbol, 1}}, kNoLimit).empty());
  EXPECT_TRUE(unfold({{Kind::loop, 3}, {Kind::end, 0}}, kNoLimit).empty());
  EXPECT_TRUE(unfold({{Kind::loop, 1}, {Kind::symbol, 1}, {Kind::end, 0}}, kNoLimit).empty());
  EXPECT_TRUE(unfold({{Kind::loop, 9}, {Kind::symbol, 1}, {Kind::end, 0}}, 8).empty());
}

RC_GTEST_PROP(Fold, RoundTrip, ()) {
  // Few symbols, so that random sequences repeat.
  const auto symbols =
      *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 3));
  const Folded folded = fold(symbols);
  RC_ASSERT(folded.size() <= symbols.size() + 2);
  RC_ASSERT(unfold(folded, kNoLimit) == symbols);
}

}  // namespace
}  // namespace orrery::generative
