// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/learned_model_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "orrery/model/kernels/learned/model_file_format.h"

namespace orrery::model {
namespace {

constexpr std::string_view kKernelText = "gemm forward bf16,bf16>bf16 m=64 n=64 k=64";

Silicon plain_device() {
  Silicon is;
  is.name = "d";
  is.memory = 1e12;
  is.clock = 1e9;
  is.processors = 100;
  is.peak[static_cast<std::size_t>(graph::Format::bf16)] = 100e12;
  return is;
}

/// One class with a tree of one split each: below 2^5 of m goes left.
std::string small_model() {
  LearnedClass is;
  is.kernels = KernelClass::gemm_bf16;
  is.rows = 10;
  is.seen = {0.03, 0.9, 1.1, 5};
  is.unseen = {0.1, 0.7, 1.4, 5};
  is.devices.push_back(signature_of(is.kernels, plain_device()));
  is.lower = {1, 1, 1};
  is.upper = {4096, 4096, 4096};
  constexpr std::size_t kM = 11;  // place of "m" among the features
  std::string tree;
  append_split(tree, kM, 0);
  append_leaf(tree, -1024);
  append_leaf(tree, 1024);
  for (LearnedTrees* const trees : {&is.measured, &is.general}) {
    trees->step = 1.0 / 1024;
    EXPECT_TRUE(trees->forest.set_cuts(kM, {5.0f}));
  }
  is.general.bias = 2;
  const std::vector<std::string> trees{tree};
  const std::vector<SerializedClass> classes{{&is, trees, trees}};
  return write_model("A source.\n\nIts license.", classes);
}

double ratio(const LearnedModel& model, const std::string& kernel, const Silicon& silicon) {
  const auto parsed = *graph::parse_kernel(kernel);
  const auto features = features_of(KernelClass::gemm_bf16, parsed, silicon, FeatureView::measured);
  return model.time(parsed, silicon)->seconds / std::exp2(features.log2_base);
}

TEST(ModelFile, IsReadBackAndWalked) {
  const auto model = LearnedModel::read(small_model(), "m.txt");
  ASSERT_TRUE(model) << to_string(model.error());
  const Silicon known = plain_device();
  EXPECT_NEAR(ratio(*model, "gemm forward bf16,bf16>bf16 m=31 n=64 k=64", known), 0.5, 1e-12);
  EXPECT_NEAR(ratio(*model, "gemm forward bf16,bf16>bf16 m=32 n=64 k=64", known), 2, 1e-12);
  EXPECT_FALSE(
      model->time(*graph::parse_kernel("gemm forward fp8,fp8>bf16 m=32 n=64 k=64"), known));
  EXPECT_FALSE(model->time(*graph::parse_kernel("copy forward bf16,bf16>bf16 elements=9"), known));
}

TEST(ModelFile, BandsAreThoseOfWhatWasHeldBack) {
  const auto model = LearnedModel::read(small_model(), "m.txt");
  ASSERT_TRUE(model);
  Silicon known = plain_device();
  const auto kernel = *graph::parse_kernel(kKernelText);
  const auto within = model->time(kernel, known);
  EXPECT_NEAR(within->band.lower, -0.1, 1e-12);
  EXPECT_NEAR(within->band.upper, 0.1, 1e-12);
  EXPECT_FALSE(within->extrapolated);
  EXPECT_EQ(within->source, TimeSource::learned);

  const auto large =
      model->time(*graph::parse_kernel("gemm forward bf16,bf16>bf16 m=8192 n=64 k=64"), known);
  EXPECT_NEAR(large->band.upper, 0.2, 1e-12);
  EXPECT_TRUE(large->extrapolated);

  known.memory *= 1.2;  // another device
  const auto other = model->time(kernel, known);
  EXPECT_NEAR(other->band.lower, -0.3, 1e-12);
  EXPECT_TRUE(other->extrapolated);
}

TEST(ModelFile, ManyAtOnceAreTheSameAsOneByOne) {
  const auto model = LearnedModel::read(small_model(), "m.txt");
  ASSERT_TRUE(model);
  std::vector<graph::Kernel> kernels;
  for (int i = 1; i < 300; ++i) {
    auto kernel = *graph::parse_kernel(kKernelText);
    kernel.sizes[0] = i;
    if (i % 7 == 0) kernel.operation = graph::Operation::copy;
    kernels.push_back(kernel);
  }
  std::vector<std::optional<KernelTime>> times(kernels.size());
  model->times(kernels, plain_device(), times);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto alone = model->time(kernels[i], plain_device());
    ASSERT_EQ(alone.has_value(), times[i].has_value());
    if (alone) {
      EXPECT_EQ(alone->seconds, times[i]->seconds);
    }
  }
}

TEST(ModelFile, WhateverIsChangedIsNoticed) {
  const std::string good = small_model();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = damaged[i] == '7' ? '8' : '7';
    EXPECT_FALSE(LearnedModel::read(damaged, "m.txt")) << i;
  }
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(LearnedModel::read(std::string_view(good).substr(0, length), "m.txt")) << length;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  text.replace(text.find(what), what.size(), by);
  return with_checksum(text.substr(0, text.rfind("sum ")));
}

TEST(ModelFile, WithARightSumNonsenseIsStillNonsense) {
  const std::string good = small_model();
  ASSERT_TRUE(LearnedModel::read(replaced(good, "rows=10", "rows=11"), "m.txt"));
  const auto code_of = [&](std::string_view what, std::string_view by) {
    const auto read = LearnedModel::read(replaced(good, what, by), "m.txt");
    EXPECT_FALSE(read) << what << " → " << by;
    return read ? Errc::usage : read.error().code;
  };
  EXPECT_EQ(code_of("orrery-kernels 1", "orrery-kernels 2"), Errc::input_unsupported);
  EXPECT_EQ(code_of("orrery-kernels 1", "orrery"), Errc::input_corrupt);
  EXPECT_EQ(code_of("gemm_bf16", "gemm_bf17"), Errc::input_unsupported);
  EXPECT_EQ(code_of("features balance", "features weight"), Errc::input_unsupported);
  // Trees may be walked with the features that they were grown on, and no others: these are named.
  const std::size_t line = good.find("features ");
  EXPECT_EQ(code_of(good.substr(line, good.find('\n', line) + 1 - line), ""), Errc::input_corrupt);
  EXPECT_EQ(code_of("most=1.1", "most=0.1"), Errc::input_corrupt);
  EXPECT_EQ(code_of("most=1.1", "most=inf"), Errc::input_corrupt);
  ASSERT_TRUE(LearnedModel::read(replaced(good, "most=1.1", "most=1e9"), "m.txt"));
  EXPECT_EQ(code_of("least=0.9", "least=nan"), Errc::input_corrupt);
  EXPECT_EQ(code_of("cuts 11 ", "cuts 99 "), Errc::input_corrupt);
  EXPECT_EQ(code_of("cuts 11 ", "cuts 12 "), Errc::input_corrupt);
  EXPECT_EQ(code_of("cuts 11 ", "cuts 11 !"), Errc::input_corrupt);
  EXPECT_EQ(code_of("cuts 11 ", "cuts 11 zzzzz"), Errc::input_corrupt);
  EXPECT_EQ(code_of("\ntree ", "\ntree ,!"), Errc::input_corrupt);
  EXPECT_EQ(code_of("view general bias=2", "view general bias=inf"), Errc::input_corrupt);
  EXPECT_EQ(code_of("view general", "view genera"), Errc::input_corrupt);
  EXPECT_EQ(code_of("\nend\n", "\n"), Errc::input_corrupt);
}

TEST(Forest, CutsAreReadBackToTheBit) {
  const std::vector<float> cuts{-1e30f, -0.1f, 0.0f, 1e-40f, 3.1415927f, 65504.0f};
  std::string text;
  append_cuts(text, cuts);
  EXPECT_EQ(cuts_of(text), cuts);
  EXPECT_FALSE(cuts_of(text.substr(1)));
  EXPECT_FALSE(cuts_of("~~~~~"));
}

TEST(Forest, TakesNoTreeThatPointsNowhere) {
  Forest forest;
  ASSERT_TRUE(forest.set_cuts(0, {1.0f, 2.0f}));
  EXPECT_FALSE(forest.set_cuts(0, {2.0f, 1.0f}));
  EXPECT_FALSE(forest.set_cuts(kFeatures, {}));
  std::string good;
  append_split(good, 0, 1);
  append_leaf(good, 3);
  append_leaf(good, -5);
  EXPECT_TRUE(forest.add(good));
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(forest.add(std::string_view(good).substr(0, length)));
  EXPECT_FALSE(forest.add(good + good));
  EXPECT_FALSE(forest.add("zz"));  // more steps than a leaf has
  std::string bad;
  append_split(bad, 0, 2);
  append_leaf(bad, 3);
  append_leaf(bad, -5);
  EXPECT_FALSE(forest.add(bad));
  EXPECT_EQ(forest.trees(), 1u);
  std::array<float, kFeatures> values{};
  const std::vector<Bins> bins{forest.bins_of(values), [&] {
                                 values[0] = 2.0f;  // not below the cut
                                 return forest.bins_of(values);
                               }()};
  std::vector<std::int64_t> sums(2);
  forest.sum(bins, sums);
  EXPECT_EQ(sums, (std::vector<std::int64_t>{3, -5}));
}

}  // namespace
}  // namespace orrery::model
