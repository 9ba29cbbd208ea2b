// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/flight_records/recorded_workload.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "orrery/core/paths_testing.h"
#include "orrery/intake/flight_records/rings_testing.h"

namespace orrery::intake {
namespace {

using ::testing::ElementsAre;
using testing::Ring;
using trace::flight_recorder::State;

std::string in_source(const std::string& path) {
  return std::string(core_testing::kSourceFolder) + "/" + path;
}

/// "all_reduce 32 in 0, 30000 ns after 1": the nodes of a rank; dependencies by their places.
std::vector<std::string> words(const graph::Workload& workload, std::uint32_t rank) {
  const graph::Graph& graph = workload.graph(rank);
  std::map<graph::NodeId, std::string> after;
  for (graph::NodeId n = 0; n < graph.size(); ++n)
    for (const graph::NodeId next : graph.successors(n)) after[next] += fmt::format(" {}", n);
  std::vector<std::string> out;
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    std::string text = fmt::format("{}", graph.name(n));
    if (graph.kind(n) == graph::NodeKind::coll) {
      text += fmt::format(" {} in {}", graph.collective(n).size.count(),
                          graph.string(graph.collective(n).group));
    } else if (graph::is_message(graph.kind(n))) {
      const auto message = graph.message(n, 0);
      const bool sends = graph.kind(n) == graph::NodeKind::send;
      text += fmt::format(" {} {} {}", message.size.count(), sends ? "to" : "from",
                          sends ? message.dst : message.src);
    }
    text += fmt::format(", {} ns", graph.duration(n).count() / 1000);
    if (after.contains(n)) text += " after" + after[n];
    out.push_back(std::move(text));
  }
  return out;
}

TEST(FlightRecordWorkload, HasCallsAndCollectivesInTheOrderOfTheirGroups) {
  std::vector<RankDump> dumps;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const Time kernel = us(rank == 0 ? 40 : 30);
    dumps.push_back(Ring(rank)
                        .group("0", {0, 1})
                        .group("1", {0, 1})
                        .call("0", 1, "all_reduce", State::completed, {8})
                        .at(1000 * rank, kernel)
                        .call("1", 1, "_reduce_scatter_base", State::completed, {4, 2})
                        .at(5000, kernel)
                        .call("0", 2, "barrier", State::completed, {})
                        .at(7000, kernel));
  }
  const auto workload = workload_of_flight_records(dumps);
  ASSERT_TRUE(workload) << to_string(workload.error());
  EXPECT_THAT(
      words(*workload, 0),
      ElementsAre("all_reduce 32 in 0, 30000 ns", "[recorded host time], 5000 ns",
                  "_reduce_scatter_base 32 in 1, 30000 ns after 1",
                  "[recorded host time], 2000 ns after 1", "barrier 0 in 0, 30000 ns after 0 3"));
  EXPECT_THAT(words(*workload, 1)[0], "[recorded host time], 1000 ns") << "it calls later";
  EXPECT_THAT(workload->groups.at("0").ranks, ElementsAre(0, 1));
  EXPECT_TRUE(workload->findings.empty());
}

TEST(FlightRecordWorkload, LeavesOutWhatIsStuckAndWhatIsNotRecordedByAll) {
  const std::vector<RankDump> dumps = {
      Ring(0)
          .group("0", {0, 1})
          .lost(7)
          .call("0", 4, "all_reduce", State::completed)
          .call("0", 5, "all_reduce", State::completed)
          .call("0", 6, "all_gather", State::started),
      Ring(1).group("0", {0, 1}).lost(8).call("0", 5, "all_reduce", State::completed)};
  const auto workload = workload_of_flight_records(dumps);
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->graph(0).size(), 2u) << "one collective and the time before it";
  EXPECT_EQ(workload->findings.count(FindingCode::recorded_hang), 1u);
  EXPECT_EQ(workload->findings.count(FindingCode::call_not_complete), 1u);
  for (const Finding& finding : workload->findings.list()) {
    const bool hang = finding.code == FindingCode::recorded_hang;
    EXPECT_EQ(finding.places[0], hang ? "group 0: all_gather 6: not called by rank 1"
                                      : "group 0: all_reduce 4: not recorded by rank 1");
  }
}

TEST(FlightRecordWorkload, RanksWithoutADumpLeaveDurations) {
  const std::vector<RankDump> dumps = {
      Ring(4).group("0", {4, 5}).call("0", 1, "all_reduce", State::completed).at(0, us(50)),
      Ring(6).group("1", {6}).call("1", 1, "all_reduce", State::completed).at(0, us(5))};
  const auto workload = workload_of_flight_records(dumps);
  ASSERT_TRUE(workload);
  EXPECT_THAT(words(*workload, 0), ElementsAre("all_reduce 32 in 0/alone@4, 50000 ns"));
  EXPECT_THAT(words(*workload, 1), ElementsAre("all_reduce 32 in 1, 5000 ns"));
  EXPECT_THAT(workload->groups.at("0/alone@4").ranks, ElementsAre(0));
  EXPECT_THAT(workload->groups.at("1").ranks, ElementsAre(1));
  EXPECT_EQ(workload->findings.count(FindingCode::comm_alone), 1u);
}

TEST(FlightRecordWorkload, CoalescedCollectivesHaveTheBytesOfAllParts) {
  std::vector<RankDump> dumps;
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    dumps.push_back(Ring(rank)
                        .group("0", {0, 1})
                        .call("0", 1, "_all_gather_base", State::scheduled, {16})
                        .call("0", 1, "_all_gather_base", State::scheduled, {4})
                        .call("0", 1, "coalesced", State::completed, {0}));
  const auto workload = workload_of_flight_records(dumps);
  ASSERT_TRUE(workload);
  EXPECT_THAT(words(*workload, 0), ElementsAre("_all_gather_base 80 in 0, 0 ns"));
}

TEST(FlightRecordWorkload, MessagesMatchAcrossRanks) {
  const std::vector<RankDump> dumps = {
      Ring(0)
          .group("pp", {0, 1})
          .call("pp", 1, "send", State::completed, {8})
          .peer(1)
          .call("pp", 2, "send", State::completed, {16})
          .peer(1)
          .call("pp", 3, "recv", State::started, {16})
          .peer(1),
      Ring(1).group("pp", {0, 1}).lost(3).call("pp", 2, "recv", State::completed, {16}).peer(0)};
  const auto workload = workload_of_flight_records(dumps);
  ASSERT_TRUE(workload) << to_string(workload.error());
  EXPECT_THAT(words(*workload, 0),
              ElementsAre("[recorded host time], 10000 ns", "send 64 to 1, 0 ns after 0"))
      << "rank 1 no longer has the first message";
  EXPECT_THAT(words(*workload, 1), ElementsAre("recv 64 from 0, 0 ns"));
  EXPECT_EQ(workload->findings.count(FindingCode::call_not_complete), 1u);
  EXPECT_EQ(workload->findings.count(FindingCode::recorded_hang), 1u);
}

TEST(FlightRecordWorkload, RefusesDumpsInWhichNothingIsCompleted) {
  const auto cycle =
      read_flight_record_workload({in_source("tests/data/flight_recorder/cycle")}, 0);
  ASSERT_FALSE(cycle);
  EXPECT_EQ(cycle.error().code, Errc::input_empty);
  const auto hang = read_flight_record_workload({in_source("examples/hang")}, 2);
  ASSERT_FALSE(hang);
  EXPECT_EQ(hang.error().code, Errc::config_conflict);
  const auto more = read_flight_record_workload({in_source("examples/hang")}, 6);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->rank_count(), 6u);
  EXPECT_EQ(more->graph(5).size(), 1u) << "ranks without a dump do nothing";
}

}  // namespace
}  // namespace orrery::intake
