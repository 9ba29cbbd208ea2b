// SPDX-License-Identifier: Apache-2.0
//
// The cluster that a workload runs on, independent of its file format.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/collective_type.h"
#include "orrery/core/models/network_names.h"
#include "orrery/core/quantity.h"
#include "orrery/core/time_source.h"
#include "orrery/platform/collective_algorithm_names.h"

struct OrreryNs3Functions;  // plugins/ns3/orrery_ns3.h

namespace orrery::platform {

/// Which semantics a run follows.
enum class Rules : std::uint8_t {
  orrery,  ///< decimal units, concurrent collectives, true remainders, interval-based exposure,
           ///< picoseconds
  astra,   ///< ASTRA-sim 2.x to the cycle (1 ns), with every quirk that does not hang or abort
};

/// Number formats that switches can add.
enum class Summand : std::uint8_t { fp64, fp32, bf16, fp16, fp8, int8, int32, int64 };

/// A switch that reduces and multicasts messages of collectives (NVLink SHARP, SHARP).
struct InNetwork {
  Time latency{};            ///< additional latency of messages that it reduces or multicasts
  Bytes buffer{};            ///< maximum bytes of one collective inside it; 0: unlimited
  std::int64_t radix = 0;    ///< maximum number of inputs of one reduction; 0: unlimited
  std::int64_t streams = 0;  ///< maximum number of concurrent collectives; 0: unlimited
  std::uint16_t adds = 0;    ///< bit s: it can add Summand s; 0: all formats

  [[nodiscard]] static constexpr std::uint16_t bit(Summand summand) {
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(summand));
  }

  friend bool operator==(const InNetwork&, const InNetwork&) = default;
};

/// Memories at each switch of a dimension, each with its own link into the network.
struct Memories {
  std::int64_t count = 1;  ///< per switch
  Bandwidth bandwidth{};   ///< of the link of one memory, in each direction
  Time latency{};          ///< of the link
  Bandwidth rate{};        ///< of one memory, reads and writes together; 0: only the link limits it

  friend bool operator==(const Memories&, const Memories&) = default;
};

/// How the nodes of one network dimension are connected.
enum class Block : std::uint8_t { ring, fully_connected, switched };

/// "ring", "fully_connected", "switch": the word in cluster files.
[[nodiscard]] constexpr std::string_view name(Block block) {
  switch (block) {
    case Block::ring:
      return "ring";
    case Block::fully_connected:
      return "fully_connected";
    case Block::switched:
      break;
  }
  return "switch";
}

/// One dimension of the network. Dimension 0 is the innermost: rank = a0 + n0*(a1 + n1*(a2 + …)).
struct Dimension {
  Block block = Block::ring;
  std::int64_t size = 2;
  Bandwidth bandwidth{};  ///< per link (ring, fully_connected) or per port (switched), per
                          ///< direction, bytes/s
  double latency_ns = 0;  ///< per hop; a double because ASTRA-sim files allow fractions
  std::optional<InNetwork> in_network{};  ///< switched only; empty: its switches only forward
  std::optional<Memories> memories{};     ///< switched only
  /// Not empty: the link of the catalog, PCIe without a described topology. `bandwidth` is then what
  /// collectives reach, not that of a data sheet.
  std::string unknown_pcie{};
};

/// Algorithms for collectives of one size among groups of one extent, instead of
/// CollectivePlan::per_dim.
struct AlgorithmOverride {
  std::vector<std::uint32_t> spans;  ///< by dimension: number of coordinates of the members
  std::uint32_t members = 0;
  Bytes size{};  ///< of the collective, before it is split into chunks
  std::vector<AlgorithmSpec> per_dim;
};

/// The algorithms for one collective type: one per dimension, or a custom one given as a Chakra
/// trace prefix.
struct CollectivePlan {
  std::vector<AlgorithmSpec>
      per_dim;                ///< may be shorter than the dimensions: the others are not used
  std::string custom_prefix;  ///< not empty: replaces per_dim
  std::vector<AlgorithmOverride> chosen;
};

/// The types of collectives that have a plan; all others use the plan of the most similar type.
inline constexpr std::array kPlannedTypes{CollectiveType::all_reduce, CollectiveType::all_gather,
                                          CollectiveType::reduce_scatter,
                                          CollectiveType::all_to_all};

enum class SchedulingPolicy : std::uint8_t { lifo, fifo, explicit_priority };
enum class CollectiveOptimization : std::uint8_t { baseline, local_bw_aware };
/// The order in which a chunk visits the dimensions.
enum class InterDimension : std::uint8_t {
  ascending,
  round_robin,
  themis,            ///< Themis' greedy order (ISCA 2022) as implemented in ASTRA-sim
  themis_flex,       ///< as `themis`, also chooses the sizes of chunks
  themis_published,  ///< loads start at the dimensions' latencies, as in the paper; Orrery rules
  best,              ///< the fastest order found for each collective; Orrery rules
};
[[nodiscard]] constexpr bool is_themis(InterDimension order) {
  return order == InterDimension::themis || order == InterDimension::themis_flex ||
         order == InterDimension::themis_published;
}
/// The order in which chunks wait at a dimension. `smallest_first` is Themis' SCF.
enum class IntraDimension : std::uint8_t { fifo, rg, smallest_first, less_remaining_phases_first };

/// The library that runs collectives.
enum class CollectiveLibrary : std::uint8_t {
  ideal,  ///< the algorithms of CollectiveConfig at the links' full rate
  nccl,   ///< NCCL's or RCCL's choices and costs, calibrated with measurements
};

/// NCCL's environment variables, and files for its model.
struct LibrarySettings {
  std::string algorithms;                           ///< "ring,tree", "^nvls"; empty: all
  std::string protocols;                            ///< "ll,simple"; empty: all
  std::int64_t min_channels = 0, max_channels = 0;  ///< 0: NCCL's default
  bool nvls = true;                                 ///< NVLink SHARP
  bool collnet = false;                             ///< reductions in switches of the network
  std::string curves;  ///< path of measured curves, relative to the cluster file; empty: none
  std::string tuner;   ///< path of a tuner's choices, relative to the cluster file; empty: none

  friend bool operator==(const LibrarySettings&, const LibrarySettings&) = default;
};

/// How collectives are split, scheduled and executed.
struct CollectiveConfig {
  CollectiveLibrary library = CollectiveLibrary::ideal;
  LibrarySettings settings;
  SchedulingPolicy policy = SchedulingPolicy::lifo;
  CollectiveOptimization optimization = CollectiveOptimization::local_bw_aware;
  InterDimension inter_dimension = InterDimension::ascending;
  IntraDimension intra_dimension = IntraDimension::fifo;
  std::int64_t splits = 1;         ///< chunks per collective
  bool splits_by_model = false;    ///< the predicted fastest number instead; Orrery rules
  std::int64_t active_chunks = 1;  ///< per dimension
  std::int64_t queues_per_dim = 1;
  CollectivePlan all_reduce, all_gather, reduce_scatter, all_to_all;
  std::map<std::uint64_t, std::string> custom_by_node;  ///< workload node id → Chakra trace prefix
  Time endpoint_delay{};    ///< per message, between a device and its memory
  bool rendezvous = false;  ///< a message starts only after its receiver is ready

  /// In the order of kPlannedTypes.
  [[nodiscard]] std::array<CollectivePlan*, 4> plans() {
    return {&all_reduce, &all_gather, &reduce_scatter, &all_to_all};
  }
  [[nodiscard]] std::array<const CollectivePlan*, 4> plans() const {
    return {&all_reduce, &all_gather, &reduce_scatter, &all_to_all};
  }
  /// Null: the type has no plan.
  [[nodiscard]] CollectivePlan* plan(CollectiveType type) {
    for (std::size_t i = 0; i < kPlannedTypes.size(); ++i)
      if (kPlannedTypes[i] == type) return plans()[i];
    return nullptr;
  }
  [[nodiscard]] const CollectivePlan* plan(CollectiveType type) const {
    return const_cast<CollectiveConfig*>(this)->plan(type);
  }
};

/// The LogGP memory bus of ASTRA-sim (`model-shared-bus`).
struct SharedBus {
  std::int64_t L = 0, o = 0, g = 0;  ///< latency, overhead, gap; ns
  double G = 0;                      ///< gap per byte; ns
  std::int64_t reduction_delay = 1;  ///< ns per 100 bytes
};

/// The words of cluster files and `--compute`.
[[nodiscard]] std::vector<std::string_view> compute_names();
/// Empty: no such word.
[[nodiscard]] std::optional<TimeSource> compute_model(std::string_view name);

/// Effects of a step on kernels whose times a model predicts for each kernel alone.
struct StepEffects {
  /// Slowdown of matrix products, fitted to complete steps.
  struct Factor {
    std::int64_t bits = 16;       ///< per element of the first input
    double factor = 1;            ///< kernel time in a step, divided by the predicted time alone
    double lower = 0, upper = 0;  ///< 80 % interval relative to `factor`: -0.1 is 10 % less

    friend bool operator==(const Factor&, const Factor&) = default;
  };
  /// Slowdown factors of kernels while a collective runs on their device.
  struct OverlapSlowdown {
    double products = 1;  ///< matrix products, attention, convolutions
    double others = 1;    ///< all other kernels

    friend bool operator==(const OverlapSlowdown&, const OverlapSlowdown&) = default;
  };
  /// From the end of a kernel to the start of the next kernel in the queue; empty: recorded on
  /// devices of the same architecture.
  std::optional<Time> gap;
  std::vector<Factor> factors;             ///< one per number of bits
  std::optional<OverlapSlowdown> overlap;  ///< empty: predicted by model::Interference
  /// Slowdown factor of the library's collectives by concurrent kernels; empty: 1.
  std::optional<double> collectives;
};

/// A what-if question: kernels with other times than the model predicts.
struct KernelChange {
  std::string operation;  ///< "gemm"; empty: all operations
  double time = 1;        ///< factor of the kernel time

  friend bool operator==(const KernelChange&, const KernelChange&) = default;
};

/// How a kernel accesses two memories.
enum class MemoryAccess : std::uint8_t {
  sequential,  ///< one after the other
  concurrent,  ///< at the same time
};

/// Additional memory that kernels access directly (CXL memory, memory of the host), for data that
/// does not fit into the device's memory.
struct MemoryExpansion {
  Bandwidth bandwidth{};  ///< of reads and writes by one device
  Bytes capacity{};       ///< per device; 0: unlimited
  MemoryAccess access = MemoryAccess::sequential;

  friend bool operator==(const MemoryExpansion&, const MemoryExpansion&) = default;
};

/// One accelerator.
struct Device {
  std::string name;         ///< in results; may be empty
  std::string entry;        ///< name in the catalog; empty: not from the catalog
  FlopRate peak{};          ///< of the roofline: `rated`, or the rate that kernels reach
  FlopRate rated{};         ///< dense peak of `precision`, the reference of utilization
  std::string precision;    ///< of `rated`: "bf16"; empty: unknown
  Bandwidth memory{};       ///< bandwidth of local memory
  Bytes memory_capacity{};  ///< of local memory; 0: unknown
  std::optional<MemoryExpansion> expansion;
  TimeSource compute = TimeSource::recorded;
  KernelFiles kernel_files;
  double clock_mhz = 0;      ///< 0: the catalog's
  double power_limit_w = 0;  ///< below the board's power; 0: no limit
  StepEffects in_step;
  std::vector<KernelChange> changes;  ///< applied in order

  /// Whether the user specifies the peak, instead of the data sheet.
  [[nodiscard]] bool has_custom_peak() const { return entry.empty() || peak != rated; }
};

enum class RemoteMemoryKind : std::uint8_t {
  none,
  per_npu,
  per_node,
  pool,
  network,  ///< memories are end points of the network; their traffic shares links with messages
};

/// Topology of a stage of links.
enum class MemoryShape : std::uint8_t { straight, ring, mesh };

/// Links between a remote memory and devices that all bytes cross, one stage after another.
struct MemoryStage {
  MemoryShape shape = MemoryShape::straight;
  Bandwidth bandwidth{};            ///< of one link, in each direction
  std::int64_t links = 1;           ///< straight: number of parallel links, with equal shares
  std::vector<std::int64_t> sizes;  ///< ring: number of positions; mesh: size of each dimension
  std::int64_t devices = 0;         ///< number of devices that share these links; 0: all

  friend bool operator==(const MemoryStage&, const MemoryStage&) = default;
};

struct RemoteMemory {
  RemoteMemoryKind kind = RemoteMemoryKind::none;
  Time latency{};         ///< per access
  Bandwidth bandwidth{};  ///< of one memory group; 0 for `none` and `network`
  // Under Orrery rules:
  std::int64_t groups = 1;          ///< parallel memory groups, with equal shares of all bytes
  std::vector<MemoryStage> stages;  ///< from the memory to devices
  Bytes chunk{};  ///< a stage receives a chunk completely before it forwards it; 0: no chunks
  bool in_switch = false;  ///< switches gather loads and reduce stores: all devices of a memory
                           ///< access the same data
  bool spread = false;     ///< network only: every access is distributed evenly over all memories
  std::int64_t nodes = 0;  ///< per_node only: number of nodes
  std::int64_t npus_per_node = 0;  ///< per_node only: devices per node
};

using orrery::NetworkModelKind;

struct Fabric;
struct NocSettings;
struct PacketSettings;

/// Ranks that differ from the others: slow ranks, late ranks, ranks with degraded ports.
struct Deviation {
  /// The ports of the ranks into one dimension.
  struct Port {
    std::uint32_t dim = 0;
    double bandwidth = 1;   ///< remaining share of the dimension's bandwidth, above 0, at most 1
    double latency_ns = 0;  ///< additional latency of each message through the port
  };
  struct Kernel {
    std::string name;  ///< part of the node's name
    double time = 1;   ///< factor of the recorded time
  };
  std::vector<std::uint32_t> ranks;  ///< ascending; a rank is in only one deviation
  double compute_time = 1;           ///< factor of the times of compute nodes
  // Recorded traces under Orrery rules:
  double host_time = 1;           ///< factor of host times on ranks with a device
  double copy_time = 1;           ///< factor of the times of device copies and memsets
  double communication_time = 1;  ///< factor of communication times from the recording
  std::vector<Kernel> kernels;    ///< before the other factors; the first match applies
  Time start{};                   ///< delay of the first node
  std::vector<Port> ports;
};

/// A complete cluster.
struct Platform {
  Rules rules = Rules::orrery;
  NetworkModelKind network = NetworkModelKind::analytical;
  std::string name;
  std::vector<Dimension> dims;
  /// The network as a graph, with `dims` as its logical dimensions; null: `dims` are the network.
  std::shared_ptr<const Fabric> fabric;
  /// Packets and their transport, for the packet network; null: the defaults.
  std::shared_ptr<const PacketSettings> packets;
  /// Routers and flits, for the network of flits; null: the defaults.
  std::shared_ptr<const NocSettings> noc;
  /// The loaded plug-in with ns-3, which stays loaded; null: not loaded. The network `ns3` needs it.
  const OrreryNs3Functions* ns3 = nullptr;
  CollectiveConfig collectives;
  std::optional<SharedBus> shared_bus;
  Device device;
  RemoteMemory remote_memory;
  std::vector<Deviation> deviations;
  bool replay_only = false;         ///< every node uses its recorded duration
  bool track_local_memory = false;  ///< track the lifetime of each tensor in local memory

  /// Product of the dimensions' sizes.
  [[nodiscard]] std::int64_t npu_count() const {
    std::int64_t count = 1;
    for (const Dimension& dim : dims) count *= dim.size;
    return count;
  }
};

}  // namespace orrery::platform
