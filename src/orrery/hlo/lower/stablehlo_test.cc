// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/hlo/lower/hlo_testing.h"

namespace orrery::hlo {
namespace {

using testing::count;
using testing::error_of;
using testing::function;
using ::testing::HasSubstr;

constexpr std::string_view kTensors = "%a: tensor<8x16xf32>, %b: tensor<16x4xf32>";

TEST(StableHlo, ReadsPrettyAndGenericProductsAlike) {
  const std::string pretty = function(
      kTensors, "tensor<8x4xf32>",
      "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, "
      "DEFAULT] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>\n"
      "return %0 : tensor<8x4xf32>\n");
  const std::string generic =
      function(kTensors, "tensor<8x4xf32>",
               "%0 = \"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<"
               "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : "
               "(tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>\n"
               "\"func.return\"(%0) : (tensor<8x4xf32>) -> ()\n");
  const std::string old = function(
      kTensors, "tensor<8x4xf32>",
      "%0 = stablehlo.dot %a, %b : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>\n"
      "return %0 : tensor<8x4xf32>\n");
  for (const std::string& text : {pretty, generic, old}) {
    const ProgramCount counted = count(text);
    EXPECT_EQ(counted.product_flop, 2 * 8 * 16 * 4) << text;
    EXPECT_EQ(counted.bytes, 4 * (8 * 16 + 16 * 4 + 8 * 4)) << text;
    EXPECT_EQ(counted.devices, 4);
  }
}

TEST(StableHlo, CountsBatchesOfProducts) {
  const ProgramCount counted = count(function(
      "%a: tensor<3x5x8x16xbf16>, %b: tensor<3x5x4x16xbf16>", "tensor<3x5x8x4xf32>",
      "%0 = stablehlo.dot_general %a, %b, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] "
      "x [3] : (tensor<3x5x8x16xbf16>, tensor<3x5x4x16xbf16>) -> tensor<3x5x8x4xf32>\n"
      "return %0 : tensor<3x5x8x4xf32>\n"));
  EXPECT_EQ(counted.product_flop, 2 * 15 * 8 * 16 * 4);
  ASSERT_EQ(counted.by_operation.size(), 1u);
  EXPECT_EQ(counted.by_operation[0].operation, graph::Operation::batched_gemm);
}

/// A loop of eight products; the counter and its limit are a constant inside, captured or carried.
std::string loop(std::string_view limit_inside, std::string_view name) {
  return function(
      "%a: tensor<8x8xf32>", "tensor<8x8xf32>",
      "%c = stablehlo.constant dense<0> : tensor<i32>\n"
      "%limit = stablehlo.constant dense<8> : tensor<i32>\n"
      "%0:2 = stablehlo.while(%i = %c, %x = %a) : tensor<i32>, tensor<8x8xf32>\n"
      "cond {\n" +
          std::string(limit_inside) + "%t = stablehlo.compare  LT, %i, " + std::string(name) +
          ",  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "stablehlo.return %t : tensor<i1>\n"
          "} do {\n"
          "%one = stablehlo.constant dense<1> : tensor<i32>\n"
          "%n = stablehlo.add %i, %one : tensor<i32>\n"
          "%y = stablehlo.dot %x, %a : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
          "stablehlo.return %n, %y : tensor<i32>, tensor<8x8xf32>\n"
          "}\n"
          "return %0#1 : tensor<8x8xf32>\n");
}

TEST(StableHlo, CountsLoopsByTheirCounters) {
  constexpr std::int64_t kFlops = 8 * 2 * 8 * 8 * 8;
  EXPECT_EQ(count(loop("", "%limit")).product_flop, kFlops);
  EXPECT_EQ(count(loop("%l = stablehlo.constant dense<8> : tensor<i32>\n", "%l")).product_flop,
            kFlops);
  // The limit is a value of the program: the loop counts once, and the answer says so.
  Findings findings;
  EXPECT_EQ(count(loop("%l = stablehlo.add %i, %i : tensor<i32>\n", "%l"), findings).product_flop,
            kFlops / 8);
  EXPECT_EQ(findings.count(FindingCode::default_assumed), 1u);
}

TEST(StableHlo, FusesElementwiseChainsAndReductions) {
  const ProgramCount counted = count(function(
      "%a: tensor<64x32xf16>", "tensor<64xf32>",
      "%0 = stablehlo.convert %a : (tensor<64x32xf16>) -> tensor<64x32xf32>\n"
      "%1 = stablehlo.multiply %0, %0 : tensor<64x32xf32>\n"
      "%cst = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "%2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : "
      "(tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>\n"
      "%3 = stablehlo.sqrt %2 : tensor<64xf32>\n"
      "return %3 : tensor<64xf32>\n"));
  EXPECT_EQ(counted.kernels, 2);
  EXPECT_EQ(counted.other_flop, 64 * 32 + 64 * 32 + 64);
  // Reads the 16-bit input, writes 64 sums; then reads and writes those.
  EXPECT_EQ(counted.bytes, 64 * 32 * 2 + 64 * 4 + 2 * 64 * 4);
}

TEST(StableHlo, ReadsReducersRegionsAndCalls) {
  const std::string text =
      "func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "%0 = stablehlo.add %x, %x : tensor<4xf32>\nreturn %0 : tensor<4xf32>\n}\n"
      "func.func public @main(%a: tensor<4x4xf32> {mhlo.sharding = \"{replicated}\"}) -> "
      "(tensor<4xf32>) {\n"
      "%c = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "%0:2 = stablehlo.reduce(%a init: %c), (%a init: %c) across dimensions = [0] : "
      "(tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, "
      "tensor<4xf32>)\n reducer(%x: tensor<f32>, %y: tensor<f32>) (%z: tensor<f32>, %w: "
      "tensor<f32>)  {\n%s = stablehlo.add %x, %y : tensor<f32>\n%u = stablehlo.add %z, %w : "
      "tensor<f32>\nstablehlo.return %s, %u : tensor<f32>, tensor<f32>\n}\n"
      "%1 = call @double(%0#1) : (tensor<4xf32>) -> tensor<4xf32>\n"
      "%2 = func.call @double(%1) : (tensor<4xf32>) -> tensor<4xf32> loc(#loc1)\n"
      "return %2 : tensor<4xf32>\n}\n#loc1 = loc(\"f\")\n";
  const ProgramCount counted = count(text);
  EXPECT_EQ(counted.kernels, 2);  // the reduction; both additions together
  EXPECT_EQ(counted.other_flop, 16 + 8);
}

TEST(StableHlo, NamesUnknownOperations) {
  Findings findings;
  const ProgramCount counted =
      count(function("%a: tensor<4xf32>", "tensor<4xf32>",
                     "%0 = \"other.thing\"(%a) {mode = 1 : i32} : (tensor<4xf32>) -> "
                     "tensor<4xf32>\nreturn %0 : tensor<4xf32>\n"),
            findings);
  EXPECT_EQ(counted.bytes, 32);
  ASSERT_GE(findings.count(FindingCode::key_without_effect), 1u);
  EXPECT_THAT(findings.list().front().places.front(),
              HasSubstr("p:3: the operation 'other.thing'"));
}

TEST(StableHlo, NamesTheLineOfDamage) {
  const std::string text = function(kTensors, "tensor<8x16xf32>",
                                    "%0 = stablehlo.add %a, %a : tensor<8x16xf32>\n"
                                    "return %0 : tensor<8x16xf32>\n");
  EXPECT_EQ(error_of(text), "");
  for (std::size_t size = 60; size + 3 < text.size(); size += 7) {
    const std::string error = error_of(text.substr(0, size));
    EXPECT_THAT(error, HasSubstr("p:")) << size;
  }
  const auto with = [&](std::string_view body) { return error_of(function(kTensors, "()", body)); };
  EXPECT_THAT(with("%0 = stablehlo.add %a, %c : tensor<8x16xf32>\nreturn\n"),
              HasSubstr("p:3: '%c' is not defined before"));
  EXPECT_THAT(with("%0 = call @f(%a) : (tensor<8x16xf32>) -> tensor<2xf32>\nreturn\n"),
              HasSubstr("p:3: '@f' is not a function of the file"));
  EXPECT_THAT(with("%0 = stablehlo.add %a, %a : tensor<8xyf32\nreturn\n"), HasSubstr("p:3: "));
  EXPECT_THAT(with("%0 = stablehlo.abs %a : tensor<8x16xf32>\n"), HasSubstr("does not return"));
  EXPECT_THAT(error_of("layers: 3\n"), HasSubstr("is not the text of a StableHLO or HLO program"));
}

TEST(StableHlo, RefusesFunctionsThatCallThemselves) {
  EXPECT_THAT(error_of("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                       "%0 = call @main(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
                       "return %0 : tensor<4xf32>\n}\n"),
              HasSubstr("p:2: computations call each other"));
}

}  // namespace
}  // namespace orrery::hlo
