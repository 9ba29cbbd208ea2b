// SPDX-License-Identifier: Apache-2.0
//
// Waits for the device, and across streams: recorded and guessed.
#include <gtest/gtest.h>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/dependencies/dependencies_testing.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

using WaitPairs = std::vector<std::pair<EventId, EventId>>;

struct MadeOfWaits {
  explicit MadeOfWaits(Maker& make) : profile(make.take()) {
    attach(profile, findings);
    found = find_dependencies(profile, {}, findings);
    EXPECT_TRUE(replay(profile, found).acyclic);
  }
  /// (from, to) of one kind, in order of the later one.
  [[nodiscard]] WaitPairs all(DependencyKind kind, bool guessed) const {
    WaitPairs pairs;
    for (std::uint32_t node = 0; node < found.nodes.size(); ++node) {
      for (const Dependency& edge : found.of(node))
        if (edge.kind == kind && edge.guessed == guessed)
          pairs.emplace_back(edge.from, found.nodes[node]);
    }
    return pairs;
  }
  [[nodiscard]] WaitPairs syncs(bool guessed = false) const {
    return all(DependencyKind::sync, guessed);
  }
  [[nodiscard]] WaitPairs stream_waits(bool guessed = false) const {
    return all(DependencyKind::stream_wait, guessed);
  }
  [[nodiscard]] Time cost(EventId event) const { return found.cost[found.node_of[event]]; }

  Profile profile;
  Findings findings;
  Dependencies found;
};

/// A thread that launches on streams, with device records at hand.
struct Bench : Maker {
  std::uint32_t host = thread(1);
  std::uint64_t next = 1;

  EventId launch(std::int64_t on, std::int64_t start, std::int64_t device_start,
                 std::int64_t duration, std::uint32_t lane = 0) {
    call(lane, "cudaLaunchKernel", start, 2, next);
    return kernel(stream(on), "k", device_start, duration, next++);
  }
  EventId named(const char* name, std::int64_t start, std::int64_t duration) {
    return call(host, name, start, duration, next++);
  }
  [[nodiscard]] std::uint64_t correlation(EventId call) { return call_of(call).correlation; }
};

TEST(Waits, RecordedByKind) {
  Bench make;
  const EventId a = make.launch(7, 0, 5, 20);
  const EventId record = make.named("cudaEventRecord", 3, 1);
  const EventId b = make.launch(7, 5, 25, 20);
  const EventId c = make.launch(8, 10, 15, 10);
  const EventId event = make.named("cudaEventSynchronize", 15, 12);
  const EventId query = make.named("cudaEventQuery", 28, 1);
  const EventId stream = make.named("cudaStreamSynchronize", 30, 17);
  const EventId device = make.named("cudaDeviceSynchronize", 48, 2);
  Sync sync{.correlation = make.correlation(event),
            .record_correlation = make.correlation(record),
            .wait_on_stream = 7,
            .device = 0,
            .kind = SyncKind::event};
  const std::uint32_t lane = make.stream(-1);
  make.sync(lane, 15, 10, sync);
  sync.correlation = make.correlation(query);
  make.sync(lane, 28, 1, sync);
  make.sync(make.stream(7), 30, 16,
            {.correlation = make.correlation(stream), .stream = 7, .kind = SyncKind::stream});
  make.sync(lane, 48, 2,
            {.correlation = make.correlation(device), .device = 0, .kind = SyncKind::context});
  const MadeOfWaits made(make);
  EXPECT_EQ(made.syncs(),
            (WaitPairs{{a, event}, {a, query}, {b, stream}, {b, device}, {c, device}}));
  EXPECT_EQ(made.found.guessed, 0u);
  EXPECT_EQ(made.cost(event), us(2));  // from the end of a
  EXPECT_EQ(made.cost(stream), us(2));
}

TEST(Waits, AQueryThatFoundNothingWaitsForNothing) {
  Bench make;
  make.launch(7, 0, 5, 200);
  const EventId record = make.named("cudaEventRecord", 3, 1);
  const EventId query = make.named("cudaEventQuery", 10, 1);
  make.sync(make.stream(-1), 10, 1,
            {.correlation = make.correlation(query),
             .record_correlation = make.correlation(record),
             .wait_on_stream = 7,
             .device = 0,
             .kind = SyncKind::event});
  const MadeOfWaits made(make);
  EXPECT_EQ(made.syncs(), WaitPairs{});
  EXPECT_EQ(made.found.node_of[query], kNone);
  EXPECT_EQ(made.findings.count(FindingCode::dependency_contradicts_time), 0u);
}

// An MI300 trace has kernels that end 8 us after the call that waited for them.
TEST(Waits, ClocksThatDiffer) {
  Bench make;
  const EventId a = make.launch(0, 0, 5, 20);
  make.launch(0, 3, 25, 40);
  const EventId call = make.named("hipDeviceSynchronize", 10, 47);
  const MadeOfWaits made(make);
  EXPECT_EQ(made.syncs(), WaitPairs{});
  EXPECT_EQ(made.syncs(true), (WaitPairs{{a, call}}));
  EXPECT_EQ(made.findings.count(FindingCode::dependency_contradicts_time), 1u);
}

// What stands at the head of its stream without a launch was launched before the profile began.
TEST(Waits, ForWorkLaunchedBeforeTheProfile) {
  for (const char* name :
       {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize"}) {
    SCOPED_TRACE(name);
    Bench make;
    const EventId before = make.kernel(make.stream(7), "launched before", 300, 500);
    const EventId call = make.named(name, 10, 792);
    make.launch(7, 803, 805, 10);
    const MadeOfWaits made(make);
    EXPECT_EQ(made.syncs(made.found.guessed > 0), (WaitPairs{{before, call}}));
    EXPECT_EQ(made.cost(call), us(2));
    EXPECT_EQ(made.findings.count(FindingCode::dependency_contradicts_time), 0u);
  }
}

TEST(Waits, ForWorkLaunchedBeforeTheProfileByRecord) {
  Bench make;
  const EventId before = make.kernel(make.stream(7), "launched before", 300, 500);
  const EventId call = make.named("cudaStreamSynchronize", 10, 792);
  make.sync(make.stream(7), 10, 791,
            {.correlation = make.correlation(call), .stream = 7, .kind = SyncKind::stream});
  make.launch(7, 803, 805, 10);
  const MadeOfWaits made(make);
  EXPECT_EQ(made.syncs(), (WaitPairs{{before, call}}));
}

// Later on a stream such work may have been launched at any time since the work before it: whether
// before the call can be seen from whether the call waited for it.
TEST(Waits, ForWorkWithoutALaunch) {
  Bench make;
  const std::uint32_t stream = make.stream(7);
  const EventId known = make.launch(7, 0, 5, 20);
  const EventId waited = make.kernel(stream, "no call", 30, 50);
  const EventId call = make.named("cudaDeviceSynchronize", 10, 72);
  for (int i = 0; i < 1000; ++i) make.kernel(stream, "launched later", 84 + 10 * i, 9);
  const EventId again = make.named("cudaDeviceSynchronize", 90, 5000);
  const MadeOfWaits made(make);
  EXPECT_EQ(made.syncs(), (WaitPairs{{waited, call}, {again - 501, again}}));
  EXPECT_EQ(made.cost(call), us(2));
  EXPECT_EQ(made.findings.count(FindingCode::dependency_contradicts_time), 0u);
  (void)known;
}

// It cannot have been launched before the operator that it belongs to began.
TEST(Waits, NotForWorkOfALaterOperator) {
  Bench make;
  const EventId known = make.launch(7, 0, 5, 20);
  const EventId call = make.named("cudaDeviceSynchronize", 10, 90);
  const EventId op = make.op(make.thread(2), "another thread's", 30, 10);
  const EventId work = make.kernel(make.stream(7), "no call", 45, 50);
  make.work_of(work).op = op;
  const MadeOfWaits made(make);
  EXPECT_EQ(made.syncs(), (WaitPairs{{known, call}}));
}

TEST(Waits, ByName) {
  Bench make;
  const EventId a = make.launch(7, 0, 5, 50);
  const EventId b = make.launch(8, 4, 10, 15);
  const EventId stream = make.named("cudaStreamSynchronize", 10, 20);  // used last: 8
  const EventId event = make.named("cudaEventSynchronize", 31, 26);    // ends with a
  const EventId none = make.named("cudaEventSynchronize", 58, 3);
  const EventId c = make.launch(8, 62, 66, 10);
  const EventId device = make.named("cudaDeviceSynchronize", 70, 10);
  const MadeOfWaits made(make);
  EXPECT_EQ(made.syncs(true), (WaitPairs{{b, stream}, {a, event}}));
  EXPECT_EQ(made.syncs(), (WaitPairs{{a, device}, {c, device}}));
  EXPECT_NE(made.found.node_of[none], kNone);
  EXPECT_EQ(made.cost(event), us(2));
}

TEST(Waits, AcrossStreamsRecorded) {
  Bench make;
  const EventId a = make.launch(20, 0, 5, 100);
  const EventId b = make.launch(28, 4, 10, 50);
  const EventId record = make.named("cudaEventRecord", 8, 1);
  const EventId later = make.launch(20, 10, 105, 10);
  const EventId wait = make.named("cudaStreamWaitEvent", 15, 1);
  const EventId other = make.launch(28, 18, 60, 10);
  const EventId c = make.launch(24, 21, 105, 10);
  make.sync(make.stream(24), 15, 1,
            {.correlation = make.correlation(wait),
             .record_correlation = make.correlation(record),
             .stream = 24,
             .wait_on_stream = 20,
             .device = 0,
             .kind = SyncKind::stream_wait});
  const MadeOfWaits made(make);
  EXPECT_EQ(made.stream_waits(), (WaitPairs{{a, c}}));
  EXPECT_EQ(made.found.node_of[wait], kNone);
  EXPECT_EQ(made.findings.count(FindingCode::stream_wait_guessed), 0u);
  (void)b, (void)later, (void)other;
}

TEST(Waits, AcrossStreamsAgainstTheTimes) {
  Bench make;
  make.launch(20, 0, 5, 100);
  const EventId record = make.named("cudaEventRecord", 8, 1);
  const EventId wait = make.named("cudaStreamWaitEvent", 15, 1);
  make.launch(24, 21, 30, 10);
  make.sync(make.stream(24), 15, 1,
            {.correlation = make.correlation(wait),
             .record_correlation = make.correlation(record),
             .stream = 24,
             .wait_on_stream = 20,
             .device = 0,
             .kind = SyncKind::stream_wait});
  const MadeOfWaits made(make);
  EXPECT_EQ(made.stream_waits(), WaitPairs{});
  EXPECT_EQ(made.findings.count(FindingCode::dependency_contradicts_time), 1u);
}

// The calls around an all-to-all of a recommendation model on V100s (without records of events):
// the compute stream hands over, goes on, and waits later.
TEST(Waits, AcrossStreamsGuessed) {
  Bench make;
  const EventId before = make.launch(7, 0, 5, 10);
  make.named("cudaStreamWaitEvent", 10, 1);
  make.named("cudaStreamWaitEvent", 12, 1);
  const EventId all_to_all = make.launch(84, 14, 17, 100);
  make.named("cudaStreamWaitEvent", 17, 0);
  make.named("cudaStreamWaitEvent", 19, 0);
  const EventId meanwhile = make.launch(7, 25, 30, 10);  // does not wait: 84 is busy
  make.named("cudaStreamWaitEvent", 40, 1);
  const EventId after = make.launch(7, 45, 118, 10);
  const MadeOfWaits made(make);
  EXPECT_EQ(made.stream_waits(true), (WaitPairs{{before, all_to_all}, {all_to_all, after}}));
  EXPECT_EQ(made.findings.count(FindingCode::stream_wait_guessed), 2u);
  (void)meanwhile;
}

// What was launched last is still running when the waiting stream goes on: it was waiting for
// another one.
TEST(Waits, AcrossStreamsNotForWhatStillRuns) {
  Bench make;
  make.launch(7, 0, 5, 10);
  const EventId reduce = make.launch(40, 4, 6, 50);
  make.launch(20, 8, 10, 200);
  make.named("cudaStreamWaitEvent", 20, 1);
  const EventId after = make.launch(7, 25, 57, 10);
  const MadeOfWaits made(make);
  EXPECT_EQ(made.stream_waits(true), (WaitPairs{{reduce, after}}));
}

// At the end of the backward pass its thread waits for the all-reduce and launches nothing more;
// the optimizer's kernels come from another thread.
TEST(Waits, AcrossStreamsAndThreadsGuessed) {
  Bench make;
  const std::uint32_t backward = make.thread(2);
  make.launch(7, 0, 5, 10, backward);
  make.call(backward, "cudaStreamWaitEvent", 6, 1, make.next++);
  const EventId reduce = make.launch(84, 8, 16, 90, backward);
  make.comm(reduce, CommKind::all_reduce, 100);
  make.call(backward, "cudaStreamWaitEvent", 12, 1, make.next++);
  const EventId optimizer = make.launch(7, 40, 107, 10);
  const MadeOfWaits made(make);
  const WaitPairs waits = made.stream_waits(true);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[1], std::make_pair(reduce, optimizer));
}

// With records of events in the trace they say which work is waited for.
TEST(Waits, GuessedByTheRecordBefore) {
  Bench make;
  make.launch(7, 0, 5, 10);
  const EventId reduce = make.launch(40, 4, 6, 50);
  make.named("cudaEventRecord", 7, 1);
  make.launch(7, 10, 15, 10);
  make.named("cudaStreamWaitEvent", 20, 1);
  const EventId after = make.launch(7, 25, 57, 10);
  make.launch(40, 30, 60, 10);
  make.launch(7, 33, 67, 10);
  make.named("cudaEventRecord", 35, 1);
  make.named("cudaStreamWaitEvent", 37, 1);  // of this very record: by a stream not seen
  make.launch(7, 40, 90, 10);
  const MadeOfWaits made(make);
  EXPECT_EQ(made.stream_waits(true), (WaitPairs{{reduce, after}}));
}

}  // namespace
}  // namespace orrery::profile
