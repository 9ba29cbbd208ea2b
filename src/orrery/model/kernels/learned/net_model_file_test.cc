// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "orrery/model/kernels/learned/fitted_model.h"
#include "orrery/model/kernels/learned/model_file_format.h"
#include "orrery/model/kernels/learned/net_model.h"

namespace orrery::model {
namespace {

/// 2^-20 s times (2 m)^0.5 where m is above 1/2: two layers, of which the first looks at m alone.
NetClass hand_made() {
  NetClass is;
  is.kernels = KernelClass::gemm_bf16;
  is.rows = 10;
  is.seen = {0.03, 0.9, 1.1, 5};
  is.device = {"d", 100e12, 1e12, 1e9, 100};
  is.lower = {1, 1, 1};
  is.upper = {4096, 4096, 4096};
  is.net.mean[0] = -1;
  is.net.scale[0] = 1;
  is.net.target_mean = -20;
  is.net.target_scale = 0.5;
  NetLayer first{kNetInputs, 2, std::vector<float>(kNetInputs * 2), {0, 7}};
  first.weights[0] = 1;  // of m into the first of two; the other stays at its bias
  is.net.layers = {first, {2, 1, {1, 0}, {0}}};
  return is;
}

Silicon its_device() {
  Silicon is;
  is.name = "another name";
  is.memory = 1e12;
  is.clock = 1e9;
  is.processors = 100;
  is.peak[static_cast<std::size_t>(graph::Format::bf16)] = 100e12;
  return is;
}

std::string small_file() {
  const std::vector<NetClass> classes{hand_made()};
  return write_nets("By hand.\n\nNo measurements.", classes);
}

TEST(NetFile, IsReadBackAndAnswers) {
  const auto model = NetModel::read(small_file(), "n.txt");
  ASSERT_TRUE(model) << to_string(model.error());
  auto kernel = *graph::parse_kernel("gemm forward bf16,bf16>bf16 m=32 n=64 k=64");
  const auto time = model->time(kernel, its_device());
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->seconds / std::exp2(-20 + 0.5 * 6), 1, 1e-6);
  EXPECT_NEAR(time->band.upper, 0.1, 1e-12);
  EXPECT_FALSE(time->extrapolated);
  kernel.sizes[0] = 8192;
  EXPECT_TRUE(model->time(kernel, its_device())->extrapolated);
  EXPECT_NEAR(model->time(kernel, its_device())->band.upper, 0.2, 1e-12);
  Silicon other = its_device();
  other.clock *= 2;
  EXPECT_FALSE(model->time(kernel, other));
  EXPECT_FALSE(
      model->time(*graph::parse_kernel("gemm forward fp8,fp8>bf16 m=1 n=1 k=1"), its_device()));
}

TEST(NetFile, OfSeveralLaunchesEachTakesItsShare) {
  const auto model = NetModel::read(small_file(), "n.txt");
  const auto once =
      model->time(*graph::parse_kernel("gemm forward bf16,bf16>bf16 m=8 n=4 k=4"), its_device());
  const auto four = model->time(
      *graph::parse_kernel("gemm forward bf16,bf16>bf16 m=32 n=4 k=4 launches=4"), its_device());
  ASSERT_TRUE(once && four);
  EXPECT_DOUBLE_EQ(four->seconds, 4 * once->seconds);
}

TEST(NetFile, WhateverIsChangedIsNoticed) {
  const std::string good = small_file();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = damaged[i] == '7' ? '8' : '7';
    EXPECT_FALSE(NetModel::read(damaged, "n.txt")) << i;
  }
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(NetModel::read(std::string_view(good).substr(0, length), "n.txt")) << length;
}

TEST(NetFile, WithARightSumNonsenseIsStillNonsense) {
  const std::string good = small_file();
  const auto code_of = [&](std::string_view what, std::string_view by) {
    std::string text = good.substr(0, good.rfind("sum "));
    text.replace(text.find(what), what.size(), by);
    const auto read = NetModel::read(with_checksum(text), "n.txt");
    EXPECT_FALSE(read) << what << " → " << by;
    return read ? Errc::usage : read.error().code;
  };
  EXPECT_EQ(code_of("nets 1", "nets 2"), Errc::input_unsupported);
  EXPECT_EQ(code_of("gemm_bf16", "gemm_bf17"), Errc::input_unsupported);
  EXPECT_EQ(code_of("layer 2 1", "layer 3 1"), Errc::input_corrupt);
  EXPECT_EQ(code_of("layer 2 1", "layer 600 1"), Errc::input_corrupt);
  EXPECT_EQ(code_of("layer 2 1", "layer 99999999999 99999999999"), Errc::input_corrupt);
  EXPECT_EQ(code_of("layer 2 1", "bias"), Errc::input_corrupt);
  EXPECT_EQ(code_of("scale=0.5", "scale=inf"), Errc::input_corrupt);
  EXPECT_EQ(code_of("means ", "means !"), Errc::input_corrupt);
  EXPECT_EQ(code_of("device d", "device "), Errc::input_corrupt);
  EXPECT_EQ(code_of("\nend\n", "\n"), Errc::input_corrupt);
  std::string infinite = good.substr(0, good.rfind("sum "));
  std::string cut;
  append_cuts(cut, std::vector<float>{INFINITY});
  const std::size_t at = infinite.rfind("bias ") + 5;
  infinite.replace(at, 5, cut);
  EXPECT_FALSE(NetModel::read(with_checksum(infinite), "n.txt"));
}

TEST(FittedModel, TellsTreesFromNetsAndSaysThatItIsFitted) {
  const auto nets = read_fitted_model(small_file(), "n.txt");
  ASSERT_TRUE(nets) << to_string(nets.error());
  EXPECT_EQ(nets->about, "1 net");
  const auto time = nets->model->time(
      *graph::parse_kernel("gemm forward bf16,bf16>bf16 m=32 n=64 k=64"), its_device());
  ASSERT_TRUE(time);
  EXPECT_EQ(time->source, TimeSource::fitted);
  const auto neither = read_fitted_model("device,kernel,us\n", "t.csv");
  ASSERT_FALSE(neither);
  EXPECT_EQ(neither.error().code, Errc::input_corrupt);
}

}  // namespace
}  // namespace orrery::model
