// SPDX-License-Identifier: Apache-2.0
//
// Connects works with their calls (launch edges) and orders each stream.
#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "orrery/profile/dependencies/draft.h"
#include "orrery/profile/dependencies/graph_edges.h"

namespace orrery::profile::draft {

std::uint32_t Stream::launched_before(Time now) const {
  return static_cast<std::uint32_t>(std::lower_bound(launched.begin(), launched.end(), now) -
                                    launched.begin());
}

std::uint32_t Stream::launched_before(Time now, Time then, const Profile& profile) const {
  const std::uint32_t count = launched_before(now);
  if (count == 0) return 0;
  const auto by_then = [&](EventId work) { return profile.events[work].end() <= then; };
  const auto first = works.begin() + recorded[count - 1];
  return static_cast<std::uint32_t>(std::partition_point(first, works.begin() + count, by_then) -
                                    works.begin());
}

std::uint32_t Stream::first_after(Time now, const Profile& profile) const {
  const auto count = static_cast<std::uint32_t>(
      std::upper_bound(launched.begin(), launched.end(), now) - launched.begin());
  if (count == 0) return 0;
  const auto by_now = [&](EventId work) { return profile.events[work].start <= now; };
  const auto first = works.begin() + recorded[count - 1];
  return static_cast<std::uint32_t>(std::partition_point(first, works.begin() + count, by_now) -
                                    works.begin());
}

EventId launching_call(const Profile& profile, EventId work) {
  const EventId call = profile.work(work).call;
  if (call == kNoEvent || profile.events[call].start > profile.events[work].end()) return kNoEvent;
  return call;
}

bool blocks(const Profile& profile, EventId call, EventId work) {
  const Event& copy = profile.events[work];
  if (copy.kind != Kind::memcpy || copy.end() > profile.events[call].end()) return false;
  if (profile.name(work).find("Pageable") != std::string_view::npos) return true;
  const std::string_view name = profile.name(call);
  return name.find("Memcpy") != std::string_view::npos &&
         name.find("Async") == std::string_view::npos;
}

namespace {

void note_launch(DependencyDraft& draft, EventId call, EventId work) {
  CallEffect* effect = draft.effect(call);
  if (effect == nullptr) return;
  const auto& events = draft.profile.events;
  if (effect->work == kNoEvent || events[work].start < events[effect->work].start)
    effect->work = work;
  effect->blocks = effect->blocks || blocks(draft.profile, call, work);
}

/// Earliest launch of a work without a call: not before its operator, nor before `previous`.
Time launched_at_the_earliest(const Profile& profile, EventId work, Time previous) {
  const EventId op = profile.work(work).op;
  if (op == kNoEvent || !profile.events[op].timed()) return previous;
  const Event& event = profile.events[op];
  return event.start > profile.events[work].start ? previous : std::max(previous, event.start);
}

void read_stream(DependencyDraft& draft, Stream& stream) {
  constexpr Time kBeforeAll{std::numeric_limits<std::int64_t>::min()};
  const Profile& profile = draft.profile;
  const auto number = static_cast<std::uint32_t>(draft.streams.size());
  Time previous = kBeforeAll;
  std::uint32_t recorded = 0;
  stream.launched.reserve(stream.works.size());
  stream.recorded.reserve(stream.works.size());
  for (std::uint32_t i = 0; i < stream.works.size(); ++i) {
    const EventId work = stream.works[i];
    const Work& about = profile.work(work);
    draft.positions[profile.events[work].detail] = {number, i};
    stream.comm = stream.comm || about.comm != kNone;
    const EventId call = launching_call(profile, work);
    if (call == kNoEvent && about.call != kNoEvent) {
      draft.findings.add(FindingCode::dependency_contradicts_time,
                         profile.where + ": launch of \"" + std::string(profile.name(work)) + '"');
    }
    note_launch(draft, call, work);
    if (call != kNoEvent) recorded = i + 1;
    previous = call == kNoEvent ? launched_at_the_earliest(profile, work, previous)
                                : profile.events[call].start;
    stream.launched.push_back(previous);
    stream.recorded.push_back(recorded);
  }
  for (std::size_t i = stream.launched.size(); i-- > 1;)
    stream.launched[i - 1] = std::min(stream.launched[i - 1], stream.launched[i]);
}

}  // namespace

void find_streams(DependencyDraft& draft) {
  const Profile& profile = draft.profile;
  draft.effects.assign(profile.calls.size(), CallEffect{});
  draft.positions.assign(profile.works.size(), StreamPosition{});
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
    if (!profile.lanes[lane].device) continue;
    Stream stream;
    stream.lane = lane;
    stream.device = profile.lanes[lane].process;
    stream.id = profile.lanes[lane].id;
    for (const EventId e : profile.in_order(lane)) {
      if (is_device_work(profile.events[e].kind)) stream.works.push_back(e);
    }
    if (stream.works.empty()) continue;
    read_stream(draft, stream);
    draft.stream_of[{stream.device, stream.id}] = static_cast<std::uint32_t>(draft.streams.size());
    draft.streams.push_back(std::move(stream));
  }
}

namespace {

/// Orders the works of one stream.
/// - Works follow each other. A work that begins before the previous one ends still follows it; its
///   cost is the part after the overlap.
/// - A work that begins and ends within the previous one ran concurrently (branches of a graph).
///   Later works wait for both.
/// - Works of a graph with known edges are ordered by these edges. Its roots wait for the work
///   before the graph. Works after the graph wait for all of its works on this stream that no other
///   one here waits for.
class StreamOrder {
 public:
  StreamOrder(DependencyDraft& draft, const Stream& stream, const GraphOrder& graphs)
      : draft_(draft), stream_(stream), graphs_(graphs) {}

  void connect() {
    for (const EventId work : stream_.works) {
      const Event& event = draft_.profile.events[work];
      const NodePosition place = draft_.node_of[work];
      before_.clear();
      if (graphs_.orders(work)) {
        in_graph(work, place);
        continue;
      }
      leave_graph();
      if (rows_ == 0 || end(last_[0]) <= event.end()) {
        for (std::size_t row = 0; row < rows_; ++row) before_.push_back(last_[row]);
        previous_ = rows_ == 0 ? kNone : last_[0];
        last_[0] = place;
        rows_ = 1;
      } else {
        add_overlapping(event, place);
      }
      settle(work, place);
    }
  }

 private:
  // Maximum number of ordered works that overlap the longest one.
  static constexpr std::size_t kRows = 16;
  static constexpr std::size_t kSpare = 1u << 15;  // number of rows for other overlapping works

  [[nodiscard]] Time end(NodePosition place) const { return draft_.event(place).end(); }

  // Adds a work that runs within last_[0].
  void add_overlapping(const Event& event, NodePosition place) {
    for (std::size_t row = 1; row < rows_; ++row) {
      if (end(last_[row]) > event.end()) continue;
      before_.push_back(last_[row]);
      last_[row] = place;
      return set_row(place, row);
    }
    if (previous_ != kNone && end(previous_) <= event.end()) before_.push_back(previous_);
    set_row(place, rows_ < kRows ? rows_ : kRows + spare_++ % kSpare);
    if (rows_ < kRows) last_[rows_++] = place;
  }

  void set_row(NodePosition place, std::size_t row) {
    draft_.rows.resize(draft_.nodes.size());
    draft_.rows[place] = static_cast<std::uint16_t>(row);
  }

  // Adds a work of a graph. last_ contains the works before the graph until it ends.
  void in_graph(EventId work, NodePosition place) {
    const std::uint64_t replay = draft_.profile.work(work).correlation;
    if (replay != replay_) leave_graph();
    replay_ = replay;
    const Event& event = draft_.profile.events[work];
    if (!open_.empty() && event.start < graph_end_) set_row(place, kRows + spare_++ % kSpare);
    graph_end_ = open_.empty() ? event.end() : std::max(graph_end_, event.end());
    const auto waits_for = graphs_.before(work);
    if (waits_for.empty()) {
      for (std::size_t row = 0; row < rows_; ++row)
        if (end(last_[row]) <= end(place)) before_.push_back(last_[row]);
      settle(work, place);
    } else {
      Time done = end(place);
      for (const EventId node : waits_for) {
        done = std::max(done, draft_.ends[draft_.node_of[node]]);
        open_.erase(draft_.node_of[node]);
      }
      draft_.ends[place] = done;
    }
    open_.insert(place);
  }
  void leave_graph() {
    if (open_.empty()) return;
    std::vector<NodePosition> latest(open_.begin(), open_.end());
    std::stable_sort(latest.begin(), latest.end(),
                     [&](NodePosition a, NodePosition b) { return end(a) > end(b); });
    rows_ = std::min(latest.size(), kRows);
    std::copy_n(latest.begin(), rows_, last_.begin());
    previous_ = kNone;
    open_.clear();
  }

  // Adds launch and stream edges of one work, and sets its earliest end.
  void settle(EventId work, NodePosition place) {
    const Profile& profile = draft_.profile;
    Time done = profile.events[work].end();
    const EventId call = launching_call(profile, work);
    bool launched = call != kNoEvent;  // a graph is launched once per stream
    for (const NodePosition before : before_) {
      draft_.edges.push_back({before, place, DependencyKind::stream, false});
      done = std::max(done, draft_.ends[before]);
      if (launching_call(profile, draft_.nodes[before]) == call) launched = false;
    }
    if (launched && draft_.node_of[call] != kNone) {
      draft_.add(call, work, DependencyKind::launch, false);
      done = std::max(done, draft_.ends[draft_.node_of[call]]);
    } else if (call == kNoEvent) {
      launch_from_operator(work, place);
    }
    draft_.ends[place] = done;
  }

  // A work without a call is launched by its operator, if that began early enough.
  void launch_from_operator(EventId work, NodePosition place) {
    const EventId op = draft_.profile.work(work).op;
    if (op == kNoEvent || draft_.node_of[op] == kNone) return;
    if (!draft_.profile.events[op].timed() || !is_host(draft_.profile.events[op].kind)) return;
    const NodePosition launcher = draft_.node_of[op];
    if (draft_.ends[launcher] <= draft_.event(place).start)
      draft_.edges.push_back({launcher, place, DependencyKind::launch, true});
  }

  DependencyDraft& draft_;
  const Stream& stream_;
  const GraphOrder& graphs_;
  std::array<NodePosition, kRows>
      last_{};  // [0]: the work that ends last; others: works that overlap it
  std::size_t rows_ = 0;
  std::size_t spare_ = 0;
  NodePosition previous_ = kNone;  // the work before last_[0]
  std::vector<NodePosition> before_;
  std::uint64_t replay_ = kNoId;
  Time graph_end_{};             // end of its works so far
  std::set<NodePosition> open_;  // works of the graph that no other one here waits for
};

}  // namespace

void connect_devices(DependencyDraft& draft) {
  const GraphOrder graphs(draft.profile);
  for (const Stream& stream : draft.streams) StreamOrder(draft, stream, graphs).connect();
}

void connect_blocking_copies(DependencyDraft& draft) {
  for (const Stream& stream : draft.streams) {
    for (const EventId work : stream.works) {
      const EventId call = launching_call(draft.profile, work);
      const CallEffect* effect = draft.effect(call);
      if (effect == nullptr || !effect->blocks) continue;
      const NodePosition next = draft.node_of[call] + 1;
      if (next >= draft.lane_offsets[draft.profile.events[call].lane + 1]) continue;
      draft.edges.push_back({draft.node_of[work], next, DependencyKind::sync, false});
    }
  }
}

}  // namespace orrery::profile::draft
