// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/kernel_parser.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "orrery/model/kernels/table/minimum_work.h"

namespace orrery::study {
namespace {

using graph::Kernel;
using graph::Operation;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

Result<Kernel> read(const std::string& text, const char* dtype = "bf16", const char* pass = "") {
  return parse_kernel(words_of(text), dtype, pass);
}

std::string mistake(const std::string& text, const char* dtype = "bf16", const char* pass = "") {
  const auto kernel = read(text, dtype, pass);
  return kernel ? "none" : kernel.error().where + ": " + kernel.error().what;
}

TEST(KernelWords, TakeSizesInOrderAndByName) {
  const auto kernel = read("gemm 4096 k=512 n=8");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->sizes[0], 4096);
  EXPECT_EQ(kernel->sizes[1], 8);
  EXPECT_EQ(kernel->sizes[2], 512);
  EXPECT_EQ(kernel->flops, 2ll * 4096 * 8 * 512);
  EXPECT_EQ(kernel->bytes, 2ll * (4096 * 512 + 512 * 8 + 4096 * 8));
  EXPECT_EQ(read("batched_gemm 3 m=5 6 7")->sizes, (decltype(kernel->sizes){3, 5, 6, 7}))
      << "goes on behind a size that is named";
}

TEST(KernelWords, ReadWhatToTextWrites) {
  for (std::size_t i = 1; i < graph::kOperations; ++i) {
    Kernel kernel;
    kernel.operation = static_cast<Operation>(i);
    kernel.pass = static_cast<graph::Pass>(i % graph::kPasses);
    kernel.a = graph::Format::fp8;
    kernel.b = graph::Format::fp4_block;
    kernel.out = graph::Format::fp32;
    kernel.traits = static_cast<std::uint16_t>(i * 7 % (1u << graph::kTraits));
    kernel.launches = static_cast<std::uint32_t>(1 + i % 3);
    const auto names = graph::size_names(kernel.operation);
    for (std::size_t s = 0; s < names.size(); ++s)
      kernel.sizes[s] = static_cast<std::int64_t>(10 * i + s + 1);
    kernel.flops = 77;
    kernel.bytes = 99;
    const auto back = read(graph::to_text(kernel));
    ASSERT_TRUE(back) << graph::to_text(kernel) << ": " << to_string(back.error());
    EXPECT_EQ(*back, kernel) << graph::to_text(kernel);
  }
}

TEST(KernelWords, WorkIsOfAllLaunches) {
  const auto four = read("gemm 4096 512 8 launches=4"), one = read("gemm 1024 512 8");
  ASSERT_TRUE(four && one);
  EXPECT_EQ(four->flops, 4 * one->flops);
  EXPECT_EQ(four->bytes, 4 * one->bytes);
}

TEST(KernelWords, MayLeaveOutWhatGoesWithoutSaying) {
  const auto kernel = read("attention 1 32 queries=8 keys=16 key_dim=64 causal");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->sizes[2], 0);
  EXPECT_EQ(model::canonical(*kernel).sizes[2], 32);
  EXPECT_TRUE(kernel->has(graph::kCausal));
  EXPECT_EQ(mistake("attention 1 32 queries=8 keys=16"), "KERNEL: key_dim is missing");
}

TEST(KernelWords, HaveFormatsAndPasses) {
  EXPECT_EQ(read("gemm 1 2 3", "fp4")->b, graph::Format::fp4_block);
  const auto mixed = read("gemm 1 2 3", "fp8,fp8_block>bf16", "weight_grad");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->a, graph::Format::fp8);
  EXPECT_EQ(mixed->b, graph::Format::fp8_block);
  EXPECT_EQ(mixed->out, graph::Format::bf16);
  EXPECT_EQ(mixed->pass, graph::Pass::weight_grad);
}

TEST(KernelWords, SayWhatIsWrong) {
  EXPECT_EQ(mistake("matmul 1 2 3"), "KERNEL: 'matmul' is not an operation");
  EXPECT_EQ(mistake("unsaid 1"), "KERNEL: 'unsaid' is not an operation");
  EXPECT_EQ(mistake("gemm 1 2 3 k=4"), "KERNEL: k is given twice");
  EXPECT_EQ(mistake("gemm 1 2 -3"), "KERNEL: k is -3; sizes are from 1 to 2^48");
  EXPECT_EQ(mistake("gemm 1 2 3 flops=0"), "KERNEL: flops is 0; sizes are from 1 to 2^48");
  EXPECT_EQ(mistake("gemm 1 2 281474976710657"),
            "KERNEL: k is 281474976710657; sizes are from 1 to 2^48");
  EXPECT_EQ(mistake("gemm 1 2 99999999999999999999"),
            "KERNEL: k is '99999999999999999999', which is not a whole number");
  EXPECT_EQ(mistake("gemm 1 2 3", "bf16,bf16"), "--dtype: 'bf16,bf16' is not a format");
  EXPECT_EQ(mistake("gemm 1 2 3", "bf16", "up"),
            "--pass: 'up' is not one of forward, input_grad, weight_grad, backward");
}

}  // namespace
}  // namespace orrery::study
