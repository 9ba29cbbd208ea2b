// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/trace/io/json_document_testing.h"
#include "orrery/trace/json/json_testing.h"

namespace orrery::trace::json {
namespace {

using testing::event;
using testing::read_elements;

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
