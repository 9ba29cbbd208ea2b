// SPDX-License-Identifier: Apache-2.0
//
// Every step that is told says what it stands on, and between what it lies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "handmade_traces_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/result/run.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {
namespace {

Time on(const StepEstimate& predicted, TimeProvenance provenance) {
  return predicted.time_by_provenance[static_cast<std::size_t>(provenance)];
}

Time all_of(const TimeByProvenance& time_by_provenance) {
  return std::accumulate(time_by_provenance.begin(), time_by_provenance.end(), Time{});
}

class WhatIfStands : public ByHand {
 protected:
  static WhatIf ask(WhatIfQuestion question) {
    Watch watch;
    auto predicted = what_if(question, watch);
    EXPECT_TRUE(predicted.has_value()) << (predicted ? "" : to_string(predicted.error()));
    if (!predicted) return {};
    EXPECT_EQ(all_of(predicted->base.time_by_provenance), predicted->base.whole);
    if (predicted->changed) {
      EXPECT_EQ(all_of(predicted->changed->time_by_provenance), predicted->changed->whole);
    }
    return *std::move(predicted);
  }
  static WhatIf of_trace(const std::string& path, std::vector<std::string> changes,
                         const std::string& device = "") {
    WhatIfQuestion question;
    question.base.recorded.traces = {path};
    question.changes = std::move(changes);
    question.device = device;
    return ask(question);
  }
  /// A product of 1 ms and what follows it, 600 us; the device begins at 10 us.
  std::string two() {
    return write("two.json", {launch(0, 1), kernel("sgemm", 7, 10, 1000, 1), launch(10, 2),
                              kernel("elementwise_add", 7, 1010, 600, 2)});
  }
  /// A product whose operator says its sizes.
  std::string sized() {
    return write(
        "sized.json",
        {event(
             "cpu_op", "aten::mm", false, 1, 0, 10, 1000,
             R"(, "Input Dims": [[2048, 4096], [4096, 4096]], "Input type": ["c10::BFloat16", "c10::BFloat16"])"),
         launch(2, 1), kernel("sm80_xmma_gemm_bf16", 7, 100, 400, 1)});
  }
};

TEST_F(WhatIfStands, WhatIsNotTouchedIsRecorded) {
  const WhatIf predicted = of_trace(two(), {"named:elementwise_add=0.5"});
  EXPECT_EQ(on(predicted.base, TimeProvenance::recorded), predicted.base.whole);
  EXPECT_EQ(on(*predicted.changed, TimeProvenance::scaled), us(300));
  EXPECT_EQ(on(*predicted.changed, TimeProvenance::recorded), us(1010));
  EXPECT_FALSE(predicted.changed->interval());
}

TEST_F(WhatIfStands, LagsAreScaledByKind) {
  const std::string path = two();
  EXPECT_EQ(on(*of_trace(path, {"launch=3"}).changed, TimeProvenance::scaled), us(15));
  EXPECT_EQ(on(*of_trace(path, {"waits=3"}).changed, TimeProvenance::scaled), us(0));
  EXPECT_EQ(on(*of_trace(path, {"launch=3", "kernels=2"}).changed, TimeProvenance::scaled),
            us(3215));
}

TEST_F(WhatIfStands, WhatNobodyCanDoIsABound) {
  const std::string path =
      write("chain.json", {launch(0, 1), kernel("elementwise_add", 7, 50, 100, 1), launch(10, 2),
                           kernel("elementwise_mul", 7, 150, 300, 2)});
  const WhatIf predicted = of_trace(path, {"fusion=elementwise", "kernels=2"});
  EXPECT_GE(on(*predicted.changed, TimeProvenance::bound), us(600));
  EXPECT_EQ(on(*predicted.changed, TimeProvenance::scaled), us(0));
}

// Products that models know on both devices have their errors; on the same device there are none.
TEST_F(WhatIfStands, OfAnotherDeviceModelsSayHowFarOff) {
  const std::string path = sized();
  const WhatIf other = of_trace(path, {"gpu=h100-sxm"}, "a100-80gb");
  EXPECT_GT(on(*other.changed, TimeProvenance::interpolated), us(50));
  const auto band = other.changed->interval();
  ASSERT_TRUE(band.has_value());
  EXPECT_LT(band->lower, other.changed->whole);
  EXPECT_GT(band->upper, other.changed->whole);
  ASSERT_TRUE(other.difference.interval.has_value());
  EXPECT_LT(other.difference.interval->lower, other.changed->whole - other.base.whole);

  // Twice as long is twice as far off.
  const WhatIf twice = of_trace(path, {"gpu=h100-sxm", "kernels=2"}, "a100-80gb");
  const auto wider = twice.changed->interval();
  ASSERT_TRUE(wider.has_value());
  EXPECT_NEAR(static_cast<double>((wider->upper - wider->lower).count()),
              2 * static_cast<double>((band->upper - band->lower).count()), 1e6);
  EXPECT_GT(on(*twice.changed, TimeProvenance::interpolated), us(100));

  const WhatIf same = of_trace(path, {"gpu=a100-80gb"}, "a100-80gb");
  EXPECT_EQ(on(*same.changed, TimeProvenance::recorded), same.changed->whole);
  EXPECT_FALSE(same.changed->interval());
}

// On a cluster kernels come to another device as they do where the recording is played again.
TEST_F(WhatIfStands, OnAClusterKernelsMoveAsWithoutOne) {
  const std::string path = sized();
  const auto on_cluster = [&](const std::string& cluster, std::vector<std::string> changes) {
    WhatIfQuestion question;
    question.base.recorded.traces = {path};
    question.base.cluster = cluster;
    question.changes = std::move(changes);
    question.device = "a100-80gb";
    return ask(question);
  };
  const WhatIf alone = of_trace(path, {"gpu=h100-sxm"}, "a100-80gb");
  const Time moved = alone.changed->whole;
  EXPECT_LT(moved, alone.base.whole);
  for (const std::string change : {"gpu=h100-sxm", "cluster=h100-sxm:1"}) {
    const WhatIf predicted = on_cluster("a100-80gb:1", {change});
    EXPECT_EQ(predicted.base.whole, alone.base.whole) << change;
    EXPECT_EQ(predicted.changed->whole, moved) << change;
    EXPECT_EQ(predicted.device_conversion, alone.device_conversion) << change;
    EXPECT_EQ(predicted.changed->interval().has_value(), true) << change;
  }
  // Whatever else it was said to run on, it was recorded where it was.
  EXPECT_EQ(on_cluster("h100-sxm:1", {"gpu=h100-sxm"}).changed->whole, moved);
  EXPECT_EQ(on_cluster("a100-80gb:1", {"gpu=h100-sxm", "kernels=0.5"}).changed->whole,
            of_trace(path, {"gpu=h100-sxm", "kernels=0.5"}, "a100-80gb").changed->whole);
  // Another network alone leaves kernels as they are.
  EXPECT_EQ(on_cluster("h100-sxm:1", {"bandwidth=2"}).changed->whole, alone.base.whole);
  // What reading finds is counted once, though it is read twice.
  EXPECT_EQ(
      on_cluster("a100-80gb:1", {"gpu=h100-sxm"}).findings.count(FindingCode::rank_from_order),
      alone.findings.count(FindingCode::rank_from_order));
}

TEST_F(WhatIfStands, KernelsThatNobodyKnowsHaveAWideInterval) {
  const WhatIf predicted = of_trace(two(), {"gpu=h100-sxm"}, "a100-80gb");
  EXPECT_GT(on(*predicted.changed, TimeProvenance::scaled), us(100));
  EXPECT_EQ(on(*predicted.changed, TimeProvenance::interpolated), us(0));
  const auto interval = predicted.changed->interval();
  ASSERT_TRUE(interval);
  EXPECT_GT((interval->upper - interval->lower).count(), predicted.changed->whole.count() / 4);
}

// What is made of layers that were scaled before is scaled, in either order.
TEST_F(WhatIfStands, LayersAreWhatTheyAreMadeOf) {
  const std::string path = std::string(core_testing::kSourceFolder) +
                           "/data/demo/transformer/layers4_microbatches1.json.gz";
  const WhatIf alone = of_trace(path, {"layers=8"});
  EXPECT_EQ(on(*alone.changed, TimeProvenance::recorded), alone.changed->whole);
  const WhatIf before = of_trace(path, {"kernels=2", "layers=8"});
  const WhatIf behind = of_trace(path, {"layers=8", "kernels=2"});
  EXPECT_GT(on(*before.changed, TimeProvenance::scaled) * 2, before.changed->whole);
  const double ratio = seconds(on(*before.changed, TimeProvenance::scaled)) /
                       seconds(on(*behind.changed, TimeProvenance::scaled));
  EXPECT_NEAR(ratio, 1, 0.01);
}

WhatIfQuestion of_job(std::vector<std::string> changes) {
  WhatIfQuestion question;
  question.base.job.model = "llama-3.1-8b";
  question.base.job.set = {"model.layers=4", "parallel.tp=2", "batch.global=16", "batch.seq=2048"};
  question.base.cluster = "h100-sxm:16";
  question.changes = std::move(changes);
  return question;
}

TEST_F(WhatIfStands, OfJobsEveryLineOfTheListDoes) {
  WhatIfQuestion question = of_job({"tp=4"});
  question.list = true;
  const WhatIf predicted = ask(question);
  EXPECT_TRUE(predicted.base.interval() && predicted.changed->interval());
  EXPECT_GT(on(*predicted.changed, TimeProvenance::interpolated) * 4, predicted.changed->whole);
  ASSERT_FALSE(predicted.list.empty());
  for (const ChangeTrial& tried : predicted.list) {
    EXPECT_EQ(all_of(tried.time_by_provenance), tried.whole) << tried.change;
    EXPECT_TRUE(tried.interval || tried.whole == predicted.base.whole) << tried.change;
  }
}

// Rooflines know no error, and nothing stands on a measurement.
TEST_F(WhatIfStands, RooflinesAreFormulas) {
  WhatIfQuestion question = of_job({"tp=4"});
  question.base.compute = "roofline";
  question.base.collective_algorithm = "ring";
  const WhatIf predicted = ask(question);
  EXPECT_EQ(on(*predicted.changed, TimeProvenance::formula), predicted.changed->whole);
  EXPECT_FALSE(predicted.changed->interval());
}

TEST_F(WhatIfStands, ARecordedStepLiesBetweenTheRatios) {
  WhatIfQuestion question = of_job({"tp=4"});
  question.base.recorded.traces = {std::string(core_testing::kSourceFolder) +
                                   "/data/demo/ddp_transformer/rank*.kineto.json.gz"};
  const WhatIf predicted = ask(question);
  ASSERT_TRUE(predicted.predicted && predicted.predicted_interval && predicted.difference.interval);
  EXPECT_LT(predicted.predicted_interval->lower, *predicted.predicted);
  EXPECT_GT(predicted.predicted_interval->upper, *predicted.predicted);
  const auto share = [](Time part, Time whole) { return seconds(part) / seconds(whole); };
  EXPECT_NEAR(
      share(predicted.predicted_interval->upper - *predicted.predicted, *predicted.recorded),
      share(
          predicted.difference.interval->upper - (predicted.changed->whole - predicted.base.whole),
          predicted.base.whole),
      1e-6);
}

// What a run file keeps is what was told.
TEST_F(WhatIfStands, RunsKeepIt) {
  WhatIfQuestion question = of_job({"tp=4"});
  question.base.record = true;
  const WhatIf predicted = ask(question);
  EXPECT_EQ(make_run(predicted.answer->outcome()).time_by_provenance,
            predicted.changed->time_by_provenance);
  WhatIfQuestion recorded;
  recorded.base.recorded.traces = {two()};
  recorded.base.record = true;
  recorded.changes = {"kernels=0.5"};
  const WhatIf again = ask(recorded);
  const result::Run run = make_run(again.answer->outcome());
  EXPECT_EQ(run.time_by_provenance, again.changed->time_by_provenance);
  EXPECT_EQ(run.fact("options"), "--change kernels=0.5");
  EXPECT_TRUE(run.dims.empty());  // nobody knows over which links it went
}

}  // namespace
}  // namespace orrery::study
