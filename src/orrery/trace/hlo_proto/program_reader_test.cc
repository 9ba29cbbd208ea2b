// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/hlo_proto/program_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

#include "orrery/hlo/lower/costs.h"
#include "orrery/hlo/lower/device_groups.h"
#include "orrery/trace/hlo_proto/fields.h"
#include "orrery/trace/xplane/xplane_testing.h"

namespace orrery::trace::hlo_proto {
namespace {

using ::testing::ElementsAre;
using xplane::testing::hlo_program;
using Numbers = std::vector<std::int64_t>;

/// A message of integers by field; lists are packed.
std::string message(const std::vector<std::pair<std::uint32_t, Numbers>>& fields) {
  std::string out;
  protozero::pbf_writer writer(out);
  for (const auto& [field, numbers] : fields) {
    if (numbers.size() == 1)
      writer.add_int64(field, numbers.front());
    else
      writer.add_packed_int64(field, numbers.begin(), numbers.end());
  }
  return out;
}

std::string around(std::uint32_t field, const std::string& content) {
  std::string out;
  protozero::pbf_writer(out).add_message(field, content);
  return out;
}

TEST(HloProto, ReadsInstructionsWithOperands) {
  const ReadProgram read = read_program(xplane::testing::product_and_sum());
  EXPECT_FALSE(read.damaged);
  const hlo::Program& program = read.program;
  EXPECT_EQ(program.name, "jit_step");
  EXPECT_EQ(program.devices(), 2);
  ASSERT_EQ(program.computations.size(), 1u);
  const hlo::Computation& main = program.main();
  EXPECT_THAT(main.parameters, ElementsAre(0u, 1u));
  EXPECT_EQ(main.root, 3u);
  const hlo::Instruction& product = main.operations[2];
  EXPECT_EQ(product.name, "dot.1");
  EXPECT_THAT(product.operands, ElementsAre(0u, 1u));
  EXPECT_THAT(product.shape.dims, ElementsAre(256, 128));
  EXPECT_EQ(product.shape.type, hlo::ElementType::bf16);
  EXPECT_EQ(hlo::cost_of(program, main, product).product_flop, 2 * 256 * 512 * 128);
}

/// A 3 × 3 convolution of 56 × 56 images with 64 features, padded by 1.
TEST(HloProto, ReadsConvolutions) {
  const std::string window = around(kWindowDimensions, message({{kSize, {3}},
                                                                {kStride, {1}},
                                                                {kPaddingLow, {1}},
                                                                {kPaddingHigh, {1}},
                                                                {kWindowDilation, {1}},
                                                                {kBaseDilation, {1}}}));
  const std::string dims = message({{kInputBatch, {0}},
                                    {kInputFeature, {3}},
                                    {kInputSpatial, {1, 2}},
                                    {kKernelInputFeature, {2}},
                                    {kKernelOutputFeature, {3}},
                                    {kKernelSpatial, {0, 1}},
                                    {kOutputBatch, {0}},
                                    {kOutputFeature, {3}},
                                    {kOutputSpatial, {1, 2}}});
  const ReadProgram read =
      read_program(hlo_program({{"images", "parameter", 1, {8, 56, 56, 64}},
                                {"filters", "parameter", 2, {3, 3, 64, 64}},
                                {"conv",
                                 "convolution",
                                 3,
                                 {8, 56, 56, 64},
                                 {1, 2},
                                 {{kWindow, window + window}, {kConvolutionDimensions, dims}}}}));
  EXPECT_FALSE(read.damaged);
  const auto& main = read.program.main();
  const hlo::OperationCost cost = hlo::cost_of(read.program, main, main.operations[2]);
  EXPECT_EQ(cost.product_flop, std::int64_t{2} * 8 * 56 * 56 * 64 * 64 * 9);
  EXPECT_EQ(cost.kernel.operation, graph::Operation::convolution);
}

/// Groups as a list, and as an enumeration of devices: [2,4]<=[4,2]T(1,0).
TEST(HloProto, ReadsGroupsOfBothForms) {
  const auto groups = [](std::uint32_t field, const std::string& content) {
    const ReadProgram read = read_program(hlo_program(
        {{"p", "parameter", 1, {64}},
         {"sum", "all-reduce", 2, {64}, {1}, {{field, content}}, {{kUseGlobalDeviceIds, 1}}}},
        8));
    EXPECT_FALSE(read.damaged);
    return hlo::device_groups(read.program, read.program.main().operations[1], "x").value().groups;
  };
  const auto expected = ElementsAre(ElementsAre(0u, 2u, 4u, 6u), ElementsAre(1u, 3u, 5u, 7u));
  const std::string listed = around(kListedGroups, message({{kReplicaIds, {0, 2, 4, 6}}})) +
                             around(kListedGroups, message({{kReplicaIds, {1, 3, 5, 7}}}));
  EXPECT_THAT(groups(kCollectiveDeviceList, listed), expected);
  const std::string iota = message({{kGroupCount, {2}},
                                    {kGroupSize, {4}},
                                    {kReshapeDims, {4, 2}},
                                    {kTransposePermutation, {1, 0}}});
  EXPECT_THAT(groups(kCollectiveDeviceList, around(kIotaGroups, iota)), expected);
}

TEST(HloProto, ReadsTuples) {
  const std::string array = message({{kElementType, {11}}, {kShapeDimensions, {4, 2}}});
  const std::string tuple =
      message({{kElementType, {13}}}) + around(kTupleShapes, array) + around(kTupleShapes, array);
  // The last of several shapes counts.
  const ReadProgram read =
      read_program(hlo_program({{"p", "parameter", 1, {1}, {}, {{kShape, tuple}}}}));
  const hlo::Shape& shape = read.program.main().operations[0].shape;
  ASSERT_TRUE(shape.is_tuple());
  EXPECT_EQ(shape.bytes(), 2 * 4 * 2 * 4);
}

TEST(HloProto, DropsReferencesToNothing) {
  const ReadProgram read =
      read_program(hlo_program({{"a", "add", 1, {4}, {2, 2}},
                                {"b", "fusion", 2, {4}, {1}, {}, {{kCalledComputationIds, 7}}}}));
  EXPECT_TRUE(read.damaged) << "an operand after its user, and a computation that calls itself";
  EXPECT_TRUE(read.program.main().operations[0].operands.empty());
  EXPECT_TRUE(read.program.main().operations[1].called.empty());
}

TEST(HloProto, TruncatedProgramsAreReadUpToThere) {
  const std::string whole = xplane::testing::product_and_sum();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ReadProgram read = read_program(whole.substr(0, size));
    EXPECT_TRUE(read.damaged) << size;
    for (const hlo::Computation& computation : read.program.computations)
      for (const hlo::Instruction& operation : computation.operations)
        (void)hlo::cost_of(read.program, computation, operation);
  }
  EXPECT_TRUE(read_program(std::string(64, '\xFF')).damaged);
}

TEST(HloProto, NamesTypes) {
  EXPECT_EQ(primitive_type_name(1), "pred");
  EXPECT_EQ(primitive_type_name(16), "bf16");
  EXPECT_EQ(primitive_type_name(20), "f8e4m3fn");
  EXPECT_EQ(primitive_type_name(33), "f8e8m0fnu");
  EXPECT_EQ(primitive_type_name(13), "");
  EXPECT_EQ(primitive_type_name(~std::uint64_t{0}), "");
}

}  // namespace
}  // namespace orrery::trace::hlo_proto
