// SPDX-License-Identifier: Apache-2.0
//
// What finding dependencies passes from one step to the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/dependencies/dependency.h"
#include "orrery/profile/profile.h"

namespace orrery::profile::draft {

/// A node before nodes are sorted by time: lane by lane, in each lane's order.
using NodePosition = std::uint32_t;

struct DraftEdge {
  NodePosition from = kNone;
  NodePosition to = kNone;
  DependencyKind kind = DependencyKind::unsaid;
  bool guessed = false;
};

/// What a call does, as seen from the device.
struct CallEffect {
  EventId work = kNoEvent;  ///< the earliest work it launched
  bool blocks = false;      ///< it copies, and returns when the copy is done
  bool waits = false;       ///< it returns when some work is done
  bool recorded = false;    ///< a Sync says what it waited for
};

/// The works of one stream.
struct Stream {
  std::uint32_t lane = 0;
  std::int64_t device = 0, id = 0;
  std::vector<EventId> works;  ///< by start
  /// Per work: when it was launched at the latest, ascending (streams are queues). Where that was
  /// not recorded: at the earliest, which is with the work before it, or before all that was
  /// recorded.
  std::vector<Time> launched;
  /// Per work: how many there are up to the last one, itself included, whose launch was recorded.
  std::vector<std::uint32_t> recorded;
  bool comm = false;  ///< carries work of a communication library

  /// How many of its works had been launched before `now`, or may have been.
  [[nodiscard]] std::uint32_t launched_before(Time now) const;
  /// The same, but of the last ones whose launch was not recorded only those that ended by `then`:
  /// whoever waited until then and not for them has seen that they were launched later.
  [[nodiscard]] std::uint32_t launched_before(Time now, Time then, const Profile& profile) const;
  /// The first of its works launched after `now`, or works.size(). One whose launch was not
  /// recorded counts from its start.
  [[nodiscard]] std::uint32_t first_after(Time now, const Profile& profile) const;
};

/// Where a work stands: by index in Profile::works.
struct StreamPosition {
  std::uint32_t stream = kNone;
  std::uint32_t index = 0;
};

/// `later` waited for `work`: a call (synchronisation) or a work (across streams).
struct WorkWait {
  EventId work = kNoEvent;
  EventId later = kNoEvent;
  bool guessed = false;
};

/// A stretch in which a thread had nothing to do, long enough to ask why.
struct IdleInterval {
  NodePosition next = kNone;  ///< the step that ended it
  Time begin{}, end{};
};

/// How many streams a wait for "any" or "all" looks at; more are only found in made-up files.
inline constexpr std::size_t kMaximumStreams = 256;

struct DependencyDraft {
  const Profile& profile;
  const DependencyOptions& options;
  Findings& findings;

  std::vector<CallEffect> uses;  ///< by index in Profile::calls
  std::vector<Stream> streams;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> stream_of;  ///< (device, id)
  std::vector<StreamPosition> spots;                                         ///< per work
  std::vector<WorkWait> syncs;
  /// (thread's lane, stream) → the last wait there for the whole device: (when, works launched).
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<Time, std::uint32_t>> device_waits;
  std::vector<WorkWait> stream_waits;

  std::vector<EventId> nodes;              ///< by Place
  std::vector<NodePosition> lane_offsets;  ///< per lane, and one more
  std::vector<std::uint32_t> node_of;      ///< event → Place
  /// When its step ended, by Place: for a thread the end of the step, for a device the work's
  /// recorded end, or what it waits for where that was recorded to end later.
  std::vector<Time> at;
  /// By Place, where some work ran beside the others of its stream: 0 for those, 1, 2 … for it.
  std::vector<std::uint16_t> rows;
  std::vector<DraftEdge>
      edges;  ///< all but the chains of the threads; extra ones from `first_extra`
  std::size_t first_extra = 0;
  std::vector<IdleInterval> idle;  ///< not of the thread that does most

  [[nodiscard]] const Event& event(NodePosition place) const {
    return profile.events[nodes[place]];
  }
  [[nodiscard]] CallEffect* use(EventId call);
  [[nodiscard]] const StreamPosition& spot(EventId work) const {
    return spots[profile.events[work].detail];
  }
  [[nodiscard]] std::span<const Stream> some_streams() const {
    return {streams.data(), std::min(streams.size(), kMaximumStreams)};
  }
  void add(EventId from, EventId to, DependencyKind kind, bool guessed);
};

/// The call that launched a work; kNoEvent where none is known, or one that began after the work
/// had ended.
[[nodiscard]] EventId launching_call(const Profile& profile, EventId work);
/// True when the call returned only after its copy: of memory the device cannot reach by itself, or
/// by a call that is said to wait.
[[nodiscard]] bool blocks(const Profile& profile, EventId call, EventId work);
/// Fills uses, streams, spots.
void find_streams(DependencyDraft& draft);
/// Fills nodes and `at` of the threads.
void select_nodes(DependencyDraft& draft);
/// Adds launch and stream edges; fills `at` of the devices. They are acyclic whatever was recorded.
void connect_devices(DependencyDraft& draft);
/// Adds what waits for a copy that blocked its call: the step after that call.
void connect_blocking_copies(DependencyDraft& draft);
/// Adds what is guessed of threads that polled until a work was done (poll_guessed).
void connect_polls(DependencyDraft& draft);
/// Adds what launches waited for that found their stream's queue full (launch_queue_full).
void connect_queues(DependencyDraft& draft);
/// Adds what is known or guessed between threads.
void connect_threads(DependencyDraft& draft);
/// Of these, what is guessed: hand-offs (inter_thread_guessed). Fills `idle`.
void connect_hand_offs(DependencyDraft& draft);
/// Adds tensors' producers on other threads.
void connect_tensors(DependencyDraft& draft);
/// Drops extra edges that lead back in time or close a cycle.
void drop_contradictions(DependencyDraft& draft);
/// Adds, for work that began long after all it waits for, what had just ended then.
void infer_waits(DependencyDraft& draft);
/// Fills in what dependencies take besides: see Dependency::lag. `made` has all but lags.
void find_lags(DependencyDraft& draft, Dependencies& made);

}  // namespace orrery::profile::draft
