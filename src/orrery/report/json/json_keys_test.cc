// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/json/json_keys.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "orrery/report/json/output_schema.h"

namespace orrery::report {
namespace {

std::set<std::string> words(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}

TEST(JsonKeys, EveryNameIsDeclaredOnce) {
  std::string_view last;
  for (const JsonKey& key : json_keys()) {
    EXPECT_LT(last, key.name);
    EXPECT_FALSE(key.about.empty()) << key.name;
    last = key.name;
  }
}

TEST(JsonKeys, EveryNumberHasItsUnitInItsName) {
  for (const JsonKey& key : json_keys()) {
    const bool share = key.name.ends_with("_share") || key.name.ends_with("_shares");
    if (key.form == JsonForm::map && key.type == JsonType::share) continue;
    EXPECT_EQ(key.type == JsonType::share, share) << key.name;
    EXPECT_EQ(key.type == JsonType::quantity, !unit_of(key.name).empty() && !share) << key.name;
  }
}

TEST(JsonKeys, MembersAndResultsAreDeclared) {
  std::set<std::string> used = {"orrery", "command", "result", "error", "findings"};
  for (const JsonKey& key : json_keys()) {
    EXPECT_EQ(key.type == JsonType::object, !key.members.empty()) << key.name;
    if (key.members.starts_with('=')) {
      const JsonKey* const other = json_key(key.members.substr(1));
      ASSERT_NE(other, nullptr) << key.name;
      EXPECT_EQ(other->type, JsonType::object) << key.name;
    } else if (key.members != "*") {
      used.merge(words(key.members));
    }
  }
  for (const JsonResult& result : command_results()) used.merge(words(result.members));
  for (const std::string& name : used) EXPECT_NE(json_key(name), nullptr) << name;
  for (const JsonKey& key : json_keys())
    EXPECT_TRUE(used.count(std::string(key.name)) > 0) << key.name << " is nowhere";
}

TEST(JsonKeys, UnitsAreTheLongestEnds) {
  EXPECT_EQ(unit_of("step_ns"), "ns");
  EXPECT_EQ(unit_of("bytes"), "bytes");
  EXPECT_EQ(unit_of("peak_flop_per_s"), "flop_per_s");
  EXPECT_EQ(unit_of("columns"), "");
  EXPECT_EQ(unit_of("ranks"), "");
}

TEST(OutputSchema, IsJsonForEveryCommand) {
  for (const JsonResult& result : command_results()) {
    const auto schema = nlohmann::json::parse(output_schema(result.command));
    EXPECT_EQ(schema["properties"]["command"]["const"], result.command);
    EXPECT_TRUE(schema["$defs"].contains("findings")) << result.command;
  }
  const auto all = nlohmann::json::parse(output_schema(""));
  EXPECT_EQ(all["allOf"].size(), command_results().size());
}

}  // namespace
}  // namespace orrery::report
