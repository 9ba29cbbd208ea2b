// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/hlo/lower/hlo_testing.h"
#include "orrery/hlo/text/hlo_attributes.h"

namespace orrery::hlo {
namespace {

using testing::count;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

/// A step as XLA writes it: a product, a fusion, a collective that runs beside a second product.
constexpr std::string_view kStep =
    R"(HloModule jit_step, is_scheduled=true, entry_computation_layout={(f32[128,256]{1,0}, f32[256,64]{1,0})->f32[128,64]{1,0}}, num_partitions=4

%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %sum = f32[] add(%x, %y)
}

%fused (param_0: f32[128,64], param_1: f32[1,1024]) -> f32[128,64] {
  %param_1 = f32[1,1024]{1,0} parameter(1)
  %param_0 = f32[128,64]{1,0:T(8,128)} parameter(0)
  %piece = f32[1,64]{1,0} slice(%param_1), slice={[0:1], [0:64]}
  %flat = f32[64]{0} bitcast(%piece)
  %wide = f32[128,64]{1,0} broadcast(%flat), dimensions={1}
  %scaled = f32[128,64]{1,0} multiply(%param_0, %wide)
  ROOT %out = f32[128,64]{1,0} tanh(%scaled)
}

ENTRY %main (a: f32[128,256], b: f32[256,64], s: f32[1,1024]) -> (f32[128,64], f32[128,64]) {
  %a = f32[128,256]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}
  %b = f32[256,64]{1,0} parameter(1)
  %s = f32[1,1024]{1,0} parameter(2)
  %dot = f32[128,64]{1,0} dot(f32[128,256]{1,0} %a, f32[256,64]{1,0} %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/dot_general" source_line=3}
  %start = f32[128,64]{1,0} all-reduce-start(%dot), channel_id=1, replica_groups=[2,2]<=[2,2]T(1,0), use_global_device_ids=true, to_apply=%add
  %fusion = f32[128,64]{1,0} fusion(%dot, %s), kind=kLoop, calls=%fused, /*index=5*/ backend_config={"known":{"n":"1"}}
  %done = f32[128,64]{1,0} all-reduce-done(%start)
  ROOT %all = (f32[128,64]{1,0}, f32[128,64]{1,0}) tuple(%done, %fusion)
}
)";

TEST(HloText, CountsAScheduledStep) {
  const ProgramCount step = count(kStep);
  EXPECT_EQ(step.devices, 4);
  EXPECT_EQ(step.product_flop, 2 * 128 * 256 * 64);
  EXPECT_EQ(step.other_flop, 2 * 128 * 64);
  // Of the second operand, the fusion reads a slice.
  EXPECT_EQ(step.bytes, 4 * (128 * 256 + 256 * 64 + 128 * 64) + 4 * (2 * 128 * 64 + 64));
  ASSERT_EQ(step.traffic.size(), 1u);
  EXPECT_EQ(step.traffic[0].type, "all_reduce");
  EXPECT_EQ(step.traffic[0].group_size, 2);
  EXPECT_EQ(step.traffic[0].elements, 128 * 64);
}

TEST(HloText, MakesGroupsOfDevices) {
  EXPECT_THAT(hlo_groups("{{0,1},{2,3}}"), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(hlo_groups("[2,4]<=[8]"),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
  EXPECT_THAT(hlo_groups("[4,2]<=[2,4]T(1,0)"), ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5),
                                                            ElementsAre(2, 6), ElementsAre(3, 7)));
  EXPECT_TRUE(hlo_groups("{}").empty());
  EXPECT_TRUE(hlo_groups("[3,2]<=[8]").empty());
}

TEST(HloText, RunsLoopsAsOftenAsTheyState) {
  constexpr std::string_view kLoop = R"(HloModule m
body {
  p = (s32[], f32[8,8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8,8] get-tuple-element(p), index=1
  y = f32[8,8] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (s32[], f32[8,8]) tuple(i, y)
}
test {
  p = (s32[], f32[8,8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  c = s32[] constant(5)
  ROOT l = pred[] compare(i, c), direction=LT
}
ENTRY main {
  z = s32[] constant(0)
  a = f32[8,8] parameter(0)
  t = (s32[], f32[8,8]) tuple(z, a)
  w = (s32[], f32[8,8]) while(t), condition=test, body=body, backend_config={"known_trip_count":{"n":"24"}}
  ROOT r = f32[8,8] get-tuple-element(w), index=1
}
)";
  EXPECT_EQ(count(kLoop).product_flop, 24 * 2 * 8 * 8 * 8);
}

TEST(HloText, NamesTheLineOfDamage) {
  EXPECT_EQ(error_of(kStep), "");
  for (std::size_t size = 40; size + 3 < kStep.size(); size += 13)
    EXPECT_THAT(error_of(kStep.substr(0, size)), HasSubstr("p:")) << size;
  EXPECT_THAT(error_of("HloModule m\nENTRY e {\n  a = f32[2] add(b, b)\n}\n"),
              HasSubstr("p:3: 'b' is not defined before 'a'"));
  EXPECT_THAT(error_of("HloModule m\nENTRY e {\n  a = f32[2] parameter(0)\n  b = f32[2] fusion(a), "
                       "calls=c\n}\n"),
              HasSubstr("p:4: 'b' calls 'c', which is not in the file"));
}

/// Tables of sources, and XLA's short form of asynchronous calls.
TEST(HloText, ReadsSourceTablesAndShortAsynchronousCalls) {
  const ProgramCount counted = count(R"hlo(HloModule jit_f, is_scheduled=true, num_partitions=4

FileNames
1 "/a/linear.py"
2 "/b/ENTRY }{.py"

FunctionNames
1 "f.<locals>.wrapper"

FileLocations
1 {file_name_id=1 function_name_id=1 line=234 end_line=234 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%add_bf16 (lhs: bf16[], rhs: bf16[]) -> bf16[] {
  %lhs = bf16[]{:T(256)} parameter(0)
  %rhs = bf16[]{:T(256)} parameter(1)
  ROOT %add = bf16[]{:T(256)} add(%lhs, %rhs), metadata={op_name="psum" stack_frame_id=1}
}

ENTRY %main (p0: bf16[128,256]) -> bf16[32,256] {
  %p0 = bf16[128,256]{1,0:T(8,128)(2,1)} parameter(0)
  %rs = ((bf16[128,256]{1,0}), bf16[32,256]{1,0}, u32[], u32[]) reduce-scatter-start(%p0), channel_id=1, replica_groups=[1,4]<=[4], use_global_device_ids=true, dimensions={0}, to_apply=%add_bf16
  %ss = ((bf16[128,256]{1,0}), bf16[64,256]{1,0:S(1)}, u32[]{:S(2)}) slice-start(%p0), slice={[0:64], [0:256]}
  %sd = bf16[64,256]{1,0:S(1)} slice-done(%ss)
  %rsd = bf16[32,256]{1,0} reduce-scatter-done(%rs)
  ROOT %out = (bf16[32,256]{1,0}, bf16[64,256]{1,0}) tuple(%rsd, %sd)
}
)hlo");
  ASSERT_EQ(counted.traffic.size(), 1u);
  EXPECT_EQ(counted.traffic[0].type, "reduce_scatter");
  EXPECT_EQ(counted.traffic[0].group_size, 4);
  EXPECT_EQ(counted.traffic[0].elements, 128 * 256);
  EXPECT_EQ(counted.kernels, 1);
  EXPECT_EQ(counted.bytes, 2 * 2 * 64 * 256);
}

}  // namespace
}  // namespace orrery::hlo
