// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/measured.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::model {
namespace {

constexpr std::string_view kGood =
    "device,kernel,us\n"
    "h100,\"gemm forward bf16,bf16>bf16 m=1 n=2 k=3\",2.5\r\n"
    "\n"
    "a100,\"gemm forward bf16,bf16>bf16 m=1 n=2 k=3 + cast forward bf16,bf16>fp8 elements=7\",1e1\n"
    "h100,\"softmax forward fp32,fp32>fp32 rows=4 features=5\",3";

TEST(Measured, ReadsRowsAndWhatWasMeasuredTogether) {
  MeasuredKernels rows;
  ASSERT_TRUE(read_measured(kGood, "t.csv", rows));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows.devices, (std::vector<std::string>{"h100", "a100"}));
  EXPECT_EQ(rows.device, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(rows.row(0).size(), 1u);
  ASSERT_EQ(rows.row(1).size(), 2u);
  EXPECT_EQ(rows.row(1)[1].operation, graph::Operation::cast);
  EXPECT_DOUBLE_EQ(rows.seconds[1], 10e-6);
  ASSERT_TRUE(read_measured(kGood, "t.csv", rows));
  EXPECT_EQ(rows.size(), 6u);
}

TEST(Measured, SaysWhichLineIsWrongAndWhy) {
  const std::string head = "device,kernel,us\nh,\"gemm forward bf16,bf16>bf16 m=1 n=2 k=3\",1\n";
  const auto error_of = [](const std::string& text) {
    MeasuredKernels rows;
    const auto read = read_measured(text, "t.csv", rows);
    EXPECT_FALSE(read) << text;
    EXPECT_EQ(rows.first.back(), rows.kernels.size());
    return read ? Error{} : read.error();
  };
  EXPECT_EQ(error_of("m,n,k,latency_us\n").code, Errc::input_corrupt);
  EXPECT_EQ(error_of("").code, Errc::input_corrupt);
  EXPECT_EQ(error_of(head + "h,gemm\n").where, "t.csv:line 3");
  EXPECT_EQ(error_of(head + "h,\"gemm forward bf16,bf16>bf16 m=1 n=2 k=3\",0\n").code,
            Errc::input_range);
  EXPECT_EQ(error_of(head + "h,\"gemm forward bf16,bf16>bf16 m=1 n=2 k=3\",nan\n").code,
            Errc::input_range);
  EXPECT_EQ(error_of(head + "h,\"gemm forward bf16,bf16>bf16 m=1 n=2 k=3\",1e12\n").code,
            Errc::input_range);
  EXPECT_EQ(error_of(head + "h,\"gemm forwards\",1\n").code, Errc::input_corrupt);
  EXPECT_EQ(error_of(head + "h,\"gemm forward bf16,bf16>bf16 m=1 + \",1\n").code,
            Errc::input_corrupt);
  EXPECT_EQ(error_of(head + "h,\"gemm\n").code, Errc::input_corrupt);
  EXPECT_EQ(error_of(head + ",\"gemm forward bf16,bf16>bf16 m=1 n=2 k=3\",1\n").code,
            Errc::input_corrupt);
}

TEST(Silicons, ReadsFiguresOfDevices) {
  const auto read = read_silicons(
      "# comment\n\nh100 architecture=hopper bf16=989e12 fp8=1978e12 memory=3.35e12 clock=1.83e9 "
      "processors=132 # more\n",
      "d.txt");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  const Silicon& is = read->front();
  EXPECT_EQ(is.name, "h100");
  EXPECT_EQ(is.architecture, "hopper");
  EXPECT_EQ(is.rate(graph::Format::fp8_block), 1978e12);
  EXPECT_EQ(is.processors, 132);
  EXPECT_TRUE(is.described);
}

TEST(Silicons, SaysWhichFigureIsWrong) {
  const auto code_of = [](std::string_view text) {
    const auto read = read_silicons(text, "d.txt");
    EXPECT_FALSE(read) << text;
    return read ? Errc::usage : read.error().code;
  };
  EXPECT_EQ(code_of("h100 memory\n"), Errc::config_syntax);
  EXPECT_EQ(code_of("h100 memry=1e12\n"), Errc::config_unknown_key);
  EXPECT_EQ(code_of("h100 memory=1TB\n"), Errc::config_range);
  EXPECT_EQ(code_of("h100 memory=-1\n"), Errc::config_range);
  EXPECT_EQ(code_of("h100 memory=1e12 processors=1e9\n"), Errc::config_range);
  EXPECT_EQ(code_of("h100 clock=1e9\n"), Errc::config_missing_key);
}

}  // namespace
}  // namespace orrery::model
