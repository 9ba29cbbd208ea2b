// SPDX-License-Identifier: Apache-2.0
//
// Every field of a question, changed alone: keys, manifests and answers follow.
#include "orrery/study/questions/run_options.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/questions/outcome/question_scenarios_testing.h"
#include "orrery/study/study.h"

namespace orrery::study {

namespace {

/// `question` with one field set to `text`; empty: to the table's other value.
Question changed(Question question, const std::string& wanted, const std::string& text = {}) {
  bool found = false;
  each_field(question, [&](const std::string& name, const auto& field, auto& value) {
    if (name != wanted) return;
    found = true;
    value = default_of(field);
    EXPECT_TRUE(set_field(text.empty() ? std::string(field.other) : text, name, value)) << name;
  });
  EXPECT_TRUE(found) << wanted;
  return question;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  const Question question;
  each_field(question,
             [&](const std::string& name, const auto&, const auto&) { names.push_back(name); });
  return names;
}

unsigned stages_of(const std::string& wanted) {
  unsigned stages = 0;
  const Question question;
  each_field(question, [&](const std::string& name, const auto& field, const auto&) {
    if (name == wanted) stages = field.stages;
  });
  return stages;
}

TEST(QuestionFields, HaveDifferentNamesAndOptions) {
  std::set<std::string> names, options;
  const Question question;
  each_field(question, [&](const std::string& name, const auto& field, const auto&) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(field.about.empty()) << name;
    if (!field.options.empty()) {
      EXPECT_TRUE(options.insert(std::string(field.options)).second) << field.options;
      EXPECT_TRUE(field.options.starts_with("--")) << name;
    }
    if (field.choices != nullptr) {
      const auto words = field.choices();
      EXPECT_NE(std::find(words.begin(), words.end(), field.other), words.end()) << name;
    }
  });
}

TEST(QuestionFields, EachChangesTheKeysOfItsStages) {
  const Question plain;
  for (const std::string& name : all_names()) {
    const Question other = changed(plain, name);
    EXPECT_FALSE(other == plain) << name;
    for (const Stage stage : {kCluster, kLoad})
      EXPECT_EQ(stage_key(other, stage) != stage_key(plain, stage), (stages_of(name) & stage) != 0)
          << name;
    // No two fields have one place in a key.
    for (const std::string& second : all_names()) {
      if (second == name) continue;
      const unsigned both = stages_of(name) & stages_of(second);
      for (const Stage stage : {kCluster, kLoad}) {
        if ((both & stage) == 0) continue;
        EXPECT_NE(stage_key(other, stage), stage_key(changed(plain, second), stage))
            << name << " " << second;
      }
    }
  }
}

TEST(QuestionFields, TextsAreEqualOnlyOfEqualLists) {
  Question one, two;
  one.without = {"a,1:b"};
  two.without = {"a", "b"};
  EXPECT_NE(stage_key(one, kCluster), stage_key(two, kCluster));
  one.without = {"ab"};
  two.without = {"a", "b"};
  EXPECT_NE(stage_key(one, kCluster), stage_key(two, kCluster));
}

/// All that is predicted, or the error.
std::string figures(const Result<Answer>& answer) {
  if (!answer) return to_string(answer.error());
  std::string text = std::to_string(answer->step().count());
  const sim::RankResults& ranks = answer->outcome().result.ranks;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    text += fmt::format(" {} {}", ranks[r].compute.count(), ranks[r].comm.count());
  return text;
}

class EachField : public testing::TestWithParam<std::string> {};

TEST_P(EachField, ChangesAnswersAloneAndAmongOthers) {
  const Folder folder;
  const auto all = scenarios();
  const auto made = all.find(GetParam());
  ASSERT_NE(made, all.end()) << "a field without a scenario";
  const Scenario scenario = made->second(folder);
  const Question other = changed(scenario.base, GetParam(), scenario.other);
  const auto base = simulate(scenario.base), second = simulate(other);
  ASSERT_TRUE(base) << to_string(base.error());
  EXPECT_EQ(second.has_value(), scenario.expect != Expect::error) << figures(second);
  if (scenario.expect == Expect::differs) {
    EXPECT_NE(figures(base), figures(second));
  }
  if (scenario.expect == Expect::same) {
    EXPECT_EQ(figures(base), figures(second));
  }
  // Among others each has its own answer, in any order.
  const auto both = simulate_all(std::vector{scenario.base, other, scenario.base}, 2);
  const auto turned = simulate_all(std::vector{other, scenario.base}, 1);
  EXPECT_EQ(figures(both[0]), figures(base));
  EXPECT_EQ(figures(both[1]), figures(second));
  EXPECT_EQ(figures(both[2]), figures(base));
  EXPECT_EQ(figures(turned[0]), figures(second));
  EXPECT_EQ(figures(turned[1]), figures(base));
}

TEST_P(EachField, ShowsInTheManifest) {
  const Folder folder;
  const auto all = scenarios();
  Scenario scenario = all.at(GetParam())(folder);
  if (scenario.expect == Expect::error) return;
  constexpr unsigned kAny = kCluster | kLoad | kAnswer;
  const bool shows =
      (stages_of(GetParam()) & kAny) != 0 &&
      ((stages_of(GetParam()) & kUnlisted) == 0 || scenario.expect == Expect::differs);
  const Question other = changed(scenario.base, GetParam(), scenario.other);
  const auto manifest = [](Question question) {
    question.record = true;
    const auto answer = simulate(question);
    EXPECT_TRUE(answer) << figures(answer);
    if (!answer) return std::string();
    const auto run = answer->run();
    std::string text;
    for (const auto& [key, value] : run->manifest)
      if (!key.starts_with("phases_") && key != "representatives" && key != "iterations_skipped")
        text += key + "=" + value + "\n";
    return text;
  };
  const std::string before = manifest(scenario.base), after = manifest(other);
  EXPECT_EQ(before != after, shows) << before << after;
}

INSTANTIATE_TEST_SUITE_P(All, EachField, testing::ValuesIn(all_names()), [](const auto& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace orrery::study
