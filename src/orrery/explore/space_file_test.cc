// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/space/space_file.h"

#include <cstdlib>

#include "orrery/core/paths_testing.h"
#include "orrery/explore/evaluation/evaluator.h"
#include "orrery/explore/space/search_space_testing.h"

namespace orrery::explore {
namespace {

TEST(SpaceFile, HasAxesOfValuesAndRanges) {
  const SearchSpace space = space_of(small_space());
  EXPECT_EQ(space.combinations(), 4 * 4 * 3 * 2 * 3);
  EXPECT_EQ(space.axes[4].labels, (std::vector<std::string>{"12.5", "25", "50"}));
  EXPECT_TRUE(space.axes[0].ordered);
  EXPECT_FALSE(space.axes[3].ordered);
  for (std::uint64_t i = 0; i < 288; ++i) EXPECT_EQ(space.number(space.at(i)), i);
  EXPECT_EQ(space.at(1), (Coordinates{0, 0, 0, 0, 1}));
  EXPECT_EQ(space.words(space.at(287)), "tp 8, pp 4, micro 4, sharding zero1, nic 50");
  const auto asked = spec_at(space, space.at(287));
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->job["parallel"], (Json{{"tp", 8}, {"pp", 4}, {"sharding", "zero1"}}));
  EXPECT_EQ(asked->cluster["network"][1]["bandwidth"], "50 GB/s");
}

TEST(SpaceFile, StepsReachTheEnd) {
  const auto axis = [](const std::string& range) {
    const auto space =
        parse_space("{job: {}, cluster: x, axes: [{name: a, " + range + "}]}", "s.yaml");
    return space ? fmt::format("{}", fmt::join(space->axes[0].labels, " "))
                 : to_string(space.error());
  };
  EXPECT_EQ(axis("from: 0, to: 1, step: 0.25"), "0 0.25 0.5 0.75 1");
  EXPECT_EQ(axis("from: 0, to: 0.3, step: 0.1"), "0 0.1 0.2 0.3");
  EXPECT_EQ(axis("from: 1, to: 8, step: 3"), "1 4 7");
  EXPECT_EQ(axis("from: 1, to: 1000, points: 4, scale: log"), "1 10 100 1000");
  EXPECT_EQ(axis("from: -1, to: 1, points: 3"), "-1 0 1");
  EXPECT_EQ(axis("from: 1, to: 2, points: 4"), "1 1.33333 1.66667 2");
  EXPECT_EQ(axis("from: 12345678, to: 12345680, step: 1"), "12345678 12345679 12345680");
}

TEST(SpaceFile, SaysWhatIsWrongAndWhere) {
  const std::string head = "job: {}\ncluster: x\n";
  const std::pair<std::string, const char*> cases[] = {
      {"axes: [{name: a}]", "has neither values nor a range"},
      {"axes: [{name: a, from: 1, to: 2, points: 3, step: 1}]", "has both `points` and `step`"},
      {"axes: [{name: a, from: 1000000, to: 1000001}]", "too narrow for a continuous axis"},
      {"axes: [{name: a, from: 2, to: 1, points: 2}]", "must be above `from`"},
      {"axes: [{name: a, from: 0, to: 1, points: 2, scale: log}]", "needs a range above 0"},
      {"axes: [{name: a, from: 0, to: 1, step: 1e-9}]", "the limit is"},
      {"axes: [{name: a, values: [1], from: 1}]", "has both values and a range"},
      {"axes: [{name: a, values: [1, 1.0]}]", "\"1\" is listed twice"},
      {"axes: [{name: a, values: []}]", "a list of values"},
      {"axes: [{name: min, values: [1]}]", "cannot be a name"},
      {"axes: [{name: memory, values: [1]}]", "is the name of a figure"},
      {"axes: [{name: a, values: [1]}, {name: a, values: [1]}]", "another axis is also called"},
      {"axes: [{name: a, values: [1]}]\nconstraints: [b > 1]", "there is no axis \"b\""},
      {"axes: [{name: a, values: [1]}]\nconstraints: [stepp > 1]", "did you mean \"step\"?"},
      {"axes: [{name: a, values: [1]}]\nobjectives: [costs]", "did you mean \"cost\"?"},
      {"axes: [{name: a, values: [1]}]\nobjectives: [cost, cost]", "listed twice"},
      {"axes: [{name: a, values: [1]}]\nrecompute: [some]", "/recompute/0"},
      {"axes: [{name: a, values: [1]}]\nprices: {device: much}",
       "an expression that begins with ="},
      {"axes: [{name: a, values: [1]}]\nprices: {device: =c}", "there is no axis \"c\""},
      {"axes: [{name: a, values: [1]}]\npower: {extra: '=('}", "s.yaml:/power/extra"},
      {"axis: []", "axes"},
  };
  for (const auto& [text, wanted] : cases) {
    const auto read = parse_space(head + text, "s.yaml");
    ASSERT_FALSE(read) << text;
    EXPECT_NE(to_string(read.error()).find(wanted), std::string::npos) << to_string(read.error());
    EXPECT_TRUE(read.error().where.starts_with("s.yaml")) << read.error().where;
  }
  std::string many = head + "axes:\n";
  for (int i = 0; i < 20; ++i)
    many += fmt::format("  - {{name: a{}, from: 1, to: 2, points: 99}}\n", i);
  EXPECT_EQ(parse_space(many, "s.yaml").error().code, Errc::limit_exceeded);
}

TEST(SpaceFile, ReadsTheFilesThatItNames) {
  const Folder folder;
  std::ofstream(folder.path + "/job.yaml") << "{model: llama-3-8b, parallel: {tp: '=tp'}}";
  std::ofstream(folder.path + "/space.yaml")
      << "{job: job.yaml, cluster: 'h100-sxm:{n}', axes: [{name: tp, values: [2]}, {name: n, "
         "values: [8]}]}";
  const auto space = read_space(folder.path + "/space.yaml");
  ASSERT_TRUE(space) << to_string(space.error());
  const auto asked = spec_at(*space, {0, 0});
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->job["parallel"]["tp"], 2);
  EXPECT_EQ(asked->cluster, "h100-sxm:8");
  std::filesystem::remove(folder.path + "/job.yaml");
  EXPECT_EQ(read_space(folder.path + "/space.yaml").error().code, Errc::config_not_found);
}

TEST(SpaceFile, ReferencePageIsCurrent) {
  const std::string path = std::string(core_testing::kSourceFolder) + "/docs/reference/space.md";
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(path) << space_reference();
  EXPECT_EQ(bytes_of(path), space_reference()) << "run this test with ORRERY_UPDATE_DOCS=1";
  EXPECT_TRUE(Json::parse(space_schema()).contains("properties"));
}

}  // namespace
}  // namespace orrery::explore
