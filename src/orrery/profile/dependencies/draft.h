// SPDX-License-Identifier: Apache-2.0
//
// The state that the steps of find_dependencies share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"

namespace orrery::profile::draft {

/// Index of a node before the nodes are sorted by time: lane by lane, in the order of each lane.
using NodePosition = std::uint32_t;

struct DraftEdge {
  NodePosition from = kNone;
  NodePosition to = kNone;
  DependencyKind kind = DependencyKind::unsaid;
  bool guessed = false;
};

/// The effect of a call on the device.
struct CallEffect {
  EventId work = kNoEvent;  ///< the earliest work it launched
  bool blocks = false;      ///< it copies, and returns when the copy is complete
  bool waits = false;       ///< it returns when some work is complete
  bool recorded = false;    ///< a Sync record contains its target
};

/// The works of one stream.
struct Stream {
  std::uint32_t lane = 0;
  std::int64_t device = 0, id = 0;
  std::vector<EventId> works;  ///< by start
  /// Per work: latest possible launch time, ascending (streams are queues). Without a recorded
  /// launch: the earliest possible time, which is the start of its operator, the launch of the
  /// previous work, or before the recording.
  std::vector<Time> launched;
  /// Per work: 1 + index of the last work up to this one with a recorded launch; 0: none.
  std::vector<std::uint32_t> recorded;
  bool comm = false;  ///< executes work of a communication library

  /// Number of works that were, or may have been, launched before `now`.
  [[nodiscard]] std::uint32_t launched_before(Time now) const;
  /// The same, but of the works after the last recorded launch it counts only those that ended by
  /// `then`. A thread that waited until `then`, but not for the others, shows that these were
  /// launched later.
  [[nodiscard]] std::uint32_t launched_before(Time now, Time then, const Profile& profile) const;
  /// Index of the first work launched after `now`, or works.size(). A work without a recorded
  /// launch counts from its start.
  [[nodiscard]] std::uint32_t first_after(Time now, const Profile& profile) const;
};

/// Position of a work: its stream in DependencyDraft::streams, and its index in Stream::works.
struct StreamPosition {
  std::uint32_t stream = kNone;
  std::uint32_t index = 0;
};

/// `later` waited for `work`; it is a call (synchronization) or a work on another stream.
struct WorkWait {
  EventId work = kNoEvent;
  EventId later = kNoEvent;
  bool guessed = false;
};

/// A thread that waited until a work had written a value, before the work ended.
struct EarlyPoll {
  NodePosition step = kNone;  ///< the step that ends the wait
  NodePosition work = kNone;
  Time until{};  ///< end of the wait
  /// Time of the work until then (set by connect_early_polls).
  Time progress{};
};

/// A time in which a thread was idle, long enough to need a cause.
struct IdleInterval {
  NodePosition next = kNone;  ///< the step that ends it
  Time begin{}, end{};
};

/// Maximum number of streams that a wait for "any" or "all" streams considers; only synthetic files
/// have more.
inline constexpr std::size_t kMaximumStreams = 256;

struct DependencyDraft {
  const Profile& profile;
  const DependencyOptions& options;
  Findings& findings;

  std::vector<CallEffect> effects;  ///< by index in Profile::calls
  std::vector<Stream> streams;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> stream_of;  ///< (device, id)
  std::vector<StreamPosition> positions;  ///< by index in Profile::works
  std::vector<WorkWait> syncs;
  /// (thread's lane, stream) → the thread's last wait for all streams: (time, works launched by
  /// then).
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<Time, std::uint32_t>> device_waits;
  std::vector<WorkWait> stream_waits;

  std::vector<EventId> nodes;              ///< by NodePosition
  std::vector<NodePosition> lane_offsets;  ///< per lane: its first node; and the end
  std::vector<std::uint32_t> node_of;      ///< event → NodePosition
  /// End of each node, by NodePosition. On a thread: the end of its step. On a device: the recorded
  /// end of the work, or of its dependencies if that is later.
  std::vector<Time> ends;
  /// By NodePosition: 0 for works in stream order, 1, 2 … for works that overlap them. Empty if
  /// none overlap.
  std::vector<std::uint16_t> rows;
  std::vector<DraftEdge> edges;  ///< without the thread chains; extra edges begin at `first_extra`
  std::size_t first_extra = 0;
  std::vector<IdleInterval> idle;  ///< of all threads except the busiest
  std::vector<EarlyPoll> early_polls;

  [[nodiscard]] const Event& event(NodePosition place) const {
    return profile.events[nodes[place]];
  }
  [[nodiscard]] CallEffect* effect(EventId call);
  [[nodiscard]] const StreamPosition& position(EventId work) const {
    return positions[profile.events[work].detail];
  }
  [[nodiscard]] std::span<const Stream> searched_streams() const {
    return {streams.data(), std::min(streams.size(), kMaximumStreams)};
  }
  void add(EventId from, EventId to, DependencyKind kind, bool guessed);
};

/// "file: "later" waits for "earlier"": the place of a contradiction in findings.
[[nodiscard]] std::string wait_place(const Profile& profile, EventId later, EventId earlier);
/// The call that launched a work; kNoEvent if it is unknown or began after the work had ended.
[[nodiscard]] EventId launching_call(const Profile& profile, EventId work);
/// True if the call returned only after its copy: the copy is of pageable memory, or the call is
/// synchronous by its name.
[[nodiscard]] bool blocks(const Profile& profile, EventId call, EventId work);
/// Fills `effects`, `streams` and `positions`.
void find_streams(DependencyDraft& draft);
/// Fills `nodes`, and `ends` of the threads.
void select_nodes(DependencyDraft& draft);
/// Adds the waits of calls without a sync record, guessed from their names and the works around
/// them. If the trace has no sync records at all, also adds waits across streams
/// (stream_wait_guessed).
void guess_waits(DependencyDraft& draft);
/// Adds launch and stream edges; fills `ends` of the devices. These edges are always acyclic.
void connect_devices(DependencyDraft& draft);
/// Adds edges for copies that block their call: from the copy to the step after the call.
void connect_blocking_copies(DependencyDraft& draft);
/// Adds guessed edges to threads that polled until a work ended (poll_guessed). Fills
/// `early_polls`.
void connect_polls(DependencyDraft& draft);
/// Adds a guessed edge (DependencyKind::poll) to the step of each early poll from everything that
/// its work waits for; removes early polls that get none. All other edges must be known.
void connect_early_polls(DependencyDraft& draft);
/// Adds edges to launches that waited because the queue of their stream was full
/// (launch_queue_full).
void connect_queues(DependencyDraft& draft);
/// Adds recorded and guessed edges between threads.
void connect_threads(DependencyDraft& draft);
/// Adds only the guessed ones: hand-offs (inter_thread_guessed). Fills `idle`.
void connect_hand_offs(DependencyDraft& draft);
/// Adds edges from operators on other threads that wrote the tensors of an operator.
void connect_tensors(DependencyDraft& draft);
/// Drops extra edges that lead backwards in time or close a cycle.
void drop_contradictions(DependencyDraft& draft);
/// Adds edges to works that began long after their dependencies had ended: from the work that ended
/// just before (DependencyKind::learned).
void infer_waits(DependencyDraft& draft);
/// Sets the lags (Dependency::lag); `made` is complete except for them.
void find_lags(DependencyDraft& draft, Dependencies& made);

}  // namespace orrery::profile::draft
