// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/operators/operator_kernel.h"

#include <gtest/gtest.h>

#include <random>

#include "orrery/trace/operators/operators_testing.h"

namespace orrery::trace::operators {
namespace {

constexpr const char* kBf16 = R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16"])";
constexpr const char* kFp32 = R"(["float","float","float","float","float","float","float"])";

// Operators as PyTorch's profiler writes them.
TEST(OperatorKernel, ProductsAreKnownByShapesAndTypes) {
  EXPECT_EQ(text_of("aten::mm", {"[[640, 1024], [1024, 2816]]", kBf16, ""}),
            "gemm forward bf16,bf16>bf16 m=640 n=2816 k=1024 flops=3690987520 bytes=10682368");
  EXPECT_EQ(text_of("aten::mm.default", {"[[640, 1024], [1024, 2816]]", kBf16, ""}),
            text_of("aten::mm", {"[[640, 1024], [1024, 2816]]", kBf16, ""}));
  EXPECT_EQ(text_of("aten::addmm", {"[[8], [4, 6], [6, 8], [], []]", kFp32, ""}),
            "gemm forward fp32,fp32>fp32 m=4 n=8 k=6 bias flops=384 bytes=416");
  EXPECT_EQ(
      text_of("aten::bmm", {"[[3,4,6],[3,6,8]]", R"x(["Tensor(c10::Half)","c10::Half"])x", ""}),
      "batched_gemm forward fp16,fp16>fp16 batch=3 m=4 n=8 k=6 flops=1152 bytes=624");
  EXPECT_EQ(text_of("aten::linear", {"[[2,3,6],[8,6],[8]]", kFp32, ""}),
            "gemm forward fp32,fp32>fp32 m=6 n=8 k=6 bias transposed_b flops=576 bytes=528");
  EXPECT_EQ(
      text_of("aten::_scaled_mm", {"[[16,32],[32,64],[],[],[],[],[]]",
                                   R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn","float","float"])",
                                   R"(["","","","","","","15"])"}),
      "gemm forward fp8,fp8>bf16 m=16 n=64 k=32 transposed_b quantized flops=65536 bytes=4608");
  // A scale per 32 numbers: 256 x 8 in blocks of 128 x 4.
  EXPECT_EQ(
      text_of("aten::_scaled_mm", {"[[256,256],[256,512],[2048],[4096],[],[],[]]",
                                   R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn","float","float"])",
                                   R"(["","","","","","","15"])"}),
      "gemm forward fp8_mx,fp8_mx>bf16 m=256 n=512 k=256 transposed_b quantized flops=67108864 "
      "bytes=458752");
  EXPECT_EQ(text_of("aten::_grouped_mm", {"[[96,32],[4,32,64],[4]]", kBf16, ""}),
            "grouped_gemm forward bf16,bf16>bf16 groups=4 rows=96 n=64 k=32 flops=393216 "
            "bytes=34816");
  // 96 rows of 32 and of 64 numbers: for each group 32×64 weights.
  EXPECT_EQ(text_of("aten::_grouped_mm", {"[[32,96],[96,64],[4]]", kBf16, ""}),
            "grouped_gemm weight_grad bf16,bf16>bf16 groups=4 rows=96 n=64 k=32 transposed_a "
            "flops=393216 bytes=34816");
  EXPECT_EQ(text_of("aten::_grouped_mm", {"[[32,96],[96,64],[]]", kBf16, ""}), "none");
}

// The stem of ResNet: 7×7 windows, every second one, three added at each side.
TEST(OperatorKernel, ConvolutionsAreKnownByShapesAndValues) {
  const std::string stem =
      "fp32,fp32>fp32 batch=8 in=3 out=64 height=112 width=112 filter_h=7 filter_w=7 stride=2 "
      "flops=1888223232 bytes=30544640";
  const char* const shapes = "[[8,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]";
  EXPECT_EQ(text_of("aten::cudnn_convolution",
                    {shapes, kFp32, R"(["","","[3, 3]","[2, 2]","[1, 1]","1","False","False"])"}),
            "convolution forward " + stem);
  EXPECT_EQ(
      text_of("aten::miopen_convolution",
              {shapes, kFp32, R"(["","","","[3, 3]","[2, 2]","[1, 1]","1","False","False"])"}),
      "convolution forward " + stem);
  EXPECT_EQ(
      text_of("aten::convolution", {shapes, kFp32, "[[1],[2],0,[2,2],[3,3],[1,1],false,[0,0],1]"}),
      "convolution forward " + stem);
  const char* const back = "[[8,64,112,112],[8,3,224,224],[64,3,7,7],[],[],[],[],[],[],[],[]]";
  const auto values = [](const std::string& mask) {
    return R"(["","","","[0]","[2, 2]","[3, 3]","[1, 1]","False","[0, 0]","1",")" + mask + R"("])";
  };
  EXPECT_EQ(text_of("aten::convolution_backward", {back, kFp32, values("[False, True, False]")}),
            "convolution weight_grad " + stem);
  EXPECT_EQ(text_of("aten::convolution_backward", {back, kFp32, values("[True, False, False]")}),
            "convolution input_grad " + stem);
  EXPECT_EQ(text_of("aten::convolution_backward", {back, kFp32, values("[True, True, False]")})
                .substr(0, 20),
            "convolution backward");
  // Without the sizes of the bias.
  EXPECT_EQ(text_of("aten::convolution_backward_overrideable",
                    {"[[8,64,112,112],[8,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]", kFp32,
                     R"(["","","","[2, 2]","[3, 3]","[1, 1]","False","[0, 0]","1",)"
                     R"("[False, True, False]"])"}),
            "convolution weight_grad " + stem);
  // Groups: each output sees some of the inputs.
  EXPECT_EQ(text_of("aten::cudnn_convolution", {"[[2,32,8,8],[32,1,3,3],[],[],[],[]]", kFp32,
                                                R"(["","","[1, 1]","[1, 1]","[1, 1]","32"])"}),
            "convolution forward fp32,fp32>fp32 batch=2 in=1 out=32 height=8 width=8 filter_h=3 "
            "filter_w=3 stride=1 flops=73728 bytes=33920");
}

TEST(OperatorKernel, AttentionIsKnownWithItsMask) {
  const std::string sizes =
      "bf16,bf16>bf16 batch=2 heads=8 kv_heads=4 queries=32 keys=32 key_dim=64 value_dim=64";
  // Batch, heads, tokens, size; flash attention's own operator has tokens before heads.
  EXPECT_EQ(text_of("aten::_scaled_dot_product_flash_attention",
                    {"[[2,8,32,64],[2,4,32,64],[2,4,32,64],[],[],[]]", kBf16,
                     R"(["","","","0.","False","False"])"}),
            "attention forward " + sizes + " flops=4194304 bytes=198656");
  const char* const flash = "[[2,32,8,64],[2,32,4,64],[2,32,4,64],[],[],[],[],[],[]]";
  EXPECT_EQ(text_of("aten::_flash_attention_forward",
                    {flash, kBf16, R"(["","","","","","32","32","0.","True"])"}),
            "attention forward " + sizes + " causal flops=2097152 bytes=198656");
  EXPECT_EQ(text_of("aten::_flash_attention_forward", {flash, kBf16, ""}), "none");
  // Five products for two.
  EXPECT_EQ(text_of("aten::_flash_attention_backward",
                    {"[[2,32,8,64],[2,32,8,64],[2,32,4,64],[2,32,4,64],[],[],[],[],[],[],[],[]]",
                     R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","c10::BFloat16"])",
                     R"(["","","","","","","","","32","32","0.","True"])"}),
            "attention backward " + sizes + " causal flops=5242880 bytes=395264");
  EXPECT_EQ(
      text_of("aten::_flash_attention_forward", {"[[64,8,64],[64,4,64],[64,4,64]]", kBf16, ""}),
      "none");  // sequences of different lengths
}

// Two sequences of 32, one behind the other, are known as two; for 40 and 24 it is unknown what
// they compute.
TEST(OperatorKernel, AttentionOfPackedSequencesIsKnownIfTheyAreEqual) {
  const std::string sizes =
      "bf16,bf16>bf16 batch=2 heads=8 kv_heads=4 queries=32 keys=32 key_dim=64 value_dim=64 causal";
  const std::string forward = "attention forward " + sizes + " flops=2097152 bytes=198656";
  const std::string shapes = "[[64,8,64],[64,4,64],[64,4,64],[3],[3],[],[],[],[],[]]";
  const char* const flash = "flash_attn::_flash_attn_varlen_forward";
  const auto longest = [](const std::string& length) {
    return R"(["","","","","",")" + length + R"(",")" + length + R"(","0.","0.125","True"])";
  };
  EXPECT_EQ(text_of(flash, {shapes, kBf16, longest("32")}), forward);
  EXPECT_EQ(text_of("FlashAttnVarlenFunc", {shapes, kBf16, longest("32")}), forward);
  EXPECT_EQ(text_of(flash, {shapes, kBf16, longest("40")}), "none");
  EXPECT_EQ(text_of(flash, {shapes, kBf16, ""}), "none");
  EXPECT_EQ(text_of("aten::_flash_attention_forward",
                    {shapes, kBf16, R"(["","","","","","32","32","0.","True"])"}),
            forward);
  EXPECT_EQ(text_of("aten::_efficient_attention_forward",
                    {"[[1,64,8,64],[1,64,4,64],[1,64,4,64],[],[3],[3],[],[],[],[]]", kBf16,
                     R"(["","","","","","","32","32","0.","1"])"}),
            forward);
  EXPECT_EQ(text_of("aten::_efficient_attention_forward",
                    {"[[1,64,8,64],[1,64,4,64],[1,64,4,64],[],[3],[3],[],[],[],[]]", kBf16,
                     R"(["","","","","","","40","40","0.","1"])"}),
            "none");
  EXPECT_EQ(text_of("flash_attn::_flash_attn_varlen_backward",
                    {"[[64,8,64],[64,8,64],[64,4,64],[64,4,64],[],[],[],[],[],[3],[3],[],[],[],[],"
                     "[]]",
                     R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","c10::BFloat16"])",
                     R"(["","","","","","","","","","","","32","32","0.","0.125","True"])"}),
            "attention backward " + sizes + " flops=5242880 bytes=395264");
}

// Each query sees 8 keys: its own and 7 before it.
TEST(OperatorKernel, AttentionHasItsWindow) {
  const char* const shapes = "[[2,32,8,64],[2,32,8,64],[2,32,8,64],[],[],[],[],[]]";
  const auto of = [&](const char* causal, const char* window) {
    return text_of(
        "flash_attn::_flash_attn_forward",
        {shapes, kBf16,
         std::string(R"(["","","","0.","0.125",")") + causal + R"(",")" + window + R"(","0"])"});
  };
  const std::string sizes =
      "attention forward bf16,bf16>bf16 batch=2 heads=8 kv_heads=8 queries=32 keys=32 key_dim=64 "
      "value_dim=64";
  EXPECT_EQ(of("True", "7"), sizes + " window=8 causal flops=917504 bytes=264192");
  EXPECT_EQ(of("True", "-1"), sizes + " causal flops=2097152 bytes=264192");
  EXPECT_EQ(of("True", "31"), sizes + " causal flops=2097152 bytes=264192");
  EXPECT_EQ(of("False", "7"), "none");
}

// 64 Ki tokens by 64 heads.
TEST(OperatorKernel, LongAttentionIsKnown) {
  EXPECT_EQ(text_of("flash_attn::_flash_attn_forward",
                    {"[[1,65536,64,128],[1,65536,8,128],[1,65536,8,128],[],[],[]]", kBf16,
                     R"(["","","","","","False"])"}),
            "attention forward bf16,bf16>bf16 batch=1 heads=64 kv_heads=8 queries=65536 keys=65536 "
            "key_dim=128 value_dim=128 flops=140737488355328 bytes=2432696320");
}

TEST(OperatorKernel, RowsAreKnown) {
  EXPECT_EQ(
      text_of("aten::native_layer_norm",
              {"[[4, 8, 16], [], [16], [16], []]",
               R"(["c10::BFloat16","ScalarList","c10::BFloat16","c10::BFloat16","Scalar"])", ""}),
      "layer_norm forward bf16,unsaid>bf16 rows=32 features=16 bytes=2112");
  EXPECT_EQ(text_of("aten::native_layer_norm_backward",
                    {"[[32,16],[32,16],[],[32,1],[32,1],[16],[16],[]]", kFp32, ""}),
            "layer_norm backward fp32,unsaid>fp32 rows=32 features=16 bytes=6400");
  EXPECT_EQ(text_of("aten::_softmax", {"[[2,3,5,7],[],[]]", kFp32, R"(["","1","False"])"}),
            "softmax forward fp32,unsaid>fp32 rows=70 features=3 bytes=1680");
  EXPECT_EQ(text_of("aten::_softmax_backward_data",
                    {"[[2,3],[2,3],[],[]]", kFp32, R"(["","","-1","6"])"}),
            "softmax input_grad fp32,unsaid>fp32 rows=2 features=3 bytes=72");
  EXPECT_EQ(text_of("aten::_softmax", {"[[2,3],[],[]]", kFp32, R"(["","2","False"])"}), "none");
  EXPECT_EQ(text_of("aten::cudnn_batch_norm_backward", {"[[2,3,4,4],[2,3,4,4]]", kFp32, ""}),
            "batch_norm backward fp32,unsaid>fp32 elements=96 bytes=1152");
  EXPECT_EQ(text_of("aten::max_pool2d_with_indices",
                    {"[[2,4,112,112],[],[],[],[],[]]", kFp32,
                     R"(["","[3, 3]","[2, 2]","[1, 1]","[1, 1]","False"])"}),
            "pooling forward fp32,unsaid>fp32 elements=25088 bytes=702464");
  EXPECT_EQ(text_of("aten::nll_loss_forward", {"[[511, 50257],[511],[],[],[]]", kFp32, ""}),
            "cross_entropy forward fp32,unsaid>fp32 rows=511 features=50257 bytes=6132");
}

// Sides of 10.
TEST(OperatorKernel, PoolingHasItsWindows) {
  const auto of = [](std::string_view name, const std::string& values) {
    const std::string text =
        text_of(name, {"[[2,4,10,10],[],[],[],[],[]]", kFp32, R"(["",")" + values + "]"});
    const std::size_t at = text.find("elements=");
    return at == std::string::npos ? text : text.substr(at + 9, text.find(' ', at) - at - 9);
  };
  const char* const max = "aten::max_pool2d_with_indices";
  EXPECT_EQ(of(max, R"([3, 3]","[2, 2]","[0, 0]","[1, 1]","False")"), "128");  // 4×4
  EXPECT_EQ(of(max, R"([3, 3]","[2, 2]","[0, 0]","[1, 1]","True")"), "200");   // 5×5
  EXPECT_EQ(of(max, R"([2, 2]","[4, 4]","[1, 1]","[1, 1]","True")"),
            "72");  // a fourth would begin behind
  EXPECT_EQ(of(max, R"([3, 3]","[2, 2]","[0, 0]","[2, 2]","False")"), "72");  // 3×3
  EXPECT_EQ(of("aten::avg_pool2d", R"([3, 3]","[2, 2]","[0, 0]","True","True")"), "200");
  EXPECT_EQ(of("aten::avg_pool2d", R"([2, 2]","[]","[0, 0]","False","True")"), "200");
  // Twice the padding is no number.
  EXPECT_EQ(of(max, R"([4611686018427387904]","[1]","[4611686018427387904]","[1]","False")"),
            "none");
}

TEST(OperatorKernel, TablesAreKnown) {
  EXPECT_EQ(text_of("aten::embedding", {"[[1000,64],[4,8],[],[],[]]", kBf16, ""}),
            "embedding forward bf16,unsaid>bf16 lookups=32 rows=1000 features=64 bytes=8192");
  EXPECT_EQ(text_of("aten::embedding_dense_backward",
                    {"[[4,8,64],[4,8],[],[],[]]", kBf16, R"(["","","1000","-1","False"])"}),
            "embedding weight_grad bf16,unsaid>bf16 lookups=32 rows=1000 features=64 bytes=8192");
  EXPECT_EQ(text_of("aten::_embedding_bag", {"[[1000,64],[80],[20]]", kFp32, ""}),
            "embedding_bag forward fp32,unsaid>fp32 tables=1 batch=20 pooling=4 rows=1000 "
            "features=64 flops=3840 bytes=26240");
  EXPECT_EQ(text_of("aten::_embedding_bag", {"[[1000,64],[80],[21]]", kFp32,
                                             R"(["","","","False","0","False","","True"])"}),
            text_of("aten::_embedding_bag", {"[[1000,64],[80],[20]]", kFp32, ""}));
  EXPECT_EQ(
      text_of("fbgemm::split_embedding_codegen_lookup_adagrad_function",
              {"[[0],[64000],[0],[0,0],[2],[2],[3],[],[],[3],[],[80],[21]]", kFp32,
               R"(["","","","","","","","128","64","","12","",""])"}),
      "embedding_bag forward fp32,unsaid>fp32 tables=2 batch=10 pooling=4 rows=500 features=64 "
      "flops=3840 bytes=26240");
}

TEST(OperatorKernel, ElementsAreKnown) {
  EXPECT_EQ(text_of("aten::mul", {"[[4, 8], [8]]", kFp32, ""}),
            "elementwise forward fp32,unsaid>fp32 elements=32 features=8 bytes=288");
  // Where the result goes is not read.
  EXPECT_EQ(text_of("aten::mul", {"[[4, 8], [], [4, 8]]", kFp32, ""}),
            "elementwise forward fp32,unsaid>fp32 elements=32 features=8 bytes=256");
  EXPECT_EQ(text_of("aten::threshold_backward", {"[[4, 8], [4, 8], []]", kFp32, ""}),
            "activation input_grad fp32,unsaid>fp32 elements=32 features=8 bytes=384");
  EXPECT_EQ(text_of("aten::fill_", {"[[4, 8], []]", kFp32, ""}),
            "elementwise forward unsaid,unsaid>fp32 elements=32 bytes=128");
  EXPECT_EQ(text_of("aten::copy_", {"[[4, 8], [4, 8], []]", R"(["float","c10::Half"])", ""}),
            "cast forward fp16,unsaid>fp32 elements=32 features=8 bytes=192");
  EXPECT_EQ(text_of("aten::copy_", {"[[4, 8], [4, 8], []]", kFp32, ""}),
            "copy forward fp32,unsaid>fp32 elements=32 bytes=256");
  EXPECT_EQ(text_of("aten::native_dropout", {"[[4, 8], [], []]", kBf16, ""}),
            "dropout forward bf16,unsaid>bf16 elements=32 features=8 bytes=160");
  EXPECT_EQ(text_of("aten::where", {"[[4, 8], [4, 8], []]", R"(["bool","float","float"])", ""}),
            "elementwise forward int8,unsaid>fp32 elements=32 features=8 bytes=288");
  EXPECT_EQ(text_of("triton_poi_fused_add_0", {"[[4, 8], [4, 8], [4, 8], []]", kBf16, ""}),
            "elementwise forward bf16,unsaid>bf16 elements=32 bytes=192");
}

// A mask from positions of queries and of keys, for one: neither is as large as the result.
TEST(OperatorKernel, ElementsAreSpreadOutTogether) {
  EXPECT_EQ(text_of("aten::le", {"[[8, 1], [4]]", R"(["long int", "long int"])", ""}),
            "elementwise forward int64,unsaid>int8 elements=32 features=4 bytes=128");
  EXPECT_EQ(text_of("aten::add", {"[[4, 1, 8], [3, 1]]", kFp32, ""}),
            "elementwise forward fp32,unsaid>fp32 elements=96 features=8 bytes=524");
  EXPECT_EQ(text_of("aten::add", {"[[4, 8], [3]]", kFp32, ""}), "none");
  EXPECT_EQ(text_of("aten::add", {"[[4, 8], [0]]", kFp32, ""}), "none");
}

TEST(OperatorKernel, ElementsHaveTheFormatThatComesOfBoth) {
  const auto formats = [](std::string_view name, const std::string& a, const std::string& b) {
    const std::string types = R"([")" + a + R"(",")" + b + R"("])";
    const std::string text = text_of(name, {"[[4, 8], [8]]", types, ""});
    return text == "none" ? text : text.substr(20, text.find(" elements") - 20);
  };
  EXPECT_EQ(formats("aten::mul", "c10::BFloat16", "float"), "bf16,unsaid>fp32");
  EXPECT_EQ(formats("aten::mul", "float", "c10::BFloat16"), "fp32,unsaid>fp32");
  EXPECT_EQ(formats("aten::mul", "c10::BFloat16", "c10::Half"), "bf16,unsaid>fp32");
  EXPECT_EQ(formats("aten::mul", "long int", "c10::Half"), "int64,unsaid>fp16");
  EXPECT_EQ(formats("aten::mul", "bool", "int"), "int8,unsaid>int32");
  EXPECT_EQ(formats("aten::mul", "float", "c10::complex<float>"), "none");
  EXPECT_EQ(formats("aten::mul_", "c10::BFloat16", "float"), "bf16,unsaid>bf16");
  EXPECT_EQ(formats("aten::masked_fill", "c10::BFloat16", "bool"), "bf16,unsaid>bf16");
}

TEST(OperatorKernel, ReductionsAreAlongTheirDimensions) {
  EXPECT_EQ(text_of("aten::sum", {"[[4, 8], [], []]", kFp32, R"(["","[0]","True"])"}),
            "reduction forward fp32,unsaid>fp32 elements=32 flops=32 bytes=160");
  // Of everything: the second argument is a format, or whether it is unbiased, and no dimension.
  const std::string all = "reduction forward fp32,unsaid>fp32 elements=32 flops=32 bytes=132";
  EXPECT_EQ(text_of("aten::sum", {"[[4, 8], []]", kFp32, R"(["","6"])"}), all);
  EXPECT_EQ(text_of("aten::var", {"[[4, 8], []]", kFp32, R"(["","True"])"}), all);
  EXPECT_EQ(text_of("aten::argmax", {"[[4, 8], [], []]", kFp32, R"(["","-1","False"])"}),
            "reduction forward fp32,unsaid>int64 elements=32 flops=32 bytes=160");
  EXPECT_EQ(text_of("aten::any", {"[[4, 8]]", R"(["int"])", R"([""])"}),
            "reduction forward int32,unsaid>int8 elements=32 flops=32 bytes=129");
  EXPECT_EQ(text_of("aten::sum", {"[[4, 8], [], []]", kFp32, R"(["","[2]","True"])"}), "none");
}

TEST(OperatorKernel, ListsAreSummedUp) {
  const char* const two = R"(["GenericList[Tensor(float),Tensor(float)]",
      "GenericList[Tensor(float),Tensor(float)]","GenericList[Tensor(float),Tensor(float)]",
      "GenericList[Tensor(float),Tensor(float)]"])";
  EXPECT_EQ(text_of("aten::cat", {"[[[4,6],[4,2]],[]]", two, ""}),
            "copy forward fp32,unsaid>fp32 elements=32 bytes=256");
  EXPECT_EQ(text_of("aten::cat", {"[[[4,6],[4,2]],[]]", R"(["TensorList","Scalar"])", ""}),
            "copy forward unsaid,unsaid>unsaid elements=32");
  EXPECT_EQ(text_of("aten::cat", {"[[],[]]", R"(["TensorList","Scalar"])", ""}), "none");
  EXPECT_EQ(text_of("aten::_foreach_add_", {"[[[4,6],[8]],[[4,6],[8]],[]]", two, ""}),
            "elementwise forward fp32,unsaid>fp32 elements=32 multi_tensor bytes=384");
  EXPECT_EQ(text_of("aten::_fused_adamw_",
                    {"[[[4,6],[8]],[[4,6],[8]],[[4,6],[8]],[[4,6],[8]],[]]", two, ""}),
            "optimizer forward fp32,unsaid>fp32 elements=32 multi_tensor flops=416 bytes=896");
}

TEST(OperatorKernel, IsNothingWhereShapesDoNotFit) {
  const auto of = [](std::string_view name, std::string_view shapes) {
    return text_of(name, {shapes, kFp32, R"(["","","[1]","[1]","[1]","[1]"])"});
  };
  for (const char* const shapes :
       {"[[4,6],[5,8]]", "[[4,6],[]]", "[[0,6],[6,8]]", "[[4,-6],[-6,8]]", "[]",
        "[[1000000,1000000],[1000000,1000000]]"})
    EXPECT_EQ(of("aten::mm", shapes), "none") << shapes;
  EXPECT_EQ(text_of("aten::mm", {"[[4,6],[6,8]]", R"(["",""])", ""}), "none");
  EXPECT_EQ(of("aten::bmm", "[[3,4,6],[2,6,8]]"), "none");
  EXPECT_EQ(of("aten::linear", "[[2,6],[8,5]]"), "none");
  EXPECT_EQ(of("mine::mm", "[[4,6],[6,8]]"), "none");
  EXPECT_EQ(of("aten::mm", "[[4,6],[6,8]"), "no shapes");
  EXPECT_EQ(of("aten::cudnn_convolution", "[[8,3,4,4],[64,3,7,7],[],[],[]]"), "none");
  EXPECT_EQ(of("aten::cudnn_convolution", "[[8,3,224,224],[64,2,7,7],[],[],[]]"), "none");
  EXPECT_EQ(of("aten::cudnn_convolution", "[[8],[64],[],[],[]]"), "none");
  EXPECT_EQ(of("aten::native_layer_norm", "[[4,8],[],[3]]"), "none");
}

// A kernel may have any number of tensors, together of more bytes than are counted.
TEST(OperatorKernel, FusedTensorsDoNotOverflow) {
  std::string shapes = "[", types = "[";
  for (int i = 0; i < 1100; ++i) {
    shapes += "[1125899906842624],";
    types += R"("double",)";
  }
  shapes.back() = types.back() = ']';
  EXPECT_EQ(text_of("triton_poi_fused_add_0", {shapes, types, ""}), "none");
}

TEST(OperatorKernel, DamagedTextsGiveSomethingOrNothing) {
  std::mt19937_64 random(1);
  const std::string dims = "[[64, 32, 8, 8], [64, 32, 3, 3], [], [[1, 2], [3]], [], [], [4]]";
  const std::string types = R"(["c10::BFloat16", "c10::BFloat16", "", "TensorList"])";
  const std::string values = R"(["", "[1, 1]", "[3, 3]", "[1, 1]", "[1, 1]", "1", "True", ""])";
  for (int i = 0; i < 20000; ++i) {
    std::string a = dims, b = types, c = values;
    a[random() % a.size()] = static_cast<char>(random());
    b[random() % b.size()] = static_cast<char>(random());
    c[random() % c.size()] = "0123456789-[],\" "[random() % 16];
    const auto arguments = Arguments::read({a, b, c});
    if (!arguments) continue;
    for (const char* name :
         {"aten::mm", "aten::add", "aten::_softmax", "aten::cudnn_convolution", "aten::cat",
          "aten::convolution_backward", "aten::max_pool2d_with_indices", "aten::sum",
          "aten::_flash_attention_forward", "aten::embedding_dense_backward"}) {
      const auto kernel = kernel_of_operator(name, *arguments);
      if (!kernel) continue;
      EXPECT_EQ(graph::parse_kernel(to_text(*kernel)), *kernel) << name << a << c;
    }
  }
}

}  // namespace
}  // namespace orrery::trace::operators
