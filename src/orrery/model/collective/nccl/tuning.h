// SPDX-License-Identifier: Apache-2.0
//
// NCCL's own cost model: what it believes every algorithm and protocol takes, and so which it runs.
//
// Source: NVIDIA/nccl 2.30.7, src/graph/tuning.cc (constants and formulas as facts; Apache-2.0).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

/// "tree", "nvls_tree" …; "ll", "ll128", "simple": as a tuner's CSV writes them.
[[nodiscard]] std::string_view name(Algorithm algorithm);
[[nodiscard]] std::string_view name(Protocol protocol);
[[nodiscard]] std::optional<Algorithm> algorithm_named(std::string_view name);
[[nodiscard]] std::optional<Protocol> protocol_named(std::string_view name);

/// Rows of NCCL's tables: compute capability below 8, from 8, from 9, from 10.
enum class Generation : std::uint8_t { volta, ampere, hopper, blackwell };

/// The paths that NCCL's search finds for an algorithm.
struct Channels {
  int count = 0;     ///< 0: the algorithm cannot run
  double intra = 0;  ///< GB/s of one, inside a node
  double inter = 0;  ///< GB/s of one, between nodes

  friend bool operator==(const Channels&, const Channels&) = default;
};

/// Members of a communicator.
struct Shape {
  std::int64_t ranks = 1;
  std::int64_t nodes = 1;

  [[nodiscard]] std::int64_t per_node() const { return nodes > 0 ? ranks / nodes : ranks; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// What the model depends on, of the machine and of one communicator in it.
struct Machine {
  Generation generation = Generation::hopper;
  bool nvlink = true;     ///< GPUs of a node reach each other otherwise than over PCIe
  bool amd_host = false;  ///< CPUs of AMD
  bool ll128 = true;      ///< the paths keep 128 bytes together
  double nic_us = 0;      ///< latency of the network card itself
  Channels ring;          ///< ring, tree, PAT
  Channels nvls;          ///< NVLS and its tree; none without NVSwitch or before Hopper
  Channels collnet;       ///< only where switches reduce
};

/// Microseconds by algorithm and protocol; negative where NCCL would not run it.
using Costs = std::array<std::array<double, kProtocols>, kAlgorithms>;

/// What the model says of `bytes` (the whole buffer, as nccl-tests counts it). Empty (all negative)
/// for what NCCL has no algorithm choice for: anything but all-reduce, all-gather, reduce-scatter,
/// broadcast and reduce.
[[nodiscard]] Costs costs(graph::CollectiveType type, std::int64_t bytes, const Shape& shape,
                          const Machine& machine);

struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  int channels = 0;
  double us = 0;  ///< what the model says it takes

  friend bool operator==(const Choice&, const Choice&) = default;
};

/// Collectives that NCCL chooses for, in the order of its source.
inline constexpr std::array<graph::CollectiveType, 5> kTunedCollectives = {
    graph::CollectiveType::broadcast, graph::CollectiveType::reduce,
    graph::CollectiveType::all_gather, graph::CollectiveType::reduce_scatter,
    graph::CollectiveType::all_reduce};

/// A set of algorithms or protocols for each of kTunedCollectives, a bit each.
using Sets = std::array<std::uint8_t, kTunedCollectives.size()>;

/// Which algorithms and protocols may be chosen; channels of all.
struct Allowed {
  Sets algorithms = {0x7f, 0x7f, 0x7f, 0x7f, 0x7f};
  Sets protocols = {0x7, 0x7, 0x7, 0x7, 0x7};
  int min_channels = 0;  ///< 0: as found
  int max_channels = 0;  ///< 0: as found

  /// Nothing else, for any collective.
  [[nodiscard]] static Allowed only(Algorithm algorithm, Protocol protocol);
  [[nodiscard]] bool allows(graph::CollectiveType type, Algorithm algorithm,
                            Protocol protocol) const;
  friend bool operator==(const Allowed&, const Allowed&) = default;
};

/// The least of costs(); of equal ones the first algorithm and protocol. Nothing where none is
/// allowed or there is no choice. Fewer channels than were found carry less; more carry what the
/// links do, each less.
[[nodiscard]] std::optional<Choice> choose(graph::CollectiveType type, std::int64_t bytes,
                                           const Shape& shape, const Machine& machine,
                                           const Allowed& allowed = {});

}  // namespace orrery::model::nccl
