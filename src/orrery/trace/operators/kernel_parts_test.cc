// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/operators/kernel_parts.h"

#include <gtest/gtest.h>

namespace orrery::trace::operators {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;
using graph::Pass;
using Names = std::vector<std::string_view>;

Kernel kernel_of(Operation operation, Pass pass) {
  Kernel kernel;
  kernel.operation = operation;
  kernel.pass = pass;
  kernel.a = kernel.b = kernel.out = Format::fp32;
  kernel.sizes = {8, 4, 2, 1, 1, 1, 1, 1};
  kernel.flops = 128;
  kernel.bytes = 64;
  return kernel;
}

/// "-" for helpers, else pass and format.
std::string predicted(const Kernel& whole, const Names& launched) {
  std::string text;
  for (const auto& part : kernel_parts(whole, launched)) {
    if (!text.empty()) text += ' ';
    text += part ? std::string(name(part->pass)) + "/" + std::string(name(part->a)) : "-";
  }
  return text;
}

TEST(Parts, TheOnlyKernelIsTheOperator) {
  EXPECT_EQ(predicted(kernel_of(Operation::softmax, Pass::forward), {"anything"}), "forward/fp32");
  EXPECT_EQ(predicted(kernel_of(Operation::convolution, Pass::forward), {"anything"}),
            "forward/fp32");
  EXPECT_EQ(predicted(kernel_of(Operation::convolution, Pass::backward), {"anything"}), "-");
  EXPECT_EQ(predicted(kernel_of(Operation::optimizer, Pass::forward), {"a", "b"}), "- -");
}

TEST(Parts, ProductsAreToldFromTheirSums) {
  const Kernel whole = kernel_of(Operation::gemm, Pass::forward);
  EXPECT_EQ(predicted(whole, {"volta_sgemm_128x64_tn", "void splitKreduce_kernel<32>"}),
            "forward/fp32 -");
  EXPECT_EQ(predicted(whole, {"cutlass_80_tensorop_s1688gemm_128x64_nt"}), "forward/tf32");
  EXPECT_EQ(predicted(whole, {"volta_sgemm_128x64_tn", "volta_sgemm_128x64_tn"}), "- -");
}

// Names as cuDNN 8 and MIOpen launched them.
TEST(Parts, ConvolutionsHaveTheirGradients) {
  const Kernel both = kernel_of(Operation::convolution, Pass::backward);
  EXPECT_EQ(predicted(both, {"void cudnn::ops::nchwToNhwcKernel<float>",
                             "sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32",
                             "void cudnn::ops::nhwcToNchwKernel<float>",
                             "sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32",
                             "void cudnn::cnn::reduce_wgrad_nchw_helper<float, float>"}),
            "- input_grad/tf32 - weight_grad/tf32 -");
  EXPECT_EQ(predicted(both, {"batched_transpose_16x32_half", "igemm_bwd_gtcx3_nhwc_bf16",
                             "SubTensorOpWithCastTensor1d", "igemm_wrw_gtcx3_nhwc_bf16"}),
            "- input_grad/fp32 - weight_grad/fp32");
  EXPECT_EQ(predicted(both, {"volta_sgemm_64x64_nt", "volta_sgemm_64x64_tn"}),
            "input_grad/fp32 weight_grad/fp32");
  EXPECT_EQ(predicted(both, {"volta_sgemm_64x64_nt"}), "-");
  EXPECT_EQ(kernel_parts(both, Names{"dgrad_engine"}).front()->flops, 64);
  const Kernel forward = kernel_of(Operation::convolution, Pass::forward);
  EXPECT_EQ(predicted(forward, {"void cask_cudnn::computeOffsetsKernel<false>",
                                "cudnn_volta_scudnn_128x64_relu_xregs_large_nn_v1"}),
            "- forward/fp32");
  // Its product is of transformed tiles, with fewer operations.
  EXPECT_EQ(predicted(forward, {"void cudnn::winograd_nonfused::winogradForwardData4x4<float>",
                                "volta_sgemm_64x64_nn",
                                "void cudnn::winograd_nonfused::winogradForwardOutput4x4<float>"}),
            "- - -");
}

TEST(Parts, NormsHaveTheirGradients) {
  const Kernel whole = kernel_of(Operation::layer_norm, Pass::backward);
  const Names names = {"layer_norm_grad_input_kernel", "GammaBetaBackwardCUDAKernel"};
  const auto parts = kernel_parts(whole, names);
  EXPECT_EQ(predicted(whole, names), "input_grad/fp32 weight_grad/fp32");
  EXPECT_EQ(parts[0]->bytes, 3 * 8 * 4 * 4);
  EXPECT_EQ(parts[1]->bytes, 2 * 8 * 4 * 4);
}

TEST(Parts, CopiesSayBetweenWhat) {
  EXPECT_EQ(copy_operation("Memcpy HtoD (Pinned -> Device)"), Operation::transfer);
  EXPECT_EQ(copy_operation("Memcpy DtoH"), Operation::transfer);
  EXPECT_EQ(copy_operation("Memcpy DtoD (Device -> Device)"), Operation::copy);
  EXPECT_EQ(copy_operation("Memcpy PtoP (Device -> Device)"), Operation::unsaid);
}

}  // namespace
}  // namespace orrery::trace::operators
