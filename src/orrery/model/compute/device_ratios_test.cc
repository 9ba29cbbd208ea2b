// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/device_ratios.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::model {
namespace {

std::string ratio_class_of(const std::string& text) {
  const auto kernel = graph::parse_kernel(text);
  EXPECT_TRUE(kernel.has_value()) << text;
  return kernel ? ratio_class(*kernel) : "";
}

TEST(DeviceRatios, ClassesFollowWorkAndShape) {
  EXPECT_EQ(ratio_class_of("gemm forward bf16,bf16>bf16 m=141 n=512 k=512 transposed_b"),
            "gemm small");
  EXPECT_EQ(ratio_class_of("gemm forward bf16,bf16>bf16 m=788 n=768 k=3072"), "gemm medium");
  EXPECT_EQ(ratio_class_of("gemm forward bf16,bf16>bf16 m=25088 n=768 k=768"), "gemm large");
  EXPECT_EQ(ratio_class_of("gemm forward fp32,fp32>fp32 m=25088 n=768 k=768"), "gemm wide");
  EXPECT_EQ(ratio_class_of("gemm forward bf16,bf16>bf16 m=141 n=30522 k=512"), "gemm unaligned");
  EXPECT_EQ(ratio_class_of("batched_gemm forward bf16,bf16>bf16 batch=96 m=3137 n=64 k=3137"),
            "gemm unaligned");
  EXPECT_EQ(ratio_class_of("batched_gemm forward bf16,bf16>bf16 batch=37632 m=8 n=64 k=8"),
            "batched_gemm thin");
  EXPECT_EQ(
      ratio_class_of("convolution forward bf16,bf16>bf16 batch=4 in=3 out=768 height=14 width=14 "
                     "filter_h=16 filter_w=16 stride=16"),
      "convolution patches");
  EXPECT_EQ(ratio_class_of("elementwise forward bf16,bf16>bf16 elements=1000"),
            "elementwise small");
  EXPECT_EQ(ratio_class_of("gemm weight_grad bf16,bf16>fp32 m=25088 n=768 k=768"),
            "gemm large backward");
}

constexpr const char* kRatioTable =
    "# made up\n"
    "class,device,ratio,error,recordings,kernels\n"
    "*,*,1,0.5,0,0\n"
    "kernel,*,1,0.25,0,0\n"
    "attention,*,1.5,0.4,3,30\n"
    "attention,h100-sxm,0.8,0.3,2,10\n"
    "attention,mi300x,2,0.1,3,20\n";

TEST(DeviceRatios, RatiosOfTwoDevicesAndTheirErrors) {
  const auto read = DeviceRatios::parse(kRatioTable, "t.csv");
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  const auto both = read->between("attention", "h100-sxm", "mi300x");
  ASSERT_TRUE(both.has_value());
  EXPECT_DOUBLE_EQ(both->ratio, 2.5);
  EXPECT_DOUBLE_EQ(both->error, std::sqrt(0.3 * 0.3 + 0.1 * 0.1));
  const auto back = read->between("attention", "mi300x", "h100-sxm");
  EXPECT_DOUBLE_EQ(back->ratio * both->ratio, 1) << "there and back";
  // What one device shows says nothing of another.
  EXPECT_FALSE(read->between("attention", "h100-sxm", "b200").has_value());
  EXPECT_DOUBLE_EQ(read->unknown_error("attention"), 0.4);
  EXPECT_FALSE(read->between("attention", "v100-sxm2", "b200").has_value());
  EXPECT_FALSE(read->between("softmax", "h100-sxm", "mi300x").has_value());
  EXPECT_DOUBLE_EQ(read->unknown_error("softmax"), 0.5);
  EXPECT_DOUBLE_EQ(read->kernel_error(), 0.25);
}

TEST(DeviceRatios, HostClassesFollowNamesAndLengths) {
  const auto read = DeviceRatios::parse(
      std::string(kRatioTable) + "host Launch,*,1,0.2,1,1\nhost mm,*,1,0.2,1,1\nhost,*,1,0.1,1,1\n",
      "t.csv");
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(read->host_class("cudaLaunchKernel", 5e-6), "host Launch");
  EXPECT_EQ(read->host_class("aten::addmm", 20e-6), "host mm");
  EXPECT_EQ(read->host_class("aten::view", 2e-6), "host");
  EXPECT_EQ(read->host_class("aten::addmm", 0.2), "long host");
  EXPECT_EQ(DeviceRatios().host_class("cudaLaunchKernel", 5e-6), "host");
}

TEST(DeviceRatios, DamagedTablesNameTheLine) {
  struct Damage {
    const char* text;
    Errc code;
    const char* where;
  };
  const std::string header = "class,device,ratio,error,recordings,kernels\n";
  for (const auto& [text, code, where] : {
           Damage{"device,kernel,us\n", Errc::input_corrupt, "t.csv:1"},
           Damage{"a,b,1,1,1\n", Errc::input_corrupt, "t.csv:2"},
           Damage{"a,b,0,1,1,1\n", Errc::input_range, "t.csv:2"},
           Damage{"a,b,1,-1,1,1\n", Errc::input_range, "t.csv:2"},
           Damage{"a,b,x,1,1,1\n", Errc::config_type, "t.csv:2"},
           Damage{"a,b,1,1,1,1\na,b,2,1,1,1\n", Errc::input_corrupt, "t.csv:3"},
           Damage{"", Errc::input_empty, "t.csv"},
       }) {
    const bool other_header = std::string_view(text).starts_with("device");
    const auto read = DeviceRatios::parse(other_header ? text : header + text, "t.csv");
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().code, code) << text;
    EXPECT_EQ(read.error().where, where) << text;
  }
}

TEST(DeviceRatios, TheBuiltInTableIsThereAndHasBothDevices) {
  const DeviceRatios& ratios = DeviceRatios::built_in();
  ASSERT_FALSE(ratios.empty());
  EXPECT_GT(ratios.kernel_error(), 0);
  for (const char* of : {"gemm small", "gemm large", "attention", "host"})
    for (const char* device : {"h100-sxm", "mi300x"})
      EXPECT_TRUE(ratios.find(of, device).has_value()) << of << " " << device;
}

}  // namespace
}  // namespace orrery::model
