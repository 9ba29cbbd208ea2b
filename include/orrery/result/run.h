// SPDX-License-Identifier: Apache-2.0
//
// One finished simulation, as everything downstream sees it: the run file stores it, analysis
// explains it, reports draw it.
//
// What is equal is stored once. A Timeline is what one rank did; ranks that did the same at the
// same times share one. So that ranks in different process groups can still be equal, a timeline
// names groups by their number at the rank (Rank::groups turns it into a group) and peers by their
// distance (peer = (rank + distance) mod ranks).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/core/dependency_kind.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
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
  std::unordered_map<std::string, std::uint32_t> numbers_{{"", 0}};
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
inline constexpr std::size_t kSpanKinds = 8;
[[nodiscard]] std::string_view name(SpanKind kind);

/// Why a span did not start earlier.
enum class Release : std::uint8_t {
  beginning,   ///< it waited for nothing
  dependency,  ///< the last node it depends on ended then
  resource     ///< what it depends on had ended; its lane was taken until then
};
inline constexpr std::size_t kReleases = 3;
[[nodiscard]] std::string_view name(Release release);

/// What takes spans one after another at one rank. `compute`, `cpu`, `memory`: one each;
/// `communicator`: one per group; `sends`: one per receiver; `receives`: as many as overlap.
/// `stream`, `thread`: as they were recorded, whatever runs there.
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
inline constexpr std::size_t kLaneKinds = 9;
[[nodiscard]] std::string_view name(LaneKind kind);

/// One lane of a timeline. Spans of one lane never overlap (they may touch, and spans of no length
/// may stand anywhere).
struct Lane {
  LaneKind kind = LaneKind::other;
  std::uint32_t group = kNone;     ///< communicator: the group, by its number at the rank
  std::uint32_t distance = kNone;  ///< sends: the receiver's distance
  std::uint32_t layer = 0;         ///< 1, 2 … where spans of the same lane would overlap
  std::int64_t number = 0;         ///< stream, thread: its own, as recorded
  std::int32_t device = 0;         ///< stream: whose it is

  friend bool operator==(const Lane&, const Lane&) = default;
};

/// "stream 7", "device 1 stream 7", "thread 4711": of a lane of these kinds.
[[nodiscard]] std::string recorded_name(const Lane& lane);

/// One node that ran. wait + queue + latency + rest() = end - start.
struct Span {
  std::uint64_t node = 0;  ///< the trace's own id
  Time start{};
  Time end{};
  std::uint32_t name = 0;  ///< in Run::names
  std::uint16_t lane = 0;  ///< in Timeline::lanes
  SpanKind kind = SpanKind::metadata;
  TimeSource model = TimeSource::none;
  Release release = Release::beginning;
  DependencyKind reason =
      DependencyKind::unsaid;         ///< of `release` dependency, where the trace says
  bool critical = false;              ///< on the critical path at one of the timeline's ranks
  std::uint32_t released_by = kNone;  ///< the span (of the same timeline) whose end let it start
  Time wait{};     ///< for peers: until the last one has come, or until the message is sent
  Time queue{};    ///< for a busy resource: dimension queues, a shared remote memory, links
  Time latency{};  ///< hops and end points
  std::optional<Time> slack{};  ///< how much later it could end without a later step; the least of
                                ///< the timeline's ranks; empty: not computed, or it did not finish
  Bytes bytes{};                ///< collectives, messages, memory: size; compute: tensor size
  std::int64_t flops = 0;       ///< compute, where known
  std::uint32_t group = kNone;  ///< collectives: by its number at the rank
  std::uint32_t sequence = 0;   ///< collectives: which one of its group (Group::first + sequence)
  std::uint32_t distance = kNone;   ///< sends, receives: the peer
  std::uint32_t peer_span = kNone;  ///< sends, receives: the span at the peer that is the other end

  /// The part of its length that is neither waiting nor latency: work, or bytes at bandwidth.
  [[nodiscard]] Time rest() const { return end - start - wait - queue - latency; }

  friend bool operator==(const Span&, const Span&) = default;
};

/// A tensor, or a part of an account, that is there when a rank holds most.
struct HeldTensor {
  std::uint32_t name = 0;
  Bytes size{};
  std::uint32_t kind = 0;  ///< of an account: the name of "weights", "activations" …; 0: a tensor

  friend bool operator==(const HeldTensor&, const HeldTensor&) = default;
};

/// Bytes held over time: by the tensors that the trace names or, of a model and a plan, by account.
/// Empty `points`: nothing says.
struct MemoryCurve {
  std::vector<std::pair<Time, Bytes>> points;  ///< (from when, how many), ascending, distinct times
  Bytes peak{};
  Time peak_at{};
  std::vector<HeldTensor> at_peak;  ///< largest first, ties by name; at most kHeldTensors
  std::uint32_t role = 0;           ///< by account: the name of what its ranks are ("stage 3")
  static constexpr std::size_t kHeldTensors = 32;

  friend bool operator==(const MemoryCurve&, const MemoryCurve&) = default;
};

/// What one rank did. Spans stand in the order of the trace's ids; nodes that never ran are absent.
struct Timeline {
  std::vector<Lane> lanes;
  std::vector<Span> spans;
  MemoryCurve memory;

  friend bool operator==(const Timeline&, const Timeline&) = default;
};

/// Where one rank's time went, from true intervals:
/// compute_only + overlapped + comm_only + memory_only + idle = finish (of a rank that finished).
struct Rank {
  std::uint32_t timeline = 0;
  std::vector<std::uint32_t> groups;  ///< by number at the rank → Run::groups
  std::optional<Time> finish;         ///< empty: never finished
  Time exposed_comm{};                ///< as the rules define it (ASTRA-sim: finish - compute)
  Time compute_only{};                ///< computing, nothing else going on
  Time overlapped{};                  ///< computing while communicating or accessing remote memory
  Time comm{};                        ///< communicating, hidden or not
  Time comm_only{};                   ///< communicating, not computing
  Time memory{};                      ///< accessing remote memory, hidden or not
  Time memory_only{};  ///< accessing remote memory, neither computing nor communicating
  Time idle{};         ///< none of them, until its own finish
  std::uint64_t sent_bytes = 0;

  friend bool operator==(const Rank&, const Rank&) = default;
};

/// Ranks that communicate with each other.
struct Group {
  std::string name;                  ///< with its ranks: "tp (ranks 2-3)"; "" is all ranks
  std::vector<std::uint32_t> ranks;  ///< in ring order; empty: all
  std::uint32_t size = 0;
  std::uint32_t first = 0;  ///< its first collective in Run::collectives
  std::uint32_t count = 0;

  friend bool operator==(const Group&, const Group&) = default;
};

/// What true times may be more than what was told, of 80 %: the rest is below `least` or above
/// `most`, a tenth each.
struct ErrorInterval {
  Time lower{};  ///< below zero: less
  Time upper{};

  friend bool operator==(const ErrorInterval&, const ErrorInterval&) = default;
};

/// What a library takes for collectives of one kind.
struct PredictedCollective {
  std::string type;  ///< "all_reduce" …
  Bytes bytes{};     ///< the whole buffer
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  Time time{};            ///< from when the last has come
  std::string source;     ///< "measured", "scaled", "cost model"
  std::string algorithm;  ///< what it chooses, with the protocol: "ring, ll128"; empty: no choice
  std::optional<ErrorInterval> off;  ///< empty: not known

  friend bool operator==(const PredictedCollective&, const PredictedCollective&) = default;
};

/// What one model tells of one class of nodes on the critical path: its errors move together.
struct ErrorClass {
  std::string name;                  ///< "learned gemm bf16", "nccl all_reduce, 8 ranks (measured)"
  Time time{};                       ///< on the path
  std::optional<ErrorInterval> off;  ///< empty: not known

  friend bool operator==(const ErrorClass&, const ErrorClass&) = default;
};

/// One collective, across its ranks.
struct Collective {
  std::uint32_t group = 0;
  std::string type;  ///< "all_reduce" …
  std::uint32_t name = 0;
  Bytes bytes{};              ///< the whole buffer (see graph::whole_buffer)
  std::uint64_t sent = 0;     ///< what its ranks put on the network, together
  bool joined = false;        ///< its ranks really waited for each other (not: durations replayed)
  std::uint32_t members = 0;  ///< that issued it
  Time first_start{};
  Time last_start{};                ///< when the last member came
  std::uint32_t last_rank = 0;      ///< which one (the lowest of those)
  std::uint32_t last_span = kNone;  ///< its span there
  std::optional<Time> end;          ///< when the last member was done; empty: never
  std::optional<Time> bound;        ///< no network with these links is faster; empty: not known
  std::string bound_by;             ///< "dimension 1" or "dimensions 0 and 1"
  std::uint32_t predicted = kNone;  ///< by a library: index in Run::predicted; its longest phase

  friend bool operator==(const Collective&, const Collective&) = default;
};

/// What the critical path does in a stretch of time.
enum class PathCause : std::uint8_t {
  work,       ///< a node computes or accesses memory
  bandwidth,  ///< bytes cross links
  latency,    ///< hops and end points
  queue,      ///< a busy resource: lane, dimension queue, link, shared memory
  peer,       ///< waiting for a peer that the path cannot name
  idle        ///< nothing recorded explains it
};
inline constexpr std::size_t kPathCauses = 6;
[[nodiscard]] std::string_view name(PathCause cause);

/// A stretch of the critical path. The path covers 0 … step without gap or overlap, earliest first.
struct PathSegment {
  std::uint32_t rank = 0;
  std::uint32_t span = kNone;  ///< in the rank's timeline
  PathCause cause = PathCause::idle;
  Release release = Release::beginning;  ///< how the path came to this span (from the one before)
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

/// What the step of a generated workload is for: counted from its model and plan, all ranks
/// together.
struct StepWork {
  std::uint64_t tokens = 0;   ///< 0: it has none
  std::uint64_t samples = 0;  ///< pictures, rows, sequences
  double model_flops = 0;     ///< of the matrix products that training needs, forward and backward
  double hardware_flops = 0;  ///< … that are executed: with what is done again

  friend bool operator==(const StepWork&, const StepWork&) = default;
};

enum class SpanChoice : std::uint8_t { all, critical, none };
inline constexpr std::size_t kSpanChoices = 3;
[[nodiscard]] std::string_view name(SpanChoice choice);

struct Run {
  /// Ordered facts: "orrery", "workload", "workload_hash", "cluster", "cluster_hash",
  /// "cluster_config" (canonical), "rules", "network_model", "compute_model" … How it was worked
  /// out: "representatives", "phases_worked_out", "phases_by_messages", "iterations_skipped".
  std::vector<std::pair<std::string, std::string>> manifest;
  SpanChoice spans = SpanChoice::all;  ///< which spans the timelines hold
  Names names;
  Time step{};  ///< the last finish
  bool stalled = false;
  std::vector<Dimension> dims;
  std::string device;
  double peak_flops = 0;         ///< of one device, FLOP/s; 0 = unknown
  std::string peak_precision;    ///< of `peak_flops`: "bf16"; empty: unknown
  Bytes memory_capacity{};       ///< of one device; 0 = unknown
  std::optional<StepWork> work;  ///< of a generated workload
  std::vector<Rank> ranks;
  std::vector<Timeline> timelines;
  std::vector<Group> groups;
  std::vector<Collective> collectives;  ///< by group, then sequence
  LinkUse links;
  std::vector<FabricNode> fabric;   ///< empty: the network is dimensions
  std::vector<FabricFault> faults;  ///< of its links, in the order of the cluster file
  RemoteMemory remote_memory;
  std::vector<PathSegment> path;
  std::vector<ErrorClass> error_classes;       ///< of the path, longest first; empty: not known
  TimeByProvenance time_by_provenance{};       ///< the path by what it stands on
  std::vector<PredictedCollective> predicted;  ///< what a library ran, each kind once
  std::uint64_t messages = 0;
  std::uint64_t events = 0;
  Findings findings;

  [[nodiscard]] const Timeline& timeline(std::uint32_t rank) const {
    return timelines[ranks[rank].timeline];
  }
  [[nodiscard]] std::uint32_t peer(std::uint32_t rank, std::uint32_t distance) const {
    return static_cast<std::uint32_t>((std::uint64_t{rank} + distance) % ranks.size());
  }
  /// The collective of a span of kind collective at `rank`.
  [[nodiscard]] std::uint32_t collective_of(std::uint32_t rank, const Span& span) const {
    return groups[ranks[rank].groups[span.group]].first + span.sequence;
  }
  /// The manifest's value, "" when it has none.
  [[nodiscard]] std::string_view fact(std::string_view key) const;
  /// How many ranks were simulated, for all of them (see sim/shortcuts/folding/folding.h): the fact
  /// "representatives". Empty where it is missing or no number from 1 to the ranks.
  [[nodiscard]] std::optional<std::uint32_t> representatives() const;
};

}  // namespace orrery::result
