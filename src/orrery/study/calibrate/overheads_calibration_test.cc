// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/calibrate/overheads_calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/paths_testing.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {
namespace {

using ::testing::HasSubstr;

const std::string kStep =
    std::string(core_testing::kSourceFolder) + "/examples/calibrate/step.json";

std::string step_text() {
  std::ifstream in(kStep, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Result<OverheadsCalibration> ask(const OverheadsCalibrationQuestion& question) {
  Findings findings;
  return calibrate_overheads(question, findings);
}

double mean(const OverheadsCalibration& answer, profile::Overhead overhead, std::string_view of) {
  for (const profile::OverheadRow& row : answer.rows)
    if (row.overhead == overhead && row.of == of) return row.mean_us;
  return -1;
}

// The example was made with these (examples/calibrate/README.md).
TEST(CalibrateOverheads, FindsWhatTheExampleWasMadeWith) {
  const auto answer = ask({.files = {kStep}});
  ASSERT_TRUE(answer) << to_string(answer.error());
  EXPECT_EQ(answer->device, "h100-sxm");
  EXPECT_EQ(answer->date, "2026-01-01");
  using profile::Overhead;
  EXPECT_NEAR(mean(*answer, Overhead::between_operators, "aten::gelu"), 6, 1e-6);
  EXPECT_NEAR(mean(*answer, Overhead::between_operators, "aten::add_"), 5, 1e-6);
  EXPECT_NEAR(mean(*answer, Overhead::before_launch, "aten::linear"), 9, 1e-6);
  EXPECT_NEAR(mean(*answer, Overhead::before_launch, "aten::gelu"), 7, 1e-6);
  EXPECT_NEAR(mean(*answer, Overhead::after_launch, "aten::linear"), 5, 1e-6);
  EXPECT_NEAR(mean(*answer, Overhead::launch_call, "cudaLaunchKernel"), 4, 1e-6);
  EXPECT_NEAR(answer->forward.median, 20, 1e-6);
  EXPECT_NEAR(answer->latency.median, 8, 1e-6);
  EXPECT_NEAR(answer->gap.median, 1.4, 0.11) << "times are rounded to a nanosecond at 1.8e15 us";
}

// What the file says for the job and for the cluster is what their files take.
TEST(CalibrateOverheads, JobsAndClustersTakeIt) {
  const auto answer = ask({.files = {kStep}, .date = "2026-02-03"});
  ASSERT_TRUE(answer) << to_string(answer.error());
  const auto tree = config::parse_yaml(answer->file, "host.yaml");
  ASSERT_TRUE(tree) << to_string(tree.error()) << answer->file;
  EXPECT_EQ((*tree)["made_on"], "2026-02-03");
  const std::string launch = (*tree)["job"]["kernels"].dump();
  const auto spec =
      workload::parse_spec("{model: llama-3.2-1b, kernels: " + launch + "}", "job.yaml");
  ASSERT_TRUE(spec) << to_string(spec.error());
  EXPECT_EQ(spec->kernels.launch, Time(20'000'000));
  const std::string gap = (*tree)["cluster"]["device"]["in_step"].dump();
  Findings findings;
  const auto cluster = platform::parse_cluster("{device: {is: h100-sxm, in_step: " + gap +
                                                   "}, network: [{block: switch, size: 8, link: "
                                                   "nvlink4}]}",
                                               "cluster.yaml", findings);
  ASSERT_TRUE(cluster) << to_string(cluster.error());
  ASSERT_TRUE(cluster->device.in_step.gap);
  EXPECT_NEAR(static_cast<double>(cluster->device.in_step.gap->count()), 1.4e6, 0.11e6);
}

TEST(CalibrateOverheads, RefusesWhatItCannotUse) {
  EXPECT_THAT(to_string(ask({.files = {kStep}, .date = "now"}).error()),
              HasSubstr("is not a date"));
  EXPECT_THAT(to_string(ask({.files = {kStep}, .device = "h100-smx"}).error()),
              HasSubstr("h100-sxm"));
  EXPECT_FALSE(ask({.files = {"/none.json"}}));
  const std::string folder = testing::TempDir();
  std::string other = step_text();
  const std::string name = "NVIDIA H100 80GB HBM3";
  other.replace(other.find(name), name.size(), "NVIDIA B200");
  std::ofstream(folder + "/rank1.json", std::ios::binary) << other;
  std::ofstream(folder + "/rank0.json", std::ios::binary) << step_text();
  const auto mixed = ask({.files = {folder + "/rank0.json", folder + "/rank1.json"}});
  ASSERT_FALSE(mixed);
  EXPECT_THAT(to_string(mixed.error()), HasSubstr("are mixed"));
  std::ofstream(folder + "/rank2.json", std::ios::binary)
      << R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":5}]})";
  const auto host = ask({.files = {folder + "/rank2.json"}});
  ASSERT_FALSE(host);
  EXPECT_EQ(host.error().code, Errc::input_empty);
}

}  // namespace
}  // namespace orrery::study
