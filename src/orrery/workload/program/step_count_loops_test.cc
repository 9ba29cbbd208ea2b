// SPDX-License-Identifier: Apache-2.0
//
// Loops are counted, not walked: tasks, counts and memory against the same one by one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <tuple>

#include "orrery/workload/assembly/assemble.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::workload {
namespace {

constexpr ScheduleKind kKinds[] = {ScheduleKind::gpipe,       ScheduleKind::one_f_one_b,
                                   ScheduleKind::interleaved, ScheduleKind::zb_h1,
                                   ScheduleKind::zb_v,        ScheduleKind::dual_pipe};

/// The order with every pass by itself.
PipelineOrder one_by_one(PipelineOrder order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) order.loops[s] = {{order.slots(s), 1, 0}};
  return order;
}

void expect_same(const FlopCount& a, const FlopCount& b) {
  EXPECT_TRUE(a.forward == b.forward && a.backward == b.backward && a.recompute == b.recompute &&
              a.vector == b.vector && a.optimizer == b.optimizer);
}

void expect_same(const std::vector<TrafficCount>& a, const std::vector<TrafficCount>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::tuple(a[i].axis, a[i].type, a[i].group_size),
              std::tuple(b[i].axis, b[i].type, b[i].group_size));
    EXPECT_TRUE(a[i].operations == b[i].operations && a[i].payload == b[i].payload &&
                a[i].wire == b[i].wire);
  }
}

void expect_same_count(const Program& counted, const Program& walked) {
  const Result<StepCount> a = count(counted), b = count(walked);
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(a->nodes == b->nodes && a->bytes == b->bytes);
  expect_same(a->flops, b->flops);
  expect_same(a->traffic, b->traffic);
  ASSERT_EQ(a->roles.size(), b->roles.size());
  for (std::size_t i = 0; i < a->roles.size(); ++i) {
    EXPECT_EQ(a->roles[i].nodes, b->roles[i].nodes);
    EXPECT_TRUE(a->roles[i].bytes == b->roles[i].bytes);
    expect_same(a->roles[i].flops, b->roles[i].flops);
    expect_same(a->roles[i].traffic, b->roles[i].traffic);
  }
}

auto numbers(const RoleMemory& memory) {
  return std::tuple(memory.peak, memory.peak_task, memory.peak_at.kind, memory.peak_at.chunk,
                    memory.peak_at.recipe, memory.peak_at.microbatch, memory.weights,
                    memory.gradients, memory.optimizer, memory.activations, memory.working,
                    memory.communication, memory.fragmentation);
}

auto numbers(const MemorySample& sample) {
  return std::tuple(sample.task, sample.kind, sample.microbatch, sample.chunk, sample.bytes,
                    sample.activations, sample.working, sample.communication);
}

/// Looked at where peaks may be, with what is alive at the peak of each role.
Result<MemoryReport> peak_tasks(const Program& program) {
  Result<MemoryReport> report = account_memory(program, {.details = false});
  Program one = program;
  for (std::size_t i = 0; report && i < program.roles.size(); ++i) {
    one.roles = {program.roles[i]};
    const Result<MemoryReport> alone = account_memory(one, {.details = false});
    if (!alone) return alone;
    EXPECT_EQ(alone->roles[0].peak, report->roles[i].peak);
    report->roles[i].at_peak = alone->roles[0].at_peak;
  }
  return report;
}

/// `counted` is looked at where its peak may be, `walked` task by task.
void expect_same_memory(const Program& counted, const Program& walked) {
  const Result<MemoryReport> a = peak_tasks(counted), all = account_memory(counted),
                             b = account_memory(walked);
  ASSERT_TRUE(a && all && b);
  EXPECT_EQ(a->worst, b->worst);
  for (std::size_t i = 0; i < b->roles.size(); ++i) {
    const RoleMemory &role = a->roles[i], &other = b->roles[i], &every = all->roles[i];
    EXPECT_EQ(numbers(role), numbers(other));
    ASSERT_EQ(role.at_peak.size(), other.at_peak.size());
    for (std::size_t k = 0; k < role.at_peak.size(); ++k) {
      const MemoryItem &item = role.at_peak[k], &same = other.at_peak[k];
      EXPECT_EQ(std::tuple(item.kind, item.name, item.bytes),
                std::tuple(same.kind, same.name, same.bytes));
    }
    // The walk itself keeps its place: it sees what the list of all tasks says.
    ASSERT_EQ(every.samples.size(), other.samples.size());
    for (std::size_t k = 0; k < every.samples.size(); ++k)
      ASSERT_EQ(numbers(every.samples[k]), numbers(other.samples[k]));
    if (other.samples.empty()) continue;
    const MemorySample& peak = other.samples[role.peak_task];
    EXPECT_EQ(peak.bytes, role.peak);
    EXPECT_TRUE(std::all_of(other.samples.begin(), other.samples.begin() + role.peak_task,
                            [&](const MemorySample& each) { return each.bytes < role.peak; }))
        << "the first of the largest";
  }
}

void expect_same_program(const Program& counted, const Program& walked) {
  ASSERT_EQ(counted.bodies.size(), walked.bodies.size());
  ASSERT_EQ(counted.roles.size(), walked.roles.size());
  for (std::size_t i = 0; i < counted.roles.size(); ++i) {
    const Role &role = counted.roles[i], &other = walked.roles[i];
    EXPECT_EQ(expand_task_loops(role.tasks), expand_task_loops(other.tasks));
    ASSERT_EQ(role.recipes.size(), other.recipes.size());
    for (std::size_t r = 0; r < role.recipes.size(); ++r) {
      EXPECT_TRUE(std::equal(role.recipes[r].begin(), role.recipes[r].end(),
                             other.recipes[r].begin(), other.recipes[r].end(),
                             [](const Segment& a, const Segment& b) {
                               return a.body == b.body && a.count == b.count && a.layer == b.layer;
                             }));
    }
  }
}

using Random = std::mt19937;

template <class T>
T any_of(Random& random, std::initializer_list<T> choices) {
  return choices.begin()[random() % choices.size()];
}

/// A job of any plan, for `order`'s stages, chunks and microbatches.
Spec random_spec(Random& random, std::int64_t pp, std::int64_t chunks, std::int64_t microbatches) {
  Spec spec;
  spec.model.layers = pp * chunks * any_of<std::int64_t>(random, {1, 2, 3});
  spec.model.hidden = 64;
  spec.model.heads = 4;
  spec.model.vocab = 1000;
  spec.model.tied_embeddings = random() % 2 == 0;
  spec.model.dropout = random() % 2 == 0;
  spec.parallel.pp = pp;
  spec.parallel.tp = any_of<std::int64_t>(random, {1, 2});
  spec.parallel.sp = spec.parallel.tp > 1 && random() % 2 == 0;
  spec.parallel.cp = any_of<std::int64_t>(random, {1, 1, 1, 4});
  spec.parallel.dp = any_of<std::int64_t>(random, {1, 2, 4});
  spec.parallel.sharding =
      any_of(random, {Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3});
  spec.parallel.keep_gathered = spec.parallel.sharding == Sharding::zero3 && random() % 2 == 0;
  spec.parallel.prefetch = any_of<std::int64_t>(random, {0, 1, 2});
  spec.parallel.overlap_gradients = random() % 2 == 0;
  spec.schedule.overlap = random() % 4 != 0;
  spec.schedule.chunks = chunks;
  spec.kernels.flash_attention = random() % 2 == 0;
  spec.recompute.kind =
      any_of(random, {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full});
  spec.batch.seq = 128;
  spec.batch.global = microbatches * spec.parallel.dp;
  return spec;
}

/// Whether the program of `order` is the same counted and one by one; false when there is none.
bool same_both_ways(const Spec& spec, const PipelineOrder& order) {
  const Result<Program> counted = assemble_with(spec, order, lower);
  const Result<Program> walked = assemble_with(spec, one_by_one(order), lower);
  EXPECT_EQ(counted.has_value(), walked.has_value());
  if (!counted || !walked) return false;
  expect_same_program(*counted, *walked);
  expect_same_count(*counted, *walked);
  expect_same_memory(*counted, *walked);
  return true;
}

TEST(CountedLoops, AnyPlanCountsAndHoldsTheSameAsOneByOne) {
  Random random(20);
  for (const ScheduleKind kind : kKinds) {
    const bool two = kind == ScheduleKind::zb_v || kind == ScheduleKind::dual_pipe;
    std::size_t tried = 0;
    for (int round = 0; round < 150; ++round) {
      const auto pp = any_of(random, {1u, 2u, 4u, 6u});
      const std::uint32_t chunks = two                                 ? 2
                                   : kind == ScheduleKind::interleaved ? 2 + random() % 2
                                                                       : 1;
      auto microbatches = static_cast<std::uint32_t>(1 + random() % 40);
      if (kind == ScheduleKind::interleaved) microbatches *= pp;
      if (kind == ScheduleKind::dual_pipe) microbatches = 2 * (pp + microbatches);
      const Result<PipelineOrder> order = pipeline_order(kind, pp, microbatches, chunks);
      if (!order) continue;
      Spec spec = random_spec(random, pp, chunks, microbatches);
      spec.schedule.kind = kind;
      if (!check_spec(spec)) continue;
      SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << ", round " << round);
      tried += same_both_ways(spec, *order) ? 1 : 0;
      ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(tried, 30u) << static_cast<int>(kind);
  }
}

/// One stage's passes at random: motifs, repeated, of what can run. `halves`: the backward pass in
/// two. A microbatch goes through chunk 0, then 1, and back.
std::string random_passes(Random& random, std::uint32_t microbatches, std::uint32_t chunks,
                          bool halves) {
  std::array<std::array<std::uint32_t, 3>, 2> next{};  // by chunk: forward, input, weight
  const auto can = [&](std::uint32_t pass, std::uint32_t c) {
    const std::uint32_t b = next[c][pass];
    if (b == microbatches) return false;
    if (pass == 0) return c == 0 || b < next[c - 1][0];
    if (pass == 2) return b < next[c][1];
    return b < (c + 1 < chunks ? next[c + 1][1] : next[c][0]);
  };
  std::string text;
  const auto run = [&](std::uint32_t pass, std::uint32_t c) {
    const char letter = pass == 0 ? 'F' : pass == 2 ? 'W' : halves ? 'I' : 'B';
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", letter, next[c][pass]++);
    if (c > 0) text += fmt::format(".{}", c);
    if (pass == 1 && !halves) ++next[c][2];
  };
  const auto done = [&] {
    return std::all_of(next.begin(), next.begin() + chunks,
                       [&](const auto& of) { return of[2] == microbatches; });
  };
  while (!done()) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> motif(1 + random() % 4);
    for (auto& [pass, chunk] : motif) {
      pass = static_cast<std::uint32_t>(random() % (halves ? 3 : 2));
      chunk = static_cast<std::uint32_t>(random() % chunks);
    }
    for (auto rounds = 1 + random() % 12; rounds > 0; --rounds) {
      for (const auto& [pass, chunk] : motif) {
        if (can(pass, chunk)) run(pass, chunk);
      }
    }
  }
  return text;
}

TEST(CountedLoops, AnyOrderCountsAndHoldsTheSameAsOneByOne) {
  Random random(21);
  for (int round = 0; round < 400; ++round) {
    const auto chunks = static_cast<std::uint32_t>(1 + random() % 2);
    const auto microbatches = static_cast<std::uint32_t>(1 + random() % 60);
    const std::string text =
        fmt::format("chunks: {}\nstages: [[{}]]", chunks,
                    random_passes(random, microbatches, chunks, random() % 2 == 0));
    const Result<PipelineOrder> order = parse_order(text, "o.yaml", 1, microbatches);
    ASSERT_TRUE(order) << to_string(order.error()) << "\n" << text;
    Spec spec = random_spec(random, 1, chunks, microbatches);
    spec.schedule.kind = ScheduleKind::file;
    SCOPED_TRACE(text);
    EXPECT_TRUE(same_both_ways(spec, *order));
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace orrery::workload
