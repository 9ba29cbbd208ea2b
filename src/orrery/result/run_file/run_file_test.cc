// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "orrery/result/random_run_testing.h"
#include "orrery/result/run_file/database_writer.h"
#include "orrery/result/run_file/run_file_testing.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::result {
namespace {

namespace fs = std::filesystem;
using testing::difference;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::query;
using testing::RandomRun;
using testing::read_bytes;
using testing::sample_run;
using ::testing::StartsWith;
using testing::TemporaryFolder;

TEST(RunFile, KeepsWhatARunIs) {
  const TemporaryFolder scratch;
  for (const bool distinct : {false, true}) {
    const auto run = sample_run(5, 7, distinct);
    ASSERT_TRUE(write_run(run, scratch / "a.orrery", true));
    const auto again = read_run(scratch / "a.orrery");
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(difference(run, *again), "");
  }
}

RC_GTEST_PROP(RunFile, KeepsAnyRun, (std::uint64_t seed, bool repeats)) {
  const TemporaryFolder scratch;
  const auto run = RandomRun(seed, repeats).make();
  const std::string a = scratch / "a.orrery", b = scratch / "b.orrery";
  const Result<void> written = write_run(run, a, false);
  RC_ASSERT(written.has_value());
  const auto again = read_run(a);
  if (!again) RC_FAIL(to_string(again.error()));
  RC_ASSERT(difference(run, *again) == "");
  // Equal runs, equal bytes; and SQLite finds nothing to complain about.
  RC_ASSERT(write_run(*again, b, false).has_value());
  RC_ASSERT(read_bytes(a) == read_bytes(b));
  RC_ASSERT(query(a, "PRAGMA integrity_check") == std::vector<std::string>{"ok"});
  RC_ASSERT(query(a, "PRAGMA foreign_key_check").empty());
}

TEST(RunFile, SaysForHowManyRanksARepresentativeStood) {
  const TemporaryFolder scratch;
  auto run = sample_run(5, 7, false);
  EXPECT_EQ(run.representatives(), std::nullopt);  // as in a file of an older program
  run.manifest.emplace_back("representatives", "2");
  ASSERT_TRUE(write_run(run, scratch / "a.orrery", false));
  const auto again = read_run(scratch / "a.orrery");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again->representatives(), 2u);
  for (const char* wrong : {"", "0", "6", "2 ", "+2", "-1", "4294967297"}) {
    run.manifest.back().second = wrong;
    EXPECT_EQ(run.representatives(), std::nullopt) << wrong;
  }
}

TEST(RunFile, SharedTimelinesAreStoredOnce) {
  const TemporaryFolder scratch;
  ASSERT_TRUE(write_run(sample_run(1024, 20, false), scratch / "shared.orrery", false));
  const std::string file = scratch / "shared.orrery";
  EXPECT_THAT(query(file, "SELECT count(*) FROM span"), ElementsAre("80"));
  EXPECT_THAT(query(file, "SELECT count(*) FROM stored_span"), ElementsAre("5"));
  EXPECT_THAT(query(file, "SELECT count(*), count(DISTINCT rank) FROM event"),
              ElementsAre("81920|1024"));
  EXPECT_THAT(query(file, "SELECT peer_rank FROM event WHERE rank = 1023 AND node = 3"),
              ElementsAre("0"));
}

TEST(RunFile, ViewsGiveNames) {
  const TemporaryFolder scratch;
  const std::string file = scratch / "a.orrery";
  ASSERT_TRUE(write_run(sample_run(), file, false));
  EXPECT_THAT(query(file, "SELECT lane FROM event WHERE rank = 1 AND node < 5"),
              ElementsAre("compute", "all ranks", "to rank 2", "receives"));
  EXPECT_THAT(query(file,
                    "SELECT name, kind, released, duration_ps, critical FROM event "
                    "WHERE rank = 1 AND node = 1"),
              ElementsAre("matmul|compute|beginning|11000000|1"));
  // Both ends of a message name each other.
  EXPECT_THAT(query(file,
                    "SELECT count(*) FROM event a JOIN event b ON b.rank = a.peer_rank AND "
                    "b.span = a.peer_span AND b.peer_rank = a.rank AND b.peer_span = a.span"),
              ElementsAre("16"));
  EXPECT_THAT(query(file,
                    "SELECT count(*) FROM event e JOIN collective_view c USING (collective) "
                    "WHERE e.end_ps = c.end_ps"),
              ElementsAre("8"));
  EXPECT_THAT(query(file,
                    "SELECT sequence, type, last_rank, duration_ps, of_bound FROM "
                    "collective_view"),
              ElementsAre("0|all_reduce|1|6000000|0.5", "1|all_reduce|1|6000000|0.5"));
  EXPECT_THAT(query(file, "SELECT sum(duration_ps) = max(end_ps) FROM critical_path"),
              ElementsAre("1"));
  EXPECT_THAT(query(file, "SELECT sum(bytes) FROM link_load WHERE from_rank = 3"),
              ElementsAre("3500"));
}

TEST(RunFile, GroupsShareTheirCollectives) {
  const TemporaryFolder scratch;
  const std::string file = scratch / "a.orrery";
  auto run = sample_run(4, 2, false);
  ASSERT_EQ(run.collectives.size(), 2u);
  Group a, b;
  a.name = "a";
  a.ranks = {0, 1};
  b.name = "b";
  b.ranks = {3, 2};
  a.size = b.size = a.count = b.count = b.first = 2;
  run.groups = {a, b};
  run.ranks[2].groups = run.ranks[3].groups = {1};
  for (Collective& one : run.collectives) {
    one.members = 2;
    one.last_rank = 1;
  }
  ASSERT_TRUE(write_run(run, file, false));
  const auto again = read_run(file);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(difference(run, *again), "");
  EXPECT_EQ(again->collective_count(), 4u);
  EXPECT_EQ(again->group_of_collective(3), 1u);
  EXPECT_EQ(again->last_rank(again->collective(3), 1), 2u) << "at the same place";
  Collective alien = again->collective(3);
  alien.last_rank = 3;  // a rank can name a group of which it is no member
  EXPECT_EQ(again->last_rank(alien, 1), 3u);
  EXPECT_THAT(query(file,
                    "SELECT collective, process_group, sequence, last_rank FROM "
                    "collective_view ORDER BY collective"),
              ElementsAre("0|a|0|1", "1|a|1|1", "2|b|0|2", "3|b|1|2"));
  EXPECT_THAT(query(file,
                    "SELECT count(*) FROM event e JOIN collective_view c USING (collective) "
                    "WHERE e.process_group = c.process_group"),
              ElementsAre("8"));
}

TEST(RunFile, NothingIsOverwrittenUnlessForced) {
  const TemporaryFolder scratch;
  const std::string file = scratch / "a.orrery";
  ASSERT_TRUE(write_run(sample_run(2), file, false));
  const std::string before = read_bytes(file);
  const Result<void> refused = write_run(sample_run(3), file, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::output_exists);
  EXPECT_EQ(read_bytes(file), before);
  EXPECT_TRUE(write_run(sample_run(3), file, true));
  EXPECT_NE(read_bytes(file), before);
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(RunFile, PlacesThatCannotBeWrittenAreNamed) {
  const TemporaryFolder scratch;
  fs::create_directory(scratch / "folder");
  std::ofstream(scratch / "file") << "no folder";
  for (const std::string& path :
       {scratch / "file/a.orrery", scratch / "folder", std::string("/dev/full")}) {
    const Result<void> refused = write_run(sample_run(), path, true);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, Errc::output_failed);
    EXPECT_EQ(refused.error().where, path);
  }
  EXPECT_EQ(scratch.files(), 2u);
}

TEST(RunFile, FoldersAreMadeForIt) {
  const TemporaryFolder scratch;
  ASSERT_TRUE(write_run(sample_run(), scratch / "new/folder/a.orrery", false));
  EXPECT_TRUE(read_run(scratch / "new/folder/a.orrery"));
}

// A disk that is full at any point, as the process's limit on file sizes makes it.
TEST(RunFile, AFullDiskLeavesNothingBehind) {
  const TemporaryFolder scratch;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  (void)std::signal(SIGXFSZ, SIG_IGN);
  auto run = sample_run(4, 2'000);
  for (Timeline& line : run.timelines)
    for (Span& span : line.spans) span.flops += span.start.count();  // no repetition
  for (const rlim_t most : {0ul, 100ul, 5000ul, 1ul << 20}) {
    const rlimit tight{most, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const Result<void> refused = write_run(run, scratch / "a.orrery", true);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_FALSE(refused) << most;
    EXPECT_EQ(refused.error().code, Errc::output_failed);
    EXPECT_EQ(scratch.files(), 0u);
  }
  (void)std::signal(SIGXFSZ, SIG_DFL);
}

// Enough rows for three levels of pages, and beyond the page that SQLite keeps for its locks (moved
// to where a small file has it).
TEST(DatabaseWriter, MakesTreesOfEveryDepth) {
  const TemporaryFolder scratch;
  const std::string file = scratch / "tree.db";
  const int before = sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, 0);
  (void)sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, 99 * static_cast<int>(kPageBytes));
  for (const int rows : {0, 1, 33, 34, 8'600, 8'700, 8'900, 20'000}) {
    Result<PageFile> pages = PageFile::create(file, true, 100);
    ASSERT_TRUE(pages);
    TableBuilder table(*pages);
    for (int i = 0; i < rows; ++i) {
      table.integer(i);
      table.text(std::string(100, 'x'));
      table.end_row();
    }
    const std::string sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, x TEXT)";
    const std::uint32_t root = table.finish();
    ASSERT_TRUE(finish_database(*pages, {{"table", "t", root, sql}}, 1, 1));
    EXPECT_THAT(query(file, "PRAGMA integrity_check"), ElementsAre("ok")) << rows;
    EXPECT_THAT(query(file, "SELECT count(*), coalesce(sum(n = id AND length(x) = 100), 0) FROM t"),
                ElementsAre(std::to_string(rows) + "|" + std::to_string(rows)));
    if (rows < 2) continue;
    EXPECT_THAT(query(file, "SELECT n FROM t WHERE id = " + std::to_string(rows - 2)),
                ElementsAre(std::to_string(rows - 2)));
  }
  (void)sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, before);
}

// Around the lengths from which on a row overflows its page, and much longer.
TEST(DatabaseWriter, LongRowsOverflow) {
  const TemporaryFolder scratch;
  const std::string file = scratch / "long.db";
  Result<PageFile> pages = PageFile::create(file, true);
  ASSERT_TRUE(pages);
  TableBuilder table(*pages);
  std::size_t rows = 0;
  for (std::size_t from : {0u, 480u, 4040u, 4570u, 8130u, 8630u, 100'000u}) {
    for (std::size_t size = from; size < from + 30; ++size, ++rows) {
      table.text(std::string(size, 'y'));
      table.integer(static_cast<std::int64_t>(size));
      table.end_row();
    }
  }
  const std::string sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, y TEXT, n INTEGER)";
  const std::uint32_t root = table.finish();
  ASSERT_TRUE(finish_database(*pages, {{"table", "t", root, sql}}, 1, 1));
  EXPECT_THAT(query(file, "PRAGMA integrity_check"), ElementsAre("ok"));
  EXPECT_THAT(query(file, "SELECT sum(length(y) = n AND replace(y, 'y', '') = '') FROM t"),
              ElementsAre(std::to_string(rows)));
}

TEST(DatabaseWriter, NumbersOfEverySize) {
  const TemporaryFolder scratch;
  const std::string file = scratch / "numbers.db";
  Result<PageFile> pages = PageFile::create(file, true);
  ASSERT_TRUE(pages);
  TableBuilder table(*pages);
  std::vector<std::string> expected;
  const auto add = [&](std::int64_t value) {
    table.integer(value);
    table.end_row();
    expected.push_back(std::to_string(value));
  };
  for (int shift = 0; shift < 64; ++shift) {
    const auto power = static_cast<std::int64_t>(std::uint64_t{1} << shift);
    for (const std::int64_t step : {-1, 0}) {
      if (shift == 63 && step == -1) continue;
      add(power + step);
      if (shift < 63) add(-power + step);
    }
  }
  const std::string sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER)";
  const std::uint32_t root = table.finish();
  ASSERT_TRUE(finish_database(*pages, {{"table", "t", root, sql}}, 1, 1));
  EXPECT_EQ(query(file, "SELECT n FROM t ORDER BY id"), expected);
}

}  // namespace
}  // namespace orrery::result
