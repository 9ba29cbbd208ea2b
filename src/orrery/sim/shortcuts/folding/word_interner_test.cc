// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/word_interner.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace orrery::sim {
namespace {

TEST(KeyNumbering, NumbersKeysInOrderOfFirstAppearance) {
  std::mt19937_64 random(1);
  KeyNumbering numbering;  // clear() leaves no trace of the keys before
  for (const std::uint64_t different : {3, 8, 9, 5000, 10, 2, 40, 8, 700}) {
    std::map<std::uint64_t, std::uint32_t> expected;
    std::vector<std::uint64_t> order;
    for (std::uint64_t i = 0; i < 4 * different; ++i) {
      const std::uint64_t key = random() % different << 32 | 7;
      const auto [known, is_new] =
          expected.emplace(key, static_cast<std::uint32_t>(expected.size()));
      if (is_new) order.push_back(key);
      ASSERT_EQ(numbering.number(key), known->second);
    }
    EXPECT_EQ(numbering.keys(), order);
    numbering.clear();
    EXPECT_TRUE(numbering.keys().empty());
  }
}

}  // namespace
}  // namespace orrery::sim
