// SPDX-License-Identifier: Apache-2.0
//
// What one pass through one chunk adds to memory, at its worst moment. Private to the memory
// accounting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orrery/workload/memory/model_state.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// What comes and goes, at one moment, in bytes.
struct LiveBytes {
  std::int64_t activations = 0, working = 0, communication = 0;

  [[nodiscard]] std::int64_t total() const { return activations + working + communication; }
};

/// The worst moment of a pass: where in the chunk, and what the pass adds then.
struct PassPeak {
  std::size_t place = 0;
  std::size_t halved = 0;  ///< places from here on hold what waits for their weight halves, those
                           ///< before what they keep
  std::int64_t gathered = 0;   ///< of `alive.communication`: weights of sharded layers
  std::int64_t gradients = 0;  ///< …: buckets, filling and on their way
  LiveBytes alive;
};

/// A chunk: one place for the embedding, for each layer, for the head.
struct ChunkProfile {
  std::vector<std::uint32_t> parts;  ///< by place, of Program::parts
  std::int64_t retained = 0;         ///< by a microbatch whose forward pass is done
  std::size_t sharing = 0;           ///< the place that holds Part::shared for all; none: the end
  std::int64_t halfway = 0;          ///< by one between the halves of its backward pass
  std::int64_t whole = 0;            ///< weights that stay gathered while any microbatch is alive
  PassPeak forward, backward, input_grad, weight_grad;

  [[nodiscard]] const PassPeak& worst(TaskKind kind) const;
};

/// Forward, a place's activations stay behind; backward, a place's activations go when it is done.
/// In a split backward pass only Part::halfway is left of them then, and goes when the weight half
/// of the place is done (Qi et al., ICLR 2024: M_B and M_W); in the input half a place
/// holds the larger of the two. O(places × (prefetch + 1)).
[[nodiscard]] ChunkProfile profile_chunk(const Program& program, const std::vector<PartRun>& chunk,
                                         const ModelState& state);

// Of Part::transient, the item "working" is there in every pass; the others are activations that
// the backward pass computes again.
[[nodiscard]] std::int64_t retained_bytes(const Part& part);
[[nodiscard]] std::int64_t halfway_bytes(const Part& part);
[[nodiscard]] std::int64_t working_bytes(const Part& part);
[[nodiscard]] std::int64_t recomputed_bytes(const Part& part);

}  // namespace orrery::workload
