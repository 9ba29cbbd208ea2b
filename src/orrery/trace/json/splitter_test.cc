// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/splitter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/trace/json/json_testing.h"

namespace orrery::trace::json {

bool operator==(const Element& a, const Element& b) {
  return a.begin == b.begin && a.end == b.end && a.state == b.state;
}

namespace {

using testing::event;

std::string events(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += (i > 0 ? ",\n  " : "\n  ") + event(i);
  return out;
}

/// Feeds the text behind an array's "[" in parts that end at `cuts`.
std::vector<Element> split(std::string_view text, std::vector<std::size_t> cuts) {
  std::sort(cuts.begin(), cuts.end());
  Splitter splitter(0);
  std::vector<Element> out;
  for (const std::size_t cut : cuts) {
    if (splitter.ended()) break;
    const std::size_t from = splitter.keep_from();
    const std::size_t to = std::clamp(cut, from, text.size());
    splitter.scan(text.substr(from, to - from), from, false, out);
  }
  if (!splitter.ended()) {
    const std::size_t from = splitter.keep_from();
    splitter.scan(text.substr(from), from, true, out);
  }
  return out;
}

TEST(Splitter, FindsElements) {
  const std::string text = events(3) + "\n ], \"x\": 1}";
  const auto found = split(text, {});
  ASSERT_EQ(found.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    const Element& each = found[static_cast<std::size_t>(i)];
    EXPECT_EQ(each.state, ElementState::clean);
    EXPECT_EQ(text.substr(each.begin, each.end - each.begin), event(i));
  }
}

RC_GTEST_PROP(Splitter, CutsMakeNoDifference, ()) {
  const int count = *rc::gen::inRange(0, 12);
  std::string text = events(count) + "\n  ],\n \"b\": [3]}";
  if (*rc::gen::arbitrary<bool>() && !text.empty())  // damaged or not
    text[*rc::gen::inRange<std::size_t>(0, text.size())] =
        *rc::gen::elementOf(std::string("\"{}[],\\ x"));
  const auto whole = split(text, {});
  const auto cuts = *rc::gen::container<std::vector<std::size_t>>(
      rc::gen::inRange<std::size_t>(0, text.size() + 1));
  const auto parts = split(text, cuts);
  // Junk may be reported in more pieces; what is an element is the same.
  const auto elements = [](const std::vector<Element>& all) {
    std::vector<Element> out;
    for (const Element& each : all)
      if (each.state < ElementState::broken) out.push_back(each);
    return out;
  };
  RC_ASSERT(elements(whole) == elements(parts));
}

}  // namespace
}  // namespace orrery::trace::json
