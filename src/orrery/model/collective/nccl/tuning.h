// SPDX-License-Identifier: Apache-2.0
//
// NCCL's own cost model: its estimate for every algorithm and protocol, and the one that it
// selects.
//
// Source: NVIDIA/nccl 2.30.7, src/graph/tuning.cc (constants and formulas as facts; Apache-2.0).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/graph/graph.h"

namespace orrery::model::nccl {

enum class Algorithm : std::uint8_t {
  tree,
  ring,
  collnet_direct,
  collnet_chain,
  nvls,
  nvls_tree,
  pat,
};
enum class Protocol : std::uint8_t { ll, ll128, simple };
inline constexpr std::size_t kAlgorithms = 7;
inline constexpr std::size_t kProtocols = 3;

/// "tree", "nvls_tree" …; "ll", "ll128", "simple": as in the CSV file of a tuner.
[[nodiscard]] std::string_view name(Algorithm algorithm);
[[nodiscard]] std::string_view name(Protocol protocol);
/// The name as a value of NCCL_ALGO: "nvlstree".
[[nodiscard]] std::string setting_name(Algorithm algorithm);
[[nodiscard]] std::optional<Algorithm> algorithm_named(std::string_view name);
[[nodiscard]] std::optional<Protocol> protocol_named(std::string_view name);

/// Rows of NCCL's tables: compute capability below 8, from 8, from 9, from 10.
enum class Generation : std::uint8_t { volta, ampere, hopper, blackwell };

/// The channels that NCCL's search finds for an algorithm.
struct Channels {
  int count = 0;     ///< 0: the algorithm cannot run
  double intra = 0;  ///< GB/s per channel, inside a node
  double inter = 0;  ///< GB/s per channel, between nodes

  friend bool operator==(const Channels&, const Channels&) = default;
};

/// The size of a communicator.
struct Shape {
  std::int64_t ranks = 1;
  std::int64_t nodes = 1;

  [[nodiscard]] std::int64_t per_node() const { return nodes > 0 ? ranks / nodes : ranks; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// The inputs of the cost model: properties of the machine and of one communicator.
struct Machine {
  Generation generation = Generation::hopper;
  bool nvlink = true;     ///< GPUs of a node have direct links; false: PCIe
  bool amd_host = false;  ///< AMD CPUs
  bool ll128 = true;      ///< paths do not split stores of 128 bytes, as LL128 requires
  double nic_us = 0;      ///< latency of the network card itself
  Channels ring;          ///< for ring, tree, PAT
  Channels nvls;          ///< for NVLS and its tree; none without NVSwitch or before Hopper
  Channels collnet;       ///< none unless network switches reduce
};

/// Microseconds by algorithm and protocol; negative: NCCL cannot run this combination.
using Costs = std::array<std::array<double, kProtocols>, kAlgorithms>;

/// The model's costs for `bytes` (the complete buffer, as nccl-tests counts it). All negative for
/// collectives for which NCCL has no choice of algorithms: all except all-reduce, all-gather,
/// reduce-scatter, broadcast and reduce.
[[nodiscard]] Costs costs(graph::CollectiveType type, std::int64_t bytes, const Shape& shape,
                          const Machine& machine);

struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  int channels = 0;
  double us = 0;  ///< cost according to the model

  friend bool operator==(const Choice&, const Choice&) = default;
};

/// Collectives for which NCCL chooses an algorithm, in the order of its source.
inline constexpr std::array<graph::CollectiveType, 5> kTunedCollectives = {
    graph::CollectiveType::broadcast, graph::CollectiveType::reduce,
    graph::CollectiveType::all_gather, graph::CollectiveType::reduce_scatter,
    graph::CollectiveType::all_reduce};

/// Their names in the settings of NCCL and in tuner files.
inline constexpr std::array<std::string_view, kTunedCollectives.size()> kTunedNames = {
    "broadcast", "reduce", "allgather", "reducescatter", "allreduce"};
/// The index of a collective among them; empty: NCCL chooses no algorithm for it.
[[nodiscard]] std::optional<std::size_t> tuned_index(graph::CollectiveType type);

/// A set of algorithms or protocols for each of kTunedCollectives, one bit per member.
using Sets = std::array<std::uint8_t, kTunedCollectives.size()>;

/// The allowed algorithms and protocols, and limits of the number of channels.
struct Allowed {
  Sets algorithms = {0x7f, 0x7f, 0x7f, 0x7f, 0x7f};
  Sets protocols = {0x7, 0x7, 0x7, 0x7, 0x7};
  int min_channels = 0;  ///< 0: no limit
  int max_channels = 0;  ///< 0: no limit

  /// Allows only this algorithm and protocol, for every collective.
  [[nodiscard]] static Allowed only(Algorithm algorithm, Protocol protocol);
  [[nodiscard]] bool allows(graph::CollectiveType type, Algorithm algorithm,
                            Protocol protocol) const;
  friend bool operator==(const Allowed&, const Allowed&) = default;
};

/// The choice with the lowest costs(); of equal ones the first algorithm and protocol. Empty: no
/// choice is allowed, or NCCL has no choice for the collective. With fewer channels than found, the
/// total bandwidth is lower; with more, it stays the same and each channel has less.
[[nodiscard]] std::optional<Choice> choose(graph::CollectiveType type, std::int64_t bytes,
                                           const Shape& shape, const Machine& machine,
                                           const Allowed& allowed = {});

}  // namespace orrery::model::nccl
