// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/operator_kernel.h"

#include <gtest/gtest.h>

#include <random>

namespace orrery::intake {
namespace {

std::string text_of(std::string_view name, std::string_view dims, std::string_view types) {
  const auto shapes = read_shapes(dims);
  if (!shapes) return "no shapes";
  const auto kernel = kernel_of_operator(name, *shapes, read_formats(types));
  return kernel ? to_text(*kernel) : "none";
}

// Operators as PyTorch's profiler writes them.
TEST(OperatorKernel, IsKnownByNameShapesAndTypes) {
  EXPECT_EQ(
      text_of("aten::mm", "[[640, 1024], [1024, 2816]]", R"(["c10::BFloat16", "c10::BFloat16"])"),
      "gemm forward bf16,bf16>bf16 m=640 n=2816 k=1024 flops=3690987520 bytes=10682368");
  EXPECT_EQ(text_of("aten::addmm", "[[8], [4, 6], [6, 8], [], []]",
                    R"(["float", "float", "float", "Scalar", "Scalar"])"),
            "gemm forward fp32,fp32>fp32 m=4 n=8 k=6 bias flops=384 bytes=416");
  EXPECT_EQ(text_of("aten::bmm", "[[3,4,6],[3,6,8]]", R"x(["Tensor(c10::Half)","c10::Half"])x"),
            "batched_gemm forward fp16,fp16>fp16 batch=3 m=4 n=8 k=6 flops=1152 bytes=624");
  EXPECT_EQ(text_of("aten::linear", "[[2,3,6],[8,6],[8]]", R"(["float","float","float"])"),
            "gemm forward fp32,fp32>fp32 m=6 n=8 k=6 transposed_b flops=576 bytes=528");
  EXPECT_EQ(text_of("aten::native_layer_norm", "[[4, 8, 16], [], [16], [16], []]",
                    R"(["c10::BFloat16","ScalarList","c10::BFloat16","c10::BFloat16","Scalar"])"),
            "layer_norm forward bf16,unsaid>bf16 rows=32 features=16 bytes=2048");
  EXPECT_EQ(text_of("aten::mul", "[[4, 8], [8]]", R"(["float", "float"])"),
            "elementwise forward fp32,unsaid>fp32 elements=32 bytes=288");
  // Batch, heads, tokens, size; flash attention's own operator has tokens before heads.
  const std::string attention =
      "attention forward bf16,bf16>bf16 batch=2 heads=8 kv_heads=4 queries=16 keys=32 key_dim=64 "
      "value_dim=64 flops=2097152 bytes=131072";
  EXPECT_EQ(text_of("aten::_scaled_dot_product_flash_attention",
                    "[[2,8,16,64],[2,4,32,64],[2,4,32,64],[],[],[]]",
                    R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","Scalar"])"),
            attention);
  EXPECT_EQ(
      text_of("aten::_flash_attention_forward", "[[2,16,8,64],[2,32,4,64],[2,32,4,64],[],[],[]]",
              R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","Scalar"])"),
      attention);
}

TEST(OperatorKernel, IsNothingWhereShapesDoNotFit) {
  const char* const both = R"(["float","float"])";
  EXPECT_EQ(text_of("aten::mm", "[[4,6],[5,8]]", both), "none");
  EXPECT_EQ(text_of("aten::mm", "[[4,6],[]]", both), "none");
  EXPECT_EQ(text_of("aten::mm", "[[0,6],[6,8]]", both), "none");
  EXPECT_EQ(text_of("aten::mm", "[[4,-6],[-6,8]]", both), "none");
  EXPECT_EQ(text_of("aten::mm", "[[4,6],[6,8]]", R"(["",""])"), "none");
  EXPECT_EQ(text_of("aten::mm", "[[1000000,1000000],[1000000,1000000]]", both), "none");
  EXPECT_EQ(text_of("aten::mm", "[]", both), "none");
  EXPECT_EQ(text_of("aten::bmm", "[[3,4,6],[2,6,8]]", both), "none");
  EXPECT_EQ(text_of("aten::linear", "[[2,6],[8,5]]", both), "none");
  EXPECT_EQ(text_of("mine::mm", "[[4,6],[6,8]]", both), "none");
  EXPECT_EQ(text_of("aten::cat", "[[[4,6],[4,6]],[]]", R"(["TensorList","Scalar"])"), "none");
  EXPECT_EQ(text_of("aten::mm", "[[4,6],[6,8]", both), "no shapes");
  EXPECT_EQ(text_of("aten::mm", "[[4,6],[6,x]]", both), "no shapes");
  EXPECT_EQ(text_of("aten::mm", "4", both), "no shapes");
}

TEST(OperatorKernel, ListsOfTensorsAreNone) {
  const auto shapes = read_shapes("[[[4,6],[4,6]],[2,3],[],[[1]]]");
  ASSERT_TRUE(shapes);
  EXPECT_EQ(*shapes, (std::vector<TensorShape>{{}, {2, 3}, {}, {}}));
}

TEST(OperatorKernel, DamagedTextsGiveSomethingOrNothing) {
  std::mt19937_64 random(1);
  const std::string dims = "[[640, 1024], [1024, 2816], [], [[1, 2], [3]]]";
  const std::string types = R"(["c10::BFloat16", "c10::BFloat16", "", "TensorList"])";
  for (int i = 0; i < 20000; ++i) {
    std::string a = dims, b = types;
    a[random() % a.size()] = static_cast<char>(random());
    b[random() % b.size()] = static_cast<char>(random());
    const auto shapes = read_shapes(a);
    if (!shapes) continue;
    for (const char* name : {"aten::mm", "aten::bmm", "aten::add", "aten::_softmax"}) {
      const auto kernel = kernel_of_operator(name, *shapes, read_formats(b));
      if (!kernel) continue;
      EXPECT_EQ(graph::parse_kernel(to_text(*kernel)), *kernel) << a;
    }
  }
}

}  // namespace
}  // namespace orrery::intake
