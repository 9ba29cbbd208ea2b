// SPDX-License-Identifier: Apache-2.0
//
// The structure of a rank's work: steps of microbatches of layers of kernels.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"

namespace orrery::analysis {

/// The kind of a block, inferred from its content. An operation is one kernel or message.
enum class BlockRole : std::uint8_t {
  sequence,    ///< a sequence without repetition
  repetition,  ///< repeated, of unknown kind
  forward,     ///< repeated forward kernels: layers
  backward,    ///< repeated gradient kernels: layers
  microbatch,  ///< repeated forward and backward kernels
  step         ///< the same with an optimizer
};
[[nodiscard]] std::string_view name(BlockRole role);

/// A contiguous part of a rank's work.
struct Block {
  BlockRole role = BlockRole::sequence;
  std::uint32_t times = 1;
  std::uint32_t operations = 0;  ///< in one repetition, including nested blocks
  Time time{};                   ///< recorded time of all repetitions; 0 if none is recorded
  std::string begins, ends;      ///< names of the first and last operation of one repetition
  std::vector<Block> parts;      ///< of one repetition; empty for a sequence
};

/// The operations of one phase, over all steps, or of one uninterrupted pass.
struct PhaseShare {
  StepPhase phase = StepPhase::unsaid;
  std::uint32_t operations = 0;
  Time time{};  ///< recorded; 0 if none is recorded
};

struct RankStructure {
  std::uint32_t operations = 0;  ///< operations in the folded sequence
  std::string lane;              ///< lane that they run on: the one with the most operations
  std::vector<Block> parts;
  /// The number of layers in a forward pass, and the number of forward passes per step (for a
  /// pipeline stage with one model chunk: the number of microbatches). Layers are innermost loops;
  /// of several kinds, the one with the most operations counts. 0: no such loop. If the recording
  /// names layers, the number of named layers.
  std::uint32_t layers = 0, forwards = 0;
  bool named = false;  ///< whether the recording names layers
  std::uint32_t steps = 1;
  /// By StepPhase: from recorded scopes, else inferred from kernels (`unsaid`: neither).
  std::array<PhaseShare, kStepPhases> phases;
  std::vector<PhaseShare> passes;  ///< in order of time
};

/// Folds the repeated operations of a rank on its busiest stream. Without lanes: all computing
/// nodes and messages, by id. Two operations are equal if their kernel and sizes are, or, if these
/// are unknown, their names without digits. Worst case O(nodes × longest body)
/// (graph::fold_repeats).
[[nodiscard]] RankStructure structure(const graph::Graph& graph);

/// The kind of layer loop that a communication is in.
enum class LoopPosition : std::uint8_t { forward, backward, outside };
struct Communication {
  graph::NodeId node;
  LoopPosition position;
};
/// Collectives and messages by node id. Worst case O(nodes × longest body).
[[nodiscard]] std::vector<Communication> communications(const graph::Graph& graph);

}  // namespace orrery::analysis
