// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/tuner_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/calibrate/maker_hardware.h"
#include "orrery/calibrate/measurements/toy_runs_testing.h"

namespace orrery::calibrate {
namespace {

using ::testing::HasSubstr;
using namespace testing_runs;
using model::nccl::Algorithm;
using model::nccl::Protocol;

NetworkCalibration calibrated_text(std::string_view text) {
  const auto [set, unused] = parse(text);
  EXPECT_TRUE(set) << (set ? "" : to_string(set.error()));
  Findings findings;
  auto made = calibrate_network(*set, {}, findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return *std::move(made);
}

std::vector<std::pair<long, double>> line(double latency, double rate) {
  std::vector<std::pair<long, double>> times;
  for (long bytes = 1024; bytes <= 1L << 32; bytes *= 2)
    times.emplace_back(bytes, latency + static_cast<double>(bytes) / rate);
  return times;
}

std::string forced(const char* settings, double latency, double rate) {
  return fmt::format("$ {} ./build/all_reduce_perf -b 1K\n", settings) +
         text_of({}, line(latency, rate));
}

/// What the file says of a size, read back.
model::nccl::Choice read_back(const TunerExport& made, graph::CollectiveType type,
                              std::int64_t bytes, model::nccl::Shape shape) {
  const auto lines = model::nccl::parse_tuner(made.text(), "tuner.csv");
  EXPECT_TRUE(lines) << (lines ? "" : to_string(lines.error()));
  const auto machine = model::nccl::machine_of(*maker_hardware("h100-sxm"), shape);
  const auto choice = model::nccl::tuner_choice(*lines, type, bytes, shape, machine);
  EXPECT_TRUE(choice) << bytes;
  return choice.value_or(model::nccl::Choice{});
}

// Three that are fastest in turn; at every size the file gives the one that was.
TEST(TunerChoice, TheFastestMeasuredComesBack) {
  const NetworkCalibration calibration =
      calibrated_text(forced("NCCL_ALGO=Tree NCCL_PROTO=LL", 10, 2e4) +
                      forced("NCCL_ALGO=Ring NCCL_PROTO=LL128", 14, 9e4) +
                      forced("NCCL_ALGO=NVLS NCCL_PROTO=Simple", 35, 3e5));
  const auto made = tuner_choices(calibration);
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->choices.size(), 1u);
  EXPECT_EQ(made->choices[0].basis, "measured");
  EXPECT_EQ(made->choices[0].lines.size(), 3u);
  EXPECT_EQ(made->choices[0].sizes, 23);
  for (const auto& [bytes, us] : line(0, 1)) {
    const double size = static_cast<double>(bytes);
    const double tree = 10 + size / 2e4, ring = 14 + size / 9e4, nvls = 35 + size / 3e5;
    const auto wanted = tree < ring && tree < nvls ? std::pair(Algorithm::tree, Protocol::ll)
                        : ring < nvls              ? std::pair(Algorithm::ring, Protocol::ll128)
                                                   : std::pair(Algorithm::nvls, Protocol::simple);
    const auto choice = read_back(*made, graph::CollectiveType::all_reduce, bytes, {8, 1});
    EXPECT_EQ(std::pair(choice.algorithm, choice.protocol), wanted) << bytes;
    EXPECT_GT(choice.channels, 1) << "the plug-in would take one channel";
  }
}

TEST(TunerChoice, OtherwiseTheCostModels) {
  std::string text;
  for (const int ranks : {4, 8})
    text += text_of({.ranks = ranks, .factor = 2.0 * (ranks - 1) / ranks}, line(12, 2e5));
  text += text_of({.program = "alltoall_perf", .factor = 0.875, .redop = "none"}, line(12, 2e5));
  const NetworkCalibration calibration = calibrated_text(text);
  const auto made = tuner_choices(calibration);
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->choices.size(), 2u);
  EXPECT_THAT(made->skipped_groups, ::testing::ElementsAre("h100-sxm all_to_all 1x8"));
  EXPECT_THAT(made->text(), HasSubstr("not measured"));
  for (const std::int64_t ranks : {4, 8}) {
    const model::nccl::Shape shape{ranks, 1};
    const auto machine = model::nccl::machine_of(*maker_hardware("h100-sxm"), shape);
    for (const auto& [bytes, us] : line(0, 1)) {
      const auto own =
          model::nccl::choose(graph::CollectiveType::all_reduce, bytes, shape, machine);
      EXPECT_EQ(read_back(*made, graph::CollectiveType::all_reduce, bytes, shape), *own) << bytes;
    }
  }
}

TEST(TunerChoice, RefusesWhatItCannotKnow) {
  const auto unknown =
      tuner_choices(calibrated_text(text_of({.device = "Some GPU"}, line(12, 2e5))));
  ASSERT_FALSE(unknown);
  EXPECT_THAT(to_string(unknown.error()), HasSubstr("not in the catalog"));
  const auto exchange = tuner_choices(calibrated_text(
      text_of({.program = "alltoall_perf", .factor = 0.875, .redop = "none"}, line(9, 1e5))));
  ASSERT_FALSE(exchange);
  EXPECT_EQ(exchange.error().code, Errc::input_empty);
}

}  // namespace
}  // namespace orrery::calibrate
