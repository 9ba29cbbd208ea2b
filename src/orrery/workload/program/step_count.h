// SPDX-License-Identifier: Apache-2.0
//
// Exact counts of FLOPs, bytes, weights and messages, from the program, without running it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Sums over ranks exceed 64 bits: GPT-3's step is 4e21 FLOPs.
__extension__ using Total = unsigned __int128;
[[nodiscard]] std::string to_string(Total value);
[[nodiscard]] double to_double(Total value);

/// FLOPs of one rank or of all ranks.
struct FlopCount {
  Total forward = 0;    ///< matrix products of the forward pass
  Total backward = 0;   ///< matrix products of the backward pass without repetitions: 2 × forward,
                        ///< less the gradients of frozen weights (Spec::lora)
  Total recompute = 0;  ///< repeated matrix products: recompute, flash attention's backward,
                        ///< identical work of several ranks
  Total vector = 0;     ///< all FLOPs outside matrix products and optimizer
  Total optimizer = 0;

  /// FLOPs of matrix products that training needs, as in MFU.
  [[nodiscard]] Total model() const { return forward + backward; }
  /// FLOPs of all executed matrix products, as in HFU.
  [[nodiscard]] Total hardware() const { return model() + recompute; }
  /// All executed FLOPs.
  [[nodiscard]] Total all() const { return hardware() + vector + optimizer; }
};

/// FLOPs of matrix products whose first input has one number format, of all ranks.
struct FormatFlops {
  graph::Format format = graph::Format::unsaid;
  Total model = 0;     ///< the part of FlopCount::model()
  Total hardware = 0;  ///< the part of FlopCount::hardware()
};

/// Traffic over one axis in one step. Messages are counted at both ends; `wire` counts them once.
struct TrafficCount {
  Axis axis = Axis::tp;
  std::string type;  ///< "all_reduce", "send" …
  std::uint32_t group_size = 0;
  Total operations = 0;  ///< collectives of all ranks, once per group; send, recv: messages
  Total payload = 0;     ///< bytes of full buffers (graph::full_buffer) and messages, summed over
                         ///< ranks
  Total wire = 0;        ///< bytes that ranks send with a ring algorithm (bandwidth-optimal)
};

struct RoleCount {
  std::uint32_t role = 0;
  std::uint64_t nodes = 0;
  FlopCount flops;
  Total bytes = 0;  ///< read and written in device memory
  Weights weights;  ///< weights of this rank
  Weights trained;  ///< the trained ones of these
  std::vector<TrafficCount> traffic;
};

struct StepCount {
  std::vector<RoleCount> roles;  ///< counts of one rank of each role
  std::uint64_t ranks = 0;
  Total nodes = 0;
  FlopCount flops;                   ///< of all ranks
  std::vector<FormatFlops> formats;  ///< of `flops`, by model FLOPs, descending
  Total bytes = 0;
  std::vector<TrafficCount> traffic;  ///< sums over all ranks, by axis, then type
  ParameterCount parameters;          ///< weights of the model
  std::int64_t adapters = 0;  ///< adapter weights, the only trained ones with Spec::lora; else 0
  std::int64_t tokens = 0;    ///< per step (samples for families without tokens)
  double intensity = 0;       ///< FLOPs per byte read or written in device memory
};

/// Exact. O(roles × (tasks + bodies)). `wire` is rounded up to a byte, since a ring splits a buffer
/// into as many pieces as it has ranks.
[[nodiscard]] Result<StepCount> count(const Program& program);

/// Whether the model processes tokens (else: samples).
[[nodiscard]] bool has_tokens(const Spec& spec);

/// The outermost cluster dimension in which two members of a group of `axis` differ, for the worst
/// group; 0 if all members are equal in all dimensions. `dims`: sizes of the cluster's dimensions,
/// innermost first; rank = Σ coordinate × product of the sizes before. Ranks beyond the last
/// dimension count as that one. O(ranks of the cluster).
[[nodiscard]] std::uint32_t outermost_dimension(const graph::GroupAxis& axis,
                                                std::span<const std::int64_t> dims);

}  // namespace orrery::workload
