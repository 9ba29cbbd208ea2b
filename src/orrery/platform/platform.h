// SPDX-License-Identifier: Apache-2.0
//
// The cluster a workload runs on, whichever file it was described in.
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

namespace orrery::platform {

/// Which semantics a run follows.
enum class Rules : std::uint8_t {
  orrery,  ///< decimal units, concurrent collectives, true remainders, interval-based exposure,
           ///< picoseconds
  astra,   ///< ASTRA-sim 2.x to the cycle (1 ns), every quirk that does not hang or abort
};

/// Numbers that switches add, each in its own format.
enum class Summand : std::uint8_t { fp64, fp32, bf16, fp16, fp8, int8, int32, int64 };

/// A switch that sums what comes to it and sends one thing to many (NVLink SHARP, SHARP).
struct InNetwork {
  Time latency{};            ///< that it adds to what goes through it when it does
  Bytes buffer{};            ///< that may be on their way through it for a collective; 0: enough
  std::int64_t radix = 0;    ///< whose data it can sum at once; 0: all that hang on it
  std::int64_t streams = 0;  ///< collectives that it does at once; 0: as many as come
  std::uint16_t adds = 0;    ///< bit s: Summand s; 0: whatever comes

  [[nodiscard]] static constexpr std::uint16_t bit(Summand summand) {
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(summand));
  }

  friend bool operator==(const InNetwork&, const InNetwork&) = default;
};

/// Memories at a place of the network, each by a link of its own.
struct Memories {
  std::int64_t count = 1;
  Bandwidth bandwidth{};  ///< of each one's link, in each direction
  Time latency{};         ///< likewise
  Bandwidth rate{};       ///< that each reads and writes at in all; 0: as its link lets it

  friend bool operator==(const Memories&, const Memories&) = default;
};

/// How the nodes of one network dimension are connected.
enum class Block : std::uint8_t { ring, fully_connected, switched };

/// "ring", "fully_connected", "switch": as cluster files write it.
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
  std::optional<InNetwork> in_network{};  ///< switched: its switches can
  std::optional<Memories> memories{};     ///< switched: at each of its switches
};

/// Algorithms for collectives of one size among groups of one extent, in place of those for all.
struct AlgorithmOverride {
  std::vector<std::uint32_t> spans;  ///< by dimension: how many coordinates the members have
  std::uint32_t members = 0;
  Bytes size{};  ///< as it is asked for
  std::vector<AlgorithmSpec> per_dim;
};

/// The algorithms for one collective type: one per dimension, or a custom one given as a Chakra
/// trace prefix.
struct CollectivePlan {
  std::vector<AlgorithmSpec>
      per_dim;                ///< may be shorter than the dimensions: the rest then take no part
  std::string custom_prefix;  ///< not empty: runs instead of per_dim
  std::vector<AlgorithmOverride> chosen;
};

/// The types of collectives that have a plan; others run as the nearest of these.
inline constexpr std::array kPlannedTypes{CollectiveType::all_reduce, CollectiveType::all_gather,
                                          CollectiveType::reduce_scatter,
                                          CollectiveType::all_to_all};

enum class SchedulingPolicy : std::uint8_t { lifo, fifo, explicit_priority };
enum class CollectiveOptimization : std::uint8_t { baseline, local_bw_aware };
/// The order in which a chunk visits the dimensions.
enum class InterDimension : std::uint8_t {
  ascending,
  round_robin,
  themis,            ///< Themis' greedy (ISCA 2022) as ASTRA-sim has it
  themis_flex,       ///< it sizes chunks, too
  themis_published,  ///< loads begin at the dimensions' latencies, as in the paper; Orrery rules
  best,              ///< the quickest that is found for each collective; Orrery rules
};
/// The order in which chunks wait at a dimension. `smallest_first` is Themis' SCF.
enum class IntraDimension : std::uint8_t { fifo, rg, smallest_first, less_remaining_phases_first };

/// Whose collectives run.
enum class CollectiveLibrary : std::uint8_t {
  ideal,  ///< the algorithms of CollectiveConfig at the links' full rate
  nccl,   ///< NCCL's own choices and costs, put right by measurements; RCCL likewise
};

/// What NCCL's environment variables of the same names say.
struct LibrarySettings {
  std::string algorithms;                           ///< "ring,tree", "^nvls"; empty: all
  std::string protocols;                            ///< "ll,simple"; empty: all
  std::int64_t min_channels = 0, max_channels = 0;  ///< 0: as many as it finds
  bool nvls = true;
  bool collnet = false;
  std::string curves;  ///< file of measured curves, as it was named; empty: none
  std::string tuner;   ///< file of a tuner's choices, likewise

  friend bool operator==(const LibrarySettings&, const LibrarySettings&) = default;
};

/// How collectives are cut, scheduled and executed.
struct CollectiveConfig {
  CollectiveLibrary library = CollectiveLibrary::ideal;
  LibrarySettings settings;
  SchedulingPolicy policy = SchedulingPolicy::lifo;
  CollectiveOptimization optimization = CollectiveOptimization::local_bw_aware;
  InterDimension inter_dimension = InterDimension::ascending;
  IntraDimension intra_dimension = IntraDimension::fifo;
  std::int64_t splits = 1;         ///< chunks per collective
  bool splits_by_model = false;    ///< as many as are the quickest instead; Orrery rules
  std::int64_t active_chunks = 1;  ///< per dimension
  std::int64_t queues_per_dim = 1;
  CollectivePlan all_reduce, all_gather, reduce_scatter, all_to_all;
  std::map<std::uint64_t, std::string> custom_by_node;  ///< workload node id → Chakra trace prefix
  Time endpoint_delay{};                                ///< per packet at the NPU–memory boundary
  bool rendezvous = false;  ///< receivers announce themselves before a message is sent

  /// In the order of kPlannedTypes.
  [[nodiscard]] std::array<CollectivePlan*, 4> plans() {
    return {&all_reduce, &all_gather, &reduce_scatter, &all_to_all};
  }
  [[nodiscard]] std::array<const CollectivePlan*, 4> plans() const {
    return {&all_reduce, &all_gather, &reduce_scatter, &all_to_all};
  }
  /// Null: the type has none.
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
  std::int64_t L = 0, o = 0, g = 0;  ///< ns
  double G = 0;                      ///< ns per byte
  std::int64_t reduction_delay = 1;  ///< ns per 100 bytes
};

/// The words that cluster files and `--compute` take.
[[nodiscard]] std::vector<std::string_view> compute_names();
/// The choice of that name, or nothing.
[[nodiscard]] std::optional<TimeSource> compute_model(std::string_view name);

/// What a step adds to kernels that are told alone; where nothing is stated, what is known of the
/// device.
struct StepEffects {
  /// For products of matrices whose first input has numbers of so many bits; fitted to whole steps.
  struct Factor {
    std::int64_t bits = 16;
    double factor = 1;
    double lower = 0, upper = 0;  ///< the band of what it was fitted to, as shares: -0.1, 0.1

    friend bool operator==(const Factor&, const Factor&) = default;
  };
  /// How much slower kernels are while a collective runs on their device.
  struct OverlapSlowdown {
    double products = 1;  ///< of matrices, attention, convolutions
    double others = 1;

    friend bool operator==(const OverlapSlowdown&, const OverlapSlowdown&) = default;
  };
  std::optional<Time> gap;  ///< from a kernel to the next that waits in the queue
  std::vector<Factor> factors;
  std::optional<OverlapSlowdown> overlap;  ///< empty: as assumed (model::Interference)
  /// How many times as long a library's collectives take as alone, for the kernels that run beside
  /// them; empty: assumed to take no longer.
  std::optional<double> collectives;
};

/// Kernels that are to take another time than a model says, to see what that is worth.
struct KernelChange {
  std::string operation;  ///< "gemm"; empty: of any
  double time = 1;        ///< so many times as long

  friend bool operator==(const KernelChange&, const KernelChange&) = default;
};

/// How the bytes of a kernel come out of two memories.
enum class MemoryAccess : std::uint8_t {
  sequential,  ///< those of one after those of the other
  concurrent,  ///< side by side
};

/// Memory beside a device's own that kernels read and write where it stands (over CXL, of a host),
/// for what does not fit into that.
struct MemoryExpansion {
  Bandwidth bandwidth{};
  Bytes capacity{};  ///< 0: as much as is needed
  MemoryAccess access = MemoryAccess::sequential;

  friend bool operator==(const MemoryExpansion&, const MemoryExpansion&) = default;
};

/// One accelerator.
struct Device {
  std::string name;         ///< as results call it, may be empty
  std::string entry;        ///< of the catalogue; empty: it is not from there
  FlopRate peak{};          ///< what roofline takes: `rated`, or less that kernels reach
  FlopRate rated{};         ///< dense peak of `precision`, which utilisation is told against
  std::string precision;    ///< of `rated`: "bf16"; empty where nothing says so
  Bandwidth memory{};       ///< local memory
  Bytes memory_capacity{};  ///< 0 = unknown
  std::optional<MemoryExpansion> expansion;
  TimeSource compute = TimeSource::recorded;
  KernelFiles kernel_files;
  double clock_mhz = 0;  ///< instead of the catalogue's; 0: that
  StepEffects in_step;
  std::vector<KernelChange> changes;  ///< one after another

  /// What its memory holds, and the one beside it; 0: unknown, or as much as is needed.
  [[nodiscard]] Bytes total_capacity() const {
    if (!expansion || memory_capacity == Bytes{}) return memory_capacity;
    return expansion->capacity == Bytes{} ? Bytes{} : memory_capacity + expansion->capacity;
  }

  /// Its peak is somebody's own figure, not the data sheet's.
  [[nodiscard]] bool has_custom_peak() const { return entry.empty() || peak != rated; }
};

enum class RemoteMemoryKind : std::uint8_t {
  none,
  per_npu,
  per_node,
  pool,
  network,  ///< memories are end points of the network, and meet messages there
};

/// How the places of a memory's links are joined.
enum class MemoryShape : std::uint8_t { straight, ring, mesh };

/// Links between a remote memory and devices that all bytes cross, one stage after another.
struct MemoryStage {
  MemoryShape shape = MemoryShape::straight;
  Bandwidth bandwidth{};            ///< of one link, in one direction
  std::int64_t links = 1;           ///< straight: side by side, which share the bytes evenly
  std::vector<std::int64_t> sizes;  ///< ring: places; mesh: of each dimension
  std::int64_t devices = 0;         ///< that share them; 0: all do

  friend bool operator==(const MemoryStage&, const MemoryStage&) = default;
};

struct RemoteMemory {
  RemoteMemoryKind kind = RemoteMemoryKind::none;
  Time latency{};
  Bandwidth bandwidth{};  ///< of one group
  // Under Orrery rules:
  std::int64_t groups = 1;          ///< of memory, which bytes are spread over evenly
  std::vector<MemoryStage> stages;  ///< from the memory to devices
  Bytes chunk{};                    ///< what a stage has whole before the next begins; 0: nothing
  bool in_switch = false;  ///< switches gather what is loaded and reduce what is stored: all
                           ///< devices of a memory load and store the same
  bool spread = false;     ///< network only: every access goes over all memories evenly
  std::int64_t nodes = 0;  ///< per_node only
  std::int64_t npus_per_node = 0;  ///< per_node only
};

using orrery::NetworkModelKind;

struct Fabric;

/// Ranks that are not like the others: slow ones, late ones, ones behind a bad port.
struct Deviation {
  /// What becomes of a rank's ports into one dimension.
  struct Port {
    std::uint32_t dim = 0;
    double bandwidth = 1;   ///< share of the dimension's that is left, more than 0 and at most 1
    double latency_ns = 0;  ///< more on each message that leaves or enters there
  };
  /// Nodes whose name holds this text.
  struct Kernel {
    std::string name;
    double time = 1;  ///< they take this many times as long as they were recorded to
  };
  std::vector<std::uint32_t> ranks;  ///< ascending, no rank in two deviations
  double compute_time = 1;           ///< compute nodes take this many times as long
  // Of recorded traces, under Orrery rules:
  double host_time = 1;           ///< … steps of a host that has a device
  double copy_time = 1;           ///< … copies and memsets of the device
  double communication_time = 1;  ///< … communication that takes the time it was recorded to take
  std::vector<Kernel> kernels;    ///< … besides; the first that fits a node counts
  Time start{};                   ///< their first node begins this late
  std::vector<Port> ports;
};

/// Everything the simulator needs to know of the machine.
struct Platform {
  Rules rules = Rules::orrery;
  NetworkModelKind network = NetworkModelKind::analytical;
  std::string name;
  std::vector<Dimension> dims;
  /// The network as a graph, where it is one; then `dims` are what collectives take it for.
  std::shared_ptr<const Fabric> fabric;
  CollectiveConfig collectives;
  std::optional<SharedBus> shared_bus;
  Device device;
  RemoteMemory remote_memory;
  std::vector<Deviation> deviations;
  bool replay_only = false;  ///< every node just takes its recorded duration
  bool track_local_memory = false;

  /// Product of the dimensions' sizes.
  [[nodiscard]] std::int64_t npu_count() const {
    std::int64_t count = 1;
    for (const Dimension& dim : dims) count *= dim.size;
    return count;
  }
};

}  // namespace orrery::platform
