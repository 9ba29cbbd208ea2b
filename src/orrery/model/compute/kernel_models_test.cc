// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/kernel_models.h"

#include <gtest/gtest.h>

#include "orrery/core/strings.h"
#include "orrery/graph/builder.h"
#include "orrery/model/compute/compute_model.h"
#include "orrery/model/compute/kernel_predictions.h"
#include "orrery/model/kernels/systolic/systolic_model.h"
#include "orrery/model/kernels/table/measured_table_testing.h"

namespace orrery::model {
namespace {

using testing_tables::toy_gemm;
using testing_tables::toy_grid;
using testing_tables::toy_rows;

std::shared_ptr<const KernelModel> toy_table() {
  Findings findings;
  return std::make_shared<const MeasuredTable>(
      MeasuredTable::make(toy_rows(toy_grid(4)), findings));
}

graph::Kernel worked(std::int64_t m) {
  graph::Kernel kernel = toy_gemm(m, 128, 128);
  kernel.flops = 2 * m * 128 * 128;
  kernel.bytes = 1000;
  return kernel;
}

platform::Device toy(TimeSource compute) {
  platform::Device device;
  device.name = "toy-1";
  device.peak = device.rated = FlopRate(1e14);
  device.memory = Bandwidth(1e12);
  device.compute = compute;
  return device;
}

TimeSource source_of(TimeSource compute, const graph::Kernel& kernel, bool tabled = true) {
  const KernelPredictions predictions(toy(compute),
                                      {{TimeSource::table, tabled ? toy_table() : nullptr}});
  graph::KernelTable kernels;
  const TimeEstimate* answer = predictions.of(kernels, kernels.intern(kernel));
  return answer == nullptr ? TimeSource::recorded : answer->source;
}

TEST(KernelModels, TakeTheTableAsFarAsItGoes) {
  for (const auto compute : {TimeSource::automatic, TimeSource::table}) {
    EXPECT_EQ(source_of(compute, worked(128)), TimeSource::table) << "measured";
    EXPECT_EQ(source_of(compute, worked(200)), TimeSource::table) << "between";
    EXPECT_EQ(source_of(compute, worked(5000)), TimeSource::roofline) << "beyond";
    EXPECT_EQ(source_of(compute, worked(128), false), TimeSource::roofline) << "no table";
  }
  graph::Kernel other = worked(128);
  other.pass = graph::Pass::weight_grad;
  EXPECT_EQ(source_of(TimeSource::automatic, other), TimeSource::roofline);
  EXPECT_EQ(source_of(TimeSource::roofline, worked(128)), TimeSource::roofline);
  EXPECT_EQ(source_of(TimeSource::recorded, worked(128)), TimeSource::recorded);
}

// Products by the array, the rest by what auto takes; of what was recorded only products.
TEST(KernelModels, TakeTheArrayForProductsWhereItIsAskedFor) {
  SystolicArray array;
  array.rows = array.columns = 32;
  array.ifmap_bytes = array.filter_bytes = array.ofmap_bytes = 64 << 10;
  array.clock = 1e9;
  const auto chip = std::make_shared<const SystolicModel>(array);
  graph::Kernel norm;
  norm.operation = graph::Operation::rms_norm;
  norm.sizes = {128, 128};
  norm.bytes = 65536;
  graph::GraphBuilder builder("g", std::make_shared<StringPool>(), graph::Repair::refuse);
  std::uint64_t id = 0;
  for (const bool recorded : {false, true}) {
    for (const graph::Kernel& kernel : {worked(128), worked(5000), norm}) {
      graph::NodeSpec node;
      node.id = id++;
      node.kind = graph::NodeKind::comp;
      node.flags = graph::kHasNumOps | graph::kHasTensorSize;
      node.work = {kernel.flops, Bytes(kernel.bytes)};
      node.kernel = builder.kernels().intern(kernel);
      if (recorded) node.duration = us(7);
      builder.add(node);
    }
  }
  Findings findings;
  const auto graph = std::move(builder).finish(findings);
  ASSERT_TRUE(graph);
  const auto sources = [&](TimeSource model, platform::Rules rules) {
    platform::Platform platform;
    platform.rules = rules;
    platform.device = toy(model);
    const auto compute = make_compute_model(
        platform, {{TimeSource::table, toy_table()}, {TimeSource::systolic, chip}});
    std::vector<TimeSource> all;
    for (graph::NodeId node = 0; node < graph->size(); ++node) {
      all.push_back(compute->source(*graph, node));
      EXPECT_EQ(compute->time(*graph, node)->source, all.back());
    }
    return all;
  };
  using enum TimeSource;
  EXPECT_EQ(sources(TimeSource::systolic, platform::Rules::orrery),
            (std::vector{TimeSource::systolic, TimeSource::systolic, roofline, TimeSource::systolic,
                         TimeSource::systolic, recorded}));
  EXPECT_EQ(sources(TimeSource::automatic, platform::Rules::orrery),
            (std::vector{table, roofline, roofline, recorded, recorded, recorded}));
  for (const TimeSource source : sources(TimeSource::systolic, platform::Rules::astra))
    EXPECT_NE(source, TimeSource::systolic) << "there are no kernels";
}

TEST(KernelModels, AreListedInTheOrderOfAsking) {
  KernelModelInputs sources;
  sources.given = {{TimeSource::table, toy_table()}, {TimeSource::systolic, toy_table()}};
  const auto models = kernel_models(sources);
  ASSERT_EQ(models.size(), 5u);
  EXPECT_EQ(models[0].source, TimeSource::table);
  EXPECT_EQ(models[1].source, TimeSource::learned);
  EXPECT_EQ(models[2].source, TimeSource::heuristic);
  EXPECT_EQ(models[3].source, TimeSource::roofline);
  EXPECT_EQ(models[4].source, TimeSource::systolic);
  EXPECT_FALSE(models[4].enabled);
  Silicon silicon;
  EXPECT_FALSE(choose_time(models, worked(128), silicon)) << "a device of which nothing is known";
  const auto known = with_device_name(sources.given.at(TimeSource::table), "TOY_1");
  EXPECT_TRUE(known->time(worked(128), silicon));
  EXPECT_EQ(silicon.name, "");
}

}  // namespace
}  // namespace orrery::model
