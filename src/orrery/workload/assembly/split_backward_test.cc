// SPDX-License-Identifier: Apache-2.0
//
// Backward passes in two halves: what runs where, with sequence parallelism.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "orrery/workload/program/program.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;
using graph::NodeKind;

Program scheduled_program(ScheduleKind kind, std::vector<std::string> adapters = {}) {
  Spec spec;
  if (!adapters.empty()) spec.lora = Lora{16, std::move(adapters)};
  spec.model.layers = 4;
  spec.model.hidden = 512;
  spec.model.heads = 8;
  spec.parallel.tp = 2;
  spec.parallel.sp = true;
  spec.parallel.tp_overlap = TensorOverlap::none;
  spec.parallel.pp = 2;
  spec.batch.seq = 512;
  spec.batch.global = 8;
  spec.schedule.kind = kind;
  Findings findings;
  auto program = assemble(spec, findings);
  EXPECT_TRUE(program.has_value()) << (program ? "" : to_string(program.error()));
  return program ? std::move(*program) : Program{};
}

/// Of the first body with that name.
std::vector<Op> ops_of(const Program& program, const std::string& name) {
  for (const Body& body : program.bodies)
    if (body.name == name) return body.ops;
  ADD_FAILURE() << "no body " << name;
  return {};
}

std::vector<std::string> names_of_ops(const std::vector<Op>& ops) {
  std::vector<std::string> names;
  for (const Op& op : ops) names.emplace_back(op.name);
  return names;
}

int count(const std::vector<Op>& ops, CollectiveType type) {
  int found = 0;
  for (const Op& op : ops) found += op.kind == NodeKind::coll && op.collective == type ? 1 : 0;
  return found;
}

// Inputs are gathered where weights' gradients are computed, each during the product before.
TEST(SplitBackward, WeightHalvesGatherTheirInputsAhead) {
  const Program program = scheduled_program(ScheduleKind::zb_h1);
  const std::vector<Op> ops = ops_of(program, "layer.weight_grad");
  EXPECT_EQ(names_of_ops(ops),
            (std::vector<std::string>{"mlp_up.gather.wgrad", "mlp_down.wgrad", "mlp_up.wgrad",
                                      "qkv.gather.wgrad", "out.wgrad", "qkv.wgrad"}));
  for (const std::size_t gather : {0u, 3u}) {
    EXPECT_EQ(ops[gather].marks, stream::layer_register);
    EXPECT_EQ(ops[gather + 1].waits[0], stream::none);
    EXPECT_EQ(ops[gather + 2].waits[0], stream::layer_register);
  }
  for (const Op& op : ops_of(program, "layer.input_grad"))
    EXPECT_EQ(std::string(op.name).find("wgrad"), std::string::npos) << op.name;
}

// … and during the input's gradient where both halves are one pass.
TEST(SplitBackward, WholePassesGatherInputsBesideInputGradients) {
  const std::vector<std::string> names =
      names_of_ops(ops_of(scheduled_program(ScheduleKind::one_f_one_b), "layer.backward"));
  const std::vector<std::string> end(names.end() - 5, names.end());
  EXPECT_EQ(end, (std::vector<std::string>{"qkv.gather.wgrad", "qkv.dgrad", "qkv.reduce.dgrad",
                                           "qkv.wgrad", "attention_norm.dgrad"}));
}

// Of frozen matrices the second half has nothing; both ends have none at all.
TEST(SplitBackward, WeightHalvesOfAdaptersAreTheirsAlone) {
  const Program program = scheduled_program(ScheduleKind::zb_h1, {"q", "out"});
  EXPECT_EQ(names_of_ops(ops_of(program, "layer.weight_grad")),
            (std::vector<std::string>{"out.lora_b.wgrad", "q.lora_b.gather.wgrad",
                                      "out.lora_a.wgrad", "q.lora_b.wgrad", "q.lora_a.wgrad"}));
  for (const char* const none :
       {"embedding.input_grad", "embedding.weight_grad", "head.weight_grad"})
    EXPECT_TRUE(ops_of(program, none).empty()) << none;
}

// Korthikanti et al. (MLSys 2023), section 4.2.2, forward and backward, and inputs again.
TEST(SplitBackward, SixGathersAndFourScattersPerLayer) {
  const Program split = scheduled_program(ScheduleKind::zb_h1);
  const Program whole = scheduled_program(ScheduleKind::one_f_one_b);
  const auto expect = [](const std::vector<std::vector<Op>>& passes) {
    int gathers = 0, scatters = 0;
    for (const std::vector<Op>& ops : passes) {
      gathers += count(ops, CollectiveType::all_gather);
      scatters += count(ops, CollectiveType::reduce_scatter);
    }
    EXPECT_EQ(gathers, 6);
    EXPECT_EQ(scatters, 4);
  };
  expect({ops_of(split, "layer.forward"), ops_of(split, "layer.input_grad"),
          ops_of(split, "layer.weight_grad")});
  expect({ops_of(whole, "layer.forward"), ops_of(whole, "layer.backward")});
}

}  // namespace
}  // namespace orrery::workload
