// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/yaml_writer.h"

#include <gtest/gtest.h>

namespace orrery::config {
namespace {

OrderedJson tree() {
  return OrderedJson::parse(R"({"name": "a: \"b\" # c", "empty": {}, "none": [],
    "top": {"flat": [1, 2.5, true], "deep": {"x": 1, "list": [{"y": 2}]}, "list": [{"z": [3]}]}})");
}

TEST(YamlWriter, BlocksReachDownAsManyLevelsAsAsked) {
  EXPECT_EQ(to_yaml(tree()),
            "name: \"a: \\\"b\\\" # c\"\n"
            "empty: {}\n"
            "none: []\n"
            "top:\n"
            "  flat: [1, 2.5, true]\n"
            "  deep: {x: 1, list: [{y: 2}]}\n"
            "  list: [{z: [3]}]\n");
  EXPECT_EQ(to_yaml(tree(), 2),
            "name: \"a: \\\"b\\\" # c\"\n"
            "empty: {}\n"
            "none: []\n"
            "top:\n"
            "  flat: [1, 2.5, true]\n"
            "  deep:\n"
            "    x: 1\n"
            "    list: [{y: 2}]\n"
            "  list:\n"
            "    - {z: [3]}\n");
}

TEST(YamlWriter, ReadingGivesTheSameTree) {
  for (int levels = 0; levels < 5; ++levels)
    EXPECT_EQ(*parse_yaml(to_yaml(tree(), levels), "y"), Json::parse(tree().dump()));
}

}  // namespace
}  // namespace orrery::config
