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

// Hosts and classes of kernels follow a table of ratios; costs 0.1 s.
class WhatIfRatios : public WhatIfDevice {
 protected:
  std::string product(int start, int id, bool with_operator) {
    const std::string call = fmt::format(
        R"({{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 4711, "tid": 1, "ts": {}, "dur": 8, "args": {{"External id": {}, "Input Dims": [[4096, 4096], [4096, 4096]], "Input type": ["c10::BFloat16", "c10::BFloat16"]}}}})",
        start, id);
    const std::string work =
        launch(start + 1, id) + ",\n" + kernel("gemm_kernel", 7, 1000 + 300 * id, 250, id);
    return with_operator ? call + ",\n" + work : work;
  }
  /// Three products, the last without its operator, after 900 us of a host.
  std::string recording_of_products() {
    const std::string path = (folder_ / "products.json").string();
    std::ofstream(path)
        << R"({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "traceEvents": [)"
        << R"({"ph": "X", "cat": "cpu_op", "name": "prepare", "pid": 4711, "tid": 1, "ts": 0, "dur": 900, "args": {}},)"
        << product(910, 1, true) << ",\n"
        << product(930, 2, true) << ",\n"
        << product(950, 3, false) << "]}\n";
    return path;
  }
  std::string ratios(const std::string& rows) {
    const std::string path = (folder_ / "ratios.csv").string();
    std::ofstream(path) << "class,device,ratio,error,recordings,kernels\n*,*,1,0.5,0,0\n" << rows;
    return path;
  }
  static WhatIf moved(const std::string& path, const std::string& ratios) {
    WhatIfQuestion question;
    question.base.recorded.traces = {path};
    question.changes = {"gpu=mi300x"};
    question.device_ratios = ratios;
    return ask(question);
  }
};

TEST_F(WhatIfRatios, HostsComeWithTheirDevices) {
  const std::string path = recording_of_products();
  const WhatIf alone = moved(path, "none");
  EXPECT_THAT(alone.device_conversion, HasSubstr("hosts, copies and communication as recorded"));
  const WhatIf both =
      moved(path, ratios("host,h100-sxm,1.25,0.05,1,1\nhost,mi300x,0.625,0.05,1,1\n"));
  EXPECT_THAT(both.device_conversion, HasSubstr("hosts x 0.50"));
  const auto saved = alone.changed->whole - both.changed->whole;
  EXPECT_GT(saved, us(420)) << "half of the host's work before the first kernel";
  EXPECT_LT(saved, us(500));
  ASSERT_TRUE(both.changed->interval().has_value());
}

TEST_F(WhatIfRatios, ClassesCorrectPredictionsAndNamesFollowThem) {
  const std::string path = recording_of_products();
  const WhatIf alone = moved(path, "none");
  // Two of three products have operators; the third scales as they do.
  EXPECT_THAT(alone.device_conversion, HasSubstr("67 % of their time scaled with kernel models"));
  EXPECT_THAT(alone.device_conversion, HasSubstr("33 % of their time as others of their name"));
  const auto times = [&](const std::string& rows) {
    return moved(path, ratios(rows)).changed->whole;
  };
  const std::string here = "gemm large,h100-sxm,1,0.1,1,1\n";
  const Time slower = times(here + "gemm large,mi300x,2,0.1,1,1\n");
  EXPECT_GT(slower - alone.changed->whole, us(400)) << "all three last twice as long";
  EXPECT_EQ(times("gemm large,h100-sxm,0.5,0.1,1,1\ngemm large,mi300x,1,0.1,1,1\n"), slower)
      << "half as long on the source";
  EXPECT_EQ(times("gemm large,mi300x,2,0.1,1,1\n"), alone.changed->whole)
      << "one device alone corrects nothing";
  EXPECT_EQ(times("gemm large,mi300x,2,0.1,1,1\ngemm large,h100-sxm,2,0.1,1,1\n"),
            alone.changed->whole)
      << "what both devices share cancels";
  EXPECT_EQ(times("attention,mi300x,2,0.1,1,1\nattention,h100-sxm,1,0.1,1,1\n"),
            alone.changed->whole)
      << "another class";
}

TEST_F(WhatIfRatios, TheLessIsKnownTheWiderIsTheInterval) {
  const std::string path = recording_of_products();
  const auto width = [&](const std::string& rows) {
    const auto interval = moved(path, ratios(rows)).changed->interval();
    EXPECT_TRUE(interval.has_value());
    return interval ? (interval->upper - interval->lower).count() : 0;
  };
  const std::string here = "gemm large,h100-sxm,1,0.05,9,9\n";
  const auto known = width(here + "gemm large,mi300x,1,0.05,9,9\n");
  EXPECT_GT(known, 0);
  EXPECT_GT(width(here), known);
}

TEST_F(WhatIfRatios, AMissingTableIsAnError) {
  WhatIfQuestion question;
  question.base.recorded.traces = {recording_of_products()};
  question.changes = {"gpu=mi300x"};
  question.device_ratios = (folder_ / "none.csv").string();
  Watch watch;
  const auto missing = what_if(question, watch);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Errc::config_not_found);
  EXPECT_THAT(missing.error().where, HasSubstr("none.csv"));
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
