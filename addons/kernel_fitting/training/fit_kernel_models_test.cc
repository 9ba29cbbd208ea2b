// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/fit_kernel_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "addons/kernel_fitting/training/training_set.h"
#include "orrery/model/kernels/heuristic/heuristic_model.h"
#include "orrery/model/kernels/learned/net_model.h"

namespace orrery::model {
namespace {

Silicon made_up(const std::string& name, double memory) {
  Silicon is;
  is.name = name;
  is.memory = memory;
  is.clock = 1.5e9;
  is.processors = 100;
  is.l2_bytes = 40e6;
  is.peak[static_cast<std::size_t>(graph::Format::bf16)] = 300e12;
  return is;
}

/// What kernels take on made-up devices: the heuristic's time, longer for some sizes.
MeasuredRows made_up_rows(std::span<const Silicon> devices, double unit) {
  MeasuredRows rows;
  rows.where = "made-up.csv";
  for (std::uint32_t d = 0; d < devices.size(); ++d) {
    rows.devices.push_back(devices[d].name);
    for (int m = 64; m <= 8192; m *= 2)
      for (int n = 64; n <= 8192; n *= 2)
        for (int k = 64; k <= 8192; k *= 2) {
          graph::Kernel kernel;
          kernel.operation = graph::Operation::gemm;
          kernel.a = kernel.b = kernel.out = graph::Format::bf16;
          kernel.sizes = {m, n, k};
          const double truth = (m > 1000 ? 1.5 : 1.0) * (k < 300 ? 1.3 : 1.0);
          rows.rows.push_back(
              {d, kernel, HeuristicModel().time(kernel, devices[d])->seconds * truth * unit});
        }
  }
  return rows;
}

const std::vector<Silicon> kMadeUp = {made_up("one", 1e12), made_up("two", 2e12)};

FitOptions quick() {
  FitOptions options;
  options.boost.rounds = options.general.rounds = 60;
  options.notes = "made up";
  return options;
}

TEST(KernelFit, SaysWhatIsMissingWhereXgboostIs) {
  if (has_xgboost()) GTEST_SKIP() << "XGBoost is there";
  const auto model = fit_kernel_models(made_up_rows(kMadeUp, 1), kMadeUp, quick());
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, Errc::usage);
  EXPECT_NE(model.error().hint.find("libxgboost"), std::string::npos);
}

TEST(KernelFit, LearnsWhatTheHeuristicDoesNotKnow) {
  if (!has_xgboost()) GTEST_SKIP() << "no XGBoost";
  KernelFitReport about;
  const auto made = fit_kernel_models(made_up_rows(kMadeUp, 1), kMadeUp, quick(),
                                      [&](const KernelFitReport& report) { about = report; });
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(about.kernels, KernelClass::gemm_bf16);
  EXPECT_LT(about.test_error.median_error, 0.02);
  ASSERT_EQ(about.left_out.size(), 2u);
  EXPECT_LT(about.left_out[0].test_error.median_error, 0.15);

  const auto model = LearnedModel::read(made->file, "m.txt");
  ASSERT_TRUE(model) << to_string(model.error());
  const auto kernel = *graph::parse_kernel("gemm forward bf16,bf16>bf16 m=2048 n=512 k=2048");
  EXPECT_NEAR(
      model->time(kernel, kMadeUp[0])->seconds / HeuristicModel().time(kernel, kMadeUp[0])->seconds,
      1.5, 0.05);
}

TEST(KernelFit, HalfOfWhatTreesForAnyDeviceSayIsBelieved) {
  if (!has_xgboost()) GTEST_SKIP() << "no XGBoost";
  const auto made = fit_kernel_models(made_up_rows(kMadeUp, 4), kMadeUp, quick());
  ASSERT_TRUE(made) << to_string(made.error());
  const auto model = LearnedModel::read(made->file, "m.txt");
  ASSERT_TRUE(model) << to_string(model.error());
  const auto kernel = *graph::parse_kernel("gemm forward bf16,bf16>bf16 m=512 n=512 k=2048");
  const auto over_heuristic = [&](const Silicon& device) {
    return model->time(kernel, device)->seconds / HeuristicModel().time(kernel, device)->seconds;
  };
  EXPECT_NEAR(over_heuristic(kMadeUp[0]), 4, 0.2) << "a device that was measured";
  EXPECT_NEAR(over_heuristic(made_up("three", 1.4e12)), 2, 0.5) << "one that was not";
}

TEST(KernelFit, MakesTheSameBytesTwice) {
  if (!has_xgboost()) GTEST_SKIP() << "no XGBoost";
  FitOptions options = quick();
  options.boost.rows = 0.5;
  options.leave_out = false;
  const auto rows = made_up_rows(kMadeUp, 1);
  const auto once = fit_kernel_models(rows, kMadeUp, options),
             again = fit_kernel_models(rows, kMadeUp, options);
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->file, again->file);
}

TEST(KernelFit, NoticesMillisecondsTakenForMicroseconds) {
  if (!has_xgboost()) GTEST_SKIP() << "no XGBoost";
  const auto model = fit_kernel_models(made_up_rows(kMadeUp, 1e-3), kMadeUp, quick());
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, Errc::input_range);
}

TEST(KernelFit, WantsADataSheetOfEveryDevice) {
  if (!has_xgboost()) GTEST_SKIP() << "no XGBoost";
  const auto model =
      fit_kernel_models(made_up_rows(kMadeUp, 1), std::span(kMadeUp).first(1), quick());
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, Errc::input_mismatch);
}

TEST(KernelFit, ForOneDeviceThereAreNoTreesForOthers) {
  if (!has_xgboost()) GTEST_SKIP() << "no XGBoost";
  const auto one = std::span(kMadeUp).first(1);
  const auto made = fit_kernel_models(made_up_rows(one, 1), one, quick());
  ASSERT_TRUE(made) << to_string(made.error());
  const auto model = LearnedModel::read(made->file, "m.txt");
  ASSERT_TRUE(model) << to_string(model.error());
  const auto kernel = *graph::parse_kernel("gemm forward bf16,bf16>bf16 m=2048 n=512 k=2048");
  EXPECT_TRUE(model->time(kernel, kMadeUp[0]));
  EXPECT_FALSE(model->time(kernel, kMadeUp[1]));
}

FitOptions quick_nets() {
  FitOptions options;
  options.by = Learner::nets;
  options.net.width = 32;
  options.net.layers = 3;
  options.net.epochs = 60;
  return options;
}

TEST(KernelFit, NetsLearnTimesOfTheirDeviceAlone) {
  const auto made = fit_kernel_models(made_up_rows(kMadeUp, 1), kMadeUp, quick_nets());
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->reports.size(), 2u);
  EXPECT_EQ(made->reports[1].device, "two");
  EXPECT_LT(made->reports[0].test_error.median_error, 0.12);
  EXPECT_GT(made->reports[0].inside, 0.5);
  const auto model = NetModel::read(made->file, "m.txt");
  ASSERT_TRUE(model) << to_string(model.error());
  auto kernel = *graph::parse_kernel("gemm forward bf16,bf16>bf16 m=2048 n=512 k=2048");
  const auto time = model->time(kernel, kMadeUp[0]);
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->seconds / HeuristicModel().time(kernel, kMadeUp[0])->seconds, 1.5, 0.4);
  EXPECT_FALSE(time->extrapolated);
  kernel.sizes[0] = 1 << 20;
  EXPECT_TRUE(model->time(kernel, kMadeUp[0])->extrapolated);
  EXPECT_FALSE(model->time(kernel, made_up("three", 3e12))) << "a device that it does not know";
}

TEST(KernelFit, NetsAreTheSameBytesTwiceAndOthersWithAnotherSeed) {
  const auto rows = made_up_rows(std::span(kMadeUp).first(1), 1);
  FitOptions options = quick_nets();
  options.net.epochs = 3;
  const auto once = fit_kernel_models(rows, kMadeUp, options),
             again = fit_kernel_models(rows, kMadeUp, options);
  options.seed = 2;
  const auto other = fit_kernel_models(rows, kMadeUp, options);
  ASSERT_TRUE(once && again && other);
  EXPECT_EQ(once->file, again->file);
  EXPECT_NE(once->file, other->file);
}

TEST(KernelFit, SaysHowManyRowsAreMissing) {
  MeasuredRows rows = made_up_rows(kMadeUp, 1);
  rows.rows.resize(150);
  const auto made = fit_kernel_models(rows, kMadeUp, quick_nets());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::input_empty);
  EXPECT_NE(made.error().what.find("gemm_bf16 on one has 150"), std::string::npos)
      << made.error().what;
}

TEST(KernelFit, FewDifferentKernelsCannotBeHeldBack) {
  // A kernel of part 0 and one of part 1: nothing was left to learn, which ended the program.
  MeasuredRows all = made_up_rows(std::span(kMadeUp).first(1), 1), rows = all;
  rows.rows.clear();
  for (const int part : {0, 1}) {
    const auto one = std::find_if(all.rows.begin(), all.rows.end(), [&](const MeasuredKernel& row) {
      return part_of({&row.kernel, 1}, 1) == part;
    });
    ASSERT_NE(one, all.rows.end());
    rows.rows.insert(rows.rows.end(), 200, *one);
  }
  for (const Learner by : {Learner::nets, Learner::trees}) {
    if (by == Learner::trees && !has_xgboost()) continue;
    FitOptions options = quick_nets();
    options.by = by;
    const auto made = fit_kernel_models(rows, kMadeUp, options);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, Errc::input_empty);
    EXPECT_NE(made.error().what.find("too few different kernels"), std::string::npos)
        << made.error().what;
  }
}

TEST(KernelFit, ClassesThatNobodyWantsAreNotCounted) {
  FitOptions options = quick_nets();
  options.only = {KernelClass::softmax};
  const auto made = fit_kernel_models(made_up_rows(kMadeUp, 1), kMadeUp, options);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("no row belongs to a supported class"), std::string::npos)
      << made.error().what;
}

TEST(KernelFit, KernelsThatRanTogetherShareTheirTime) {
  MeasuredRows rows = made_up_rows(std::span(kMadeUp).first(1), 1);
  rows.others = {rows.rows[0].kernel};
  rows.rows = {rows.rows[0]};
  rows.rows[0].others = 1;
  rows.rows[0].seconds *= 2;
  const auto set = make_training_set(rows, kMadeUp, 1);
  ASSERT_TRUE(set);
  const Samples& samples = set->samples[static_cast<std::size_t>(KernelClass::gemm_bf16)];
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_NEAR(std::exp2(samples[1].log2_seconds()), rows.rows[0].seconds / 2, 1e-12);
}

TEST(KernelFit, HoldsBackATenthOfAllShapes) {
  std::array<int, 10> parts{};
  for (int i = 1; i <= 10'000; ++i) {
    graph::Kernel kernel;
    kernel.sizes[0] = i;
    ++parts[static_cast<std::size_t>(part_of({&kernel, 1}, 1))];
  }
  for (const int part : parts) EXPECT_NEAR(part, 1000, 150);
}

}  // namespace
}  // namespace orrery::model
