// SPDX-License-Identifier: Apache-2.0
//
// Plans of well-known algorithms, for tests.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

inline Plan all_reduce_plan(std::string name, std::uint32_t ranks, std::uint32_t chunks) {
  Plan plan;
  plan.name = std::move(name);
  plan.collective = CollectiveType::all_reduce;
  plan.collective_name = "allreduce";
  plan.protocol = "Simple";
  plan.ranks.resize(ranks);
  for (PlanRank& rank : plan.ranks) rank.chunks[0] = chunks;
  return plan;
}

/// An MSCCL step on one span of the input.
inline PlanStep step_on(StepType type, const PlanSpan& span) {
  using enum StepType;
  PlanStep step;
  step.type = type;
  step.count = span.count;
  step.sends = type != receive && type != receive_reduce_copy;
  step.receives = type != send;
  const bool reduces = type == receive_reduce_send || type == receive_reduce_copy ||
                       type == receive_reduce_copy_send;
  if (type == send || reduces) step.reads.push_back(span);
  if (type != send && type != receive_reduce_send) step.writes.push_back(span);
  return step;
}

/// An in-place all-reduce on a ring of at least two ranks, with one chunk per rank and `channels`
/// concurrent rings (Patarasuk and Yuan 2009): 2(ranks - 1) rounds.
inline Plan ring_all_reduce(std::uint32_t ranks, std::uint32_t channels = 1) {
  ORRERY_CHECK(ranks >= 2 && channels >= 1);
  Plan plan = all_reduce_plan(fmt::format("ring of {}", ranks), ranks, ranks * channels);
  plan.channels = channels;
  using enum StepType;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
      PlanBlock& block = plan.ranks[rank].blocks.emplace_back();
      block.to = (rank + 1) % ranks;
      block.from = (rank + ranks - 1) % ranks;
      block.channel = channel;
      // In each round it forwards the chunk of the previous round, one chunk further back each
      // time.
      for (std::uint32_t round = 0; round < 2 * ranks - 1; ++round) {
        const std::uint32_t chunk = (rank + 2 * ranks - round) % ranks;
        StepType type = receive_copy_send;
        if (round < ranks) type = receive_reduce_send;
        if (round == 0) type = send;
        if (round == ranks - 1) type = receive_reduce_copy_send;
        if (round == 2 * ranks - 2) type = receive;
        block.steps.push_back(step_on(type, {rank, PlanBuffer::input, channel * ranks + chunk, 1}));
      }
    }
  }
  return plan;
}

/// An in-place all-reduce by recursive halving and doubling (Thakur, Rabenseifner and Gropp 2005),
/// for a power of two of at least two ranks: 2·log2(ranks) rounds.
inline Plan halving_doubling_all_reduce(std::uint32_t ranks) {
  ORRERY_CHECK(ranks >= 2 && std::has_single_bit(ranks));
  Plan plan = all_reduce_plan(fmt::format("halving and doubling among {}", ranks), ranks, ranks);
  using enum StepType;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    auto& blocks = plan.ranks[rank].blocks;
    blocks.resize(static_cast<std::size_t>(std::countr_zero(ranks)));
    StepPosition last{rank, 0, 0};
    const auto exchange = [&](std::uint32_t distance, StepType taking, std::uint32_t sent,
                              std::uint32_t taken) {
      const auto number = static_cast<std::uint32_t>(std::countr_zero(distance));
      PlanBlock& block = blocks[number];
      block.to = block.from = rank ^ distance;
      block.steps.push_back(step_on(send, {rank, PlanBuffer::input, sent, distance}));
      const bool first = distance == ranks / 2 && taking == receive_reduce_copy;
      if (!first && last.block != number) block.steps.back().after.push_back(last);
      block.steps.push_back(step_on(taking, {rank, PlanBuffer::input, taken, distance}));
      last = {rank, number, static_cast<std::uint32_t>(block.steps.size() - 1)};
    };
    // It keeps the half that contains its own chunk, and sends the other half.
    for (std::uint32_t distance = ranks / 2; distance > 0; distance /= 2) {
      const std::uint32_t retained = rank / distance * distance;
      exchange(distance, receive_reduce_copy, retained ^ distance, retained);
    }
    for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
      const std::uint32_t had = rank / distance * distance;
      exchange(distance, receive, had, had ^ distance);
    }
  }
  return plan;
}

}  // namespace orrery::synthesis
