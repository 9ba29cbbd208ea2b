// SPDX-License-Identifier: Apache-2.0
//
// Forms of MLIR's text as JAX, PyTorch/XLA, torch-mlir and mlir-opt write it. The programs are our
// own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/hlo/lower/hlo_testing.h"

namespace orrery::hlo {
namespace {

using testing::count;
using testing::error_of;
using testing::function;
using ::testing::HasSubstr;
using testing::read;

constexpr std::int64_t kFlop = 2 * 8 * 16 * 4;

TEST(MlirForms, ResultsHaveSeveralNames) {
  const std::string text =
      function("%a: tensor<8x128xf32>, %s: tensor<2xui64>", "(tensor<8x4xf32>, tensor<8xui32>)",
               "%values, %indices = chlo.top_k(%a, k = 4) : tensor<8x128xf32> -> (tensor<8x4xf32>, "
               "tensor<8x4xi32>)\n"
               "%output_state, %output = stablehlo.rng_bit_generator %s, algorithm =  DEFAULT : "
               "(tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)\n"
               "%x:2, %y = \"stablehlo.custom_call\"(%values) <{call_target_name = \"f\"}> : "
               "(tensor<8x4xf32>) -> (tensor<1xf32>, tensor<2xf32>, tensor<3xf32>)\n"
               "%0 = stablehlo.add %y, %y : tensor<3xf32>\n"
               "%1 = stablehlo.multiply %x#1, %x#1 : tensor<2xf32>\n"
               "return %values, %output : tensor<8x4xf32>, tensor<8xui32>\n");
  Findings findings;
  const Program program = read(text, findings);
  const Computation& main = program.main();
  for (const Instruction& op : main.operations) {
    if (op.word != "stablehlo.add" && op.word != "stablehlo.multiply") continue;
    const Shape& operand = main.operations[op.operands[0]].shape;
    EXPECT_EQ(operand.dims, op.shape.dims) << op.word;
  }
}

TEST(MlirForms, ModulesOfGenericOperations) {
  const ProgramCount counted = count(R"mlir("builtin.module"() <{sym_name = "jit_f"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{function_type = (tensor<8x4xf32>) -> tensor<8x4xf32>, sym_name = "relu", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x4xf32>):
    %0 = "stablehlo.abs"(%arg0) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    "func.return"(%0) : (tensor<8x4xf32>) -> ()
  }) : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<16x4xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = "func.call"(%0) <{callee = @relu}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
    "func.return"(%1) : (tensor<8x4xf32>) -> ()
  }) {function_type = (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>, sym_name = "f"} : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
)mlir");
  EXPECT_EQ(counted.product_flop, kFlop) << "it begins with the public function";
  EXPECT_EQ(counted.other_flop, 8 * 4);
  EXPECT_EQ(counted.devices, 2);
}

TEST(MlirForms, ExportsOfTorchMlir) {
  Findings findings;
  const ProgramCount counted = count(R"mlir(module attributes {torch.debug_module_name = "Net"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<8x16xf32>) -> tensor<?x4xf32> {
    %0 = stablehlo.constant dense_resource<torch_tensor_16_4_torch.float32> : tensor<16x4xf32>
    %cst = stablehlo.constant dense<"0x0000803F0000803F0000803F0000803F"> : tensor<4xf32>
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<8x16xf32>
    %1 = arith.index_cast %dim : index to i64
    %c4_i64 = arith.constant 4 : i64
    %from_elements = tensor.from_elements %1, %c4_i64 : tensor<2xi64>
    %2 = stablehlo.dynamic_broadcast_in_dim %cst, %from_elements, dims = [1] : (tensor<4xf32>, tensor<2xi64>) -> tensor<8x4xf32>
    %3 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %4 = chlo.broadcast_add %3, %2 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %cast = tensor.cast %4 : tensor<8x4xf32> to tensor<?x4xf32>
    return %cast : tensor<?x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_16_4_torch.float32: "0x04000000CDCC #-} CC3D"
    }
  }
#-}
)mlir",
                                     findings);
  EXPECT_EQ(counted.product_flop, kFlop);
  EXPECT_EQ(counted.other_flop, 8 * 4);
  for (const Finding& finding : findings.list())
    EXPECT_EQ(finding.places,
              std::vector<std::string>{"p:2: 'ml_program.global' is outside of a function"});
}

TEST(MlirForms, FunctionsWithoutABody) {
  const std::string text =
      "!pair = tuple<tensor<f32>, tensor<f32>>\n"
      "module {\n"
      "func.func private @f(tensor<8xf32>, tensor<i32> {a.b = \"c\"}) -> tensor<8xf32>\n"
      "func.func private @g(%x: tensor<8xf32>) -> tensor<8xf32> attributes {a = 1 : i32}\n"
      "func.func @main(%a: tensor<8xf32>, %b: tensor<i32>) -> tensor<8xf32> {\n"
      "%0 = call @f(%a, %b) : (tensor<8xf32>, tensor<i32>) -> tensor<8xf32>\n"
      "%1 = stablehlo.abs %0 : tensor<8xf32>\n"
      "return %1 : tensor<8xf32>\n}\n}\n";
  Findings findings;
  EXPECT_EQ(count(text, findings).other_flop, 8);
  ASSERT_EQ(findings.list().size(), 1u);
  EXPECT_THAT(findings.list()[0].places[0], HasSubstr("the FLOPs of 'f'"));
  EXPECT_THAT(error_of("module {\nfunc.func private @f(tensor<8xf32>) -> tensor<8xf32>\n}\n"),
              HasSubstr("the file has no function"));
}

TEST(MlirForms, ShardingsOfShardy) {
  const std::string text = R"mlir(module @m attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16x4xf32>) -> (tensor<16x4xf32> {jax.result_info = ""}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<16x16xf32> loc(#loc1)
    sdy.sharding_group %arg0 group_id=0 : tensor<16x16xf32>
    %1 = sdy.manual_computation(%0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}], replicated={"x"}>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<8x16xf32> loc("shmap"), %arg3: tensor<16x4xf32>) {
      %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
      sdy.return %2 : tensor<8x4xf32>
    } : (tensor<16x16xf32>, tensor<16x4xf32>) -> tensor<16x4xf32> loc(callsite(#loc1 at #loc))
    return %1 : tensor<16x4xf32>
  } loc(#loc)
}
#loc = loc(unknown)
#loc1 = loc("jit(f)/a"("/home/a.py":12:4))
)mlir";
  EXPECT_EQ(count(text).product_flop, kFlop);
  Findings findings;
  EXPECT_TRUE(read(text, findings).has_manual_regions);
}

TEST(MlirForms, BoundsAreSizes) {
  const ProgramCount counted =
      count(function("%a: tensor<?x16xf32, #stablehlo.bounds<8, ?>>, %b: tensor<16x4xf32>",
                     "tensor<?x4xf32, #stablehlo.bounds<8, ?>>",
                     "%0 = stablehlo.dot %a, %b : (tensor<?x16xf32, #stablehlo.bounds<8, ?>>, "
                     "tensor<16x4xf32>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>\n"
                     "return %0 : tensor<?x4xf32, #stablehlo.bounds<8, ?>>\n"));
  EXPECT_EQ(counted.product_flop, kFlop);
}

}  // namespace
}  // namespace orrery::hlo
