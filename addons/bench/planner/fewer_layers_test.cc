// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/fewer_layers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "addons/bench/planner/bench_testing.h"

namespace orrery::bench {
namespace {

/// `out` < 0: in place, of the first.
NodeLine sum_node(int id, int first, int second, int out, int parent = 2) {
  const bool in_place = out < 0;
  return {id,
          in_place ? "aten::add_" : "aten::add",
          in_place ? kAddInPlace : kAddTensor,
          "[" + tensor(first, first, 32) + "," + tensor(second, second, 32) + ",1]",
          "[[32],[32],[]]",
          R"j(["Tensor(float)","Tensor(float)","Int"])j",
          "[" + tensor(in_place ? first : out, in_place ? first : out, 32) + "]",
          "[[32]]",
          R"j(["Tensor(float)"])j",
          parent};
}

NodeLine loss_node(int id, int in, int out) {
  return {id,
          "aten::t",
          kT,
          "[" + tensor(in, in, 32) + "]",
          "[[4,8]]",
          R"j(["Tensor(float)"])j",
          "[" + tensor(out, out, 32) + "]",
          "[[8,4]]",
          R"j(["Tensor(float)"])j"};
}

constexpr int kParameters = 500, kMomenta = 600, kGradients = 700;

/// Layers that add a parameter each; their gradients; an optimizer that goes through the parameters
/// one by one, with a momentum for each.
std::vector<NodeLine> trained(int layers) {
  std::vector<NodeLine> nodes;
  int id = 10, now = 100;
  nodes.push_back(loss_node(id++, 99, now));
  for (int layer = 0; layer < layers; ++layer, now += 2) {
    nodes.push_back(relu_node(id++, now, now, now + 1, now + 1));
    nodes.push_back(sum_node(id++, now + 1, kParameters + layer, now + 2));
  }
  nodes.push_back(loss_node(id++, now, 300));
  for (int layer = layers - 1; layer >= 0; --layer) {
    const int parent = id++, gradient = kGradients + layer;
    nodes.push_back({parent, "AddBackward0", ""});
    nodes.push_back(sum_node(id++, 101 + 2 * layer, kParameters + layer, gradient, parent));
    nodes.push_back(relu_node(id++, gradient, gradient, 400 + layer, 400 + layer, parent));
  }
  const int optimizer = id++;
  nodes.push_back({optimizer, "Optimizer.step#SGD.step", ""});
  for (int layer = 0; layer < layers; ++layer) {
    const int momentum = kMomenta + layer, scratch = 900;  // an address that comes again
    nodes.push_back(relu_node(id++, momentum, momentum, scratch, scratch, optimizer));
    nodes.push_back(sum_node(id++, momentum, kGradients + layer, -1, optimizer));
    nodes.push_back(sum_node(id++, kParameters + layer, momentum, -1, optimizer));
  }
  return nodes;
}

Result<ReplayPlan> with_fewer(int layers, const std::string& fewer) {
  PlanOptions options;
  options.select.part = *parse_part("fewer=" + fewer);
  return plan_of(trained(layers), few_operators(), options);
}

TEST(FewerLayers, OptimizersGoWithTheirLayers) {
  const auto all = plan_of(trained(6), few_operators(), {});
  ASSERT_TRUE(all) << to_string(all.error());
  EXPECT_EQ(all->sources.size(), 2u + 6 * 7);
  for (const int stay : {1, 2, 3, 5}) {
    const auto plan = with_fewer(6, std::to_string(stay));
    ASSERT_TRUE(plan) << to_string(plan.error());
    EXPECT_EQ(plan->sources.size(), 2u + static_cast<std::size_t>(stay) * 7) << stay;
    EXPECT_LT(plan->peak_bytes, all->peak_bytes);
  }
}

/// One that goes through all parameters and gradients at once.
NodeLine foreach_node(int id, int layers) {
  std::string parameters, gradients, shapes, types;
  for (int layer = 0; layer < layers; ++layer) {
    const char* comma = layer == 0 ? "" : ",";
    parameters += comma + tensor(kParameters + layer, kParameters + layer, 32);
    gradients += comma + tensor(kGradients + layer, kGradients + layer, 32);
    shapes += std::string(comma) + "[32]";
    types += std::string(comma) + "Tensor(float)";
  }
  return {id,
          "aten::_foreach_add_",
          "aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()",
          fmt::format("[[{}],[{}],1]", parameters, gradients),
          fmt::format("[[{0}],[{0}],[]]", shapes),
          fmt::format(R"j(["GenericList[{0}]","GenericList[{0}]","Int"])j", types)};
}

TEST(FewerLayers, ListsKeepTheItemsOfLayersThatStay) {
  const auto additions = [](const std::string& fewer) {
    std::vector<NodeLine> nodes = trained(6);
    nodes.erase(nodes.end() - 19, nodes.end());  // the optimizer, parameter by parameter
    nodes.push_back(foreach_node(200, 6));
    PlanOptions options;
    if (!fewer.empty()) options.select.part = *parse_part("fewer=" + fewer);
    const auto plan = plan_of(nodes, few_operators(), options);
    EXPECT_TRUE(plan.has_value()) << (plan ? "" : to_string(plan.error()));
    std::size_t steps = 0;
    for (const ReplayStep& step : plan->steps)
      steps += step.source + 1 == plan->sources.size() ? 1 : 0;
    return steps;
  };
  EXPECT_EQ(additions(""), 6u);
  EXPECT_EQ(additions("2"), 2u);
  EXPECT_EQ(additions("5"), 5u);
}

TEST(FewerLayers, ThereMustBeMore) {
  for (const char* stay : {"0", "6", "7"})
    EXPECT_EQ(with_fewer(6, stay).error().code, Errc::usage) << stay;
  PlanOptions options;
  options.select.part = *parse_part("fewer=1");
  EXPECT_EQ(plan_of({relu_node(5, 1, 1, 2, 2)}, few_operators(), options).error().code,
            Errc::input_missing_attr);
}

}  // namespace
}  // namespace orrery::bench
