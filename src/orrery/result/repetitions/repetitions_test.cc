// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/repetitions/repetitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/core/limits.h"
#include "orrery/result/random_run_testing.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/run_file_testing.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::result {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::query_cells;
using testing::RandomRun;
using testing::sample_run;
using testing::TemporaryFolder;

template <class Table>
std::vector<RowPart> parts_of(const Table& table,
                              std::uint64_t budget = limits::kRunFileRepeatedRows) {
  return find_parts(table, budget);
}

Names names_of(const std::vector<std::string>& texts) {
  Names names;
  for (const std::string& text : texts) names.intern(text);
  return names;
}

TEST(Repetitions, SplitNamesAtOneNumber) {
  const auto split = [](std::string_view text, std::string_view other) {
    const NumberedText parts = split_at_number(text, other);
    return std::string(parts.before) + "<" + std::to_string(parts.number) + ">" +
           std::string(parts.after);
  };
  EXPECT_EQ(split("mlp L3 mb9", "mlp L3 mb10"), "mlp L3 mb<9>");
  EXPECT_EQ(split("mlp L3 mb10", "mlp L3 mb9"), "mlp L3 mb<10>");
  EXPECT_EQ(split("L1 x", "L10 x"), "L<1> x");
  EXPECT_EQ(split("7", "8"), "<7>");
  EXPECT_EQ(split("L0.gemm", "L5.gemm"), "L<0>.gemm");
  // Other differences: two numbers, letters, leading zeros, too many digits, none.
  EXPECT_EQ(split("L1 mb1", "L2 mb2"), "L1 mb1<-1>");
  EXPECT_EQ(split("La", "Lb"), "La<-1>");
  EXPECT_EQ(split("L1", "L"), "L1<-1>");
  EXPECT_EQ(split("L01", "L02"), "L01<-1>");
  EXPECT_EQ(split("L1", "L1x"), "L1<-1>");
  EXPECT_EQ(split("L1234567890123456", "L1234567890123457"), "L1234567890123456<-1>");
  EXPECT_EQ(split("L1", "L1"), "L1<-1>");
}

TEST(Repetitions, AreFoundInNames) {
  std::vector<std::string> texts;
  for (int i = 0; i < 20; ++i) {
    texts.push_back("forward L" + std::to_string(i));
    texts.push_back("backward L" + std::to_string(i) + " end");
  }
  EXPECT_THAT(parts_of(names_of(texts)), ElementsAre(RowPart{0, 1, 1}, RowPart{1, 40, 2}));
  texts.resize(31);  // the last period is incomplete
  EXPECT_THAT(parts_of(names_of(texts)), ElementsAre(RowPart{0, 1, 1}, RowPart{1, 31, 2}));
  texts[15] = "other";
  EXPECT_THAT(parts_of(names_of(texts)), ElementsAre(RowPart{0, 1, 1}, RowPart{1, 15, 2},
                                                     RowPart{16, 1, 1}, RowPart{17, 15, 2}));
}

TEST(Repetitions, AreFoundInSpans) {
  const auto run = sample_run(2, 30);
  const std::vector<Span>& spans = run.timelines[0].spans;
  // The first span has no predecessor that releases it.
  EXPECT_THAT(parts_of(spans), ElementsAre(RowPart{0, 1, 1}, RowPart{1, 119, 4}));
  EXPECT_THAT(parts_of(std::vector<Span>()), IsEmpty());
  // A change of any column ends a part.
  const auto expect_end = [&](auto change) {
    std::vector<Span> other = spans;
    change(other[62]);
    const auto parts = parts_of(other);
    ASSERT_GE(parts.size(), 3u);
    EXPECT_EQ(parts[1], (RowPart{1, 61, 4}));
  };
  expect_end([](Span& span) { span.node += 1; });
  expect_end([](Span& span) { span.name += 1; });
  expect_end([](Span& span) { span.kind = SpanKind::receive; });
  expect_end([](Span& span) { span.lane = 0; });
  expect_end([](Span& span) { span.start += Time(1), span.end += Time(1); });
  expect_end([](Span& span) { span.end += Time(1); });
  expect_end([](Span& span) { span.model = TimeSource::recorded; });
  expect_end([](Span& span) { span.release = Release::resource; });
  expect_end([](Span& span) { span.reason = DependencyKind::stream; });
  expect_end([](Span& span) { span.critical = !span.critical; });
  expect_end([](Span& span) { span.released_by -= 1; });
  expect_end([](Span& span) { span.released_by = kNone; });
  expect_end([](Span& span) { span.wait += Time(1); });
  expect_end([](Span& span) { span.queue += Time(1); });
  expect_end([](Span& span) { span.latency += Time(1); });
  expect_end([](Span& span) { span.slack = std::nullopt; });
  expect_end([](Span& span) { *span.slack += Time(1); });
  expect_end([](Span& span) { span.bytes += Bytes(1); });
  expect_end([](Span& span) { span.flops += 1; });
  expect_end([](Span& span) { span.group = 1; });
  expect_end([](Span& span) { span.sequence += 1; });
  expect_end([](Span& span) { span.distance = 0; });
  expect_end([](Span& span) { span.peer_span = kNone; });
  expect_end([](Span& span) { span.peer_span += 1; });
}

TEST(Repetitions, AreFoundInCollectives) {
  const auto run = sample_run(2, 30);
  const std::vector<Collective>& all = run.collectives;
  EXPECT_THAT(parts_of(all), ElementsAre(RowPart{0, 30, 1}));
  const auto expect_end = [&](auto change) {
    std::vector<Collective> other = all;
    change(other[15]);
    const auto parts = parts_of(other);
    ASSERT_GE(parts.size(), 2u);
    EXPECT_EQ(parts[0], (RowPart{0, 15, 1}));
  };
  expect_end([](Collective& one) { one.group = 1; });
  expect_end([](Collective& one) { one.type = "all_gather"; });
  expect_end([](Collective& one) { one.name += 1; });
  expect_end([](Collective& one) { one.bytes += Bytes(1); });
  expect_end([](Collective& one) { one.sent += 1; });
  expect_end([](Collective& one) { one.joined = !one.joined; });
  expect_end([](Collective& one) { one.members += 1; });
  expect_end([](Collective& one) { one.first_start += Time(1); });
  expect_end([](Collective& one) { one.last_start += Time(1); });
  expect_end([](Collective& one) { one.last_rank += 1; });
  expect_end([](Collective& one) { one.last_span += 1; });
  expect_end([](Collective& one) { one.last_span = kNone; });
  expect_end([](Collective& one) { one.end = std::nullopt; });
  expect_end([](Collective& one) { *one.end += Time(1); });
  expect_end([](Collective& one) { one.bound = std::nullopt; });
  expect_end([](Collective& one) { one.bound_by = ""; });
  expect_end([](Collective& one) { one.predicted = 0; });
}

TEST(Repetitions, AreFoundInTheCriticalPath) {
  const auto run = sample_run(2, 30);
  // The first segment has no predecessor that releases it.
  EXPECT_THAT(parts_of(run.path), ElementsAre(RowPart{0, 1, 1}, RowPart{1, 149, 5}));
  const auto expect_end = [&](auto change) {
    std::vector<PathSegment> other = run.path;
    change(other[76]);
    const auto parts = parts_of(other);
    ASSERT_GE(parts.size(), 3u);
    EXPECT_EQ(parts[1], (RowPart{1, 75, 5}));
  };
  expect_end([](PathSegment& one) { one.rank = 1 - one.rank; });
  expect_end([](PathSegment& one) { one.span += 1; });
  expect_end([](PathSegment& one) { one.span = kNone; });
  expect_end([](PathSegment& one) { one.cause = PathCause::idle; });
  expect_end([](PathSegment& one) { one.release = Release::resource; });
  expect_end([](PathSegment& one) { one.start += Time(1); });
  expect_end([](PathSegment& one) { one.end += Time(1); });
}

TEST(Repetitions, HaveLimits) {
  const auto run = sample_run(2, 3000, false);
  const std::vector<Span>& spans = run.timelines[0].spans;
  EXPECT_THAT(parts_of(spans), ElementsAre(RowPart{0, 1, 1}, RowPart{1, 4096, 4},
                                           RowPart{4097, 4096, 4}, RowPart{8193, 3807, 4}));
  EXPECT_THAT(parts_of(spans, 100),
              ElementsAre(RowPart{0, 1, 1}, RowPart{1, 104, 4}, RowPart{105, 11895, 11895}));
  EXPECT_THAT(parts_of(spans, 0), ElementsAre(RowPart{0, 12000, 12000}));
  // Differences that do not fit into 63 bits.
  std::vector<Span> far(spans.begin(), spans.begin() + 100);
  for (Span& span : far) span.node += std::uint64_t{1} << 62;
  EXPECT_THAT(parts_of(far), ElementsAre(RowPart{0, 100, 100}));
  for (Span& span : far) span.node = std::uint64_t{1} << 63;  // no difference
  EXPECT_THAT(parts_of(far), ElementsAre(RowPart{0, 1, 1}, RowPart{1, 99, 4}));
}

// The parts of random runs: in order, without gaps, and of at least one period.
RC_GTEST_PROP(Repetitions, DivideAllRows, (std::uint64_t seed)) {
  const Run run = RandomRun(seed, true).make();
  for (const Timeline& line : run.timelines) {
    std::uint64_t row = 0;
    for (const RowPart& part : parts_of(line.spans)) {
      RC_ASSERT(part.first == row);
      RC_ASSERT(part.period > 0u && part.period <= part.rows);
      row = part.end();
    }
    RC_ASSERT(row == line.spans.size());
  }
}

/// Rows of the view `critical_path`. `first`: the number of each timeline's first span.
std::vector<std::vector<std::string>> path_rows(const Run& run,
                                                const std::vector<std::uint64_t>& first) {
  std::vector<std::vector<std::string>> path;
  const auto number = [](auto value) { return std::to_string(static_cast<std::int64_t>(value)); };
  for (const PathSegment& segment : run.path) {
    const std::uint32_t timeline = run.ranks[segment.rank].timeline;
    std::vector<std::string> row = {number(path.size()), number(segment.rank),
                                    number(segment.start.count()), number(segment.end.count())};
    if (segment.span == kNone) {
      row.insert(row.end(), {"", "", ""});
    } else {
      const Span& span = run.timelines[timeline].spans[segment.span];
      const std::string& name = run.names[span.name];
      row.insert(row.end(), {number(first[timeline] + segment.span), number(span.node),
                             name.substr(0, name.find('\0'))});
    }
    path.push_back(std::move(row));
  }
  return path;
}

// The views that expand repeated rows, against the run.
RC_GTEST_PROP(Repetitions, AreExpandedInViews, (std::uint64_t seed)) {
  const TemporaryFolder scratch;
  const Run run = RandomRun(seed, true).make();
  const std::string file = scratch / "a.orrery";
  RC_ASSERT(write_run(run, file, false).has_value());
  const auto text_of = [](const std::string& text) { return text.substr(0, text.find('\0')); };
  const auto number = [](auto value) { return std::to_string(static_cast<std::int64_t>(value)); };
  std::vector<std::uint64_t> first;  // span of each timeline
  std::uint64_t spans = 0;
  for (const Timeline& line : run.timelines) {
    first.push_back(spans);
    spans += line.spans.size();
  }
  const auto cell = [&](std::uint32_t value, std::uint64_t base) {
    return value == kNone ? "" : number(base + value);
  };

  std::vector<std::vector<std::string>> events, names, collectives;
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
    const std::uint32_t timeline = run.ranks[rank].timeline;
    const std::vector<Span>& all = run.timelines[timeline].spans;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Span& span = all[i];
      const bool message = span.peer_span != kNone;
      events.push_back(
          {number(rank), number(first[timeline] + i), number(span.node),
           text_of(run.names[span.name]), number(span.start.count()), number(span.end.count()),
           span.slack ? number(span.slack->count()) : "", cell(span.released_by, first[timeline]),
           span.group == kNone ? "" : number(run.collective_of(rank, span)),
           message
               ? number(first[run.ranks[run.peer(rank, span.distance)].timeline] + span.peer_span)
               : ""});
    }
  }
  for (std::uint32_t i = 0; i < run.collective_count(); ++i) {
    const Collective& one = run.collective(i);
    names.push_back({number(i), text_of(run.names[one.name]), number(one.first_start.count()),
                     number(one.last_start.count()), one.end ? number(one.end->count()) : "",
                     one.end ? number((*one.end - one.last_start).count()) : ""});
  }
  for (const Collective& one : run.collectives)
    collectives.push_back({number(collectives.size()), number(one.group), number(one.name),
                           cell(one.last_span, first[run.ranks[one.last_rank].timeline])});
  RC_ASSERT(events == query_cells(file,
                                  "SELECT rank, span, node, name, start_ps, end_ps, slack_ps, "
                                  "released_by, collective, peer_span FROM event"));
  RC_ASSERT(path_rows(run, first) ==
            query_cells(file,
                        "SELECT position, rank, start_ps, end_ps, span, node, name FROM "
                        "critical_path"));
  RC_ASSERT(names == query_cells(file,
                                 "SELECT collective, name, first_start_ps, last_start_ps, end_ps, "
                                 "duration_ps FROM collective_view ORDER BY collective"));
  RC_ASSERT(collectives ==
            query_cells(file, "SELECT id, process_group, name, last_span FROM collective"));
}

}  // namespace
}  // namespace orrery::result
