// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/tensor_parallel_policy.h"

#include <gtest/gtest.h>

namespace orrery::workload {
namespace {

Spec cut(Framework framework) {
  Spec spec;
  spec.kernels.framework = framework;
  spec.parallel.tp = 8;
  spec.parallel.sp = true;
  return spec;
}

TEST(TensorPolicy, IsTheFrameworks) {
  for (const Framework framework : {Framework::none, Framework::megatron})
    EXPECT_EQ(tensor_overlap(cut(framework)), TensorOverlap::pipelined);
  for (const Framework framework : {Framework::pytorch, Framework::torchtitan, Framework::deepspeed,
                                    Framework::torchtitan_compiled, Framework::megatron_2021})
    EXPECT_EQ(tensor_overlap(cut(framework)), TensorOverlap::none);
}

TEST(TensorPolicy, IsWhatTheJobSays) {
  Spec spec = cut(Framework::pytorch);
  spec.parallel.tp_overlap = TensorOverlap::ring;
  EXPECT_EQ(gathered_pieces(spec), 8);
  EXPECT_EQ(reduced_pieces(spec), 8);
  spec.parallel.tp_overlap = TensorOverlap::pipelined;
  EXPECT_EQ(gathered_pieces(spec), 8);
  EXPECT_EQ(reduced_pieces(spec), 4);
  spec.parallel.tp_overlap = TensorOverlap::none;
  EXPECT_EQ(gathered_pieces(spec), 1);
  EXPECT_EQ(reduced_pieces(spec), 1);
}

TEST(TensorPolicy, NeedsSequenceParallelismAndOverlap) {
  Spec spec = cut(Framework::megatron);
  spec.parallel.sp = false;
  EXPECT_EQ(tensor_overlap(spec), TensorOverlap::none);
  spec = cut(Framework::megatron);
  spec.schedule.overlap = false;
  EXPECT_EQ(tensor_overlap(spec), TensorOverlap::none);
  spec = cut(Framework::megatron);
  spec.compat = Compat::stage;
  EXPECT_EQ(tensor_overlap(spec), TensorOverlap::none);
}

}  // namespace
}  // namespace orrery::workload
