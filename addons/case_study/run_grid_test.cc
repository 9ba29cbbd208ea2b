// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/run_grid.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "addons/case_study/case_study.h"
#include "addons/case_study/case_study_reference.h"
#include "addons/case_study/case_study_testing.h"
#include "orrery/core/paths_testing.h"

namespace orrery::case_study {
namespace {

RunGrid two_axes() {
  RunGrid space;
  space.where = "test";
  space.cluster.value = Json{{"device", {{"peak", 1}, {"name", "a"}}}};
  space.collective.value = Json{{"type", "all_reduce"}};
  GridAxis first{"first", {{"a", {}, {}, {}}, {"b", {}, {}, {}}}},
      second{"second", {{"x", {}, {}, {}}, {"y", {}, {}, {}}, {"z", {}, {}, {}}}};
  first.choices[1].cluster.value = Json{{"device", {{"peak", 2}}}};
  second.choices[2].cluster.value = Json{{"device", {{"name", nullptr}}}, {"list", {1, 2}}};
  space.axes = {first, second};
  return space;
}

std::string error_of(const std::string& text) {
  const auto study = parse_case_study(text, "s.yaml");
  return study ? "" : to_string(study.error());
}

TEST(RunGrid, RunsAreTheProductLastAxisFastest) {
  RunGrid space = two_axes();
  ASSERT_TRUE(resolve_grid(space));
  const auto runs = runs_of(space);
  ASSERT_TRUE(runs);
  std::vector<std::string> at;
  for (const GridRun& run : *runs) at.push_back(run.at[0] + run.at[1]);
  EXPECT_EQ(at, (std::vector<std::string>{"ax", "ay", "az", "bx", "by", "bz"}));
  EXPECT_EQ(words(space, runs->back()), "first: b, second: z");
}

TEST(RunGrid, ChoicesAreMergedKeyByKey) {
  RunGrid space = two_axes();
  ASSERT_TRUE(resolve_grid(space));
  const auto runs = runs_of(space);
  ASSERT_TRUE(runs);
  EXPECT_EQ((*runs)[0].cluster, (Json{{"device", {{"peak", 1}, {"name", "a"}}}}));
  EXPECT_EQ((*runs)[5].cluster, (Json{{"device", {{"peak", 2}}}, {"list", {1, 2}}}))
      << "null removes a key";
}

TEST(RunGrid, WhatIsLeftOutIsNotThere) {
  RunGrid space = two_axes();
  space.leave_out = {{{{"first", {"a"}}, {"second", {"x", "z"}}}}, {{{"second", {"y"}}}}};
  ASSERT_TRUE(resolve_grid(space));
  const auto runs = runs_of(space);
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ((*runs)[0].at, (std::vector<std::string>{"b", "x"}));
  space.leave_out = {{}};
  EXPECT_EQ(runs_of(space).error().what, "excludes all runs");
}

TEST(RunGrid, WithoutAxesThereIsOneRun) {
  RunGrid space = two_axes();
  space.axes.clear();
  ASSERT_TRUE(resolve_grid(space));
  EXPECT_EQ(runs_of(space)->size(), 1u);
}

TEST(RunGrid, ARunIsAJobOrACollective) {
  RunGrid space = two_axes();
  space.axes[0].choices[1].job.value = Json{{"model", "gpt2"}};
  ASSERT_TRUE(resolve_grid(space));
  const auto both = runs_of(space);
  ASSERT_FALSE(both);
  EXPECT_EQ(to_string(both.error()),
            "test: the run first: b, second: x has more than one of a job, a collective, a split "
            "and calculon (E1008)\n"
            "  hint: set one of `job`, `collective`, `split` and `calculon`");
  space.collective.value = nullptr;
  EXPECT_EQ(runs_of(space).error().code, Errc::config_conflict) << "and here the others have none";
}

TEST(RunGrid, TooManyCombinationsAreRefusedBeforeTheyAreMade) {
  RunGrid space = two_axes();
  space.axes.clear();
  for (int a = 0; a < 8; ++a) {
    GridAxis axis{"axis" + std::to_string(a), {}};
    for (int c = 0; c < 256; ++c) axis.choices.push_back({std::to_string(c), {}, {}, {}});
    space.axes.push_back(axis);
  }
  EXPECT_EQ(resolve_grid(space).error().code, Errc::limit_exceeded);
}

TEST(CaseStudy, MistakesAreToldWithTheirPlace) {
  const std::string good = small_study();
  EXPECT_EQ(error_of(good), "");
  EXPECT_EQ(error_of(good + "colums: 3\n"),
            "s.yaml:/colums: is not a key of this mapping (E1003)\n"
            "  hint: did you mean \"columns\"?");
  EXPECT_EQ(error_of(small_study("  - {metric: tyme}\n")),
            "s.yaml:/columns/2/metric: unknown metric \"tyme\" (E1006)\n"
            "  hint: did you mean \"time\"?");
  EXPECT_EQ(error_of(small_study("  - {metric: time, title: other, over: {sise: small}}\n")),
            "s.yaml:/columns/2/over/sise: unknown axis (E1006)\n"
            "  hint: did you mean \"size\"?");
  EXPECT_EQ(error_of(small_study("  - {metric: time, title: other, over: {size: smal}}\n")),
            "s.yaml:/columns/2/over/size: \"smal\" is not a choice of this axis (E1006)\n"
            "  hint: did you mean \"small\"?");
  EXPECT_EQ(error_of(small_study("  - {metric: time, title: other, unit: GB/s}\n")),
            "s.yaml:/columns/2/unit: \"GB/s\" is not a unit of time (E1007)");
  EXPECT_EQ(error_of(small_study("  - {metric: time}\n")),
            "s.yaml:/columns/2/title: another column has the title \"time\" (E1006)");
  const std::string figure = "published:\n  - {what: w, mark: notes, source: s, ";
  EXPECT_EQ(error_of(small_study(figure + "value: 3 us}\n")),
            "s.yaml:/published/0/column: is missing (E1004)\n"
            "  hint: give the title of a column, or `why_not` with the reason");
  EXPECT_EQ(error_of(small_study(figure + "value: 3 us, column: time}\n")),
            "s.yaml:/published/0/runs: selects 4 runs; must select one run (E1006)\n"
            "  hint: for several runs, use `of: most`, `mean` or `least`");
  EXPECT_EQ(error_of(small_study(figure + "value: '3', of: most, column: time}\n")).substr(0, 27),
            "s.yaml:/published/0/value: ");
  EXPECT_EQ(error_of(small_study("picture: {title: t, columns: [time], colors: hue}\n")),
            "s.yaml:/picture/colors: unknown axis \"hue\" (E1006)");
  EXPECT_EQ(error_of("title: t\ncolumns: [{metric: time}]\ncluster: absent.yaml\n"
                     "collective: {type: all_reduce, size: 1 MB}\n"),
            "absent.yaml: cannot open this file (E1001)\n"
            "  hint: s.yaml:/cluster names it, relative to the folder of that file");
}

TEST(CaseStudy, NamesThatNobodyHasSuggestTheNearest) {
  const auto study = read_case_study("themis-tutoriel");
  ASSERT_FALSE(study);
  EXPECT_EQ(study.error().hint, "did you mean \"themis-tutorial\"?");
  EXPECT_EQ(read_case_study("no/such.yaml").error().code, Errc::config_not_found);
}

// A mistake in one would only be seen by who asks for it.
TEST(CaseStudy, ThoseThatAreBuiltInCanBeRead) {
  for (const BuiltIn& one : builtin_studies()) {
    const auto study = parse_case_study(one.text, std::string(one.name));
    EXPECT_TRUE(study) << to_string(study.error());
    if (!study) continue;
    for (const PublishedFigure& figure : study->file.published) {
      EXPECT_FALSE(figure.column.empty() && figure.why_not.empty()) << figure.what;
      EXPECT_NE(figure.mark, Evidence::recalled) << "what is only remembered is not quoted";
    }
  }
}

TEST(CaseStudy, TheSchemaKnowsItsKeys) {
  const auto schema = nlohmann::json::parse(case_study_schema());
  EXPECT_EQ(schema["required"], (nlohmann::json{"title", "columns"}));
  EXPECT_EQ(schema["properties"]["published"]["items"]["properties"]["mark"]["enum"].size(), 10u);
}

TEST(CaseStudy, ThePageIsThatOfTheTables) {
  const std::string path =
      std::string(core_testing::kSourceFolder) + "/docs/reference/case-study.md";
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(path) << case_study_reference();
  std::ostringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_EQ(page.str(), case_study_reference()) << "run this test with ORRERY_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace orrery::case_study
