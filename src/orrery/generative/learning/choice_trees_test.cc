// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/learning/choice_trees.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::generative {
namespace {

/// Condition 1 puts token 5 before 6; condition 2 repeats 6. Every pair of conditions but the last
/// is in the corpus.
Sequence sequence(bool first, bool second) {
  Sequence made;
  if (first) made.conditions.push_back(1);
  if (second) made.conditions.push_back(2);
  made.conditions.push_back(first ? 7 : 8);  // equivalent to condition 1
  if (first) made.tokens.push_back(5);
  made.tokens.push_back(6);
  if (second) made.tokens.push_back(6);
  made.tokens.push_back(9);
  return made;
}

std::vector<Token> most_likely(const ChoiceTrees& trees, const Sequence& of) {
  std::vector<Token> tokens;
  while (tokens.size() < 20) {
    const auto nodes = trees.path(of.conditions, tokens);
    if (nodes.empty()) break;
    Token next = kEnd;
    std::uint32_t most = 0;
    for (const auto& [token, count] : nodes.back()->counts) {
      if (count <= most) continue;
      most = count;
      next = token;
    }
    if (next == kEnd) break;
    tokens.push_back(next);
  }
  return tokens;
}

TEST(ChoiceTrees, CombineConditionsThatTheyNeverSawTogether) {
  const std::vector<Sequence> corpus = {sequence(false, false), sequence(true, false),
                                        sequence(false, true)};
  const ChoiceTrees trees = grow_trees(corpus, {}, 1, {});
  EXPECT_TRUE(trees.is_valid());
  for (const bool first : {false, true})
    for (const bool second : {false, true})
      EXPECT_EQ(most_likely(trees, sequence(first, second)), sequence(first, second).tokens)
          << first << second;
}

TEST(ChoiceTrees, SameForEveryNumberOfThreads) {
  std::vector<Sequence> corpus;
  for (std::uint32_t i = 0; i < 200; ++i) {
    Sequence made = sequence(i % 2 == 0, i % 3 == 0);
    made.tokens.push_back(10 + i % 7);
    if (i % 5 == 0) made.conditions.push_back(20);
    made.weight = 1 + i % 4;
    corpus.push_back(made);
  }
  const ChoiceTrees one = grow_trees(corpus, {}, 1, {});
  const ChoiceTrees four = grow_trees(corpus, {}, 4, {});
  ASSERT_EQ(one.after.size(), four.after.size());
  for (const auto& [token, tree] : one.after) {
    const ChoiceTree& other = four.after.at(token);
    ASSERT_EQ(tree.size(), other.size());
    for (std::size_t i = 0; i < tree.size(); ++i) {
      EXPECT_EQ(tree[i].split, other[i].split);
      EXPECT_EQ(tree[i].counts, other[i].counts);
    }
  }
}

TEST(ChoiceTrees, LossIsTheEntropyOfWhatConditionsLeaveOpen) {
  std::vector<Sequence> corpus(2);
  corpus[0].tokens = {5};
  corpus[1].tokens = {6};
  corpus[0].weight = corpus[1].weight = 100000;  // smoothing hardly matters
  const ChoiceTrees trees = grow_trees(corpus, {}, 1, {});
  EXPECT_NEAR(trees.loss(corpus, 10), std::log(2.0) / 2, 1e-5);  // one of two tokens is open
}

TEST(ChoiceTrees, RefusesLoopsAndEmptyTrees) {
  ChoiceTrees trees =
      grow_trees(std::vector{sequence(true, true), sequence(false, true)}, {}, 1, {});
  ASSERT_TRUE(trees.is_valid());
  ChoiceTrees damaged = trees;
  damaged.after.erase(kStart);
  EXPECT_FALSE(damaged.is_valid());
  damaged = trees;
  damaged.after[kStart][0].yes = damaged.after[kStart][0].no = 0;
  damaged.after[kStart][0].counts.clear();
  EXPECT_FALSE(damaged.is_valid());
  damaged = trees;
  damaged.after[kStart].back().yes = 1;
  damaged.after[kStart].back().no = 0;
  EXPECT_FALSE(damaged.is_valid());
}

}  // namespace
}  // namespace orrery::generative
