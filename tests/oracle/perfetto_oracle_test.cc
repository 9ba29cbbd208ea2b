// SPDX-License-Identifier: Apache-2.0
//
// Timelines as an independent reader sees them: what stands in a run stands in its trace, exactly.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>
#include <tuple>

#include "orrery/report/perfetto/perfetto.h"
#include "orrery/result/small_run_testing.h"
#include "perfetto_random_run.h"
#include "perfetto_viewer.h"

namespace orrery::oracle {
namespace {

using report::TimelineChoice;
using result::Span;
using result::testing::sample_run;

std::string write(const result::Run& run, const TimelineChoice& choice = {}) {
  std::string bytes;
  EXPECT_TRUE(report::write_perfetto(run, choice, [&](std::string_view piece) {
    bytes += piece;
    return true;
  }));
  return bytes;
}

std::uint64_t ns(Time time) { return static_cast<std::uint64_t>(time.count() + 500) / 1000; }

bool touches(const TimelineChoice& choice, const Span& span) {
  return span.start < choice.until && (span.end > choice.from || span.start >= choice.from);
}

bool chosen(const TimelineChoice& choice, std::uint32_t rank) {
  return choice.first_rank <= rank && rank <= choice.last_rank;
}

/// A span as the trace has to tell it.
using Told = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::uint64_t,
                        std::uint64_t, std::int64_t, std::string>;

std::multiset<Told> expected(const result::Run& run, const TimelineChoice& choice) {
  std::multiset<Told> all;
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) {
    for (const Span& span : run.timeline(r).spans) {
      if (!chosen(choice, r) || !touches(choice, span)) continue;
      all.emplace("rank " + std::to_string(r), span.node, span.start.count(),
                  (span.end - span.start).count(), ns(span.start), ns(span.end), span.wait.count(),
                  name(span.kind));
    }
  }
  return all;
}

std::multiset<Told> predicted(const View& view) {
  std::multiset<Told> all;
  for (const Slice& slice : view.slices) {
    if (slice.process == "Cluster") continue;
    all.emplace(slice.process, slice.integer("node"), slice.integer("start_ps"),
                slice.integer("duration_ps"), slice.start, slice.end, slice.integer("wait_ps"),
                slice.category);
  }
  return all;
}

/// (from process, from node, to process, to node).
using Arrow = std::tuple<std::string, std::int64_t, std::string, std::int64_t>;

const Span* drawn(const result::Run& run, const TimelineChoice& choice, std::uint32_t rank,
                  std::uint32_t span) {
  const Span& at = run.timeline(rank).spans[span];
  return chosen(choice, rank) && touches(choice, at) ? &at : nullptr;
}

bool forward(std::uint32_t from, const Span& out, std::uint32_t to, const Span& in) {
  return ns(out.start) < ns(in.end) || (ns(out.start) == ns(in.end) && from < to);
}

void add_arrow(std::multiset<Arrow>& all, const result::Run& run, const TimelineChoice& choice,
               std::uint32_t from, std::uint32_t out, std::uint32_t to, std::uint32_t in) {
  const Span *first = drawn(run, choice, from, out), *second = drawn(run, choice, to, in);
  if (first == nullptr || second == nullptr || !forward(from, *first, to, *second)) return;
  all.emplace("rank " + std::to_string(from), first->node, "rank " + std::to_string(to),
              second->node);
}

std::multiset<Arrow> expected_arrows(const result::Run& run, const TimelineChoice& choice) {
  std::multiset<Arrow> all;
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) {
    const auto& spans = run.timeline(r).spans;
    for (std::uint32_t i = 0; i < spans.size(); ++i) {
      if (spans[i].kind == result::SpanKind::send)
        add_arrow(all, run, choice, r, i, run.peer(r, spans[i].distance), spans[i].peer_span);
    }
  }
  const result::PathSegment* last = nullptr;
  std::size_t last_index = 0;
  for (std::size_t i = 0; i < run.path.size(); ++i) {
    const result::PathSegment& segment = run.path[i];
    if (segment.span == result::kNone) continue;
    const bool same = last != nullptr && last->rank == segment.rank && last->span == segment.span &&
                      last_index + 1 == i;
    if (last != nullptr && !same)
      add_arrow(all, run, choice, last->rank, last->span, segment.rank, segment.span);
    last = &segment;
    last_index = i;
  }
  return all;
}

std::multiset<Arrow> arrows(const View& view) {
  std::multiset<Arrow> all;
  for (const Flow& flow : view.flows) {
    const Slice &from = view.slices[flow.from], &to = view.slices[flow.to];
    all.emplace(from.process, from.integer("node"), to.process, to.integer("node"));
  }
  return all;
}

/// Everything that holds for any run and any choice.
void check(const result::Run& run, const TimelineChoice& choice) {
  const View trace = view(write(run, choice));
  RC_ASSERT(trace.problems == std::vector<std::string>{});
  RC_ASSERT(predicted(trace) == expected(run, choice));
  RC_ASSERT(arrows(trace) == expected_arrows(run, choice));
  std::map<std::string, std::uint64_t> free;  // by track
  for (const Slice& slice : trace.slices) {
    RC_ASSERT(slice.end >= slice.start);
    if (slice.process == "Cluster") continue;
    // Only what has no length may stand in another slice.
    RC_ASSERT(slice.depth == 0u || slice.integer("duration_ps") == 0);
    RC_ASSERT(trace.pids.at(slice.process) == std::stoi(slice.process.substr(5)) + 1);
    if (slice.depth > 0) continue;
    std::uint64_t& end = free[slice.process + "/" + slice.track];
    RC_ASSERT(slice.start >= end);
    end = slice.end;
  }
}

TEST(PerfettoOracle, TellsTheSampleRun) {
  for (const bool distinct : {true, false}) {
    const result::Run run = sample_run(4, 3, distinct);
    const View trace = view(write(run));
    EXPECT_EQ(trace.problems, std::vector<std::string>{});
    EXPECT_EQ(predicted(trace), expected(run, {}));
    EXPECT_EQ(arrows(trace), expected_arrows(run, {}));
    EXPECT_GE(trace.flows.size(), 12u + 3u);  // a message per rank and layer, and the path's
    EXPECT_EQ(trace.pids.size(), 5u);
    EXPECT_EQ(trace.pids.at("Cluster"), 5);
  }
}

TEST(PerfettoOracle, TellsWhatIsKnownOfACollective) {
  const View trace = view(write(sample_run(4, 2)));
  std::map<std::uint64_t, int> together;
  for (const Slice& slice : trace.slices) {
    if (slice.category != "collective") continue;
    ++together[slice.correlation];
    EXPECT_EQ(slice.track, "lanes/comm: all ranks");
    EXPECT_EQ(slice.name, "all_reduce </script><img src=x onerror=alert(1)>");
    EXPECT_EQ(slice.text("group"), "all ranks");
    EXPECT_EQ(slice.text("model"), "analytical");
    EXPECT_EQ(slice.text("release"), "dependency");
    EXPECT_EQ(slice.integer("bytes"), 4096);
    EXPECT_EQ(slice.integer("collective") + 1, static_cast<std::int64_t>(slice.correlation));
    EXPECT_EQ(slice.integer("released_by"), slice.integer("node") - 1);
    EXPECT_EQ(slice.integer("latency_ps"), 1'000'000);
    EXPECT_DOUBLE_EQ(std::get<double>(slice.args.at("algbw_GBps")), 4096 / 6e-6 / 1e9);
    EXPECT_DOUBLE_EQ(std::get<double>(slice.args.at("busbw_GBps")), 1.5 * 4096 / 6e-6 / 1e9);
    EXPECT_DOUBLE_EQ(std::get<double>(slice.args.at("of_bound")), 0.5);
    EXPECT_EQ(slice.integer("slack_ps"), 0);
    EXPECT_EQ(slice.args.count("critical"), slice.process == "rank 1" ? 1u : 0u);
  }
  EXPECT_EQ(together, (std::map<std::uint64_t, int>{{1, 4}, {2, 4}}));
}

TEST(PerfettoOracle, TheClusterHasTheStepItsPathAndItsLinks) {
  const result::Run run = sample_run(4, 2);
  const View trace = view(write(run));
  std::uint64_t covered = 0;
  std::map<std::string, int> names;
  for (const Slice& slice : trace.slices) {
    if (slice.process != "Cluster") continue;
    ++names[slice.name];
    if (slice.track == "run/step") {
      EXPECT_EQ(slice.end, ns(run.step));
      EXPECT_EQ(slice.text("network_model"), "analytical");
    } else if (slice.depth == 0) {
      EXPECT_EQ(slice.track, "run/critical path");
      EXPECT_EQ(slice.start, covered);
      covered = slice.end;
    }
  }
  EXPECT_EQ(covered, ns(run.step));
  EXPECT_EQ(names["bandwidth"], 4);
  EXPECT_EQ(names["matmul"], 2);
  // What two levels of remote memory load and store, the dimension, four links, what each rank
  // holds.
  ASSERT_EQ(trace.counters.size(), 13u);
  const Counter& all = trace.counters[4];
  EXPECT_EQ(all.name, "dimension 0 (ring): all links");
  const std::int64_t bin = run.links.bin.count();
  const auto rate = [&](std::int64_t bytes) { return bytes * 1'000'000'000'000 / bin; };
  const auto at = [&](std::int64_t i) { return ns(run.links.bin * i); };
  EXPECT_EQ(
      all.points,
      (std::vector<std::pair<std::uint64_t, std::int64_t>>{
          {at(0), rate(4000)}, {at(1), rate(8000)}, {at(2), 0}, {at(3), rate(2000)}, {at(4), 0}}));
  EXPECT_EQ(trace.counters[5].name, "dimension 0 (ring): from rank 0");
  EXPECT_EQ(trace.counters[12].name, "memory held");
  EXPECT_EQ(trace.counters[12].points.size(), 3u);
}

TEST(PerfettoOracle, TracksAreTheSameInTwoRunsAndInOrder) {
  const View one = view(write(sample_run(4, 2))), other = view(write(sample_run(8, 5, false)));
  std::size_t same = 0;  // all but rank 3's sends, which go to rank 0 or 4
  for (const auto& [track, uuid] : one.uuids) {
    const auto found = other.uuids.find(track);
    if (found == other.uuids.end()) continue;
    EXPECT_EQ(found->second, uuid) << track;
    ++same;
  }
  EXPECT_EQ(same, one.uuids.size() - 1);
  const auto position = [&](const std::string& track) { return one.positions.at(track); };
  EXPECT_LT(position("Cluster"), position("rank 0"));
  EXPECT_LT(position("rank 0"), position("rank 3"));
  EXPECT_LT(position("rank 0/lanes/compute"), position("rank 0/lanes/comm: all ranks"));
  EXPECT_LT(position("rank 0/lanes/send to rank 1"), position("rank 0/lanes/receives"));
  EXPECT_LT(position("rank 0/lanes/receives"), position("rank 0/lanes/memory held"));
}

TEST(PerfettoOracle, ManyRanksHaveTracksOfTheirOwn) {
  result::Run run = sample_run(500, 1, false);
  for (int i = 0; i < 40; ++i) {  // groups of the same name
    run.groups.push_back({"tp", {}, 500, 0, 1});
    for (result::Rank& rank : run.ranks) rank.groups.push_back(std::uint32_t(i) + 1);
    run.timelines[0].lanes.push_back(
        {result::LaneKind::communicator, std::uint32_t(i) + 1, result::kNone, 0});
    Span span = run.timelines[0].spans[1];
    span.lane = static_cast<std::uint16_t>(run.timelines[0].lanes.size() - 1);
    span.group = std::uint32_t(i) + 1;
    run.timelines[0].spans.push_back(span);
  }
  const View trace = view(write(run));
  EXPECT_EQ(trace.problems, std::vector<std::string>{});
  EXPECT_EQ(trace.uuids.count("rank 499/lanes/comm: tp #40"), 1u);
  EXPECT_EQ(trace.uuids.size(), 500u * (2 + 4 + 40 + 1) + 10);
}

TEST(PerfettoOracle, RandomRunsAreToldExactly) {
  rc::check([](std::uint64_t seed, bool shared) {
    const auto ranks = *rc::gen::inRange<std::uint32_t>(1, 6);
    const auto spans = *rc::gen::inRange<std::uint32_t>(0, 60);
    check(RandomRun(seed, ranks, spans, shared).make(), {});
  });
}

TEST(PerfettoOracle, PartsAreToldExactlyAndFlowsInThemHaveBothEnds) {
  rc::check([](std::uint64_t seed, bool shared) {
    const auto ranks = *rc::gen::inRange<std::uint32_t>(1, 6);
    const result::Run run = RandomRun(seed, ranks, 60, shared).make();
    const auto step = run.step.count() + 1;
    TimelineChoice choice;
    choice.first_rank = *rc::gen::inRange<std::uint32_t>(0, ranks);
    choice.last_rank = *rc::gen::inRange<std::uint32_t>(choice.first_rank, ranks);
    choice.from = Time(*rc::gen::inRange<std::int64_t>(0, step));
    choice.until = choice.from + Time(*rc::gen::inRange<std::int64_t>(1, step + 1));
    check(run, choice);
  });
}

TEST(PerfettoOracle, LanesThatOverlapAreStillDrawnNested) {
  result::Run run = sample_run(1, 1);
  Span late = run.timelines[0].spans[0];
  late.node = 77;
  late.start += us(5);
  late.end += us(5);
  run.timelines[0].spans.push_back(late);
  Span backwards = late;
  backwards.node = 78;
  backwards.end = Time{};
  run.timelines[0].spans.push_back(backwards);
  const View trace = view(write(run));
  EXPECT_EQ(trace.problems, std::vector<std::string>{});
  for (const Slice& slice : trace.slices) {
    EXPECT_LE(slice.start, slice.end);
    EXPECT_GE(slice.integer("duration_ps"), 0);
    if (slice.integer("node") == 77) {
      EXPECT_EQ(slice.depth, 1u);
      EXPECT_EQ(slice.end, 11'000u);  // where the one it overlaps ends
      EXPECT_EQ(slice.integer("start_ps"), 5'000'000);
      EXPECT_EQ(slice.integer("duration_ps"), 11'000'000);
    }
  }
}

TEST(PerfettoOracle, ASpanThatThePathVisitsOftenKeepsItsPacketSmall) {
  result::Run run = sample_run(2, 1, false);
  run.path.clear();
  for (std::uint32_t i = 0; i < 4000; ++i)
    run.path.push_back(
        {i % 2, 0, result::PathCause::work, result::Release::dependency, Time(i), Time(i + 1)});
  const View trace = view(write(run));
  EXPECT_EQ(trace.problems, std::vector<std::string>{});
  EXPECT_GT(trace.flows.size(), 60u);
}

TEST(PerfettoOracle, PiecesTogetherHaveEverything) {
  for (const bool distinct : {true, false}) {
    const result::Run run = sample_run(6, 400, distinct);
    const std::string whole = write(run);
    for (const std::uint64_t limit : {whole.size() / 2, whole.size() / 20}) {
      const auto pieces = report::split_timeline(run, {}, limit);
      EXPECT_GT(pieces.size(), whole.size() / limit);
      std::set<Told> all;
      for (const TimelineChoice& piece : pieces) {
        const std::string bytes = write(run, piece);
        EXPECT_LE(bytes.size(), limit + limit / 10);
        const View trace = view(bytes);
        EXPECT_EQ(trace.problems, std::vector<std::string>{});
        for (const Told& span : predicted(trace)) all.insert(span);
      }
      const auto wanted = expected(run, {});
      EXPECT_EQ(all, std::set<Told>(wanted.begin(), wanted.end()));
    }
  }
}

}  // namespace
}  // namespace orrery::oracle
