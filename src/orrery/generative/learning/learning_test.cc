// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/core/effort_testing.h"
#include "orrery/generative/learning/learned_traces.h"
#include "orrery/generative/learning/synthesize.h"
#include "orrery/generative/program/jobs_testing.h"
#include "orrery/generative/sizes/random_jobs.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::generative {
namespace {

using core_testing::case_count;

constexpr std::uint64_t kHeldOut = 1'000'000;  // seeds from here on are not learned

Corpus sample_corpus(std::size_t jobs) {
  return {jobs, [](std::size_t i) -> Result<workload::Program> {
            return program_of(random_job_text(i));
          }};
}

LearnedTraces learn(std::size_t jobs, std::uint32_t threads) {
  auto made = learn_traces(sample_corpus(jobs), threads, {});
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? std::move(*made) : LearnedTraces{};
}

const LearnedTraces& learned() {
  static const LearnedTraces kLearned = learn(case_count<std::size_t>(2000, 150), 2);
  return kLearned;
}

TEST(LearnedTraces, FormulasExplainTheCorpus) {
  const LearnedTraces& model = learned();
  EXPECT_GT(model.explained.numbers, 100'000u);
  EXPECT_LT(static_cast<double>(model.explained.literals),
            0.01 * static_cast<double>(model.explained.numbers));
  EXPECT_LT(model.training_loss, 0.1);
  EXPECT_LT(to_bytes(model).size(), std::size_t{2} << 20);
}

TEST(LearnedTraces, SameBytesForEveryNumberOfThreads) {
  EXPECT_EQ(to_bytes(learn(24, 1)), to_bytes(learn(24, 3)));
}

TEST(LearnedTraces, FileRoundTrip) {
  const std::string bytes = to_bytes(learned());
  const auto again = parse_learned(bytes, "file");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(to_bytes(*again), bytes);
}

TEST(LearnedTraces, DamagedFilesAreRefused) {
  const std::string bytes = to_bytes(learn(4, 1));
  const auto refused = [](const std::string& text) {
    const auto read = parse_learned(text, "file");
    return read ? Errc{} : read.error().code;
  };
  EXPECT_EQ(refused(""), Errc::input_unsupported);
  EXPECT_EQ(refused("orrery learned traces 99\n"), Errc::input_unsupported);
  EXPECT_EQ(refused(bytes.substr(0, 40)), Errc::input_truncated);
  EXPECT_EQ(refused(bytes.substr(0, bytes.size() - 1)), Errc::input_corrupt);
  for (std::size_t at = 100; at < bytes.size(); at += bytes.size() / 50) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_EQ(refused(damaged), Errc::input_corrupt) << at;
    // With a correct hash, the reader checks every value itself. It may accept other numbers.
    (void)parse_learned(with_checksum(damaged.substr(damaged.find('\n', 30) + 1)), "file");
  }
}

std::vector<std::uint64_t> node_counts(const workload::Program& program) {
  std::vector<std::uint64_t> counts;
  for (std::uint32_t role = 0; role < program.roles.size(); ++role)
    counts.push_back(workload::node_count(program, role));
  return counts;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 1 : values[values.size() / 2];
}

/// Jobs with settings that the corpus does not have together, and other sizes. All figures are
/// recorded, so that --gtest_output shows them.
TEST(Synthesis, JobsThatWereNotLearned) {
  const int jobs = case_count(100, 30);
  int made = 0, stages = 0, first = 0, exact = 0;
  std::vector<double> nodes, flops, bytes, traffic;
  for (int i = 0; i < jobs; ++i) {
    const auto job = program_of(random_job_text(kHeldOut + static_cast<std::uint64_t>(i)));
    stages += static_cast<int>(job.roles.size());
    const auto synthesized = synthesize(learned(), job, {});
    if (!synthesized) {  // refused aloud, never a wrong program
      EXPECT_EQ(synthesized.error().code, Errc::input_mismatch) << to_string(synthesized.error());
      continue;
    }
    ++made;
    first += static_cast<int>(synthesized->first_try);
    nodes.push_back(synthesized->errors.nodes);
    flops.push_back(synthesized->errors.flops);
    bytes.push_back(synthesized->errors.bytes);
    traffic.push_back(synthesized->errors.traffic);
    if (node_counts(synthesized->program) == node_counts(job)) ++exact;
    const auto workload = workload::to_workload(synthesized->program);
    ASSERT_TRUE(workload) << to_string(workload.error());
  }
  const auto p90 = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 1 : values[values.size() * 9 / 10];
  };
  std::string figures = fmt::format(
      "{} of {} jobs synthesized, {} of {} stages at the first try, {} with every stage's nodes",
      made, jobs, first, stages, exact);
  for (const auto& [name, errors] :
       {std::pair{"nodes", nodes}, {"flops", flops}, {"bytes", bytes}, {"traffic", traffic}})
    figures += fmt::format("; {} {:.4f} / {:.4f}", name, median(errors), p90(errors));
  RecordProperty("figures", figures);
  if (core_testing::full_effort()) {
    std::printf("%s; loss %.4f, validation %.4f, %zu bytes, %llu of %llu numbers literal\n",
                figures.c_str(), learned().training_loss, learned().validation_loss,
                to_bytes(learned()).size(),
                static_cast<unsigned long long>(learned().explained.literals),
                static_cast<unsigned long long>(learned().explained.numbers));
  }
  EXPECT_GT(made, jobs * case_count(95, 50) / 100) << figures;
  EXPECT_LT(median(nodes), 0.01) << figures;
  EXPECT_LT(median(flops), 0.01) << figures;
}

TEST(Synthesis, EqualSeedsGiveEqualPrograms) {
  // The first job that can be synthesized: 97 of 100 can.
  std::uint64_t number = kHeldOut;
  while (number < kHeldOut + 10 &&
         !synthesize(learned(), program_of(random_job_text(number)), {.seed = 5}))
    ++number;
  const auto job = program_of(random_job_text(number));
  const auto one = synthesize(learned(), job, {.seed = 5});
  const auto two = synthesize(learned(), job, {.seed = 5});
  ASSERT_TRUE(one) << to_string(one.error());
  ASSERT_TRUE(two) << to_string(two.error());
  ASSERT_EQ(one->program.bodies.size(), two->program.bodies.size());
  for (std::size_t body = 0; body < one->program.bodies.size(); ++body) {
    const auto &a = one->program.bodies[body].ops, &b = two->program.bodies[body].ops;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_STREQ(a[i].name, b[i].name);
      EXPECT_EQ(numbers_of(a[i]), numbers_of(b[i]));
    }
  }
}

TEST(Synthesis, SettingsThatNoJobHasAreRefused) {
  std::string text = random_job_text(kHeldOut);
  for (const char* mlp : {"swiglu", "gelu"})
    if (const auto at = text.find(mlp); at != std::string::npos)
      text.replace(at, std::string_view(mlp).size(), "geglu");
  const auto made = synthesize(learned(), program_of(text), {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::input_unsupported);
  EXPECT_NE(made.error().what.find("model.mlp=geglu"), std::string::npos) << made.error().what;
}

TEST(Synthesis, NamesNumbersOutsideOfTheCorpus) {
  int named = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::string text = random_job_text(kHeldOut + seed);
    const std::size_t at = text.find("seq: ");
    text.replace(at, text.find(',', at) - at, "seq: 65536");
    const auto made = synthesize(learned(), program_of(text), {});
    if (!made) continue;
    ASSERT_EQ(made->outside.size(), 1u);
    EXPECT_EQ(made->outside[0], "batch.seq = 65536 (learned: 512 to 3584)");
    ++named;
  }
  EXPECT_GT(named, 0);
}

TEST(Learning, RefusesJobsItCannotRepresent) {
  EXPECT_EQ(learn_traces({0, {}}, 1, {}).error().code, Errc::input_empty);
  const Corpus image{
      1, [](std::size_t) -> Result<workload::Program> {
        return program_of("model: {is: resnet50}\nparallel: {dp: 2}\nbatch: {global: 8}\n");
      }};
  const auto refused = learn_traces(image, 1, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::input_unsupported);
}

}  // namespace
}  // namespace orrery::generative
