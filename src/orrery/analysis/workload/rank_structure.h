// SPDX-License-Identifier: Apache-2.0
//
// What a rank's work is made of: steps of microbatches of layers of kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"

namespace orrery::analysis {

/// What repetition a block is, by what stands in it.
enum class BlockRole : std::uint8_t {
  works,       ///< works one after another, each once
  repetition,  ///< repeated, nothing says what it is
  forward,     ///< … forward kernels only: layers
  backward,    ///< … gradients only: layers
  microbatch,  ///< … both
  step         ///< … with an optimizer
};
[[nodiscard]] std::string_view name(BlockRole role);

/// A stretch of a rank's work.
struct Block {
  BlockRole role = BlockRole::works;
  std::uint32_t times = 1;
  std::uint32_t works = 0;   ///< in one of these times, all that lies deeper included
  Time time{};               ///< recorded time of all its works, over all times; 0 without any
  std::string begins, ends;  ///< names of the first and last work of the first time
  std::vector<Block> parts;  ///< of one time; empty for works
};

/// Works of one phase, over all steps, or one after another.
struct PhaseShare {
  StepPhase phase = StepPhase::unsaid;
  std::uint32_t works = 0;
  Time time{};  ///< recorded; 0 without any
};

struct RankStructure {
  std::uint32_t works = 0;  ///< that were folded
  std::string lane;         ///< of which lane: the one with most works
  std::vector<Block> parts;
  /// Layers that are repeated forward without anything repeated in them, of these those with most
  /// works in all: how many one after another, and how often that is done in a step (of a
  /// pipeline's stage with one part of the model: so many microbatches). 0: there are none.
  /// Where layers are named in the recording, as many as are.
  std::uint32_t layers = 0, forwards = 0;
  bool named = false;  ///< layers are
  std::uint32_t steps = 1;
  /// By StepPhase: what scopes say, else kernels (`unsaid`: neither).
  std::array<PhaseShare, kStepPhases> phases;
  std::vector<PhaseShare> passes;  ///< in their order
};

/// The order of a rank's works on its busiest stream (without lanes: of all that compute and of all
/// messages, by id), folded by what they are: kernel and sizes where known, else the name without
/// its numbers. O(nodes × longest body) at worst (graph::fold_repeats).
[[nodiscard]] RankStructure structure(const graph::Graph& graph);

/// In which loops of layers a rank's communication stands.
enum class LoopPosition : std::uint8_t { forward, backward, outside };
struct Communication {
  graph::NodeId node;
  LoopPosition position;
};
/// Collectives and messages, ascending. Likewise.
[[nodiscard]] std::vector<Communication> communications(const graph::Graph& graph);

}  // namespace orrery::analysis
