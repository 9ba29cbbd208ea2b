// SPDX-License-Identifier: Apache-2.0
//
// What tests/oracle cannot see from outside: rounding, sizes, cutting, and that equal runs give
// equal bytes.
#include "orrery/report/perfetto/perfetto.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "orrery/report/perfetto/drawn_spans.h"
#include "orrery/report/perfetto/trace_packets.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::report {
namespace {

using result::testing::sample_run;

std::string written(const result::Run& run, const TimelineChoice& choice = {}) {
  std::string bytes;
  EXPECT_TRUE(write_perfetto(run, choice, [&](std::string_view piece) {
    bytes += piece;
    return true;
  }));
  return bytes;
}

TEST(Perfetto, EqualRunsGiveEqualBytes) {
  EXPECT_EQ(written(sample_run(8, 20)), written(sample_run(8, 20)));
  EXPECT_EQ(written(sample_run(8, 20, false)), written(sample_run(8, 20, false)));
}

TEST(Perfetto, RanksThatShareATimelineAreWrittenAsIfTheyDidNot) {
  result::Run shared = sample_run(3, 2, false), apart = shared;
  apart.timelines.resize(3, shared.timelines[0]);
  for (std::uint32_t r = 0; r < 3; ++r) apart.ranks[r].timeline = r;
  EXPECT_EQ(written(shared), written(apart));
}

TEST(Perfetto, StopsWhenTheSinkRefuses) {
  const result::Run run = sample_run(8, 2000);
  int pieces = 0;
  EXPECT_FALSE(write_perfetto(run, {}, [&](std::string_view) { return ++pieces < 2; }));
  EXPECT_EQ(pieces, 2);
  EXPECT_FALSE(write_perfetto(sample_run(1, 1), {}, [](std::string_view) { return false; }));
}

TEST(Perfetto, AnEmptyRunIsATraceToo) {
  EXPECT_FALSE(written(result::Run{}).empty());
  TimelineChoice none;
  none.first_rank = 100;
  EXPECT_FALSE(written(sample_run(), none).empty());
  EXPECT_EQ(split_timeline(sample_run(), none, 1).size(), 1u);
}

TEST(Perfetto, EstimatesItsSize) {
  for (const bool distinct : {true, false}) {
    for (const std::uint32_t layers : {1u, 30u, 3000u}) {
      const result::Run run = sample_run(6, layers, distinct);
      TimelineChoice choice;
      for (const std::uint32_t first : {0u, 3u}) {
        choice.first_rank = first;
        choice.from = first == 0 ? Time{} : us(15);
        const auto size = static_cast<double>(written(run, choice).size());
        EXPECT_NEAR(static_cast<double>(estimate_perfetto_bytes(run, choice)), size, size * 0.03);
      }
    }
  }
}

TEST(Perfetto, PiecesFollowOneAnother) {
  const result::Run run = sample_run(6, 400);
  TimelineChoice choice;
  choice.first_rank = 1;
  choice.last_rank = 4;
  choice.from = us(20);
  choice.until = us(5000);
  const std::uint64_t size = estimate_perfetto_bytes(run, choice);
  EXPECT_EQ(split_timeline(run, choice, size + 1000).size(), 1u);
  for (const std::uint64_t limit : {size / 3, size / 30, std::uint64_t{1}}) {
    const auto pieces = split_timeline(run, choice, limit);
    ASSERT_GT(pieces.size(), 1u);
    std::uint32_t rank = choice.first_rank;
    Time from = choice.from;
    for (const TimelineChoice& piece : pieces) {
      EXPECT_EQ(piece.first_rank, rank);
      EXPECT_EQ(piece.from, from);
      EXPECT_LT(piece.from, piece.until);
      EXPECT_LE(piece.first_rank, piece.last_rank);
      from = piece.until;
      if (piece.until != choice.until) continue;
      rank = piece.last_rank + 1;
      from = choice.from;
    }
    EXPECT_EQ(rank, 5u);
  }
}

// Each piece used to hold the whole critical path and all link use: 32 pieces of a long run were
// twice as large as the run in one.
TEST(Perfetto, PiecesTogetherAreHardlyLargerThanTheWhole) {
  result::Run run = sample_run(8, 2000);
  run.links.bin = Time(run.step.count() / 2000);
  run.links.curves.assign(1, {});
  for (std::uint64_t bin = 0; bin < 2000; ++bin) run.links.curves[0].push_back(bin % 7 * 100);
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    result::Link& link = run.links.links.emplace_back();
    link.from = rank;
    link.to = (rank + 1) % 8;
    link.bytes = 1;
    link.use = 0;
  }
  for (const std::uint32_t first : {0u, 3u}) {
    TimelineChoice choice;
    choice.first_rank = first;
    const std::size_t whole = written(run, choice).size();
    for (const std::size_t limit : {whole / 2, whole / 5, whole / 30}) {
      const auto pieces = split_timeline(run, choice, limit);
      EXPECT_GT(pieces.size(), whole / limit);
      std::size_t sum = 0;
      for (const TimelineChoice& piece : pieces) {
        const std::size_t size = written(run, piece).size();
        EXPECT_LT(size, limit + limit / 5);
        EXPECT_NEAR(static_cast<double>(estimate_perfetto_bytes(run, piece)),
                    static_cast<double>(size), static_cast<double>(size) * 0.05);
        sum += size;
      }
      EXPECT_LT(sum, whole + whole / 10) << pieces.size();
      EXPECT_GT(sum, whole - whole / 10) << pieces.size();
    }
  }
}

// A large run used to be written with all its identical ranks: 781 MB for 2,048 of them.
TEST(Perfetto, ASampleHasOneRankPerTimelineWithItsCountAndTheCriticalPath) {
  result::Run run = sample_run(6, 20, false);
  run.timelines.push_back(run.timelines[0]);
  run.ranks[4].timeline = 1;
  run.path.assign(1, {});
  run.path[0].rank = 3;
  run.path[0].end = run.step;
  const RankSample sample = sample_ranks(run);
  EXPECT_EQ(sample.ranks, (std::vector<std::uint32_t>{0, 3, 4}));
  EXPECT_EQ(sample.stands_for, (std::vector<std::uint32_t>{5, 0, 1}));
  TimelineChoice choice;
  choice.sample = std::make_shared<const RankSample>(sample);
  const std::string bytes = written(run, choice);
  EXPECT_NE(bytes.find("rank 0 + 4 identical"), std::string::npos);
  EXPECT_NE(bytes.find("rank 3"), std::string::npos);
  EXPECT_EQ(bytes.find("rank 3 +"), std::string::npos);
  EXPECT_EQ(bytes.find("rank 4 +"), std::string::npos);
  EXPECT_EQ(bytes.find("rank 2"), std::string::npos);  // no lane sends to it either
  const auto size = static_cast<double>(bytes.size());
  EXPECT_LT(bytes.size(), written(run).size() * 2 / 3);
  EXPECT_NEAR(static_cast<double>(estimate_perfetto_bytes(run, choice)), size, size * 0.03);
  EXPECT_GT(split_timeline(run, choice, bytes.size() / 2).size(), 1u);
}

TEST(Perfetto, RoundingKeepsOrder) {
  EXPECT_EQ(rounded_ns(Time(499)), 0u);
  EXPECT_EQ(rounded_ns(Time(500)), 1u);
  EXPECT_EQ(rounded_ns(Time(1499)), 1u);
  EXPECT_EQ(rounded_ns(Time(-7000)), 0u);
  EXPECT_EQ(rounded_ns(kTimeMax), 9'223'372'036'854'776u);
  rc::check([](std::int64_t a, std::int64_t b) {
    RC_ASSERT(rounded_ns(Time(std::min(a, b))) <= rounded_ns(Time(std::max(a, b))));
  });
}

TEST(Perfetto, WindowsTouchWhatTheyShow) {
  TimelineChoice window;
  window.from = Time(10);
  window.until = Time(20);
  EXPECT_FALSE(overlaps(window, Time(0), Time(10)));
  EXPECT_TRUE(overlaps(window, Time(0), Time(11)));
  EXPECT_TRUE(overlaps(window, Time(10), Time(10)));
  EXPECT_TRUE(overlaps(window, Time(19), Time(30)));
  EXPECT_FALSE(overlaps(window, Time(20), Time(20)));
  EXPECT_TRUE(overlaps(window, Time(0), Time(99)));
}

TEST(Perfetto, TrackNumbersHaveEightBytes) {
  EXPECT_NE(track_uuid("rank 1/lanes/compute"), track_uuid("rank 2/lanes/compute"));
  for (const char* path : {"", "cluster", "rank 12/lanes/compute"}) {
    EXPECT_GE(track_uuid(path), std::uint64_t{1} << 55);
    EXPECT_LT(track_uuid(path), std::uint64_t{1} << 56);
    EXPECT_EQ(TrackKey(track_uuid(path)).bytes().size(), 9u);
  }
}

TEST(Perfetto, NamesLanesAndLinks) {
  result::Run run = sample_run(4, 1);
  run.groups.push_back({"tp\n", {}, 4, 0, 0});
  run.ranks[2].groups.push_back(1);
  using result::kNone;
  using result::LaneKind;
  EXPECT_EQ(lane_name(run, 2, {LaneKind::communicator, 1, kNone, 0}), "comm: tp?");
  EXPECT_EQ(lane_name(run, 2, {LaneKind::communicator, 9, kNone, 0}), "communicator");
  EXPECT_EQ(lane_name(run, 2, {LaneKind::sends, kNone, 3, 1}), "send to rank 1 2");
  EXPECT_EQ(lane_name(run, 2, {LaneKind::receives, kNone, kNone, 2}), "receives 3");
  EXPECT_EQ(lane_name(run, 2, {LaneKind::memory, kNone, kNone, 0}), "remote memory");
  result::Link link;
  link.from = 1;
  EXPECT_EQ(link_name(run, link), "dimension 0 (ring): from rank 1");
  link.to = 2;
  EXPECT_EQ(link_name(run, link), "dimension 0 (ring): rank 1 to rank 2");
  link.down = true;
  EXPECT_EQ(link_name(run, link), "dimension 0 (ring): switch to rank 1");
  link.from = kNone;
  link.dim = 7;
  EXPECT_EQ(link_name(run, link), "dimension 7: all links");
}

}  // namespace
}  // namespace orrery::report
