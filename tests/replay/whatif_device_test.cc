// SPDX-License-Identifier: Apache-2.0
//
// A recording on a cluster of another device keeps its kernels' times, and says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "handmade_traces_testing.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {
namespace {

using ::testing::HasSubstr;

/// Where kernels were recorded; none: nothing says so.
std::vector<std::string> places(const Findings& findings) {
  for (const Finding& one : findings.list())
    if (one.code == FindingCode::recorded_on_other_device) return one.places;
  return {};
}

class WhatIfDevice : public ByHand {
 protected:
  /// A kernel of 400 us and nothing else; `device`: as its driver calls it.
  std::string recording(const std::string& device) {
    const std::string path = (folder_ / "one.json").string();
    std::ofstream(path) << R"({"deviceProperties": [{"id": 0, "name": ")" << device
                        << R"("}], "traceEvents": [)" << launch(0, 1) << ",\n"
                        << kernel("sgemm", 7, 100, 400, 1) << "]}\n";
    return path;
  }

  static WhatIf ask(WhatIfQuestion question) {
    Watch watch;
    auto predicted = what_if(question, watch);
    EXPECT_TRUE(predicted.has_value()) << (predicted ? "" : to_string(predicted.error()));
    return predicted ? *std::move(predicted) : WhatIf{};
  }

  static WhatIf on_cluster(const std::string& path, const std::string& cluster,
                           std::vector<std::string> changes = {}, const std::string& device = "") {
    WhatIfQuestion question;
    question.base.recorded.traces = {path};
    question.base.cluster = cluster;
    question.changes = std::move(changes);
    question.device = device;
    return ask(question);
  }
};

TEST_F(WhatIfDevice, AnotherDeviceIsAFinding) {
  const std::string path = recording("Tesla V100-SXM2-32GB");
  for (const std::vector<std::string>& changes :
       {std::vector<std::string>{}, {"kernels=0.5"}, {"latency=2"}}) {
    const WhatIf predicted = on_cluster(path, "h100-sxm:1", changes);
    EXPECT_EQ(predicted.findings.count(FindingCode::recorded_on_other_device), 1u);
    const auto found = places(predicted.findings);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0],
              "recorded on v100-sxm2, the cluster has h100-sxm; 'orrery whatif' with --change "
              "gpu=h100-sxm "
              "converts kernel times");
    EXPECT_EQ(predicted.base.whole, us(500));
  }
  Question run;
  run.recorded.traces = {path};
  run.cluster = "h100-sxm:1";
  const auto answer = simulate(run);
  ASSERT_TRUE(answer.has_value()) << to_string(answer.error());
  EXPECT_EQ(places(answer->findings()).size(), 1u) << "a run keeps times, too";
}

TEST_F(WhatIfDevice, WhereItIsTheSameOrKernelsAreMovedThereIsNone) {
  const std::string path = recording("Tesla V100-SXM2-32GB");
  EXPECT_TRUE(places(on_cluster(path, "v100-sxm2:1", {"kernels=0.5"}).findings).empty());
  EXPECT_TRUE(places(on_cluster(path, "", {"kernels=0.5"}).findings).empty()) << "played again";
  const WhatIf moved = on_cluster(path, "h100-sxm:1", {"gpu=h100-sxm"});
  EXPECT_TRUE(places(moved.findings).empty());
  EXPECT_FALSE(moved.device_conversion.empty());
  EXPECT_LT(moved.changed->whole, moved.base.whole);
  EXPECT_TRUE(places(on_cluster(path, "v100-sxm2:1", {"cluster=h100-sxm:1"}).findings).empty());
  const WhatIf again = on_cluster(path, "v100-sxm2:1", {"cluster=h100-sxm:1"});
  EXPECT_EQ(again.changed->whole, moved.changed->whole);
}

TEST_F(WhatIfDevice, WhoeverKnowsTheDeviceSaysIt) {
  const std::string silent = write("silent.json", {launch(0, 1), kernel("sgemm", 7, 100, 400, 1)});
  EXPECT_TRUE(places(on_cluster(silent, "h100-sxm:1").findings).empty()) << "nobody knows";
  EXPECT_EQ(places(on_cluster(silent, "h100-sxm:1", {}, "a100-80gb").findings).size(), 1u);
  EXPECT_TRUE(places(on_cluster(silent, "h100-sxm:1", {}, "h100-sxm").findings).empty());
  // What the driver calls it is not known; it is none of those that are.
  const auto unknown = places(on_cluster(recording("Abacus 1"), "h100-sxm:1").findings);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_THAT(unknown[0], HasSubstr("recorded on \"Abacus 1\", which is not in the catalog"));
  EXPECT_THAT(unknown[0], HasSubstr("--recorded-device NAME"));
}

TEST_F(WhatIfDevice, ADeviceThatIsNoneOrNobodysIsRefused) {
  WhatIfQuestion question;
  question.base.recorded.traces = {recording("Tesla V100-SXM2-32GB")};
  question.device = "h101";
  Watch watch;
  const auto unknown = what_if(question, watch);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, Errc::usage);
  question.base.recorded.traces.clear();
  question.base.job.model = "llama-3.1-8b";
  question.base.cluster = "h100-sxm:8";
  question.device = "h100-sxm";
  const auto job = what_if(question, watch);
  ASSERT_FALSE(job.has_value());
  EXPECT_EQ(job.error().where, "--recorded-device");
}

// What only messages follow changes nothing where no two ranks talk.
TEST_F(WhatIfDevice, LinksThatNobodyUsesAreAFinding) {
  const std::string path = recording("Tesla V100-SXM2-32GB");
  for (const std::string change : {"bandwidth=2", "latency=0.5", "algorithm=ring"}) {
    const WhatIf predicted = on_cluster(path, "v100-sxm2:1", {change});
    EXPECT_EQ(predicted.changed->whole, predicted.base.whole);
    EXPECT_EQ(predicted.findings.count(FindingCode::key_without_effect), 1u) << change;
  }
  const std::string pair = write("pair.json", {launch(0, 1), all_reduce(7, 100, 400, 1)}, 0);
  WhatIfQuestion question;
  question.base.recorded.traces = {pair};
  question.base.cluster = "v100-sxm2:2";
  question.base.replicate = true;
  question.changes = {"bandwidth=0.5"};
  const WhatIf predicted = ask(question);
  EXPECT_GT(predicted.changed->whole, predicted.base.whole);
  EXPECT_EQ(predicted.findings.count(FindingCode::key_without_effect), 0u);
}

}  // namespace
}  // namespace orrery::study
