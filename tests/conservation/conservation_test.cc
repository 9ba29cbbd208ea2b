// SPDX-License-Identifier: Apache-2.0
//
// What must hold of every run, checked on random workloads that are really simulated.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "orrery/analysis/comparison/compare_runs.h"
#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/analysis/explanation/explain.h"
#include "orrery/analysis/metrics/metrics.h"
#include "orrery/record/make_run.h"
#include "orrery/sim/sim_testing.h"
#include "random_case.h"

namespace orrery::conservation {
namespace {

using result::kNone;
using result::Span;
using result::SpanKind;

result::Run run_of(const graph::Workload& workload, const platform::Platform& platform,
                   bool may_stall = false) {
  sim::Options options;
  options.record = true;
  const auto done = sim::simulate(workload, platform, options);
  if (!done) RC_FAIL(to_string(done.error()));
  if (done->stall && !may_stall) {
    std::string nodes;
    for (const auto& node : done->stall->nodes)
      nodes += "\n  rank " + std::to_string(node.rank) + ": " + node.why;
    RC_FAIL("stalled" + nodes);
  }
  return record::make_run(workload, platform, *done);
}

/// Total length of a union of intervals.
Time length_of(std::vector<std::pair<Time, Time>> intervals) {
  std::sort(intervals.begin(), intervals.end());
  Time total{}, until{};
  for (const auto& [start, end] : intervals) {
    if (end <= until) continue;
    total += end - std::max(start, until);
    until = end;
  }
  return total;
}

void check_spans(const result::Run& run, std::uint32_t rank) {
  const result::Timeline& line = run.timeline(rank);
  std::map<std::uint16_t, std::vector<const Span*>> lanes;
  for (const Span& span : line.spans) {
    RC_ASSERT(span.start >= Time{});
    RC_ASSERT(span.end >= span.start);
    RC_ASSERT(span.end <= *run.ranks[rank].finish);
    RC_ASSERT(span.wait >= Time{});
    RC_ASSERT(span.queue >= Time{});
    RC_ASSERT(span.latency >= Time{});
    RC_ASSERT(span.rest() >= Time{});
    RC_ASSERT(span.lane < line.lanes.size());
    if (span.end > span.start) lanes[span.lane].push_back(&span);
    if (span.released_by != kNone) RC_ASSERT(line.spans.at(span.released_by).end <= span.start);
  }
  for (auto& [lane, spans] : lanes) {
    std::sort(spans.begin(), spans.end(),
              [](const Span* a, const Span* b) { return a->start < b->start; });
    for (std::size_t i = 1; i < spans.size(); ++i) RC_ASSERT(spans[i - 1]->end <= spans[i]->start);
  }
}

void check_pairs(const result::Run& run, std::uint32_t rank, bool replay) {
  const auto& spans = run.timeline(rank).spans;
  for (std::uint32_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    if (span.kind == SpanKind::send || span.kind == SpanKind::receive) {
      RC_ASSERT(span.distance != kNone);
      if (replay) continue;
      const std::uint32_t peer = run.peer(rank, span.distance);
      RC_ASSERT(span.peer_span < run.timeline(peer).spans.size());
      const Span& other = run.timeline(peer).spans[span.peer_span];
      RC_ASSERT(other.kind == (span.kind == SpanKind::send ? SpanKind::receive : SpanKind::send));
      RC_ASSERT(run.peer(peer, other.distance) == rank);
      RC_ASSERT(other.peer_span == i);
      RC_ASSERT(other.bytes == span.bytes);
    } else if (span.kind == SpanKind::collective) {
      const std::uint32_t number = run.collective_of(rank, span);
      RC_ASSERT(number < run.collective_count());
      const result::Collective& one = run.collective(number);
      RC_ASSERT(one.first_start <= span.start);
      RC_ASSERT(span.start <= one.last_start);
      RC_ASSERT(span.end <= *one.end);
      if (one.joined) RC_ASSERT(span.end >= one.last_start);
      const Span& last =
          run.timeline(run.last_rank(one, run.group_of_collective(number))).spans.at(one.last_span);
      RC_ASSERT(last.start == one.last_start);
      RC_ASSERT(last.kind == SpanKind::collective);
    }
  }
}

// The simulator's accounts against the spans themselves. Where the rank has a device its host does
// not compute, unless the rules are ASTRA-sim's.
void check_shares(const result::Run& run, std::uint32_t rank, bool spans_tell_all,
                  bool hosts_compute) {
  const result::Rank& one = run.ranks[rank];
  RC_ASSERT(one.compute_only + one.overlapped + one.comm_only + one.memory_only + one.idle ==
            *one.finish);
  const analysis::Shares shares = analysis::rank_time_shares(run, rank);
  RC_ASSERT(shares.exposed_compute + shares.overlapped + shares.exposed_comm +
                shares.exposed_memory + shares.idle ==
            run.step);
  if (!spans_tell_all) return;
  std::vector<std::pair<Time, Time>> compute, comm, memory, all;
  for (const Span& span : run.timeline(rank).spans) {
    const bool waits = span.kind == SpanKind::receive;  // until its message is sent
    const std::pair interval{waits ? span.start + span.wait : span.start, span.end};
    if (span.kind == SpanKind::metadata || (span.kind == SpanKind::cpu && !hosts_compute)) continue;
    all.push_back(interval);
    if (span.kind == SpanKind::compute || span.kind == SpanKind::cpu) {
      compute.push_back(interval);
    } else if (span.kind == SpanKind::load || span.kind == SpanKind::store) {
      memory.push_back(interval);
    } else {
      comm.push_back(interval);
    }
  }
  auto comm_and_compute = compute;
  comm_and_compute.insert(comm_and_compute.end(), comm.begin(), comm.end());
  auto others = comm;
  others.insert(others.end(), memory.begin(), memory.end());
  RC_ASSERT(one.compute_only + one.overlapped == length_of(compute));
  RC_ASSERT(one.overlapped == length_of(compute) + length_of(others) - length_of(all));
  RC_ASSERT(one.comm_only == length_of(comm_and_compute) - length_of(compute));
  RC_ASSERT(one.memory_only == length_of(all) - length_of(comm_and_compute));
}

/// When a rank that is late begins.
Time start_of(const platform::Platform& platform, std::uint32_t rank) {
  for (const platform::Deviation& deviation : platform.deviations) {
    const auto& ranks = deviation.ranks;
    if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) continue;
    if (platform.rules == platform::Rules::orrery) return deviation.start;
    return ns((deviation.start.count() + kPsPerNs - 1) / kPsPerNs);
  }
  return {};
}

void check_path(const result::Run& run, const platform::Platform& platform) {
  Time at{}, causes{};
  for (const result::PathSegment& segment : run.path) {
    RC_ASSERT(segment.start == at);
    RC_ASSERT(segment.end > segment.start);
    const Span& span = run.timeline(segment.rank).spans.at(segment.span);
    RC_ASSERT(span.critical);
    if (segment.cause == result::PathCause::idle) {  // only before a rank that is late
      RC_ASSERT(at == Time{});
      RC_ASSERT(segment.end == start_of(platform, segment.rank));
    } else {
      RC_ASSERT(span.start <= segment.start);
      RC_ASSERT(segment.end <= span.end);
    }
    at = segment.end;
  }
  RC_ASSERT(at == run.step);
  for (const Time part : analysis::summarize_path(run).by_cause) causes += part;
  RC_ASSERT(causes == run.step);
}

std::string span_words(const Span& span) {
  return fmt::format("node {} {} {}..{} wait {} queue {} latency {} slack {}", span.node,
                     result::name(span.kind), span.start.count(), span.end.count(),
                     span.wait.count(), span.queue.count(), span.latency.count(),
                     span.slack.value_or(Time(-1)).count());
}

// For messages: the path, earliest first.
std::string path_words(const result::Run& run) {
  std::string description;
  for (const result::PathSegment& segment : run.path) {
    description += fmt::format("\n  {}..{} {} rank {} {}", segment.start.count(),
                               segment.end.count(), result::name(segment.cause), segment.rank,
                               span_words(run.timeline(segment.rank).spans[segment.span]));
  }
  return description;
}

void check_slack(const result::Run& run) {
  for (const result::Timeline& line : run.timelines) {
    for (const Span& span : line.spans) {
      RC_ASSERT(span.slack.has_value());
      RC_ASSERT(*span.slack >= Time{});
      RC_ASSERT(span.end + *span.slack <= run.step);
      if (span.critical && *span.slack > Time{})
        RC_FAIL("slack on the path: " + span_words(span) + path_words(run));
    }
  }
}

void check_metrics(const result::Run& run) {
  double critical = 0, shares = 0, step = 0;
  for (const analysis::Metric& one : analysis::metrics(run)) {
    if (one.name == "step") step = one.value;
    if (one.name.rfind("critical_", 0) == 0 && one.unit == "s") critical += one.value;
    if (one.name == "exposed_compute" || one.name == "overlapped" || one.name == "exposed_comm" ||
        one.name == "exposed_memory" || one.name == "idle")
      shares += one.value;
    if (one.name == "bubble") RC_ASSERT(one.value <= 1.0);
    RC_ASSERT(one.value >= 0);
  }
  RC_ASSERT(std::abs(critical - step) <= step * 1e-9);
  RC_ASSERT(std::abs(shares - step) <= step * 1e-9);
}

// Where messages share links and all members came together, no collective is faster than its links
// allow. (Without contention several chunks may cross a link at once; and what early members sent
// before the last one came is not counted.)
void check_bounds(const result::Run& run) {
  for (const result::Collective& one : run.collectives) {
    const auto speed = analysis::speed_of(run, one);
    if (!speed || !one.bound || *one.bound <= speed->time) continue;
    if (one.first_start != one.last_start) continue;
    RC_FAIL(fmt::format("{} of {} bytes on {} ranks took {}, its bound is {} by {}", one.type,
                        one.bytes.count(), run.groups[one.group].size, speed->time.count(),
                        one.bound->count(), one.bound_by));
  }
}

void check_case(const RandomCase& made) {
  RC_LOG() << made.description << '\n';
  const result::Run run = run_of(made.workload, made.platform);
  RC_ASSERT(!run.stalled);
  const bool replay = made.platform.replay_only;
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
    check_spans(run, rank);
    check_pairs(run, rank, replay);
    check_shares(
        run, rank, !made.platform.collectives.rendezvous,
        made.platform.rules == platform::Rules::astra || !made.workload.graph(rank).has_device());
  }
  check_path(run, made.platform);
  check_slack(run);
  check_metrics(run);
  const bool contention = made.platform.network == platform::NetworkModelKind::message;
  if (contention && made.platform.rules == platform::Rules::orrery) check_bounds(run);
}

// rapidcheck draws a hundred times.
RC_GTEST_PROP(Conservation, HoldsOfTwoHundredRandomWorkloads, ()) {
  check_case(random_case());
  check_case(random_case());
}

// A run that stalled is a run too: what ended is told, what is asked about is answered.
RC_GTEST_PROP(Conservation, AStalledRunIsStillARun, ()) {
  const RandomCase made = random_case(true);
  RC_LOG() << made.description << '\n';
  const result::Run run = run_of(made.workload, made.platform, true);
  RC_CLASSIFY(run.stalled, "stalled");
  Time at{}, last{};
  for (const result::PathSegment& segment : run.path) {
    RC_ASSERT(segment.start == at);
    at = segment.end;
  }
  for (const result::Timeline& line : run.timelines) {
    for (const Span& span : line.spans) {
      last = std::max(last, span.end);
      RC_ASSERT(span.slack.has_value() == !run.stalled);
      RC_ASSERT(span.rest() >= Time{});
    }
  }
  RC_ASSERT(at == last);
  for (const std::string_view name : analysis::metric_names())
    RC_ASSERT(analysis::explain(run, name).has_value());
  for (std::size_t c = 0; c < run.collective_count(); ++c)
    RC_ASSERT(analysis::explain(run, fmt::format("collective {}", c)).has_value());
  for (const Span& span : run.timeline(0).spans)
    RC_ASSERT(analysis::explain(run, fmt::format("rank 0 node {}", span.node)).has_value());
  const analysis::Comparison same = analysis::compare(run, run);
  RC_ASSERT(same.slower.empty() && same.faster.empty() && same.only_a + same.only_b == 0u);
}

// Under the rendezvous protocol a rank can be through with a phase while its last message still
// waits for a late receiver's announcement. That message was once sent from a phase that was over.
TEST(Conservation, AMessageMayOutliveItsPhase) {
  std::vector<sim::testing::Rank> ranks(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    const auto before = ranks[r].comp(us(r == 0 ? 100 : 0) + ns(1));
    ranks[r].coll(graph::CollectiveType::all_reduce, 3000, {before});
  }
  platform::Platform platform = sim::testing::line(platform::Block::ring, 3);
  platform.collectives.rendezvous = true;
  const auto done = sim::simulate(sim::testing::workload(ranks), platform);
  ASSERT_TRUE(done.has_value());
  EXPECT_FALSE(done->stall.has_value());
  EXPECT_GT(done->end, us(100));
}

// A node that takes longer by its slack costs nothing; by one picosecond more, one picosecond.
RC_GTEST_PROP(Conservation, SlackIsWhatAnotherSimulationSays, ()) {
  SerialCase made = serial_case();
  made.platform.collectives.rendezvous = *rc::gen::element(false, true);
  const result::Run run = run_of(made.workload(), made.platform);
  for (std::uint32_t rank = 0; rank < made.ranks; ++rank) {
    std::size_t number = 0;
    for (std::size_t step = 0; step < made.steps.size(); ++step) {
      const Span& span = run.timeline(rank).spans.at(number);
      number += made.steps[step].shift ? 2 : 1;
      if (made.steps[step].shift) continue;
      RC_ASSERT(span.kind == SpanKind::compute);
      const std::int64_t slack = span.slack->count();
      RC_ASSERT(run_of(made.workload(rank, step, slack), made.platform).step == run.step);
      // Under the rendezvous protocol slack is on the safe side.
      if (made.platform.collectives.rendezvous) continue;
      RC_ASSERT(run_of(made.workload(rank, step, slack + 1), made.platform).step ==
                run.step + Time(1));
    }
  }
}

}  // namespace
}  // namespace orrery::conservation
