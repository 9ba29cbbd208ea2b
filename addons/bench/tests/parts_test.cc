// SPDX-License-Identifier: Apache-2.0
//
// Parts of recordings played alone (--subtrace).
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "addons/bench/tests/bench_program_testing.h"
#include "orrery/core/paths_testing.h"

namespace orrery {
namespace {

using ::testing::HasSubstr;

// Each microbatch has as many operators as another; sizes, names and programs follow as of all.
TEST_F(Bench, FewerMicrobatchesAreReplayed) {
  const std::string trace = kRecordings + "accumulated.json.gz --iterations 1 ";
  for (const std::string& level : levels()) {
    std::vector<std::int64_t> operators;
    for (const std::string part : {"--subtrace microbatches=1", "--subtrace microbatches=2",
                                   "--subtrace microbatches=3", ""})
      for (const std::string size : {"", "--resize 32=8 "}) {
        const Json result = replay(trace + "--level " + level + " " + size + part);
        EXPECT_EQ(result["replay"]["failed_operators"], 0) << level << part << size;
        operators.push_back(result["coverage"]["all_operators"]["count"]);
      }
    for (std::size_t i = 2; i < operators.size(); ++i)
      EXPECT_EQ(operators[i] - operators[i - 2], operators[2] - operators[0]) << level;
    EXPECT_GT(operators[2] - operators[0], 40) << level;
  }
  const Said all = ask("bench run " + trace + "--subtrace microbatches=4");
  EXPECT_EQ(all.code, 2);
  EXPECT_THAT(all.text, HasSubstr("has 4"));
}

// A part of a recording works by itself at any level.
TEST_F(Bench, PartsAreReplayedAlone) {
  const std::string transformer = kRecordings + "transformer.json.gz --iterations 1 ";
  for (const std::string& name : levels()) {
    const std::string level = "--level " + name + " ";
    std::uint64_t parts = 0;
    for (const char* part : {"layer=0", "layers=1-1", "layers=0-1", "scope=Optimizer.step"}) {
      const Json result = replay(transformer + level + "--subtrace " + part);
      EXPECT_EQ(result["replay"]["failed_operators"], 0) << result["replay"]["failed_by_name"];
      EXPECT_EQ(result["replay"]["reshaped_steps"], 0) << part;
      const auto count = result["coverage"]["all_operators"]["count"].get<std::uint64_t>();
      EXPECT_GT(count, 100u) << part;
      parts += std::string_view(part) == "layers=0-1" ? count : 0;
    }
    const Json whole = replay(transformer + level + "--only-plan");
    EXPECT_LT(parts, whole["coverage"]["all_operators"]["count"].get<std::uint64_t>());
  }
  const std::string demo =
      std::string(core_testing::kSourceFolder) + "/data/demo/ddp_transformer/rank0.";
  const Json timed =
      replay(demo + "et.json.gz " + demo + "kineto.json.gz --iterations 1 --subtrace 10ms-20ms");
  EXPECT_EQ(timed["replay"]["failed_operators"], 0) << timed["replay"]["failed_by_name"];
  EXPECT_THAT(ask("bench run " + kRecordings + "transformer.json.gz --subtrace layer=2").text,
              HasSubstr("has layers 0-1"));
}

}  // namespace
}  // namespace orrery
