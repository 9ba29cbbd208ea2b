// SPDX-License-Identifier: Apache-2.0
//
// What holds for the memory of every program.
#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/memory/memory_testing.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {
namespace {

MemoryReport report_of(const Spec& spec, double fragmentation = 0.05) {
  Findings findings;
  const auto program = assemble(spec, findings);
  EXPECT_TRUE(program.has_value()) << (program ? "" : to_string(program.error()));
  if (!program) return {};
  auto report = account_memory(*program, {.fragmentation = fragmentation});
  EXPECT_TRUE(report.has_value()) << (report ? "" : to_string(report.error()));
  return report ? std::move(*report) : MemoryReport{};
}

void expect_sums(const RoleMemory& memory) {
  EXPECT_EQ(sum_of(memory.at_peak), memory.peak);
  EXPECT_EQ(memory.weights + memory.gradients + memory.optimizer + memory.activations +
                memory.working + memory.communication,
            memory.peak);
  const std::int64_t sums[] = {memory.weights,     memory.gradients, memory.optimizer,
                               memory.activations, memory.working,   memory.communication};
  for (std::size_t kind = 0; kind < std::size(sums); ++kind)
    EXPECT_EQ(sum_of(memory.at_peak, static_cast<MemoryKind>(kind)), sums[kind]);
  std::int64_t most = memory.weights + memory.gradients + memory.optimizer;
  for (const MemorySample& sample : memory.samples) {
    most = std::max(most, sample.bytes);
    EXPECT_EQ(sample.bytes, memory.weights + memory.gradients + memory.optimizer +
                                sample.activations + sample.working + sample.communication);
    EXPECT_GE(std::min({sample.activations, sample.working, sample.communication}), 0);
  }
  EXPECT_EQ(most, memory.peak);
  EXPECT_TRUE(
      std::is_sorted(memory.at_peak.begin(), memory.at_peak.end(),
                     [](const MemoryItem& a, const MemoryItem& b) { return a.bytes > b.bytes; }));
  // Nothing of a microbatch is left at the end.
  if (!memory.samples.empty() && memory.samples.back().kind == TaskKind::step) {
    EXPECT_EQ(memory.samples.back().activations, 0);
  }
}

Spec staged(ScheduleKind kind) {
  Spec spec;
  spec.model.layers = 16;
  spec.model.hidden = 512;
  spec.model.heads = 8;
  spec.parallel.tp = 2;
  spec.parallel.sp = true;
  spec.parallel.pp = 4;
  spec.parallel.dp = 4;
  spec.batch.seq = 512;
  spec.batch.global = 4 * 16;
  spec.schedule.kind = kind;
  const bool two = kind == ScheduleKind::interleaved || kind == ScheduleKind::zb_v ||
                   kind == ScheduleKind::dual_pipe;
  spec.schedule.chunks = two ? 2 : 1;
  return spec;
}

// Of what lies in remote memory two pieces are here, or all that there is.
TEST(MemoryOfPrograms, HasRoomForPieces) {
  Spec spec = staged(ScheduleKind::one_f_one_b);
  const MemoryReport plain = report_of(spec);
  spec.offload.optimizer = true;
  for (const std::int64_t piece : {1'000, 1'000'000'000}) {
    spec.offload.piece = Bytes(piece);
    const MemoryReport report = report_of(spec);
    for (std::size_t role = 0; role < report.roles.size(); ++role) {
      const RoleMemory& memory = report.roles[role];
      expect_sums(memory);
      EXPECT_EQ(memory.optimizer, std::min(2 * piece, plain.roles[role].optimizer));
      EXPECT_EQ(memory.weights, plain.roles[role].weights);
    }
  }
}

/// Of a layer.
std::int64_t most_away(const Spec& spec) {
  Findings findings;
  const auto program = assemble(spec, findings);
  std::int64_t most = 0;
  if (program)
    for (const Part& part : program->parts) most = std::max(most, part.offloaded);
  EXPECT_GT(most, 0);
  return most;
}

// Of layers whose activations lie elsewhere the one at work is here, and the one that moves.
TEST(MemoryOfPrograms, ActivationsElsewhereAreNotHere) {
  for (const ScheduleKind kind :
       {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved,
        ScheduleKind::zb_h1, ScheduleKind::zb_v, ScheduleKind::dual_pipe}) {
    for (const RecomputeKind recompute :
         {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full}) {
      Spec spec = staged(kind);
      spec.recompute.kind = recompute;
      const MemoryReport plain = report_of(spec);
      spec.offload.activations = 2;
      const MemoryReport two = report_of(spec);
      spec.offload.activations = 1'000;
      const MemoryReport all = report_of(spec);
      for (std::size_t role = 0; role < all.roles.size(); ++role) {
        expect_sums(two.roles[role]);
        expect_sums(all.roles[role]);
        EXPECT_EQ(all.roles[role].weights, plain.roles[role].weights);
        EXPECT_LE(all.roles[role].activations, two.roles[role].activations);
        // What waits for weight halves stays here, and may be the most; one layer moves, too.
        const bool splits = kind == ScheduleKind::zb_h1 || kind == ScheduleKind::zb_v ||
                            kind == ScheduleKind::dual_pipe;
        const std::int64_t moves = splits ? most_away(spec) + 1 : 0;
        EXPECT_LT(two.roles[role].activations, plain.roles[role].activations + moves);
      }
    }
  }
  // By hand: eight layers on one stage, four microbatches before the first goes back.
  Spec spec = staged(ScheduleKind::gpipe);
  spec.parallel.pp = 1;
  spec.model.layers = 8;
  spec.batch.global = 4 * 4;
  Findings findings;
  const auto program = assemble(spec, findings);
  ASSERT_TRUE(program);
  std::int64_t layer = 0, others = 0;
  for (const Part& part : program->parts)
    for (const RetainedTensor& item : part.retained) (part.is_layer ? layer : others) += item.bytes;
  EXPECT_EQ(report_of(spec).roles[0].activations, 4 * (8 * layer + others));
  spec.offload.activations = 8;
  for (const std::int64_t window : {1, 2, 4}) {
    spec.offload.window = window;
    EXPECT_EQ(report_of(spec).roles[0].activations, 4 * others + window * layer);
  }
}

TEST(MemoryOfPrograms, ItemsAddUpExactly) {
  for (const ScheduleKind kind :
       {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved,
        ScheduleKind::zb_h1, ScheduleKind::zb_v, ScheduleKind::dual_pipe}) {
    for (const Sharding sharding :
         {Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3}) {
      for (const RecomputeKind recompute :
           {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full}) {
        Spec spec = staged(kind);
        spec.parallel.sharding = sharding;
        spec.recompute.kind = recompute;
        SCOPED_TRACE(testing::Message() << static_cast<int>(kind) << static_cast<int>(sharding)
                                        << static_cast<int>(recompute));
        const MemoryReport report = report_of(spec);
        for (const RoleMemory& memory : report.roles) expect_sums(memory);
      }
    }
  }
}

TEST(MemoryOfPrograms, EveryFamilyAddsUp) {
  for (const ModelEntry& entry : models()) {
    Spec spec;
    spec.model = entry.model;
    spec.parallel.dp = 2;
    spec.batch.seq = std::clamp<std::int64_t>(entry.seq, 1, 1024);
    SCOPED_TRACE(entry.name);
    const MemoryReport report = report_of(spec);
    ASSERT_FALSE(report.roles.empty());
    for (const RoleMemory& memory : report.roles) expect_sums(memory);
    if (spec.model.kind == ModelKind::dlrm) continue;  // tables are spread
    EXPECT_EQ(report.roles[0].weights, 2 * count_parameters(spec.model).total);
  }
}

// The formulas per element, on a whole model: 18, 6 + 12/d, 2 + 16/d, 18/d.
TEST(MemoryOfPrograms, StateFollowsTheStagesOfZero) {
  Spec spec = staged(ScheduleKind::one_f_one_b);
  spec.parallel.pp = spec.parallel.tp = 1;
  spec.parallel.sp = false;
  spec.parallel.dp = 16;
  spec.model.max_positions = 512;  // else as many as the sequence is long: not the model's alone
  const auto parameters = static_cast<double>(count_parameters(spec.model).total);
  const auto per_element = [&](Sharding sharding) {
    spec.parallel.sharding = sharding;
    const RoleMemory memory = report_of(spec).roles[0];
    return static_cast<double>(memory.weights + memory.gradients + memory.optimizer) / parameters;
  };
  EXPECT_EQ(per_element(Sharding::none), 18);
  EXPECT_NEAR(per_element(Sharding::zero1), 6 + 12.0 / 16, 1e-4);
  EXPECT_NEAR(per_element(Sharding::zero2), 2 + 16.0 / 16, 1e-4);
  EXPECT_NEAR(per_element(Sharding::zero3), 18.0 / 16, 1e-4);
}

// 1F1B holds min(p - s, m) microbatches; with m = 16, p = 4.
TEST(MemoryOfPrograms, LaterStagesHoldFewerMicrobatches) {
  const MemoryReport report = report_of(staged(ScheduleKind::one_f_one_b), 0);
  ASSERT_EQ(report.roles.size(), 4u);
  const auto layers = [&](std::size_t stage) {
    return sum_of(report.roles[stage].at_peak, MemoryKind::activations, "layer");
  };
  for (std::size_t stage = 0; stage < 3; ++stage) {
    EXPECT_EQ(layers(stage), static_cast<std::int64_t>(4 - stage) * layers(3)) << stage;
  }
}

// Qi et al. (ICLR 2024): where layers keep 34 s b h and 32 s b h of it are left for weight
// halves, no stage of ZB-H1 holds more than the first of 1F1B.
TEST(MemoryOfPrograms, ZeroBubbleH1HoldsNoMoreThan1F1B) {
  Spec spec = staged(ScheduleKind::one_f_one_b);
  spec.parallel.tp = 1;
  spec.parallel.sp = false;
  spec.model.dropout = true;
  const auto layers = [&](std::size_t stage) {
    return sum_of(report_of(spec, 0).roles[stage].at_peak, MemoryKind::activations, "layer");
  };
  const std::int64_t most = layers(0);
  spec.schedule.kind = ScheduleKind::zb_h1;
  for (std::size_t stage = 0; stage < 4; ++stage) {
    EXPECT_LE(layers(stage), most) << stage;
    EXPECT_GT(layers(stage), most * 9 / 10) << stage;
  }
}

// Every stage with decoder layers holds the encoder's output, which all of them read; here two of
// four, 1F1B with 2 and 1 microbatches in flight.
TEST(MemoryOfPrograms, EveryStageKeepsTheEncodersOutputOnce) {
  Spec spec = staged(ScheduleKind::one_f_one_b);
  spec.model.kind = ModelKind::encoder_decoder;
  spec.model.layers = spec.model.encoder_layers = 8;
  const MemoryReport report = report_of(spec, 0);
  ASSERT_EQ(report.roles.size(), 4u);
  const std::int64_t source = std::int64_t{512} * 512 * 2 / 2;  // tokens, hidden, bf16, tp
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const RoleMemory& memory = report.roles[stage];
    expect_sums(memory);
    EXPECT_EQ(sum_of(memory.at_peak, MemoryKind::activations, "decoder layer.encoder.output"),
              stage < 2 ? 0 : static_cast<std::int64_t>(4 - stage) * source)
        << stage;
  }
}

// Zhao et al. (FSDP, VLDB 2023) and torch agree: probabilities in fp32 are stored once, with the
// gradients of the logits and of their inputs, both in bf16.
TEST(MemoryOfPrograms, TheLossDoesNotCountTwice) {
  Spec spec;
  spec.model = find_model("llama-3.1-8b")->model;
  spec.parallel.dp = 64;
  spec.parallel.sharding = Sharding::zero3;
  spec.batch.seq = 8192;
  const RoleMemory memory = report_of(spec).roles[0];
  const std::int64_t logits = std::int64_t{8192} * 128256;
  EXPECT_EQ(sum_of(memory.at_peak, MemoryKind::activations, "head.loss.probabilities"), 4 * logits);
  EXPECT_EQ(sum_of(memory.at_peak, MemoryKind::working),
            2 * logits + std::int64_t{2} * 8192 * 4096);
}

// Korthikanti et al. (MLSys 2023), section 4: sequence parallelism and recompute only ever save.
TEST(MemoryOfPrograms, LessIsKeptWithEachRecompute) {
  Spec spec = staged(ScheduleKind::one_f_one_b);
  spec.kernels.flash_attention = false;
  std::int64_t before = report_of(spec).roles[0].activations;
  for (const RecomputeKind kind : {RecomputeKind::selective, RecomputeKind::full}) {
    spec.recompute.kind = kind;
    const std::int64_t now = report_of(spec).roles[0].activations;
    EXPECT_LT(now, before);
    before = now;
  }
}

}  // namespace
}  // namespace orrery::workload
