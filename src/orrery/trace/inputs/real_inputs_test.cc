// SPDX-License-Identifier: Apache-2.0
//
// Every trace at hand is identified by its content, and opens.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "orrery/core/paths_testing.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/io/io_testing.h"

namespace orrery::trace {
namespace {

TEST(RealInputs, AreToldApart) {
  const std::filesystem::path folder =
      std::string(core_testing::kSourceFolder) + "/../shared/data/traces";
  std::ifstream file(folder / "index.json");
  if (!file) GTEST_SKIP() << "no traces at " << folder;
  const nlohmann::json index = nlohmann::json::parse(file);
  std::map<std::string, std::string> expected;  // by name below the folder
  for (const auto& entry : index["entries"]) {
    for (const auto& member : entry.value("members", nlohmann::json::array()))
      expected[member["file"]] = member["kind"];
  }
  std::size_t known = 0;
  for (const auto& item : std::filesystem::recursive_directory_iterator(folder)) {
    if (!item.is_regular_file()) continue;
    const auto inputs = inputs_in(item.path().string());
    ASSERT_TRUE(inputs) << to_string(inputs.error());
    for (const Input& input : *inputs) {
      const std::string below = std::filesystem::relative(input.name, folder).string();
      const auto found = expected.find(below);
      if (found == expected.end()) continue;
      ++known;
      std::string_view wanted = found->second;
      if (wanted == "chakra_et" || wanted == "json") wanted = "chakra";
      if (below.ends_with("w.json")) wanted = "unknown";  // process groups
      EXPECT_EQ(name(input.format), wanted) << below;
      auto opened = open(input);
      ASSERT_TRUE(opened) << to_string(opened.error());
      const auto bytes = testing::slurp(**opened);
      ASSERT_TRUE(bytes) << to_string(bytes.error());
      EXPECT_FALSE(bytes->empty());
    }
  }
  EXPECT_GT(known, 50u);
}

}  // namespace
}  // namespace orrery::trace
