// SPDX-License-Identifier: Apache-2.0
//
// What each recorded event had to wait for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/profile/dependencies/dependency.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// The events that become nodes of a graph, what each waits for, and how long it then takes.
///
/// A host thread is a chain in pre-order. A step lasts until its first child begins, or to its own
/// end; a launching call's at most until its work begins; a call's that copies and waits for the
/// copy only to its own beginning (the step after it waits); a thread's last, if it launches
/// nothing, until all around it has ended. Everything before it since the last thing it waited for
/// belongs to it, so that replaying the chain gives the recorded times back: cost = recorded end of
/// the step - the latest recorded end among what it waits for, never negative. What waits for
/// nothing that was recorded begins when it did (see `start`). Calls that neither launch nor
/// synchronise are part of the step after them (counted: call_folded), and so are Python frames and
/// overhead (host_context_folded). Device work costs its recorded duration, less what it overlaps
/// with the work before it on its stream; what lies within the work before it ran beside it and is
/// not ordered with it (see `rows`). What has no recorded time costs nothing.
///
/// Device work that began later than the last thing it waited for ended has the difference as that
/// dependency's lag, up to 20 us: it takes so long to launch, or to go from one work to the next.
/// If it was later than that and other work of the device had ended within 20 us before, it waited
/// for that (`learned`); else nobody knows, and the dependency becomes a `recorded_wait`, with the
/// whole difference. Launches and predecessors that were not the last have the lag that is usual in
/// the recording, as far as it fits: it counts when something else becomes faster. Where a launch
/// of usual length ends just then, the last has no more than what is usual, either. A thread that
/// was idle for a millisecond or more with nothing around, while the one that does most worked, was
/// waiting, nobody knows for what (thread_idle_unexplained): a `recorded_wait`, too.
struct Dependencies {
  std::vector<EventId> nodes;  ///< host and device, in order of (start, lane, place in the lane);
                               ///< an untimed node right after what precedes it on its thread
  std::vector<std::uint32_t> node_of;  ///< event → index in nodes, or kNone
  std::vector<Time> cost;              ///< per node
  /// … before somebody changed it (replay/dependency_changes.h); empty: nobody has.
  std::vector<Time> recorded_cost;
  std::vector<Time> end;  ///< per node: when its step or its work was recorded to end
  /// Per node: 1, 2 … for device work that ran beside what its stream did at the time; empty where
  /// there is none.
  std::vector<std::uint16_t> rows;
  std::vector<Time> start;  ///< per node: how long after the profile begins it may begin, or zero
  std::vector<std::uint32_t> first;  ///< per node (+1): its dependencies in `edges`
  std::vector<Dependency> edges;     ///< `from` is an EventId that is a node; sorted, no duplicates
  /// Nodes of all iterations but the first, and how many of them take what they took an iteration
  /// before (replay/previous_iteration.h); 0: nobody asked.
  std::uint64_t to_learn = 0, learned = 0;
  std::vector<Time> lasted;  ///< per node, how long its event lasted there; empty: nobody asked
  std::array<std::uint64_t, kDependencyKinds> counts{};
  std::uint64_t guessed = 0;

  [[nodiscard]] std::span<const Dependency> of(std::uint32_t node) const {
    return {edges.data() + first[node], first[node + 1] - first[node]};
  }
};

/// From the first node's start to the end of the last: what nodes do not say takes no part. Both
/// zero where there are no nodes.
struct Extent {
  Time from{}, to{};
};
[[nodiscard]] Extent recorded_extent(const Profile& profile, const Dependencies& dependencies);

/// Builds them; `profile` must be indexed and attached. Acyclic by construction where times are
/// recorded (an edge leads from an earlier end to a later one); where recorded times contradict an
/// edge it is dropped and counted (dependency_contradicts_time). Without cuda_sync records waits
/// across streams are guessed from the order of event calls and flagged (stream_wait_guessed), and
/// hand-offs between threads from gaps (inter_thread_guessed); what a synchronising call without a
/// record waited for is guessed too where its name does not say it, and that a thread polled where
/// long stretches end with the work it had launched (poll_guessed). Work without a launch had been
/// launched before the profile where it is the first of its stream, else with the work before it or
/// later: whoever waited for the stream waited for it if it had ended by then.
/// O(events log events).
[[nodiscard]] Dependencies find_dependencies(const Profile& profile,
                                             const DependencyOptions& options, Findings& findings);

}  // namespace orrery::profile
