// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/memory_band.h"

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

TEST(MemoryBand, AddsUpWhatEachPartMayBeOff) {
  const RoleMemory memory = some();
  EXPECT_EQ(memory.reserved(), 1595);
  EXPECT_EQ(memory.total(), 1745);
  const MemoryBand band = band_of(memory);
  const std::int64_t tensors = 30 + 20 + 10 + 5;  // 6 %, then halves
  EXPECT_EQ(band.allocated.least, 1570 - tensors);
  EXPECT_EQ(band.allocated.most, 1570 + tensors);
  EXPECT_EQ(band.total.least, 1745 - tensors - 25 - 50 - 30);
  EXPECT_EQ(band.total.most, 1745 + tensors + 50 + 50 + 30);
  EXPECT_EQ(band.unsure, MemoryKind::context);
  EXPECT_EQ(band.unsure_least, 50);
  EXPECT_EQ(band.unsure_most, 50);
}

TEST(MemoryBand, IsEmptyOfWhatIsCounted) {
  RoleMemory memory;
  memory.weights = memory.peak = 1000;
  const MemoryBand band = band_of(memory);
  EXPECT_EQ(band.total.least, 1000);
  EXPECT_EQ(band.total.most, 1000);
  EXPECT_EQ(doubt_of(MemoryKind::optimizer).above, 0);
}

TEST(MemoryBand, SaysWhetherItFits) {
  const RoleMemory memory = some();
  EXPECT_EQ(fits(memory, 2000), Fits::yes);
  EXPECT_EQ(fits(memory, 1800), Fits::perhaps);
  EXPECT_EQ(fits(memory, 1700), Fits::perhaps);
  EXPECT_EQ(fits(memory, 1500), Fits::no);
}

// Two of PyTorch's workspaces and, under Megatron-LM, Transformer Engine's; four more where
// products of experts are one kernel.
TEST(MemoryBand, CountsWorkspacesByFramework) {
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
TEST(MemoryBand, CountsCopiesOfGradientsAfterTheStep) {
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
TEST(MemoryBand, CountsCommunicators) {
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
