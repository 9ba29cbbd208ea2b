// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/inputs/unused_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/core/paths_testing.h"
#include "orrery/study/study.h"

namespace orrery::study {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string example_file(const std::string& path) {
  return std::string(core_testing::kSourceFolder) + "/examples/" + path;
}

/// The options that a run of `question` ignores, as its findings name them.
std::vector<std::string> ignored_by(const Question& question) {
  const auto run = simulate(question);
  EXPECT_TRUE(run) << to_string(run.error());
  std::vector<std::string> places;
  if (!run) return places;
  for (const Finding& one : run->findings().list())
    if (one.code == FindingCode::key_without_effect)
      places.insert(places.end(), one.places.begin(), one.places.end());
  return places;
}

TEST(UnusedTraceOptions, OfAJobAreNamed) {
  Question question;
  question.job.model = "resnet-50";
  question.job.dp = "8";
  question.cluster = "h100-sxm:8";
  EXPECT_THAT(ignored_by(question), IsEmpty());
  Question recorded = question, changed = question;
  question.groups = "no such file";
  question.repair = question.replicate = true;
  EXPECT_THAT(ignored_by(question),
              ElementsAre("--groups (only for traces)", "--repair (only for traces)",
                          "--replicate (only for traces)"));
  recorded.recorded.rank = 3;
  recorded.recorded.no_link = recorded.recorded.tensors = true;
  EXPECT_THAT(ignored_by(recorded),
              ElementsAre("--rank (only for traces)", "--no-link (only for traces)",
                          "--tensors (only for traces)"));
  changed.device_ratios = "none";
  changed.structure = {.layers = 4, .microbatches = 2};
  EXPECT_THAT(ignored_by(changed),
              ElementsAre("--device-ratios (only for traces)", "--layers (only for traces)",
                          "--microbatches (only for traces)"));
}

TEST(UnusedTraceOptions, OfAFileWithAllRanksAreNamed) {
  Question question;
  question.cluster = example_file("clusters/uet-fat-tree-16.yaml");
  question.workload = example_file("messages/one-flow.cm");
  EXPECT_THAT(ignored_by(question), IsEmpty());
  question.groups = "no such file";
  question.repair = true;
  EXPECT_THAT(ignored_by(question),
              ElementsAre("--groups (only for traces)", "--repair (only for traces)"));
}

// Traces use them.
TEST(UnusedTraceOptions, OfTracesAreUsed) {
  Question question;
  question.cluster = "h100-sxm:8";
  question.workload = example_file("astra/all_reduce");
  question.repair = true;
  EXPECT_THAT(ignored_by(question), IsEmpty());
}

}  // namespace
}  // namespace orrery::study
