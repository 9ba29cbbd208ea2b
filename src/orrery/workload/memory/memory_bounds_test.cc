// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/memory_bounds.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "orrery/workload/memory/memory_testing.h"

namespace orrery::workload {
namespace {

RoleMemory some() {
  RoleMemory memory;
  memory.weights = 1000;
  memory.activations = 500;
  memory.working = 40;
  memory.communication = 20;
  memory.workspace = 10;
  memory.peak = 1570;
  memory.fragmentation = 25;
  memory.context = 100;
  memory.communicators = 50;
  return memory;
}

TEST(MemoryBounds, AddsUpWhatEachPartMayBeOff) {
  const RoleMemory memory = some();
  EXPECT_EQ(memory.reserved(), 1595);
  EXPECT_EQ(memory.total(), 1745);
  const MemoryBounds band = memory_bounds(memory);
  const std::int64_t tensors = 30 + 20 + 10 + 5;  // 6 %, then halves
  EXPECT_EQ(band.allocated.lower, 1570 - tensors);
  EXPECT_EQ(band.allocated.upper, 1570 + tensors);
  EXPECT_EQ(band.total.lower, 1745 - tensors - 25 - 50 - 30);
  EXPECT_EQ(band.total.upper, 1745 + tensors + 50 + 50 + 30);
  EXPECT_EQ(band.widest_kind, MemoryKind::context);
  EXPECT_EQ(band.widest_below, 50);
  EXPECT_EQ(band.widest_above, 50);
}

TEST(MemoryBounds, IsEmptyOfWhatIsCounted) {
  RoleMemory memory;
  memory.weights = memory.peak = 1000;
  const MemoryBounds band = memory_bounds(memory);
  EXPECT_EQ(band.total.lower, 1000);
  EXPECT_EQ(band.total.upper, 1000);
  EXPECT_EQ(memory_deviation(MemoryKind::optimizer).above, 0);
}

TEST(MemoryBounds, SaysWhetherItFits) {
  const RoleMemory memory = some();
  EXPECT_EQ(memory_fit(memory_need(memory), Bytes(2000)), MemoryFit::yes);
  EXPECT_EQ(memory_fit(memory_need(memory), Bytes(1800)), MemoryFit::uncertain);
  EXPECT_EQ(memory_fit(memory_need(memory), Bytes(1700)), MemoryFit::uncertain);
  EXPECT_EQ(memory_fit(memory_need(memory), Bytes(1500)), MemoryFit::no);
}

// Two of PyTorch's workspaces and, under Megatron-LM, Transformer Engine's; four more where
// products of experts are one kernel.
TEST(MemoryBounds, CountsWorkspacesByFramework) {
  const DeviceMemory device{.products = 100, .transformer = 7, .deterministic = 200};
  const auto held = [&](Spec spec) {
    spec.model.layers = 2;
    spec.model.hidden = 64;
    spec.model.heads = 2;
    Findings findings;
    const auto program = assemble(spec, findings);
    EXPECT_TRUE(program.has_value());
    return account_memory(*program, {.device = device})->roles.front().workspace;
  };
  Spec spec;
  EXPECT_EQ(held(spec), 200);
  spec.kernels.deterministic = true;
  EXPECT_EQ(held(spec), 400);
  spec.kernels.framework = Framework::megatron;
  EXPECT_EQ(held(spec), 407);
  spec.model.moe = Moe{};
  EXPECT_EQ(held(spec), 400 + 5 * 7);
  spec.kernels.grouped = false;
  EXPECT_EQ(held(spec), 407);
}

// Megatron-LM's optimizer makes fp32 gradients of fp16 ones, and keeps them until the next step.
TEST(MemoryBounds, CountsCopiesOfGradientsAfterTheStep) {
  const auto after = [](Framework framework, Dtype gradients, Dtype moments) {
    Spec spec;
    spec.model.layers = 2;
    spec.model.hidden = 64;
    spec.model.heads = 2;
    spec.kernels.framework = framework;
    spec.precision.gradients = gradients;
    spec.precision.optimizer = moments;
    Findings findings;
    const auto program = assemble(spec, findings);
    const RoleMemory role = account_memory(*program)->roles.front();
    EXPECT_EQ(sum_of(role.at_peak), role.peak);
    return std::pair(role.after_step - role.weights - role.gradients - role.optimizer,
                     role.weights / 2);
  };
  const auto [copies, elements] = after(Framework::megatron, Dtype::fp16, Dtype::fp32);
  EXPECT_EQ(copies, 4 * elements);
  EXPECT_EQ(after(Framework::megatron, Dtype::fp32, Dtype::fp32).first, 0);
  EXPECT_EQ(after(Framework::megatron, Dtype::bf16, Dtype::bf16).first, 0);
  EXPECT_EQ(after(Framework::pytorch, Dtype::bf16, Dtype::fp32).first, 0);
}

// One communicator for each group that is used, and buffers towards those that tokens go to.
TEST(MemoryBounds, CountsCommunicators) {
  const DeviceMemory device{.communicator = 1000, .peer = 10};
  const auto held = [&](const Spec& spec) {
    Findings findings;
    const auto program = assemble(spec, findings);
    EXPECT_TRUE(program.has_value());
    return account_memory(*program, {.device = device})->roles.front().communicators;
  };
  Spec spec;
  spec.model.layers = 4;
  spec.model.hidden = 64;
  spec.model.heads = 4;
  EXPECT_EQ(held(spec), 0);
  spec.parallel.dp = 2;
  EXPECT_EQ(held(spec), 1000);
  spec.parallel.tp = 2;
  EXPECT_EQ(held(spec), 3000);  // and the model's, for the gradients' norm
  Spec experts = spec;
  experts.parallel.tp = 1;
  experts.model.moe = Moe{};
  experts.parallel.dp = experts.parallel.ep = 4;
  EXPECT_EQ(held(experts) % 1000, 3 * 10);
}

}  // namespace
}  // namespace orrery::workload
