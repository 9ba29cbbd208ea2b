// SPDX-License-Identifier: Apache-2.0
//
// Views of one handmade rank: every row has a cell per column, and the figures are those of the
// analysis behind the view.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"
#include "orrery/study/recordings/views/view_builder.h"

namespace orrery::study {
namespace {

/// A rank with launches, an annotation on the device, a collective and changes of memory.
intake::RankTrace recorded_rank() {
  profile::Maker make;
  const auto main = make.thread(1);
  const auto stream = make.stream(7);
  make.op(main, "aten::softmax", 0, 30);
  for (std::int64_t k = 0; k < 3; ++k) {
    make.call(main, "cudaLaunchKernel", 3 + 8 * k, 5, 1 + static_cast<std::uint64_t>(k));
    make.kernel(stream, "k", 10 + 20 * k, 10, 1 + static_cast<std::uint64_t>(k));
  }
  make.op(stream, "forward", 10, 50, profile::Kind::device_range);
  make.op(stream, "forward", 70, 10, profile::Kind::device_range);
  make.profile.memory = {{us(4), 64, true, 0, main, 1, 1064, 4096}};
  intake::RankTrace rank;
  rank.profile = make.take();
  rank.attach = profile::attach(rank.profile, rank.findings);
  return rank;
}

std::map<std::string, View> timing_views() {
  const intake::RankTrace rank = recorded_rank();
  std::map<std::string, View> views;
  for (const std::string name :
       {"collectives", "launches", "idle", "sequences", "ranges", "memory"}) {
    const auto builders = view_builders(std::vector<std::string>{name});
    builders.front()->add(rank);
    Findings findings;
    views.emplace(name, builders.front()->view({}, findings));
  }
  return views;
}

/// What people read, by the key of the column.
std::map<std::string, std::string> row_of(const View& view, std::string_view table,
                                          std::size_t row) {
  std::map<std::string, std::string> cells;
  for (const ViewTable& one : view.tables) {
    if (one.key != table) continue;
    for (std::size_t c = 0; c < one.columns.size(); ++c)
      cells[one.columns[c].key] = one.rows.at(row).at(c).text();
  }
  return cells;
}

TEST(TimingViews, EveryRowHasACellPerColumn) {
  std::size_t rows = 0;
  for (const auto& [name, view] : timing_views()) {
    EXPECT_EQ(entry(view.kind).name, name);
    for (const ViewTable& table : view.tables) {
      for (const ViewColumn& column : table.columns)
        EXPECT_FALSE(column.key.empty() || column.about.empty()) << name << "." << table.key;
      for (const auto& row : table.rows)
        EXPECT_EQ(row.size(), table.columns.size()) << name << "." << table.key;
      rows += table.rows.size();
    }
  }
  EXPECT_GT(rows, 10u);
}

TEST(TimingViews, ShowTheirAnalyses) {
  auto views = timing_views();
  auto calls = row_of(views.at("launches"), "calls", 0);
  EXPECT_EQ(calls["name"], "cudaLaunchKernel");
  EXPECT_EQ(calls["delay_total_ns"], "57 us");
  EXPECT_EQ(calls["delay_after_call_total_ns"], "42 us");
  EXPECT_EQ(row_of(views.at("launches"), "queues", 0)["max_length"], "2");
  auto cause = row_of(views.at("idle"), "causes", 2);
  EXPECT_EQ(cause["cause"], "gap in a stream");
  EXPECT_EQ(cause["idle_ns"], "20 us");
  EXPECT_EQ(row_of(views.at("idle"), "streams", 0)["other_ns"], "20 us");
  EXPECT_EQ(row_of(views.at("sequences"), "sequences", 0)["sequence"], "k | k | k");
  auto range = row_of(views.at("ranges"), "ranges", 0);
  EXPECT_EQ(range["mean_ns"], "30 us");
  EXPECT_EQ(range["min_ns"], "10 us");
  EXPECT_EQ(range["deviation_ns"], "28.28 us") << "sqrt(2) * 20 us";
  auto pool = row_of(views.at("memory"), "pools", 0);
  EXPECT_EQ(pool["pool"], "device 0");
  EXPECT_EQ(pool["earlier_bytes"], "1 kB");
  EXPECT_EQ(row_of(views.at("memory"), "operators", 0)["name"], "aten::softmax");
}

/// The ending of a key whose values read like this; empty: they have no unit.
std::string_view unit_ending(const report::Value& value) {
  const std::string text = value.text();
  const auto ends = [&](std::string_view unit) { return text.ends_with(unit); };
  if (!value.is_number()) return "";
  if (ends("FLOP/s")) return "_flop_per_s";
  if (ends("B/s")) return "_bytes_per_s";
  if (ends("B")) return "_bytes";
  if (ends("%")) return "_share";
  return ends("s") ? "_ns" : "";
}

TEST(Views, ColumnsHaveUnitsAndMeanings) {
  const intake::RankTrace rank = recorded_rank();
  for (const TraceViewEntry& entry : kTraceViews) {
    auto builders = view_builders(std::vector<std::string>{std::string(entry.name)});
    ASSERT_EQ(builders.size(), 1u);
    builders.front()->add(rank);
    Findings findings;
    const View view = builders.front()->view({}, findings);
    EXPECT_EQ(view.kind, entry.view) << entry.name;
    for (const ViewTable& table : view.tables) {
      std::set<std::string> keys;
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const ViewColumn& column = table.columns[c];
        EXPECT_TRUE(keys.insert(column.key).second) << entry.name << ' ' << column.key;
        EXPECT_FALSE(column.about.empty()) << entry.name << ' ' << column.key;
        for (const auto& row : table.rows) {
          ASSERT_EQ(row.size(), table.columns.size()) << entry.name << ' ' << table.key;
          EXPECT_TRUE(('_' + column.key).ends_with(unit_ending(row[c])))
              << entry.name << ' ' << column.key << ' ' << row[c].text();
        }
      }
    }
  }
}

}  // namespace
}  // namespace orrery::study
