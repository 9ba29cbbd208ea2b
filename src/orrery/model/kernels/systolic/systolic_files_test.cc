// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/systolic/systolic_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orrery::model {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kGoodConfig = R"([general]
run_name = two_gemms

[architecture_presets]
ArrayHeight:    32
ArrayWidth :    16
IfmapSramSzkB:    64
FilterSramSzkB:   128
OfmapSramSzkB:    256
IfmapOffset:    0
Bandwidth : 20
Dataflow : ws
MemoryBanks:   1
; a comment
[layout]
IfmapCustomLayout: False
[sparsity]
SparsitySupport : false
[run_presets]
InterfaceBandwidth: USER
UseRamulatorTrace: False
Color: red
)";

TEST(SystolicFiles, ReadsAConfiguration) {
  Findings findings;
  const auto config = parse_systolic_config(kGoodConfig, "scale.cfg", findings);
  ASSERT_TRUE(config) << to_string(config.error());
  EXPECT_EQ(config->name, "two_gemms");
  EXPECT_EQ(config->array.rows, 32);
  EXPECT_EQ(config->array.columns, 16);
  EXPECT_EQ(config->array.flow, DataFlow::weight_stationary);
  EXPECT_EQ(config->array.ifmap_bytes, 64 << 10);
  EXPECT_EQ(config->array.filter_bytes, 128 << 10);
  EXPECT_EQ(config->array.ofmap_bytes, 256 << 10);
  EXPECT_EQ(config->array.bandwidth, 20);
  EXPECT_TRUE(config->array.stalls);
  EXPECT_EQ(findings.count(FindingCode::key_without_effect), 5u);
  EXPECT_EQ(findings.count(FindingCode::key_ignored), 1u);  // Color
  EXPECT_EQ(findings.count(FindingCode::default_assumed), 0u);
}

TEST(SystolicFiles, AssumesWhatAShortConfigurationLeavesOut) {
  Findings findings;
  const auto config = parse_systolic_config(
      "\xEF\xBB\xBF[architecture_presets]\r\narrayheight=8\r\narraywidth=8\r\ndataflow = OS\r\n",
      "scale.cfg", findings);
  ASSERT_TRUE(config) << to_string(config.error());
  EXPECT_EQ(config->array.flow, DataFlow::output_stationary);
  EXPECT_EQ(config->array.ofmap_bytes, 64 << 10);
  EXPECT_FALSE(config->array.stalls);
  EXPECT_EQ(findings.count(FindingCode::default_assumed), 5u);
}

std::string config_error(std::string_view text) {
  Findings findings;
  const auto config = parse_systolic_config(text, "scale.cfg", findings);
  return config ? "none" : to_string(config.error());
}

TEST(SystolicFiles, SaysWhatIsWrongWithAConfiguration) {
  const std::string start = "[architecture_presets]\nArrayHeight = 8\nArrayWidth = 8\n";
  EXPECT_THAT(config_error(start), HasSubstr("Dataflow is missing"));
  EXPECT_THAT(config_error(start + "Dataflow = oss\n"), HasSubstr("scale.cfg:4"));
  EXPECT_THAT(config_error(start + "Dataflow = oss\n"), HasSubstr("did you mean \"os\"?"));
  EXPECT_THAT(config_error(start + "arraywidth = 9\n"), HasSubstr("given twice"));
  EXPECT_THAT(config_error(start + "Dataflow = os\nBandwidth = 0\n"), HasSubstr("above 0"));
  EXPECT_THAT(config_error(start + "Dataflow = os\nIfmapSramSzkB = -1\n"), HasSubstr("from 0 to"));
  EXPECT_THAT(config_error("[architecture_presets]\nArrayHeight = 0\n"), HasSubstr("from 1 to"));
  EXPECT_THAT(config_error("[architecture_presets]\nArrayHeight = x\n"), HasSubstr("whole number"));
  EXPECT_THAT(config_error("ArrayHeight = 8\n"), HasSubstr("before the first section"));
  EXPECT_THAT(config_error("[general\n"), HasSubstr("has no closing ]"));
  EXPECT_THAT(config_error("[general]\nnonsense\n"), HasSubstr("is not \"key = value\""));
  EXPECT_THAT(config_error(""), HasSubstr("ArrayHeight is missing"));
}

TEST(SystolicFiles, ReadsConvolutions) {
  Findings findings;
  const auto layers = parse_systolic_layers(
      "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
      "Strides,\nConv1, 224, 224, 7, 7, 3, 64, 2,\n,,,\n\nFC, 1, 1, 1, 1, 512, 1000, 1,\n",
      "resnet.csv", findings);
  ASSERT_TRUE(layers) << to_string(layers.error());
  ASSERT_EQ(layers->size(), 2u);
  EXPECT_EQ((*layers)[0].name, "Conv1");
  EXPECT_EQ((*layers)[0].product.m, 109 * 109);
  EXPECT_EQ((*layers)[0].product.k, 147);
  EXPECT_EQ((*layers)[1].product.m, 1);
  EXPECT_EQ((*layers)[1].product.n, 1000);
  EXPECT_TRUE(findings.empty());
}

TEST(SystolicFiles, ReadsProductsAndLeavesSparsityOut) {
  Findings findings;
  const auto layers = parse_systolic_layers(
      "Layer,M,N,K,\nA,256,128,512,\n\"B, \"\"the second\"\"\",100,70,300,2:4,\n", "gemm.csv",
      findings);
  ASSERT_TRUE(layers) << to_string(layers.error());
  ASSERT_EQ(layers->size(), 2u);
  EXPECT_EQ((*layers)[1].name, "B, \"the second\"");
  EXPECT_EQ((*layers)[1].product.n, 70);
  EXPECT_EQ(findings.count(FindingCode::key_without_effect), 1u);
}

std::string layers_error(std::string_view text) {
  Findings findings;
  const auto layers = parse_systolic_layers(text, "net.csv", findings);
  return layers ? "none" : to_string(layers.error());
}

TEST(SystolicFiles, SaysWhatIsWrongWithATopology) {
  EXPECT_THAT(layers_error(""), HasSubstr("has no layers"));
  EXPECT_THAT(layers_error("Layer,M,N,K\n"), HasSubstr("has no layers"));
  EXPECT_THAT(layers_error("A,256,128,512\n"), HasSubstr("must be the header"));
  EXPECT_THAT(layers_error("Layer,M,N,K\nA,256,128\n"),
              HasSubstr("net.csv:2: 3 cells, but must have 4"));
  EXPECT_THAT(layers_error("Layer,M,N,K\nA,256,128,1.5\n"), HasSubstr("column 4"));
  EXPECT_THAT(layers_error("Layer,M,N,K\nA,256,128,0\n"), HasSubstr("above 0"));
  EXPECT_THAT(layers_error("Layer,M,N,K\nA,256,128,99999999999999999999\n"), HasSubstr("E2009"));
  EXPECT_THAT(layers_error("Layer,M,N,K\n\"A,256,128,1\n"), HasSubstr("unclosed quote"));
  EXPECT_THAT(layers_error("Layer,H,W,h,w,C,N,S\nA,2,2,3,3,1,1,1\n"), HasSubstr("padding"));
  EXPECT_THAT(layers_error("Layer,H,W,h,w,C,N,S\nA,9000000000,9000000000,3,3,1,1,1\n"),
              HasSubstr("64 bits"));
}

}  // namespace
}  // namespace orrery::model
