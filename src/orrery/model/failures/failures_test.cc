// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "orrery/core/random.h"
#include "orrery/model/failures/checkpointing.h"
#include "orrery/model/failures/failure_simulation.h"
#include "orrery/model/failures/published_failures.h"

namespace orrery::model {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

double sum_of(const TimeShares& shares) {
  return shares.training + shares.writing + shares.lost + shares.restarting + shares.waiting;
}

/// Random jobs: from failures every ten minutes to every week, from free to expensive checkpoints
/// and restarts, from plenty of spare nodes to none.
struct RandomJob {
  CheckpointedJob job;
  SpareNodes nodes;

  explicit RandomJob(std::uint64_t number) {
    std::uint64_t drawn = 0;
    const auto from_to = [&](double low, double high) {
      return low + (high - low) * uniform_double(mix_bits(mix_bits(number) + ++drawn));
    };
    job.mtbf = 600 * std::exp(from_to(0, 6.9));
    job.write = job.mtbf * std::exp(from_to(-9, -1));
    job.restart = job.mtbf * std::exp(from_to(-7, -0.5));
    job.interval = best_interval(job.write, job.mtbf) * std::exp(from_to(-1, 1));
    nodes = {.always_free = from_to(0, 1) < 0.5,
             .spares = static_cast<std::int64_t>(from_to(0, 6)),
             .repair = job.mtbf * std::exp(from_to(-2, 1))};
  }
};

// The contract: both agree within 1 %, in goodput and, as shares of the elapsed time, in all else.
TEST(Failures, SimulationAgreesWithClosedForm) {
  for (std::uint64_t number = 0; number < 60; ++number) {
    const RandomJob random(number);
    const TimeShares expected = time_shares(random.job, random.nodes);
    const SimulatedJob simulated =
        simulate_failures(random.job, random.nodes, {200'000, kForever}, number);
    EXPECT_NEAR(simulated.shares.training / expected.training, 1, 0.01) << number;
    EXPECT_NEAR(simulated.shares.writing, expected.writing, 0.005) << number;
    EXPECT_NEAR(simulated.shares.lost, expected.lost, 0.005) << number;
    EXPECT_NEAR(simulated.shares.restarting, expected.restarting, 0.005) << number;
    EXPECT_NEAR(simulated.shares.waiting, expected.waiting, 0.005) << number;
    EXPECT_NEAR(sum_of(simulated.shares), 1, 1e-9);
    EXPECT_NEAR(sum_of(expected), 1, 1e-12);
    EXPECT_EQ(simulated.failures, 200'000u);
    EXPECT_NEAR(simulated.work, simulated.elapsed * simulated.shares.training,
                1e-9 * simulated.elapsed);
  }
}

TEST(Failures, EqualSeedsGiveEqualRuns) {
  const RandomJob random(3);
  const auto elapsed = [&](std::uint64_t seed, std::uint64_t run) {
    return simulate_failures(random.job, random.nodes, {1000, kForever}, seed, run).elapsed;
  };
  EXPECT_EQ(elapsed(1, 0), elapsed(1, 0));
  EXPECT_NE(elapsed(1, 0), elapsed(2, 0));
  EXPECT_NE(elapsed(1, 0), elapsed(1, 1));
}

// A job that ends has trained exactly its work, and needs no last checkpoint.
TEST(Failures, WorkEndsTheSimulation) {
  const CheckpointedJob job{.mtbf = kForever, .write = 10, .restart = 60, .interval = 100};
  const SimulatedJob whole = simulate_failures(job, {}, {100, 1000}, 1);
  EXPECT_EQ(whole.checkpoints, 9u);
  EXPECT_EQ(whole.failures, 0u);
  EXPECT_DOUBLE_EQ(whole.elapsed, 1000 + 9 * 10);
  const SimulatedJob odd = simulate_failures(job, {}, {100, 1050}, 1);
  EXPECT_EQ(odd.checkpoints, 10u);
  EXPECT_DOUBLE_EQ(odd.elapsed, 1050 + 10 * 10);

  CheckpointedJob failing = job;
  failing.mtbf = 2000;
  double elapsed = 0;
  for (std::uint64_t run = 0; run < 400; ++run) {
    const SimulatedJob one = simulate_failures(failing, {}, {1'000'000, 1e5}, 1, run);
    EXPECT_NEAR(one.work, 1e5, 1e-6);
    elapsed += one.elapsed / 400;
  }
  EXPECT_NEAR(1e5 / elapsed / time_shares(failing).training, 1, 0.01);
}

// Daly's paper prints these optima for checkpoints of 5 minutes, in figures 3 to 5.
TEST(Failures, DalysFigures) {
  EXPECT_NEAR(daly_interval(300, 24 * 3600) / 60, 117, 0.5);
  EXPECT_NEAR(daly_interval(300, 6 * 3600) / 60, 57, 0.5);
  EXPECT_NEAR(daly_interval(300, 15 * 60) / 60, 9.1, 0.05);
  EXPECT_EQ(daly_interval(300, 100), 100);
  EXPECT_DOUBLE_EQ(young_interval(300, 24 * 3600), std::sqrt(2.0 * 300 * 24 * 3600));
}

TEST(Failures, NoIntervalIsBetterThanTheBest) {
  for (std::uint64_t number = 0; number < 60; ++number) {
    CheckpointedJob job = RandomJob(number).job;
    const auto goodput = [&](double interval) {
      job.interval = interval;
      return time_shares(job).training;
    };
    const double best = best_interval(job.write, job.mtbf);
    EXPECT_GT(goodput(best), goodput(best * 1.01));
    EXPECT_GT(goodput(best), goodput(best / 1.01));
    const double at_best = goodput(best) + 1e-12;  // rounding
    EXPECT_GE(at_best, goodput(daly_interval(job.write, job.mtbf)));
    EXPECT_GE(at_best, goodput(young_interval(job.write, job.mtbf)));
    // Daly's is an approximation of it for short checkpoints.
    if (job.write < job.mtbf / 2) {
      EXPECT_NEAR(daly_interval(job.write, job.mtbf) / best, 1, 0.01);
    }
  }
  EXPECT_EQ(best_interval(0, 1000), 0);
  EXPECT_EQ(best_interval(10, kForever), kForever);
}

// The optimum is flat: 20 % next to it cost less than 0.1 % of goodput here.
TEST(Failures, SimulatedOptimum) {
  const CheckpointedJob job{.mtbf = 11136, .write = 60, .restart = 600};
  EXPECT_NEAR(simulated_best_interval(job, 100'000, 1) / best_interval(job.write, job.mtbf), 1,
              0.2);
}

TEST(Failures, NothingFailsWithoutFailures) {
  const TimeShares shares = time_shares({kForever, 10, 600, 90});
  EXPECT_DOUBLE_EQ(shares.training, 0.9);
  EXPECT_DOUBLE_EQ(shares.writing, 0.1);
  EXPECT_EQ(time_shares({kForever, 10, 600, kForever}).training, 1);
  EXPECT_NEAR(time_shares({1000, 0, 0, 0}).training, 1, 1e-12);  // checkpoints are free
}

// Erlang B: 10 erlangs on 10 servers lose 21.46 % (tables of the formula).
TEST(Failures, ErlangLoss) {
  EXPECT_NEAR(erlang_loss(10, 10), 0.2146, 5e-5);
  EXPECT_EQ(erlang_loss(0, 3), 1);
  EXPECT_NEAR(erlang_loss(1, 0.5), 0.5 / 1.5, 1e-15);
}

TEST(Failures, PublishedRates) {
  const PublishedFailures& llama = published_failures().front();
  EXPECT_EQ(llama.name, "llama-3-405b");
  EXPECT_EQ(llama.device_failures + llama.node_failures, 419);
  const double rate = 16384 / llama.device_mtbf() + 2048 / llama.node_mtbf();
  EXPECT_NEAR(1 / rate, 54 * 86400.0 / 419, 1e-6);
  // Kokolis et al. project 1.8 h for 16,384 devices of RSC-1, and 0.23 h for 131,072.
  const PublishedFailures* rsc = find_published_failures("rsc-1");
  EXPECT_NEAR(rsc->node_mtbf() / (16384 / 8) / 3600, 1.8, 0.01);
  EXPECT_NEAR(rsc->node_mtbf() / (131072 / 8) / 3600, 0.23, 0.01);
  EXPECT_EQ(rsc->device_mtbf(), kForever);
  EXPECT_EQ(find_published_failures("no such"), nullptr);
  for (const PublishedFailures& one : published_failures()) EXPECT_FALSE(one.source.empty());
}

// Llama 3 405B: 419 unexpected interruptions in 54 days on 16,384 H100, more than 90 % effective
// training time (arXiv:2407.21783, section 3.3.4). Inputs are its rates and its storage (2 TB/s
// sustained, section 3.3.1); 14 bytes of weights and optimizer state for each of 405e9 parameters;
// and MegaScale's time to detect and diagnose a failure, less than 10 minutes (Jiang et al., NSDI
// 2024, section 6.3), because the paper of Llama 3 states no restart time.
TEST(Failures, Llama3EffectiveTrainingTime) {
  CheckpointedJob job{.mtbf = 54 * 86400.0 / 419, .write = 14 * 405e9 / 2e12, .restart = 600};
  job.interval = best_interval(job.write, job.mtbf);
  const double closed = time_shares(job).training;
  const SimulatedJob run = simulate_failures(job, {}, {2'000'000, kForever}, 1);
  EXPECT_GT(closed, 0.90);
  EXPECT_LT(closed, 0.95);
  EXPECT_NEAR(run.shares.training / closed, 1, 0.01);
  // 54 days have as many failures as published: the square root of 419 is 20.
  double failures = 0;
  for (std::uint64_t one = 0; one < 50; ++one)
    failures += static_cast<double>(
                    simulate_failures(job, {}, {100'000, closed * 54 * 86400.0}, 2, one).failures) /
                50;
  EXPECT_NEAR(failures, 419, 20);
}

}  // namespace
}  // namespace orrery::model
