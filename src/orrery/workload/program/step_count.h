// SPDX-License-Identifier: Apache-2.0
//
// Counting without running: FLOPs, bytes, weights, messages, exactly, from the program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Sums over ranks do not fit 64 bits: GPT-3's step is 4e21 FLOPs.
__extension__ using Total = unsigned __int128;
[[nodiscard]] std::string to_string(Total value);
[[nodiscard]] double to_double(Total value);

/// FLOPs of one rank or of all.
struct FlopCount {
  Total forward = 0;    ///< matrix products of the forward pass
  Total backward = 0;   ///< … of the backward pass, without what is repeated: 2 × forward, less
                        ///< the gradients of frozen weights (Spec::lora)
  Total recompute = 0;  ///< … repeated (recompute, flash attention's backward, by ranks alike)
  Total vector = 0;     ///< everything that is no matrix product
  Total optimizer = 0;

  /// Matrix products that training needs: what MFU is about.
  [[nodiscard]] Total model() const { return forward + backward; }
  /// … and that are executed: what HFU is about.
  [[nodiscard]] Total hardware() const { return model() + recompute; }
  /// Everything executed.
  [[nodiscard]] Total all() const { return hardware() + vector + optimizer; }
};

/// What goes over one axis in one step. Messages are counted at both ends; they are on the wire
/// once.
struct TrafficCount {
  Axis axis = Axis::tp;
  std::string type;  ///< "all_reduce", "send" …
  std::uint32_t group_size = 0;
  Total operations = 0;  ///< of all ranks: once per group, summed over groups; send, recv: messages
  Total payload = 0;     ///< whole buffers (graph::full_buffer), messages; summed over ranks
  Total wire = 0;        ///< bytes that ranks put on the wire with a ring (bandwidth-optimal)
};

struct RoleCount {
  std::uint32_t role = 0;
  std::uint64_t nodes = 0;
  FlopCount flops;
  Total bytes = 0;  ///< read and written in device memory
  Weights weights;  ///< on this rank
  Weights trained;  ///< of these, what is updated
  std::vector<TrafficCount> traffic;
};

struct StepCount {
  std::vector<RoleCount> roles;  ///< of one rank of each
  std::uint64_t ranks = 0;
  Total nodes = 0;
  FlopCount flops;  ///< of all ranks
  Total bytes = 0;
  std::vector<TrafficCount> traffic;  ///< of all ranks, by axis, then type
  ParameterCount parameters;          ///< of the model
  std::int64_t adapters = 0;  ///< weights beside the model's, alone trained (Spec::lora); else 0
  std::int64_t tokens = 0;    ///< per step (samples for families without tokens)
  double intensity = 0;       ///< FLOPs per byte of device memory
};

/// Exact; O(roles × (tasks + bodies)). The wire is rounded up to a byte: a ring cuts a buffer in as
/// many pieces as it has ranks.
[[nodiscard]] Result<StepCount> count(const Program& program);

/// Whether a step is counted in tokens (else: in samples).
[[nodiscard]] bool has_tokens(const Spec& spec);

/// The outermost dimension of a cluster that groups of `axis` cross: in which two members of a
/// group differ, for the worst of the groups; 0 when no two do. `dims`: sizes of the cluster's
/// dimensions, innermost first; rank = Σ coordinate × product of the sizes before. Ranks beyond the
/// last dimension count as that one. O(ranks of the cluster).
[[nodiscard]] std::uint32_t outermost_dimension(const graph::GroupAxis& axis,
                                                std::span<const std::int64_t> dims);

}  // namespace orrery::workload
