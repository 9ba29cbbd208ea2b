// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/flight_records/hang_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "orrery/core/paths_testing.h"
#include "orrery/intake/flight_records/rings_testing.h"

namespace orrery::intake {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Ring;
using trace::flight_recorder::Record;
using trace::flight_recorder::State;

const RecordedCall& stuck(const HangReport& report, std::size_t place = 0) {
  return report.calls.at(report.stuck.at(place));
}

TEST(Hangs, NothingIsStuck) {
  std::vector<RankDump> dumps;
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    dumps.push_back(Ring(rank).group("0", {0, 1}).call("0", 1, "all_reduce", State::completed));
  const HangReport report = report_hangs(dumps);
  EXPECT_THAT(report.stuck, IsEmpty());
  ASSERT_EQ(report.groups.size(), 1u);
  EXPECT_EQ(report.groups[0].completed_sequence, 1);
  EXPECT_THAT(report.calls[0].completed, ElementsAre(0, 1));
}

TEST(Hangs, ARankHasNotCalled) {
  std::vector<RankDump> dumps;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    Ring ring(rank);
    ring.group("0", {0, 1, 2, 3}).call("0", 1, "barrier", State::completed);
    if (rank != 1) ring.call("0", 2, "all_reduce", State::started);
    dumps.push_back(ring);
  }
  const HangReport report = report_hangs(dumps);
  ASSERT_EQ(report.stuck.size(), 1u);
  EXPECT_EQ(stuck(report).cause, HangCause::not_called);
  EXPECT_EQ(stuck(report).sequence, 2);
  EXPECT_THAT(stuck(report).not_called, ElementsAre(1));
  EXPECT_THAT(stuck(report).started, ElementsAre(0, 2));
  EXPECT_THAT(report.groups[0].without_dump, ElementsAre(3));
  ASSERT_EQ(report.last_calls.size(), 1u);
  EXPECT_EQ(report.last_calls[0].operation, "barrier");
  EXPECT_TRUE(report.last_calls[0].completed);
}

TEST(Hangs, RanksCallDifferentOperationsSizesAndTypes) {
  const auto pair = [](auto change, State state) {
    Ring first(0), second(1);
    first.group("0", {0, 1}).call("0", 4, "all_reduce", state);
    second.group("0", {0, 1}).call("0", 4, "all_reduce", state);
    std::vector<RankDump> dumps = {first, second};
    change(dumps[1].dump.records[0]);
    return report_hangs(dumps);
  };
  const HangReport operation = pair([](Record& r) { r.operation = "barrier"; }, State::scheduled);
  EXPECT_EQ(stuck(operation).cause, HangCause::different_operations);
  EXPECT_EQ(stuck(operation).difference, "rank 0 all_reduce, rank 1 barrier");
  const HangReport sizes = pair([](Record& r) { r.inputs.sizes = {{9}}; }, State::scheduled);
  EXPECT_EQ(stuck(sizes).cause, HangCause::different_sizes);
  EXPECT_EQ(stuck(sizes).difference, "rank 0 inputs [8], rank 1 inputs [9]");
  const HangReport types = pair([](Record& r) { r.outputs.types = {"Half"}; }, State::scheduled);
  EXPECT_EQ(stuck(types).cause, HangCause::different_types);
  const HangReport done = pair([](Record& r) { r.inputs.sizes = {{9}}; }, State::completed);
  EXPECT_THAT(done.stuck, IsEmpty());
  EXPECT_EQ(done.calls[0].difference, "rank 0 inputs [8], rank 1 inputs [9]");
  const auto split = [](Record& r) {
    r.operation = "all_to_all";
    r.inputs.sizes = {{9}};
  };
  std::vector<RankDump> dumps = {
      Ring(0).group("0", {0, 1}).call("0", 1, "all_to_all", State::scheduled),
      Ring(1).group("0", {0, 1}).call("0", 1, "all_to_all", State::scheduled)};
  split(dumps[1].dump.records[0]);
  EXPECT_EQ(stuck(report_hangs(dumps)).cause, HangCause::not_completed)
      << "ranks may exchange different sizes";
}

// Rank 1 waits in group b for rank 2, which has called nothing; rank 0 waits for rank 1.
TEST(Hangs, FollowsWhatRanksWaitFor) {
  const std::vector<RankDump> dumps = {
      Ring(0).group("a", {0, 1}).call("a", 1, "all_reduce", State::started),
      Ring(1)
          .group("a", {0, 1})
          .group("b", {1, 2})
          .call("b", 1, "all_gather", State::started)
          .call("a", 1, "all_reduce", State::scheduled),
      Ring(2).group("b", {1, 2})};
  const HangReport report = report_hangs(dumps);
  ASSERT_EQ(report.stuck.size(), 2u);
  EXPECT_EQ(stuck(report).operation, "all_gather");
  EXPECT_EQ(stuck(report).cause, HangCause::not_called);
  EXPECT_EQ(stuck(report, 1).cause, HangCause::waits);
  EXPECT_THAT(stuck(report, 1).waits_for, ElementsAre(report.stuck[0]));
  ASSERT_EQ(report.last_calls.size(), 1u);
  EXPECT_FALSE(report.last_calls[0].has_calls);
}

TEST(Hangs, RanksWaitForEachOther) {
  const std::vector<RankDump> dumps = {
      Ring(0).group("a", {0, 1}).group("b", {0, 1}).call("a", 1, "all_reduce", State::started),
      Ring(1).group("a", {0, 1}).group("b", {0, 1}).call("b", 1, "all_reduce", State::started)};
  const HangReport report = report_hangs(dumps);
  ASSERT_EQ(report.stuck.size(), 2u);
  EXPECT_EQ(stuck(report).cause, HangCause::cycle);
  EXPECT_EQ(stuck(report, 1).cause, HangCause::cycle);
}

TEST(Hangs, AllRanksCalled) {
  std::vector<RankDump> dumps;
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    dumps.push_back(Ring(rank).group("0", {0, 1}).call("0", 9, "all_reduce", State::started));
  EXPECT_EQ(stuck(report_hangs(dumps)).cause, HangCause::not_completed);
  dumps.pop_back();
  EXPECT_EQ(stuck(report_hangs(dumps)).cause, HangCause::no_dump);
}

// A ring has only the last records of a rank.
TEST(Hangs, RingsOverwriteRecords) {
  const std::vector<RankDump> dumps = {
      Ring(0)
          .group("0", {0, 1})
          .call("0", 1, "all_reduce", State::completed)
          .call("0", 2, "all_reduce", State::completed),
      Ring(1).group("0", {0, 1}).lost(1).call("0", 2, "all_reduce", State::completed)};
  const HangReport report = report_hangs(dumps);
  EXPECT_THAT(report.stuck, IsEmpty());
  EXPECT_THAT(report.calls[0].overwritten, ElementsAre(1));
  EXPECT_EQ(report.partly_recorded, 0u);
  const HangReport earlier = report_hangs(
      {dumps[0], Ring(1).group("0", {0, 1}).call("0", 1, "all_reduce", State::completed)});
  EXPECT_THAT(earlier.stuck, IsEmpty());
  EXPECT_EQ(earlier.calls[1].state, CallState::partly_recorded);
  EXPECT_EQ(earlier.partly_recorded, 1u);
}

// The last record of a coalesced launch has its state.
TEST(Hangs, CoalescedCollectives) {
  std::vector<RankDump> dumps;
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    dumps.push_back(Ring(rank)
                        .group("0", {0, 1})
                        .call("0", 1, "all_gather", State::scheduled)
                        .call("0", 1, "all_gather", State::scheduled)
                        .call("0", 1, "coalesced", State::completed));
  const HangReport report = report_hangs(dumps);
  EXPECT_THAT(report.stuck, IsEmpty());
  ASSERT_EQ(report.calls.size(), 1u);
  EXPECT_EQ(report.calls[0].operation, "coalesced (2 all_gather)");
}

TEST(Hangs, Messages) {
  const auto sender = [](std::uint32_t rank, std::int64_t to, State state) {
    return Ring(rank).group("pp", {4, 5}).call("pp", 1, "send", state).peer(to);
  };
  // A send whose receiver has called nothing.
  const HangReport alone =
      report_hangs({sender(4, 1, State::started), Ring(5).group("pp", {4, 5})});
  EXPECT_EQ(stuck(alone).operation, "send 4->5");
  EXPECT_EQ(stuck(alone).cause, HangCause::not_called);
  EXPECT_THAT(stuck(alone).not_called, ElementsAre(5));
  // Both send first.
  const HangReport both =
      report_hangs({sender(4, 1, State::started), sender(5, 0, State::started)});
  ASSERT_EQ(both.stuck.size(), 2u);
  EXPECT_EQ(stuck(both).cause, HangCause::cycle);
  // A pair that does not complete, and one whose other rank has no dump.
  const RankDump receiver =
      Ring(5).group("pp", {4, 5}).call("pp", 1, "recv", State::scheduled).peer(0);
  EXPECT_EQ(stuck(report_hangs({sender(4, 1, State::started), receiver})).cause,
            HangCause::not_completed);
  EXPECT_EQ(stuck(report_hangs({receiver})).cause, HangCause::no_dump);
  EXPECT_EQ(stuck(report_hangs({receiver})).operation, "recv 5<-4");
  EXPECT_THAT(report_hangs({sender(4, 1, State::completed)}).stuck, IsEmpty());
  // In a coalesced launch, which is completed.
  Ring coalesced = sender(4, 1, State::scheduled);
  coalesced.call("pp", 1, "coalesced", State::completed).p2p();
  EXPECT_THAT(report_hangs({coalesced}).stuck, IsEmpty());
}

TEST(Hangs, ReadsFilesOfAFolder) {
  Findings findings;
  const std::string folder = std::string(core_testing::kSourceFolder) + "/examples/hang";
  ASSERT_TRUE(has_flight_records({folder}));
  const auto dumps = read_flight_records({folder}, findings);
  ASSERT_TRUE(dumps) << to_string(dumps.error());
  ASSERT_EQ(dumps->size(), 4u);
  EXPECT_EQ((*dumps)[3].rank, 3u);
  const HangReport report = report_hangs(*dumps);
  ASSERT_EQ(report.stuck.size(), 2u);
  EXPECT_EQ(stuck(report).operation, "all_reduce");
  EXPECT_EQ(stuck(report).sequence, 3);
  EXPECT_THAT(stuck(report).not_called, ElementsAre(3));
  EXPECT_EQ(report.last_calls.at(0).call_site, "train.py:42 in train_step");
  const auto twice = read_flight_records({folder, folder + "/nccl_trace_rank_1"}, findings);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Errc::input_duplicate_id);
  EXPECT_FALSE(
      has_flight_records({std::string(core_testing::kSourceFolder) + "/examples/messages"}));
}

TEST(Hangs, NamesFilesWithoutARank) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "orrery_dump_without_rank";
  fs::create_directories(folder);
  fs::copy_file(fs::path(core_testing::kSourceFolder) / "examples/hang/nccl_trace_rank_0",
                folder / "dump", fs::copy_options::overwrite_existing);
  Findings findings;
  const auto dumps = read_flight_records({(folder / "dump").string()}, findings);
  ASSERT_FALSE(dumps);
  EXPECT_THAT(dumps.error().what, HasSubstr("no rank"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace orrery::intake
