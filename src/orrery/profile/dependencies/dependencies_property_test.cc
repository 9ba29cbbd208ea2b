// SPDX-License-Identifier: Apache-2.0
//
// Any profile gives an acyclic graph; one that a machine without latencies recorded replays to the
// times it was recorded with.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/dependencies/dependencies_testing.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

int pick(int low, int high) { return *rc::gen::inRange(low, high + 1); }

/// Threads that run, launch and wait, each on streams of its own, and the device that works.
class Machine {
 public:
  Profile run() {
    const int threads = pick(1, 3);
    for (int t = 0; t < threads; ++t) {
      lane_ = make_.thread(t + 1);
      first_stream_ = 10 * t;
      now_ = pick(0, 50);
      for (int i = pick(1, 6); i > 0; --i) op(0);
    }
    return make_.take();
  }

 private:
  void think() { now_ += pick(1, 20); }  // no two events begin at once

  void op(int depth) {
    think();
    const EventId event = make_.op(lane_, "op", now_, 0);
    think();
    for (int i = pick(0, 4); i > 0; --i) item(depth);
    make_.profile.events[event].duration = us(now_) - make_.profile.events[event].start;
    think();
  }

  void item(int depth) {
    think();
    switch (pick(0, 7)) {
      case 0:
        if (depth < 3) op(depth + 1);
        break;
      case 1:
      case 2:
        launch();
        break;
      case 3:
        copy();
        break;
      case 4:
        wait_for_stream();
        break;
      case 5:
        across();
        break;
      case 6:
        now_ += (make_.call(lane_, "cudaStreamIsCapturing", now_, 1, next_++), 1);
        break;
      default:
        make_.python(lane_, "frame", now_, 0);
        break;
    }
    think();
  }

  int stream() { return first_stream_ + pick(0, 2); }

  void work(int stream, std::int64_t earliest, Kind kind, const char* name) {
    std::int64_t& free = free_[stream];
    const std::int64_t start = std::max({earliest, free, after_[stream]});
    const int duration = pick(1, 60);
    last_[stream] = make_.kernel(make_.stream(stream), name, start, duration, next_, kNoId, kind);
    free = start + duration;
  }

  void launch() {
    const int duration = pick(0, 9);
    const int on = stream();
    work(on, now_ + pick(0, duration), Kind::kernel, "k");
    make_.call(lane_, "cudaLaunchKernel", now_, duration, next_++);
    now_ += duration;
  }

  void copy() {
    const int on = stream();
    work(on, now_, Kind::memcpy, "Memcpy DtoH (Device -> Pageable)");
    const std::int64_t end = free_[on] + pick(0, 9);
    make_.call(lane_, "cudaMemcpyAsync", now_, end - now_, next_++);
    now_ = end;
  }

  void wait_for_stream() {
    const int on = stream();
    const std::int64_t end = std::max(now_, free_[on]) + pick(0, 9);
    make_.call(lane_, "cudaStreamSynchronize", now_, end - now_, next_);
    make_.sync(make_.stream(on), now_, end - now_,
               {.correlation = next_++, .stream = on, .device = 0, .kind = SyncKind::stream});
    now_ = end;
  }

  void across() {
    const int from = stream(), to = stream();
    make_.call(lane_, "cudaEventRecord", now_, 1, next_);
    make_.call(lane_, "cudaStreamWaitEvent", now_ + 1, 1, next_ + 1);
    make_.sync(make_.stream(to), now_ + 1, 1,
               {.correlation = next_ + 1,
                .record_correlation = next_,
                .stream = to,
                .wait_on_stream = from,
                .device = 0,
                .kind = SyncKind::stream_wait});
    if (from != to) after_[to] = std::max(after_[to], free_[from]);
    next_ += 2;
    now_ += 3;
  }

  Maker make_;
  std::uint32_t lane_ = 0;
  int first_stream_ = 0;
  std::int64_t now_ = 0;
  std::uint64_t next_ = 1;
  std::map<int, std::int64_t> free_, after_;
  std::map<int, EventId> last_;
};

/// Anything at all.
Profile noise() {
  Maker make;
  const int events = pick(0, 60);
  for (int i = 0; i < events; ++i) {
    const std::uint32_t thread = make.thread(pick(1, 3)), stream = make.stream(pick(1, 3));
    const auto id = static_cast<std::uint64_t>(pick(0, 20));
    const int start = pick(0, 100), duration = pick(0, 30);
    switch (pick(0, 6)) {
      case 0: {
        const EventId event = make.op(thread, "op", start, duration);
        make.op_of(event).sequence = pick(-1, 4);
        make.op_of(event).forward_thread = static_cast<std::uint32_t>(pick(0, 1));
        break;
      }
      case 1: {
        constexpr const char* kNames[] = {"cudaLaunchKernel",      "cudaMemcpy",
                                          "cudaDeviceSynchronize", "cudaStreamSynchronize",
                                          "cudaEventSynchronize",  "cudaEventRecord",
                                          "cudaStreamWaitEvent",   "cudaEventQuery"};
        make.call(thread, kNames[pick(0, 7)], start, duration, id);
        break;
      }
      case 2:
        make.kernel(stream, "k", start, duration, id);
        break;
      case 3:
        make.kernel(stream, "Memcpy (Pageable)", start, duration, id, kNoId, Kind::memcpy);
        break;
      case 4: {
        const EventId node = make.node(thread, "node", id);
        make.node_of(node).forward_parent = static_cast<std::uint64_t>(pick(0, 20));
        break;
      }
      case 5:
        make.sync(stream, start, duration,
                  {.correlation = id,
                   .record_correlation = static_cast<std::uint64_t>(pick(0, 20)),
                   .stream = pick(1, 3),
                   .wait_on_stream = pick(1, 3),
                   .device = 0,
                   .kind = static_cast<SyncKind>(pick(0, 4))});
        break;
      default:
        make.annotation(thread, "range", start, duration);
        break;
    }
  }
  for (int i = pick(0, 5); i > 0 && events > 1; --i) {
    make.profile.forward_backward.emplace_back(pick(0, events - 1), pick(0, events - 1));
  }
  if (pick(0, 1) == 0) make.profile.has_sync_events = false;
  return make.take();
}

void check_shape(const Profile& profile, const Dependencies& found) {
  RC_ASSERT(found.first.size() == found.nodes.size() + 1);
  RC_ASSERT(found.cost.size() == found.nodes.size());
  RC_ASSERT(found.first.back() == found.edges.size());
  std::uint64_t counted = 0;
  for (const std::uint64_t count : found.counts) counted += count;
  RC_ASSERT(counted == found.edges.size());
  for (std::uint32_t i = 0; i < found.nodes.size(); ++i) {
    RC_ASSERT(found.node_of[found.nodes[i]] == i);
    RC_ASSERT(found.cost[i] >= Time{});
    const auto edges = found.of(i);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      RC_ASSERT(found.node_of[edges[e].from] != kNone);
      if (e > 0) RC_ASSERT(edges[e - 1].from < edges[e].from);
    }
  }
  RC_ASSERT(replay(profile, found).acyclic);
}

/// The end of a step as the header has it, found the slow way.
Time step_end(const Profile& profile, const Dependencies& found, EventId e) {
  const Event& event = profile.events[e];
  Time end = event.end(), closing{};
  bool after = false, last = true;
  for (const EventId other : profile.in_order(event.lane)) {
    if (found.node_of[other] == kNone) continue;
    closing = std::max(closing, profile.events[other].end());
    if (after) end = std::min(end, profile.events[other].start);
    last = last && !after;
    after = after || other == e;
  }
  for (std::size_t w = 0; w < profile.events.size(); ++w) {
    const Event& work = profile.events[w];
    if (!is_device_work(work.kind) || profile.work(static_cast<EventId>(w)).call != e) continue;
    end = work.kind == Kind::memcpy ? event.start : std::min(end, work.start);
    last = false;
  }
  return last ? closing : end;
}

RC_GTEST_PROP(DependenciesProperty, ReplayGivesTheRecordedTimes, ()) {
  Profile profile = Machine().run();
  Findings findings;
  attach(profile, findings);
  for (std::size_t e = 0; e < profile.events.size(); ++e) {
    const Event& event = profile.events[e];
    RC_LOG() << e << ' ' << profile.name(static_cast<EventId>(e)) << " lane " << event.lane << ": "
             << event.start.count() / kPsPerUs << " + " << event.duration.count() / kPsPerUs
             << '\n';
  }
  const Dependencies found = find_dependencies(profile, {.inter_thread_gap = us(40)}, findings);
  check_shape(profile, found);
  for (const Finding& finding : findings.list()) {
    if (finding.code == FindingCode::dependency_contradicts_time) RC_FAIL(finding.places.front());
  }
  const Replay played = replay(profile, found);
  for (std::uint32_t i = 0; i < found.nodes.size(); ++i) {
    const Event& event = profile.events[found.nodes[i]];
    if (is_device_work(event.kind)) {
      RC_ASSERT(found.cost[i] == event.duration);
      RC_ASSERT(played.end[i] == event.end());
    } else {
      RC_ASSERT(played.end[i] == step_end(profile, found, found.nodes[i]));
    }
  }
}

RC_GTEST_PROP(DependenciesProperty, AnythingIsAcyclic, ()) {
  Profile profile = noise();
  Findings findings;
  attach(profile, findings);
  const Dependencies found =
      find_dependencies(profile, {.tensors = true, .inter_thread_gap = us(10)}, findings);
  check_shape(profile, found);
  for (std::uint32_t i = 0; i < found.nodes.size(); ++i) RC_ASSERT(found.cost[i] <= us(200));
}

}  // namespace
}  // namespace orrery::profile
