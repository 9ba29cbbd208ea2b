// SPDX-License-Identifier: Apache-2.0
//
// Played programs against simulated ones.
#include "orrery/estimate/program/op_schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "orrery/core/sanitized_testing.h"
#include "orrery/estimate/program/estimate_program.h"
#include "orrery/estimate/program/program_simulation.h"

namespace orrery::estimate {
namespace {

std::shared_ptr<const study::Cluster> cluster_of(const std::string& text) {
  study::Question question;
  question.cluster = "drawn";
  question.cluster_text = text;
  Findings findings;
  auto cluster = study::read_cluster(question, findings);
  EXPECT_TRUE(cluster) << to_string(cluster.error());
  return std::make_shared<const study::Cluster>(*std::move(cluster));
}

const std::string kA100s = R"(
device: a100-80gb
network:
  - {block: switch, size: 8, link: nvlink3}
  - {block: switch, size: 4, link: ib-hdr}
)";
/// Without a library: collectives as steps of messages, in chunks; nothing slows kernels.
const std::string kPlain = R"(
device: {peak: 100 TFLOP/s, memory_bandwidth: 1 TB/s}
collectives: {library: ideal, chunks: 4}
network:
  - {block: ring, size: 4, bandwidth: 100 GB/s, latency: 500 ns}
  - {block: fully_connected, size: 2, bandwidth: 50 GB/s, latency: 700 ns}
  - {block: switch, size: 4, bandwidth: 25 GB/s, latency: 2 us}
)";

workload::Program program_of(const std::string& spec) {
  const auto read = workload::parse_spec(spec, "spec");
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error())) << "\n" << spec;
  Findings findings;
  auto program = workload::assemble(*read, findings);
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error())) << "\n" << spec;
  return *std::move(program);
}

/// By how much the estimate is longer, as a share.
double off(const workload::Program& program, OpCosts& costs, const study::Cluster& cluster) {
  const auto times = costs.costs_of(program);
  EXPECT_TRUE(times) << to_string(times.error());
  const auto scheduled = schedule_ops(program, *times);
  EXPECT_TRUE(scheduled) << to_string(scheduled.error());
  if (!scheduled) return 0;
  const auto result = simulate_program(program, cluster);
  EXPECT_TRUE(result) << to_string(result.error());
  return static_cast<double>(scheduled->count()) / static_cast<double>(result->end.count()) - 1;
}

/// A small model in a plan of 32 devices.
std::string spec_of(int tp, int pp, const std::string& more_parallel, const std::string& schedule,
                    const std::string& rest, int microbatches = 8) {
  const int dp = 32 / (tp * pp);
  return fmt::format(
      "{{version: 1, model: {{layers: 16, hidden: 1024, heads: 16, vocab: "
      "32000}}, "
      "parallel: {{tp: {}, pp: {}, dp: {}{}}}, schedule: {{{}}}, batch: {{global: {}, micro: 1, "
      "seq: 1024}}, {}}}",
      tp, pp, dp, more_parallel, schedule, dp * microbatches, rest);
}

/// Differences of random plans of 32 devices: schedules x sharding x recomputation x sequences x
/// frameworks.
std::vector<double> differences(const std::string& machine, int cases,
                                const std::string& sends = "") {
  const auto cluster = cluster_of(machine);
  OpCosts costs(cluster);
  std::mt19937_64 random(5);
  const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
  std::vector<double> found;
  for (int i = 0; i < cases; ++i) {
    const int tp = one_of(std::vector{1, 2, 4, 8}), pp = one_of(std::vector{1, 2, 4});
    const auto sharding = one_of(std::vector<std::string>{"none", "zero1", "zero2", "zero3"});
    const std::string sp = tp > 1 && random() % 2 == 0 ? ", sp: true" : "";
    const auto staged =
        one_of(std::vector<std::string>{"kind: 1f1b", "kind: gpipe", "kind: zb_h1",
                                        "kind: interleaved, chunks: 2", "kind: zb_v, chunks: 2"});
    const auto recompute = one_of(std::vector<std::string>{"none", "selective", "full"});
    // Hosts of frameworks launch kernels, and small ones wait for them.
    const auto framework = one_of(std::vector<std::string>{"", ", kernels: {framework: pytorch}",
                                                           ", kernels: {framework: megatron}"});
    const std::string spec =
        spec_of(tp, pp, ", sharding: " + (32 / (tp * pp) > 1 ? sharding : "none") + sp,
                (pp == 1 ? "kind: 1f1b" : staged) + sends,
                "recompute: {kind: " + recompute + "}" + framework);
    found.push_back(off(program_of(spec), costs, *cluster));
  }
  return found;
}

// Hosts that wait for pipelines to fill get no further ahead than streams hold launches: this step
// would take 7 % less.
TEST(Play, HasHostsWhoseStreamsAreFull) {
  const auto cluster = cluster_of(kA100s);
  OpCosts costs(cluster);
  for (const char* framework : {"pytorch", "megatron"}) {
    const workload::Program program = program_of(
        fmt::format("{{version: 1, model: {{layers: 96, hidden: 1024, heads: 16, vocab: 32000}}, "
                    "parallel: {{tp: 8, pp: 4}}, batch: {{global: 4, micro: 1, seq: 256}}, "
                    "kernels: {{framework: {}}}}}",
                    framework));
    EXPECT_LT(std::abs(off(program, costs, *cluster)), 1e-6) << framework;
  }
}

// A library runs collectives: they, and concurrent kernels, are as in a simulation.
TEST(Play, IsWhatASimulationSays) {
  const std::string whole = ", scatter_sends: false";
  for (const double is : differences(kA100s, rounds(80, 8), whole)) EXPECT_LT(std::abs(is), 1e-6);
}

// Where shares of messages are gathered, a gather may wait for its message while a reduction that
// comes later in the program goes first: few plans, a little off.
TEST(Play, IsNearWhereWhatComesIsGathered) {
  const std::vector<double> all = differences(kA100s, rounds(80, 8), ", scatter_sends: true");
  const auto off =
      std::count_if(all.begin(), all.end(), [](double is) { return std::abs(is) > 1e-6; });
  EXPECT_LE(off * 10, static_cast<std::ptrdiff_t>(all.size()));
  for (const double is : all) EXPECT_LT(std::abs(is), 0.03);
}

// Collectives in chunks over several dimensions, where those of two groups share some of them,
// chunk by chunk; what was played before is not played again.
TEST(Play, IsNearWhereChunksShareDimensions) {
  double sum = 0;
  const int cases = rounds(60, 8);
  for (const double is : differences(kPlain, cases)) {
    EXPECT_LT(std::abs(is), 0.2);
    sum += std::abs(is);
  }
  EXPECT_LT(sum / cases, 0.012);
}

/// As `off`, with what a few layers and microbatches say.
double off_in_small(const workload::Program& program, OpCosts& costs) {
  const auto predicted = estimate_program(program, costs);
  EXPECT_TRUE(predicted) << to_string(predicted.error());
  const auto result = simulate_program(program, costs.cluster());
  EXPECT_TRUE(result) << to_string(result.error());
  return static_cast<double>(predicted->count()) / static_cast<double>(result->end.count()) - 1;
}

// On a fabric, where weights are gathered concurrently with tensor parallelism's sums on the same
// links, and messages of all ranks of a stage: the error is up to 16 % when played.
TEST(Play, IsHeldAgainstAFewLayersWhereLinksAreShared) {
  const auto torus = cluster_of(
      "device: h100-sxm\nfabric:\n  hosts: [{count: 64, devices: 1}]\n  network: {kind: torus, "
      "sizes: [4, 4, 4], port: {bandwidth: 50 GB/s, latency: 500 ns}}\n");
  OpCosts costs(torus);
  double worst_played = 0;
  for (const char* plan :
       {"model: llama-3-70b, parallel: {tp: 8, dp: 8, sharding: zero3}, batch: {global: 128, "
        "micro: "
        "2, seq: 2048}, recompute: {kind: selective}",
        "model: llama-3-70b, parallel: {tp: 8, pp: 4, dp: 2}, batch: {global: 64, micro: 4, seq: "
        "2048}",
        "model: llama-3-8b, parallel: {tp: 2, pp: 4, dp: 8, sharding: zero2, sp: true}, schedule: "
        "{kind: interleaved, chunks: 4}, batch: {global: 128, micro: 2, seq: 2048}"}) {
    const auto program = program_of(fmt::format("{{version: 1, {}}}", plan));
    EXPECT_LT(std::abs(off_in_small(program, costs)), 0.03) << plan;
    worst_played = std::max(worst_played, std::abs(off(program, costs, *torus)));
  }
  EXPECT_GT(worst_played, 0.1);  // else there is nothing to hold
  // Where a library runs collectives it is as played.
  const auto others = cluster_of(kA100s);
  OpCosts asked(others);
  const auto program = program_of(spec_of(4, 2, ", sharding: zero3", "kind: 1f1b", "name: x"));
  EXPECT_EQ(estimate_program(program, asked)->count(),
            schedule_ops(program, *asked.costs_of(program))->count());
}

TEST(Play, IsExactWhereCollectivesDoNotMeet) {
  const auto cluster = cluster_of(kA100s);
  OpCosts costs(cluster);
  for (const char* schedule : {"kind: 1f1b", "kind: gpipe", "kind: zb_h1",
                               "kind: interleaved, chunks: 2", "kind: dual_pipe, chunks: 2"}) {
    const auto program = program_of(spec_of(8, 2, ", sharding: zero1", schedule, "name: x", 8));
    EXPECT_NEAR(off(program, costs, *cluster), 0, 1e-9) << schedule;
  }
  const auto again = program_of(spec_of(8, 2, ", sharding: zero1", "kind: 1f1b", "name: x", 16));
  const std::size_t known = costs.simulated_ops();
  EXPECT_NEAR(off(again, costs, *cluster), 0, 1e-9);
  EXPECT_EQ(costs.simulated_ops(), known);  // more microbatches, the same ops
}

// What was asked before says nothing: searches on several threads ask in any order.
TEST(Play, IsTheSameWhateverWasAskedBefore) {
  for (const std::string& text : {std::string(kA100s), kPlain}) {
    const auto cluster = cluster_of(text);
    std::vector<workload::Program> programs;
    for (const char* sharding : {", sharding: zero1", ", sharding: zero3"})
      for (const char* micro : {"micro: 1", "micro: 2", "micro: 4"}) {
        std::string spec = spec_of(4, 2, sharding, "kind: 1f1b", "name: x");
        programs.push_back(program_of(spec.replace(spec.find("micro: 1"), 8, micro)));
      }
    const auto times = [&](bool backwards) {
      OpCosts costs(cluster);
      std::vector<std::int64_t> steps(programs.size());
      for (std::size_t i = 0; i < programs.size(); ++i) {
        const std::size_t at = backwards ? programs.size() - 1 - i : i;
        const auto asked = costs.costs_of(programs[at]);
        steps[at] = schedule_ops(programs[at], *asked)->count();
      }
      return steps;
    };
    EXPECT_EQ(times(false), times(true));
  }
}

// Equal stages, messages that take nothing to speak of: (m + p - 1) rounds of forward and backward
// (Narayanan et al., SC21).
TEST(Play, HasTheBubbleOfThePapers) {
  const auto cluster = cluster_of(
      "device: {peak: 100 TFLOP/s, memory_bandwidth: 1000 TB/s}\ncollectives: {library: ideal}\n"
      "network: [{block: switch, size: 4, bandwidth: 1e9 GB/s, latency: 0 ns}]\n");
  OpCosts costs(cluster);
  const auto steps = [&](int microbatches) {
    const auto program = program_of(fmt::format(
        "{{version: 1, model: {{layers: 16, hidden: 1024, heads: 16, vocab: "
        "128}}, "
        "parallel: {{tp: 1, pp: 4, dp: 1}}, batch: {{global: {}, micro: 1, seq: 1024}}, "
        "optimizer: {{kind: sgd, gradient_norm: false}}}}",
        microbatches));
    const auto scheduled = schedule_ops(program, *costs.costs_of(program));
    return static_cast<double>(scheduled->count());
  };
  const double round = (steps(24) - steps(16)) / 8;
  EXPECT_NEAR(steps(16) / round, 16 + 4 - 1, 0.05);  // and the embedding, the head, the update
}

// Ranks with different neighbors, and with more or less to do, each by itself; without a library
// held against a few layers.
// Hosts launch each expert, and wait for the number of its tokens: short kernels wait for them.
TEST(Play, HasHostsThatWaitForTheirDevices) {
  const auto cluster = cluster_of(kA100s);
  OpCosts costs(cluster);
  std::vector<std::int64_t> ends;
  for (const char* kernels :
       {"", ", expert_syncs: false", ", expert_launches: false, expert_syncs: false"}) {
    for (const char* schedule : {"kind: 1f1b", "kind: interleaved, chunks: 2"}) {
      const workload::Program program = program_of(fmt::format(
          "{{version: 1, model: {{layers: 16, hidden: 1024, heads: 16, vocab: 32000, mlp: swiglu, "
          "moe: {{experts: 32, top_k: 2, ffn: 256, clamp: true}}}}, parallel: {{pp: 2, dp: 16, "
          "ep: 4}}, schedule: {{{}}}, batch: {{global: 64, micro: 1, seq: 512}}, kernels: "
          "{{framework: megatron{}}}}}",
          schedule, kernels));
      EXPECT_LT(std::abs(off(program, costs, *cluster)), 1e-6) << kernels << schedule;
      const auto times = costs.costs_of(program);
      ASSERT_TRUE(times);
      ends.push_back(schedule_ops(program, *times)->count());
    }
  }
  EXPECT_GT(ends[0], ends[2]) << "waits of the host";
  EXPECT_GT(ends[2], ends[4]) << "launches of each expert";
}

TEST(Play, PlaysRingsAndUnequalExperts) {
  const std::string gqa = "{layers: 8, hidden: 1024, heads: 16, kv_heads: 4, vocab: 32000}";
  const std::string experts =
      "{layers: 8, hidden: 1024, heads: 16, vocab: 32000, moe: {experts: 8, top_k: 2, imbalance: "
      "1.5}}";
  for (const std::string& machine : {kA100s, kPlain}) {
    const auto cluster = cluster_of(machine);
    OpCosts costs(cluster);
    std::mt19937_64 random(7);
    const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
    double sum = 0;
    const int cases = rounds(120, 12);
    int tried = 0;
    for (int i = 0; i < cases; ++i) {
      const bool moe = random() % 3 == 0;
      const int tp = one_of(std::vector{1, 2, 4}), pp = one_of(std::vector{1, 2});
      const int cp = one_of(std::vector{1, 2, 4}), dp = 32 / (tp * pp * cp);
      const std::string spec = fmt::format(
          "{{version: 1, model: {}, parallel: {{tp: {}, pp: {}, cp: {}, cp_method: {}, dp: {}, "
          "ep: {}, sharding: {}, sp: {}}}, schedule: {{kind: {}}}, batch: {{global: {}, micro: 1, "
          "seq: 4096}}, recompute: {{kind: {}}}, kernels: {{framework: {}}}}}",
          moe ? experts : gqa, tp, pp, cp,
          one_of(std::vector<std::string>{"ring", "all_gather", "ulysses"}), dp,
          moe ? one_of(std::vector{2, 4}) : 1,
          one_of(std::vector<std::string>{"none", "zero1", "zero2", "zero3"}), tp > 1,
          one_of(std::vector<std::string>{"1f1b", "gpipe", "zb_h1"}), 4 * dp,
          one_of(std::vector<std::string>{"none", "full"}),
          one_of(std::vector<std::string>{"pytorch", "megatron"}));
      const auto read = workload::parse_spec(spec, "spec");
      ASSERT_TRUE(read) << to_string(read.error());
      if (!workload::check_spec(*read)) continue;
      const bool exact = machine == kA100s;
      const double is =
          exact ? off(program_of(spec), costs, *cluster) : off_in_small(program_of(spec), costs);
      EXPECT_LT(std::abs(is), exact ? 1e-6 : 0.1) << spec;
      sum += std::abs(is);
      ++tried;
    }
    EXPECT_GT(tried, cases / 4);
    EXPECT_LT(sum / tried, 0.01);
  }
}

TEST(Play, RefusesWhatItDoesNotKnow) {
  const auto tables = program_of(
      "{version: 1, model: dlrm-kaggle, parallel: {dp: 4}, batch: {global: 64, micro: 16}}");
  const auto refused = check_estimable(tables);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::config_conflict);
}

}  // namespace
}  // namespace orrery::estimate
