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

// Names as PyTorch, cuBLAS, MIOpen, Triton and serving engines launched them.
TEST(Parts, NamesOfKernelsShowTheirOperation) {
  const std::vector<std::pair<std::string_view, Operation>> known = {
      {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>",
       Operation::gemm},
      {"nvjet_tst_256x128_64x4_1x2_h_bz_coopA_TNT", Operation::gemm},
      {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, "
       "cutlass::bfloat16_t> >",
       Operation::attention},
      {"_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu", Operation::grouped_gemm},
      {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt64x128x32", Operation::convolution},
      {"void cudnn::engines_precompiled::nchwToNhwcKernel<__half>", Operation::convolution},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>",
       Operation::activation},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >",
       Operation::elementwise},
      {"void at::native::elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda>",
       Operation::copy},
      {"void at::native::multi_tensor_apply_kernel<at::native::FusedAdam>", Operation::optimizer},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16>",
       Operation::layer_norm},
      {"triton_red_fused_mean_pow_3", Operation::reduction},
      {"void get_property(int)", Operation::unsaid},
      {"my_kernel", Operation::unsaid},
      {"", Operation::unsaid}};
  for (const auto& [text, operation] : known)
    EXPECT_EQ(name(operation_of_device_kernel(text)), name(operation)) << text;
}

}  // namespace
}  // namespace orrery::trace::operators
