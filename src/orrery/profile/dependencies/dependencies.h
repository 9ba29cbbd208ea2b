// SPDX-License-Identifier: Apache-2.0
//
// What each recorded event waits for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/core/dependency_kind.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

struct Dependency {
  EventId from = kNoEvent;
  DependencyKind kind = DependencyKind::unsaid;
  bool guessed = false;  ///< inferred, not recorded
  /// Earliest start of the event after the end of `from`: launch latency, the gap between two
  /// works, a recorded wait. The lag occupies no lane.
  Time lag{};
};

/// A thread that waited until a work had written a value, before the work ended. The node has an
/// edge (DependencyKind::poll) from everything that the work waits for. The lag of this edge is the
/// lag of the edge to the work, plus `progress`.
struct PollWait {
  std::uint32_t node = kNone;  ///< of the thread
  std::uint32_t work = kNone;  ///< node of the work
  Time progress{};             ///< from the start of the work to the end of the wait
};

struct DependencyOptions {
  bool tensors = false;
  /// A gap on a thread at least this long counts as a wait for another thread if that thread became
  /// idle when the gap ended. A gap of a tenth suffices if the other thread then stays idle this
  /// long.
  Time inter_thread_gap = us(1000);
};

/// The events that become nodes of a graph, the dependencies of each, and its cost.
///
/// Threads: the nodes of a host thread are a chain in pre-order. A step of the chain lasts until
/// its first child begins, or to its own end. Exceptions:
/// - The step of a launching call ends at the latest when its work begins.
/// - The step of a call that copies and waits for the copy ends at the call's own beginning. The
///   next step waits for the copy.
/// - The last step of a thread lasts until all enclosing events have ended, unless it launches
///   work.
///
/// The cost of a step is its recorded end minus the latest recorded end of its dependencies, never
/// negative. Therefore a replay of the chain gives the recorded times. A step without recorded
/// dependencies begins at its recorded time (see `start`). Calls that neither launch nor
/// synchronize are part of the next step (counted: call_folded). So are Python frames and overhead
/// (host_context_folded).
///
/// Device: the cost of a work is its recorded duration, less its overlap with the previous work on
/// its stream. A work that lies within the previous work overlaps it and is not ordered with it
/// (see `rows`). Events without a recorded time cost nothing.
///
/// Lags: if a device work begins after its last dependency ended, the dependency gets the
/// difference as its lag, up to 20 us: launch latency, or the gap between two works. If the work
/// begins later, and other work of the device ended within the 20 us before, it waited for that
/// work (`learned`). Otherwise the cause is unknown, and the dependency becomes a `recorded_wait`
/// with the full difference. Dependencies that ended earlier get the recording's median lag, as far
/// as it fits: it matters if something else becomes faster. If the work began within the median
/// launch latency after its launch, the last dependency has at most the median gap, too.
///
/// Idle threads: a thread waited for an unknown cause (thread_idle_unexplained) if it was idle for
/// 1 ms or more, outside of all events, while the busiest thread worked. This is a `recorded_wait`,
/// too.
struct Dependencies {
  std::vector<EventId> nodes;  ///< host and device, by (start, lane, position in the lane); an
                               ///< untimed node directly after its predecessor on the thread
  std::vector<std::uint32_t> node_of;  ///< event → index in nodes, or kNone
  std::vector<Time> cost;              ///< per node
  /// Recorded cost before replay/dependency_changes.h changed it; empty if unchanged.
  std::vector<Time> recorded_cost;
  std::vector<Time> end;  ///< per node: recorded end of its step or its work
  /// Per node: 1, 2 … for device work that overlaps other work of its stream, else 0; empty if no
  /// work overlaps.
  std::vector<std::uint16_t> rows;
  std::vector<PollWait> polls;  ///< ascending by node; at most one per node
  std::vector<Time> start;  ///< per node: earliest start after the begin of the profile, or zero
  std::vector<std::uint32_t> first;  ///< per node (+1): its dependencies in `edges`
  std::vector<Dependency> edges;     ///< `from` is an EventId that is a node; sorted, no duplicates
  /// Number of nodes after the first iteration, and how many of them use the duration of the
  /// previous iteration (replay/previous_iteration.h); 0 unless requested.
  std::uint64_t predictable = 0, predicted = 0;
  std::vector<Time>
      previous_duration;  ///< per node: duration in the previous iteration; empty: not requested
  std::array<std::uint64_t, kDependencyKinds> counts{};
  std::uint64_t guessed = 0;

  [[nodiscard]] std::span<const Dependency> of(std::uint32_t node) const {
    return {edges.data() + first[node], first[node + 1] - first[node]};
  }
};

/// From the first node's start to the end of the last node; events that are no nodes do not count.
/// Both zero if there are no nodes.
struct Extent {
  Time from{}, to{};
};
[[nodiscard]] Extent recorded_extent(const Profile& profile, const Dependencies& dependencies);
/// The same without the dependencies. `profile` is indexed and attached. O(events log events).
[[nodiscard]] Extent recorded_extent(const Profile& profile);

/// Finds the dependencies of `profile`, which must be indexed and attached. The result is acyclic:
/// an edge leads from an earlier end to a later one. Edges that contradict the recorded times are
/// dropped and counted (dependency_contradicts_time). Some dependencies are guessed:
/// - Waits across streams without cuda_sync records, from the order of event calls
///   (stream_wait_guessed).
/// - Hand-offs between threads, from gaps (inter_thread_guessed).
/// - Polls, from long segments that end with the launched work, or within it (poll_guessed).
/// - The target of a synchronizing call without a record, if its name does not give it.
///
/// A work without a recorded launch counts as launched before the profile if it is the first of its
/// stream, else with the previous work or later. A wait for the stream includes such a work if it
/// had ended by then. O(events log events).
[[nodiscard]] Dependencies find_dependencies(const Profile& profile,
                                             const DependencyOptions& options, Findings& findings);

}  // namespace orrery::profile
