// SPDX-License-Identifier: Apache-2.0
//
// Columns of a run against what SQLite reads from its file.
#include "orrery/result/run_file/run_columns.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/result/columns/run_views.h"
#include "orrery/result/random_run_testing.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/run_columns_testing.h"
#include "orrery/result/run_file/run_file_testing.h"

namespace orrery::result {
namespace {

using testing::expect_equal;
using testing::RandomRun;
using testing::TemporaryFolder;

// With and without repetitions, which a file stores once.
RC_GTEST_PROP(RunColumns, HoldWhatTheFileHolds, (std::uint64_t seed, bool repeats)) {
  const TemporaryFolder scratch;
  const Run run = RandomRun(seed, repeats).make();
  const std::string file = scratch / "a.orrery";
  RC_ASSERT(write_run(run, file, false).has_value());
  for (const std::string_view name : run_table_names()) {
    const auto table = run_table(run, name);
    RC_ASSERT(table.has_value());
    expect_equal(*table, file);
  }
  RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(RunViews, HoldWhatTheFileHolds, (std::uint64_t seed, bool repeats)) {
  const TemporaryFolder scratch;
  const Run run = RandomRun(seed, repeats).make();
  const std::string file = scratch / "a.orrery";
  RC_ASSERT(write_run(run, file, false).has_value());
  const auto last = static_cast<std::uint32_t>(run.ranks.size() - 1);
  for (const std::string_view name : run_view_names()) {
    const std::string order = name == "event" ? " ORDER BY rank, span" : " ORDER BY position";
    for (const auto& rank : {std::optional<std::uint32_t>(), std::optional(last)}) {
      const auto view = run_view(run, name, rank);
      RC_ASSERT(view.has_value());
      const std::string where = rank ? " WHERE rank = " + std::to_string(*rank) : "";
      expect_equal(*view, file, where + order);
    }
  }
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(RunViews, RefuseUnknownViewsAndRanks) {
  const auto view = run_view({}, "events", {});
  ASSERT_FALSE(view);
  EXPECT_NE(view.error().hint.find("event"), std::string::npos);
  EXPECT_FALSE(run_view({}, "event", 0));
}

TEST(RunColumns, RefuseUnknownTables) {
  const auto table = run_table({}, "spans");
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().hint.find("span"), std::string::npos);
}

}  // namespace
}  // namespace orrery::result
