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

using testing::read_elements;

std::string event(int id) {
  return "{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"id\": " + std::to_string(id) +
         ", \"name\": \"k<{lambda#1}>(a*, [2]) \\\"b\\\\\",\n    \"args\": {\n      \"grid\": [1, "
         "[2, 3]], \"pg\": [{\"r\": 1}, {\"r\": 2}], \"ranks\": \"[0, 1]\"\n    }\n  }";
}

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
  // Junk may be told in more pieces; what is an element is the same.
  const auto elements = [](const std::vector<Element>& all) {
    std::vector<Element> out;
    for (const Element& each : all)
      if (each.state < ElementState::broken) out.push_back(each);
    return out;
  };
  RC_ASSERT(elements(whole) == elements(parts));
}

/// Ways to write an element: the profiler's, a compact one, an execution trace's node.
struct Style {
  const char* name;
  std::string (*element)(int id);
  const char* gap;
};

std::string compact_event(int id) {
  return R"({"ph":"X","id":)" + std::to_string(id) +
         R"(,"name":"a","args":{"dims":[[1,2],[]],"pg":[{"r":1},{"r":2}]}})";
}

std::string node(int id) {
  return "{\n      \"id\": " + std::to_string(id) +
         R"(, "name": "aten::mm", "ctrl_deps": 1,
      "inputs": {"values": [[7,8,0,4,4,"cpu"],"<None>"], "shapes": [[2],[]], "types": ["Int"]},
      "attrs": [{"name": "rf_id", "type": "uint64", "value": 5},{"name": "op_schema", "type": "string", "value": "a(int b)[]"}]
    })";
}

/// Damage anywhere in the middle one of five elements, and in the gaps around it.
class SplitterDamage : public ::testing::TestWithParam<Style> {
 protected:
  static constexpr int kCount = 5;
  void SetUp() override {
    std::string elements = element(0);
    for (int i = 1; i < kCount; ++i) elements += GetParam().gap + element(i);
    text_ = "{\"traceEvents\": [" + elements + "\n  ],\n  \"traceName\": \"x\"\n}";
    begin_ = text_.find(element(1)) + element(1).size();
    end_ = text_.find(element(3));
    own_begin_ = text_.find(element(2));
    own_end_ = own_begin_ + element(2).size();
  }
  static std::string element(int id) { return GetParam().element(id); }
  /// All elements but the damaged one are there, and nothing went unseen.
  static void expect_others(const std::string& damaged, std::size_t at) {
    const auto out = read_elements(damaged);
    EXPECT_FALSE(out.error);
    for (const int id : {0, 1, 3, 4})
      EXPECT_TRUE(out.has(id)) << id << " after damage at byte " << at << ":\n" << damaged;
  }

  std::string text_;
  std::size_t begin_ = 0, end_ = 0, own_begin_ = 0, own_end_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Styles, SplitterDamage,
                         ::testing::Values(Style{"profiler", &event, ",\n  "},
                                           Style{"compact", &compact_event, ","},
                                           Style{"node", &node, ",\n    "}),
                         [](const auto& style) { return std::string(style.param.name); });

TEST_P(SplitterDamage, DeletedBytesStayInTheirElement) {
  for (std::size_t at = begin_; at < end_; ++at) {
    std::string damaged = text_;
    damaged.erase(at, 1);
    expect_others(damaged, at);
  }
}

TEST_P(SplitterDamage, ChangedBytesStayInTheirElement) {
  for (std::size_t at = begin_; at < end_; ++at) {
    for (const char c : std::string("\"\\{}[],: x1\n\x01\xff")) {
      std::string damaged = text_;
      damaged[at] = c;
      expect_others(damaged, at);
    }
  }
}

TEST_P(SplitterDamage, InsertedBytesStayInTheirElement) {
  for (std::size_t at = begin_; at < end_; ++at) {
    for (const char c : std::string("\"\\{}[],")) {
      std::string damaged = text_;
      damaged.insert(at, 1, c);
      expect_others(damaged, at);
    }
  }
}

TEST_P(SplitterDamage, CutElementsStayAlone) {
  for (std::size_t at = own_begin_; at < own_end_; ++at) {
    std::string damaged = text_;
    damaged.erase(at, own_end_ - at);
    expect_others(damaged, at);
    damaged = text_;
    damaged.erase(own_begin_, at - own_begin_ + 1);
    expect_others(damaged, at);
  }
}

TEST_P(SplitterDamage, IsCountedOnce) {
  std::string damaged = text_;
  damaged.erase(own_begin_ + element(2).find("\"name\"") + 5, 1);  // a quote
  const auto out = read_elements(damaged);
  EXPECT_EQ(out.ids.size(), 4u);
  EXPECT_EQ(out.met, 5u);
  EXPECT_EQ(out.findings.count(FindingCode::corrupt_record_dropped), 1u);
  damaged = text_;
  damaged.erase(own_begin_, 1);
  const auto headless = read_elements(damaged);
  EXPECT_FALSE(headless.has(2));
  EXPECT_GE(headless.findings.count(FindingCode::corrupt_record_dropped), 1u);
}

}  // namespace
}  // namespace orrery::trace::json
