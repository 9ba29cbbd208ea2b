// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text_numbers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace orrery {
namespace {

TEST(TextNumbers, NumberTextsInTheOrderOfTheirFirstAppearance) {
  TextNumbers numbers;
  std::vector<std::string> texts{""};
  const auto number_of = [&](const std::string& text) {
    const auto [number, added] =
        numbers.find_or_add(text, [&](std::uint32_t known) { return texts[known]; });
    if (added) texts.push_back(text);
    return number;
  };
  EXPECT_EQ(number_of(""), 1u);
  for (std::uint32_t i = 2; i <= 10'000; ++i) {
    EXPECT_EQ(number_of("node " + std::to_string(i)), i);
    EXPECT_EQ(number_of("node " + std::to_string(i / 2 + 1)), i / 2 + 1);
  }
  EXPECT_EQ(texts.size(), 10'001u);
}

// Texts in few slots: all have the same lowest bits of their hash.
TEST(TextNumbers, DistinguishTextsThatShareASlot) {
  std::vector<std::string> texts{""};
  TextNumbers numbers;
  const std::size_t wanted = std::hash<std::string_view>{}("first") & 0xff;
  for (int i = 0; texts.size() < 100; ++i) {
    const std::string text = "text " + std::to_string(i);
    if ((std::hash<std::string_view>{}(text)&0xff) != wanted) continue;
    texts.push_back(text);
  }
  const auto text_at = [&](std::uint32_t known) { return texts[known]; };
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 1; i < texts.size(); ++i) {
      const auto [number, added] = numbers.find_or_add(texts[i], text_at);
      EXPECT_EQ(number, i);
      EXPECT_EQ(added, round == 0);
    }
  }
}

TEST(TextNumbers, TakeFewBytes) {
  TextNumbers numbers;
  std::vector<std::string> texts{""};
  for (int i = 0; i < 100'000; ++i) {
    texts.push_back(std::to_string(i));
    (void)numbers.find_or_add(texts.back(), [&](std::uint32_t known) { return texts[known]; });
  }
  EXPECT_GE(numbers.resident_bytes(), 16u * 100'000);
  EXPECT_LE(numbers.resident_bytes(), 32u * 100'000);
}

}  // namespace
}  // namespace orrery
