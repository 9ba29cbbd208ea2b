// SPDX-License-Identifier: Apache-2.0
//
// The memory that one pass through one chunk adds, at its peak. Private to the memory accounting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orrery/workload/memory/model_state.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Temporary memory at one moment, in bytes.
struct LiveBytes {
  std::int64_t activations = 0, working = 0, communication = 0;

  [[nodiscard]] std::int64_t total() const { return activations + working + communication; }
};

/// The peak of a pass: its place in the chunk, and the memory that the pass adds then.
struct PassPeak {
  std::size_t place = 0;
  std::size_t split_from =
      0;  ///< places from here on hold Part::split_backward_tensors, earlier ones Part::retained
  std::int64_t gathered = 0;   ///< the part of `live.communication` in gathered weights
  std::int64_t gradients = 0;  ///< the part of `live.communication` in gradient buckets: filling,
                               ///< or being reduced
  LiveBytes live;
};

/// The memory of a chunk. A place is the embedding, a layer or the head.
struct ChunkProfile {
  std::vector<std::uint32_t> parts;  ///< by place: index into Program::parts
  std::int64_t retained = 0;         ///< bytes of a microbatch after its forward pass
  std::size_t shared_place = 0;      ///< the place that holds Part::shared for all; parts.size():
                                     ///< none
  std::int64_t split_backward = 0;   ///< bytes of a microbatch between the halves of its backward
                                     ///< pass
  std::int64_t always_gathered = 0;  ///< bytes of weights that stay gathered while any microbatch
                                     ///< is in flight
  PassPeak forward, backward, input_grad, weight_grad;

  [[nodiscard]] const PassPeak& peak_of(TaskKind kind) const;
};

/// Computes the profile of a chunk. In the forward pass a place's activations are added; in the
/// backward pass they are released when the place has ended. A split backward pass then keeps only
/// Part::split_backward_tensors, and releases it when the weight half of the place has ended (Qi et
/// al., ICLR 2024: M_B and M_W). During its input half a place holds the larger of the two.
/// O(places × (prefetch + 1)).
[[nodiscard]] ChunkProfile profile_chunk(const Program& program, const std::vector<PartRun>& chunk,
                                         const ModelState& state);

/// The bytes that a pass adds while it is at each place of the chunk, in the model's order. Their
/// maximum is ChunkProfile::peak_of(kind). `kind` is not `step`. O(places × (prefetch + 1)).
[[nodiscard]] std::vector<std::int64_t> bytes_by_place(const Program& program,
                                                       const std::vector<PartRun>& chunk,
                                                       const ModelState& state, TaskKind kind);

// Bytes of a part by kind. In Part::working_tensors, the item "working" is alive in every pass
// (working_bytes); the backward pass recomputes the others (recomputed_bytes).
[[nodiscard]] std::int64_t retained_bytes(const Part& part);
[[nodiscard]] std::int64_t split_backward_bytes(const Part& part);
[[nodiscard]] std::int64_t working_bytes(const Part& part);
[[nodiscard]] std::int64_t recomputed_bytes(const Part& part);

}  // namespace orrery::workload
