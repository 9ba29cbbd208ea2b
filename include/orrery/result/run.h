// SPDX-License-Identifier: Apache-2.0
//
// A finished simulation with all data that later stages need: the run file stores it, analysis
// explains it, and reports show it.
//
// Equal data is stored once. A Timeline contains the spans of one rank. Ranks with the same spans
// at the same times share a timeline. To make this possible for ranks in different process groups,
// a timeline refers to groups by their number at the rank (Rank::groups maps it to a group) and to
// peers by their distance (peer = (rank + distance) mod ranks).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/dependency_kind.h"
#include "orrery/core/findings.h"
#include "orrery/core/memory_need.h"
#include "orrery/core/packet_record.h"
#include "orrery/core/quantity.h"
#include "orrery/core/text_numbers.h"
#include "orrery/core/time_provenance.h"
#include "orrery/core/time_source.h"
#include "orrery/result/links.h"
#include "orrery/result/remote_memory.h"

namespace orrery::result {

/// Distinct strings by number, in order of first use; number 0 is "".
class Names {
 public:
  std::uint32_t intern(std::string_view text);
  [[nodiscard]] const std::string& operator[](std::uint32_t number) const { return texts_[number]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(texts_.size()); }

  friend bool operator==(const Names& a, const Names& b) { return a.texts_ == b.texts_; }

 private:
  std::vector<std::string> texts_{""};
  TextNumbers numbers_;
};

enum class SpanKind : std::uint8_t {
  metadata,
  compute,
  cpu,
  collective,
  send,
  receive,
  load,  ///< remote memory
  store
};
inline constexpr std::size_t kSpanKinds = static_cast<std::size_t>(SpanKind::store) + 1;
[[nodiscard]] std::string_view name(SpanKind kind);

/// Why a span started when it did.
enum class Release : std::uint8_t {
  beginning,   ///< no dependency
  dependency,  ///< the last of its dependencies ended then
  resource     ///< its dependencies had ended earlier; its lane became free then
};
inline constexpr std::size_t kReleases = static_cast<std::size_t>(Release::resource) + 1;
[[nodiscard]] std::string_view name(Release release);

/// A resource that runs spans one after another at one rank. `compute`, `cpu`, `memory`: one each;
/// `communicator`: one per group; `sends`: one per receiver; `receives`: as many as overlap.
/// `stream`, `thread`: as recorded, for any work.
enum class LaneKind : std::uint8_t {
  compute,
  cpu,
  communicator,
  sends,
  receives,
  memory,
  other,
  stream,
  thread
};
inline constexpr std::size_t kLaneKinds = static_cast<std::size_t>(LaneKind::thread) + 1;
[[nodiscard]] std::string_view name(LaneKind kind);

/// One lane of a timeline. Spans of one lane do not overlap. They may touch, and spans of zero
/// duration may be anywhere.
struct Lane {
  LaneKind kind = LaneKind::other;
  std::uint32_t group = kNone;     ///< communicator: number of the group at the rank
  std::uint32_t distance = kNone;  ///< sends: distance of the receiver
  std::uint32_t layer = 0;         ///< 1, 2 …: further lanes for spans that overlap
  std::int64_t number = 0;         ///< stream, thread: recorded number
  std::int32_t device = 0;         ///< stream: its device

  friend bool operator==(const Lane&, const Lane&) = default;
};

/// For streams and threads: "stream 7", "device 1 stream 7", "thread 4711".
[[nodiscard]] std::string recorded_name(const Lane& lane);

/// A node that ran. wait + queue + latency + rest() = end - start.
struct Span {
  std::uint64_t node = 0;  ///< id in the trace
  Time start{};
  Time end{};
  std::uint32_t name = 0;  ///< index in Run::names
  std::uint16_t lane = 0;  ///< index in Timeline::lanes
  SpanKind kind = SpanKind::metadata;
  TimeSource model = TimeSource::none;
  Release release = Release::beginning;
  DependencyKind reason = DependencyKind::unsaid;  ///< of a release by dependency, if recorded
  bool critical = false;              ///< on the critical path at one of the timeline's ranks
  std::uint32_t released_by = kNone;  ///< span of the same timeline whose end released this one
  Time wait{};     ///< for peers: until the last one arrives, or until the message is sent
  Time queue{};    ///< for a busy resource: dimension queue, link, shared remote memory
  Time latency{};  ///< hops and end points
  /// How much later it can end without delaying the step, minimum over the timeline's ranks; empty:
  /// not computed, or the span did not end.
  std::optional<Time> slack{};
  Bytes bytes{};                ///< collectives, messages, memory: size; compute: tensor size
  std::int64_t flops = 0;       ///< compute; 0: unknown
  std::uint32_t group = kNone;  ///< collectives: number of the group at the rank
  /// Collectives: number within the group (number Group::first + sequence).
  std::uint32_t sequence = 0;
  std::uint32_t distance = kNone;   ///< sends, receives: distance of the peer
  std::uint32_t peer_span = kNone;  ///< sends, receives: matching span of the peer

  /// The duration without waits, queues and latency: work, or bytes at bandwidth.
  [[nodiscard]] Time rest() const { return end - start - wait - queue - latency; }

  friend bool operator==(const Span&, const Span&) = default;
};

/// A tensor, or an item of a memory model, that is allocated at the memory peak of a rank.
struct HeldTensor {
  std::uint32_t name = 0;
  Bytes size{};
  std::uint32_t kind = 0;  ///< memory model: name of "weights", "activations" …; 0: a tensor

  friend bool operator==(const HeldTensor&, const HeldTensor&) = default;
};

/// Allocated memory over time: from the tensors that the trace names or, for a model and a plan,
/// from a memory model. Empty `points`: unknown.
struct MemoryCurve {
  std::vector<std::pair<Time, Bytes>> points;  ///< (start, bytes), ascending, distinct times
  Bytes peak{};
  Time peak_at{};
  std::vector<HeldTensor> at_peak;  ///< largest first, ties by name; at most kHeldTensors
  std::uint32_t role = 0;           ///< memory model: name of the role of its ranks ("stage 3")
  static constexpr std::size_t kHeldTensors = 32;

  friend bool operator==(const MemoryCurve&, const MemoryCurve&) = default;
};

/// The spans of one rank, in the order of the ids in the trace. Nodes that never ran are absent.
struct Timeline {
  std::vector<Lane> lanes;
  std::vector<Span> spans;
  MemoryCurve memory;

  friend bool operator==(const Timeline&, const Timeline&) = default;
};

/// The time of one rank by activity, from exact intervals: compute_only + overlapped + comm_only +
/// memory_only + idle = finish (for a rank that finished).
struct Rank {
  std::uint32_t timeline = 0;
  std::vector<std::uint32_t> groups;  ///< group number at the rank → index in Run::groups
  std::optional<Time> finish;         ///< empty: it did not finish
  Time exposed_comm{};                ///< as the rules define it (ASTRA-sim: finish - compute)
  Time compute_only{};                ///< compute without communication or remote memory access
  Time overlapped{};                  ///< compute while communicating or accessing remote memory
  Time comm{};                        ///< communication, hidden or not
  Time comm_only{};                   ///< communication without compute
  Time memory{};                      ///< remote memory access, hidden or not
  Time memory_only{};                 ///< remote memory access without compute or communication
  Time idle{};                        ///< none of these, until it finishes
  std::uint64_t sent_bytes = 0;

  friend bool operator==(const Rank&, const Rank&) = default;
};

/// A group of ranks that communicate.
struct Group {
  std::string name;                  ///< includes its ranks: "tp (ranks 2-3)"; "": all ranks
  std::vector<std::uint32_t> ranks;  ///< in ring order; empty: all
  std::uint32_t size = 0;
  std::uint32_t first = 0;   ///< number of its first collective in the run; ascending by group
  std::uint32_t count = 0;   ///< of its collectives
  std::uint32_t stored = 0;  ///< index in Run::collectives where they are stored

  friend bool operator==(const Group&, const Group&) = default;
};

/// The 80 % prediction interval of true time minus predicted time: 10 % of true times are below
/// `lower`, and 10 % above `upper`.
struct ErrorInterval {
  Time lower{};  ///< negative: shorter than predicted
  Time upper{};

  friend bool operator==(const ErrorInterval&, const ErrorInterval&) = default;
};

/// The time that a library model predicts for collectives of one kind.
struct PredictedCollective {
  std::string type;  ///< "all_reduce" …
  Bytes bytes{};     ///< complete buffer
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  Time time{};            ///< from the arrival of the last member
  std::string source;     ///< "measured", "scaled", "cost model"
  std::string algorithm;  ///< algorithm and protocol of the library: "ring, ll128"; empty: unknown
  std::optional<ErrorInterval> off;  ///< empty: unknown

  friend bool operator==(const PredictedCollective&, const PredictedCollective&) = default;
};

/// The nodes of one class on the critical path, predicted by one model: their errors are
/// correlated.
struct ErrorClass {
  std::string name;                  ///< "learned gemm bf16", "nccl all_reduce, 8 ranks (measured)"
  Time time{};                       ///< time on the critical path
  std::optional<ErrorInterval> off;  ///< empty: unknown

  friend bool operator==(const ErrorClass&, const ErrorClass&) = default;
};

/// A collective over all its ranks. Groups whose ranks have the same timelines and the same
/// collectives share them: they are stored for the first of these groups.
struct Collective {
  std::uint32_t group = 0;  ///< the first group that has it
  std::string type;         ///< "all_reduce" …
  std::uint32_t name = 0;
  Bytes bytes{};           ///< complete buffer (see graph::whole_buffer)
  std::uint64_t sent = 0;  ///< bytes that its ranks send, all together
  bool joined = false;  ///< whether its ranks waited for each other; false for replayed durations
  std::uint32_t members = 0;  ///< ranks that issued it
  Time first_start{};
  Time last_start{};                ///< arrival of the last member
  std::uint32_t last_rank = 0;      ///< that member of `group` (ties: the lowest rank)
  std::uint32_t last_span = kNone;  ///< span of the collective at last_rank
  std::optional<Time> end;          ///< when the last member finished; empty: never
  std::optional<Time> bound;        ///< lower bound of the time with these links; empty: unknown
  std::string bound_by;             ///< "dimension 1" or "dimensions 0 and 1"
  /// Index in Run::predicted of its longest phase; kNone: no library model.
  std::uint32_t predicted = kNone;

  friend bool operator==(const Collective&, const Collective&) = default;
};

/// The cause of a segment of the critical path.
enum class PathCause : std::uint8_t {
  work,       ///< a node computes or accesses memory
  bandwidth,  ///< bytes cross links
  latency,    ///< hops and end points
  queue,      ///< a busy resource: lane, dimension queue, link, shared memory
  peer,       ///< waiting for an unknown peer
  idle        ///< no recorded cause
};
inline constexpr std::size_t kPathCauses = static_cast<std::size_t>(PathCause::idle) + 1;
[[nodiscard]] std::string_view name(PathCause cause);

/// A segment of the critical path. The segments cover 0 … step without gap or overlap, in order of
/// time.
struct PathSegment {
  std::uint32_t rank = 0;
  std::uint32_t span = kNone;  ///< index in the rank's timeline
  PathCause cause = PathCause::idle;
  /// Why the span started (from the end of the previous one).
  Release release = Release::beginning;
  Time start{};
  Time end{};

  friend bool operator==(const PathSegment&, const PathSegment&) = default;
};

struct Dimension {
  std::string block;  ///< "ring", "fully_connected", "switch"
  std::int64_t size = 0;
  Bandwidth bandwidth{};
  double latency_ns = 0;

  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// The work in a step of a generated workload, computed from its model and plan. Sums over all
/// ranks.
struct StepWork {
  std::uint64_t tokens = 0;   ///< 0: the model has no tokens
  std::uint64_t samples = 0;  ///< images, rows, sequences
  double model_flops = 0;  ///< of the matrix products that training requires, forward and backward
  double hardware_flops = 0;  ///< the same including recomputation

  friend bool operator==(const StepWork&, const StepWork&) = default;
};

enum class SpanChoice : std::uint8_t { all, critical, none };
inline constexpr std::size_t kSpanChoices = static_cast<std::size_t>(SpanChoice::none) + 1;
[[nodiscard]] std::string_view name(SpanChoice choice);

struct Run {
  /// Ordered key-value pairs: "orrery", "workload", "workload_hash", "cluster", "cluster_hash",
  /// "cluster_config" (canonical), "rules", "network_model", "compute_model" … About the
  /// simulation: "representatives", "phases_worked_out", "phases_by_messages",
  /// "iterations_skipped".
  std::vector<std::pair<std::string, std::string>> manifest;
  SpanChoice spans = SpanChoice::all;  ///< which spans the timelines contain
  Names names;
  Time step{};  ///< finish of the last rank
  bool stalled = false;
  std::vector<Dimension> dims;
  std::string device;
  double peak_flops = 0;                  ///< of one device, FLOP/s; 0: unknown
  std::string peak_precision;             ///< of `peak_flops`: "bf16"; empty: unknown
  Bytes memory_capacity{};                ///< that a process can allocate on a device; 0: unknown
  std::optional<MemoryNeed> memory_need;  ///< of the fullest rank; only for a generated workload
  std::optional<StepWork> work;           ///< only for a generated workload
  std::vector<Rank> ranks;
  std::vector<Timeline> timelines;
  std::vector<Group> groups;
  std::vector<Collective> collectives;  ///< see Group::stored; in each list, by sequence
  LinkUse links;
  std::vector<FabricNode> fabric;   ///< empty: the network consists of dimensions
  std::vector<FabricFault> faults;  ///< of its links, in the order of the cluster file
  RemoteMemory remote_memory;
  std::optional<PacketRecord> packets;  ///< empty: the network simulates no packets
  std::vector<PathSegment> path;
  /// On the critical path, by time, descending; empty: unknown.
  std::vector<ErrorClass> error_classes;
  TimeByProvenance time_by_provenance{};       ///< of the critical path
  std::vector<PredictedCollective> predicted;  ///< one entry per kind of collective
  std::uint64_t messages = 0;
  std::uint64_t events = 0;
  Findings findings;

  [[nodiscard]] const Timeline& timeline(std::uint32_t rank) const {
    return timelines[ranks[rank].timeline];
  }
  [[nodiscard]] std::uint32_t peer(std::uint32_t rank, std::uint32_t distance) const {
    return static_cast<std::uint32_t>((std::uint64_t{rank} + distance) % ranks.size());
  }
  /// The number of the collective of a span of kind collective at `rank`.
  [[nodiscard]] std::uint32_t collective_of(std::uint32_t rank, const Span& span) const {
    return groups[ranks[rank].groups[span.group]].first + span.sequence;
  }
  /// The same collective as it is stored. Null: the span's group or sequence does not exist.
  [[nodiscard]] const Collective* stored_collective_of(std::uint32_t rank, const Span& span) const;
  /// The number of collectives of all groups.
  [[nodiscard]] std::uint32_t collective_count() const {
    return groups.empty() ? 0 : groups.back().first + groups.back().count;
  }
  /// The group of a collective, by its number below collective_count(). O(log groups).
  [[nodiscard]] std::uint32_t group_of_collective(std::uint32_t number) const;
  /// A collective by its number below collective_count(). O(log groups).
  [[nodiscard]] const Collective& collective(std::uint32_t number) const;
  /// The same in a group that is known (group_of_collective()). O(1).
  [[nodiscard]] const Collective& collective(std::uint32_t number, std::uint32_t group) const;
  /// The member of `group` that arrived last in a stored collective of that group. O(members).
  [[nodiscard]] std::uint32_t last_rank(const Collective& one, std::uint32_t group) const;
  /// The value of a manifest key; "" if the key is missing.
  [[nodiscard]] std::string_view fact(std::string_view key) const;
  /// The number of ranks that were simulated to represent all ranks (see
  /// sim/shortcuts/folding/folding.h): the fact "representatives". Empty if it is missing or not a
  /// number from 1 to the number of ranks.
  [[nodiscard]] std::optional<std::uint32_t> representatives() const;
};

}  // namespace orrery::result
