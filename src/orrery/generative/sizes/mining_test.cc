// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/sizes/mining.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "orrery/generative/program/jobs_testing.h"
#include "orrery/generative/sizes/random_jobs.h"
#include "orrery/generative/sizes/sparse_sum.h"

namespace orrery::generative {
namespace {

struct Observed {
  FactorValues factors;
  OpNumbers numbers;
  std::uint32_t job;
};

/// Ops named `name` of many jobs, of the form that most of them have.
std::deque<Observed> ops_named(std::string_view name) {
  std::map<OpForm, std::deque<Observed>> by_form;
  for (std::uint32_t job = 0; job < 60; ++job) {
    const auto program = program_of(random_job_text(job));
    for (std::uint32_t r = 0; r < program.roles.size(); ++r) {
      const FactorValues factors = factors_of(program, r, 0);
      for (const auto& recipe : program.roles[r].recipes)
        for (const workload::Segment& segment : recipe)
          for (const workload::Op& op : program.bodies[segment.body].ops)
            if (op.name == name) by_form[form_of(op, 0)].push_back({factors, numbers_of(op), job});
    }
  }
  std::deque<Observed> most;
  for (auto& [form, all] : by_form)
    if (all.size() > most.size()) most = std::move(all);
  return most;
}

std::vector<Formula> mined(const std::deque<Observed>& all, std::size_t number) {
  std::vector<SizeSample> samples;
  for (const Observed& one : all) samples.push_back({&one.factors, &one.numbers, one.job});
  return mine_formulas(samples, number, 4);
}

void expect_explained(const std::deque<Observed>& all, std::size_t number) {
  const auto formulas = mined(all, number);
  for (const Observed& one : all) {
    bool any = false;
    for (const Formula& formula : formulas)
      any = any || evaluate(formula, one.factors, one.numbers) == one.numbers[number];
    EXPECT_TRUE(any) << number_name(number) << " of job " << one.job;
  }
}

TEST(Mining, FindsTheFormulasOfAMatrixProduct) {
  const auto all = ops_named("mlp_down");
  ASSERT_GT(all.size(), 100u);
  const auto flops = mined(all, static_cast<std::size_t>(Number::matmul));
  ASSERT_EQ(flops.size(), 1u);
  EXPECT_EQ(to_text(flops[0]), "2 #0 #1 #2");
  // Three matrices of two bytes each. In pieces, each launch reads the weights again.
  const auto bytes = mined(all, static_cast<std::size_t>(Number::bytes));
  ASSERT_FALSE(bytes.empty());
  EXPECT_EQ(to_text(bytes[0]), "2 #0 #1 + 2 #0 #2 + 2 #1 #2 #8");
  const auto width = mined(all, kFirstSize + 2);
  ASSERT_EQ(width.size(), 1u);
  EXPECT_EQ(to_text(width[0]), "1 ffn / tp");
}

TEST(Mining, ExplainsEveryValueOfCommonOps) {
  for (const char* name :
       {"qkv", "attention", "attention.dgrad", "attention_norm", "activation", "embedding"}) {
    SCOPED_TRACE(name);
    const auto all = ops_named(name);
    ASSERT_FALSE(all.empty());
    for (std::size_t number = kFirstSize; number < kNumbers; ++number)
      expect_explained(all, number);
    expect_explained(all, static_cast<std::size_t>(Number::matmul));
    expect_explained(all, static_cast<std::size_t>(Number::vector));
  }
}

TEST(Mining, LeavesNoiseUnexplained) {
  std::deque<Observed> all = ops_named("mlp_down");
  for (Observed& one : all)
    one.numbers[static_cast<std::size_t>(Number::bytes)] =
        static_cast<std::int64_t>(mix_bits(one.job) >> 20);
  for (const Formula& formula : mined(all, static_cast<std::size_t>(Number::bytes)))
    EXPECT_TRUE(false) << to_text(formula);
}

TEST(SparseSums, FindTheColumnsOfASum) {
  // 1 = 3 a + 2 b, among columns that correlate with them.
  std::vector<std::vector<double>> columns(5, std::vector<double>(40));
  for (std::size_t r = 0; r < 40; ++r) {
    const double a = 0.1 + 0.2 * uniform_double(mix_bits(r));
    columns[0][r] = a * a;
    columns[1][r] = a;
    columns[2][r] = uniform_double(mix_bits(r + 100));
    columns[3][r] = (1 - 3 * a) / 2;
    columns[4][r] = 0.3;
  }
  const auto sums = sparse_sums_to_one(columns, 4);
  ASSERT_FALSE(sums.empty());
  for (const SparseSum& sum : sums) {
    for (std::size_t r = 0; r < 40; ++r) {
      double value = 0;
      for (std::size_t i = 0; i < sum.columns.size(); ++i)
        value += sum.coefficients[i] * columns[sum.columns[i]][r];
      EXPECT_NEAR(value, 1, 2e-3);
    }
  }
}

TEST(Formulas, EvaluateInIntegers) {
  FactorValues factors{};
  factors[static_cast<std::size_t>(Factor::hidden)] = 5;
  factors[static_cast<std::size_t>(Factor::tp)] = 2;
  const Product half{{static_cast<std::uint8_t>(Factor::hidden)},
                     {static_cast<std::uint8_t>(Factor::tp)}};
  EXPECT_EQ(evaluate({{kCoefficientUnit * 4, half}}, factors, {}), 10);
  EXPECT_EQ(evaluate({{kCoefficientUnit, half}}, factors, {}), std::nullopt);  // 2.5
  factors[static_cast<std::size_t>(Factor::tp)] = 0;
  EXPECT_EQ(evaluate({{kCoefficientUnit, half}}, factors, {}), std::nullopt);
  EXPECT_EQ(evaluate(constant(7), factors, {}), 7);
  EXPECT_EQ(evaluate({}, factors, {}), 0);
  factors[static_cast<std::size_t>(Factor::hidden)] = std::int64_t{1} << 40;
  const auto h = static_cast<std::uint8_t>(Factor::hidden);
  EXPECT_EQ(evaluate({{8, {{h, h, h, h}, {}}}}, factors, {}), std::nullopt);  // too large
  EXPECT_FALSE(is_valid({{0, half}}));
  EXPECT_FALSE(is_valid({{1, {{255}, {}}}}));
}

}  // namespace
}  // namespace orrery::generative
