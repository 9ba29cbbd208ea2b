// SPDX-License-Identifier: Apache-2.0
//
// Exports that are not what they should be: an answer each, and nothing else.
#include <gtest/gtest.h>

#include "orrery/core/limits.h"
#include "orrery/trace/nsys/nsight_database.h"
#include "orrery/trace/nsys/nsys_testing.h"

namespace orrery::trace::nsys {
namespace {

using testing::call;
using testing::Export;
using testing::global;
using testing::kernel;
using testing::kTables;
using testing::Outcome;
using testing::read;
using testing::text;
using trace::testing::TempFolder;

TEST(NsysDamage, SaysWhyAFileIsNoExport) {
  const TempFolder folder;
  EXPECT_EQ(read(folder / "none").profile.error().code, Errc::input_not_found);
  EXPECT_EQ(read(folder / ".").profile.error().code, Errc::input_read);
  EXPECT_EQ(read(folder.write("text", "hello")).profile.error().code, Errc::input_corrupt);
  EXPECT_EQ(read(folder.write("nothing", "")).profile.error().code, Errc::input_corrupt);
  const auto packed = read(folder.write("packed", trace::testing::gzip("SQLite format 3")));
  EXPECT_EQ(packed.profile.error().code, Errc::input_corrupt);
  EXPECT_EQ(packed.profile.error().hint, "it is compressed: decompress it first");

  Export other(folder / "other.sqlite");
  other.sql("CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  EXPECT_EQ(read(other.close()).profile.error().code, Errc::input_unsupported);
  Export empty(folder / "empty.sqlite");
  empty.sql(kTables);
  const auto nothing = read(empty.close());
  EXPECT_EQ(nothing.profile.error().code, Errc::input_empty);
  EXPECT_EQ(to_string(nothing.profile.error()),
            (folder / "empty.sqlite") +
                ": contains no event (E2011)\n"
                "  hint: record the program with --trace=cuda,nvtx");
}

TEST(NsysDamage, KeepsWhatCanBeKeptOfOddRows) {
  const TempFolder folder;
  Export file(folder / "odd.sqlite");
  std::string tables = kTables;
  for (std::size_t at = 0; (at = tables.find(" NOT NULL", at)) != tables.npos;) tables.erase(at, 9);
  file.sql(tables)
      .sql(text(1, "k"))
      .sql(kernel(100, 200, 7, 1, 5, 1))
      .sql(kernel(300, 250, 7, 2, 5, 1))  // ends before it begins
      .sql(kernel(0, 0, 7, 3, 5, 1))      // was not measured
      .sql(kernel(9'000'000'000'000'000'000, 9'100'000'000'000'000'000, 7, 4, 5, 99))  // far off
      .sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end) VALUES('soon', 12)")
      .sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end) VALUES(NULL, 12)")
      .sql(
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end, streamId, correlationId, "
          "demangledName, gridX) VALUES(400, 410.0, 'seven', 1.5, x'00', 1e300)")
      .sql("INSERT INTO NVTX_EVENTS(start, end, eventType, text) VALUES(150, NULL, 60, 'open')")
      .sql("INSERT INTO OSRT_API VALUES(1, 2, 3, 4, 5), (1, 2, 3, 4, 5)")
      .sql("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT(eventId) VALUES(NULL), (4)")
      .sql(
          "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, syncType, eventId, "
          "correlationId) VALUES(1, 2, 77, -1, NULL), (3, 4, 1, 4, -9)")
      .sql("INSERT INTO ThreadNames VALUES('x', NULL, 'y')")
      .sql("INSERT INTO TARGET_INFO_GPU(totalMemory) VALUES(-1)")
      .sql("INSERT INTO TARGET_INFO_SESSION_START_TIME(utcEpochNs) VALUES(9223372036854775807)");
  const Outcome out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const profile::Profile& profile = *out.profile;
  EXPECT_EQ(profile.works.size(), 4u);
  EXPECT_EQ(out.findings.count(FindingCode::event_dropped), 5u);  // 3 kernels, 2 recordings
  EXPECT_GE(out.findings.count(FindingCode::event_time_clamped), 2u);
  EXPECT_EQ(out.findings.count(FindingCode::event_unfinished), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::event_not_kept), 2u);  // the operating system's calls
  EXPECT_EQ(profile.origin_ns, 0);
  std::uint64_t left_out = 0;
  for (const auto& [what, count] : profile.account.left_out) left_out += count;
  EXPECT_EQ(profile.account.records, profile.account.events + profile.account.mapped + left_out);
  for (std::size_t e = 0; e < profile.events.size(); ++e)
    EXPECT_GE(profile.events[e].duration, Time{});
}

TEST(NsysDamage, CountsFromTheFirstEventWhenTheClockStartedLongAgo) {
  const TempFolder folder;
  Export file(folder / "uptime.sqlite");
  file.sql(kTables)
      .sql(text(1, "k"))
      .sql(kernel(20'000'000'000'000'000, 20'000'000'000'000'100, 7, 1, 5, 1));
  const Outcome out = read(file.close());
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->origin_ns, 20'000'000'000'000'000);
  EXPECT_EQ(out.profile->events[0].start, Time{});
  EXPECT_EQ(out.profile->events[0].duration, ns(100));
}

TEST(NsysDamage, CutsLongNames) {
  const TempFolder folder;
  Export file(folder / "long.sqlite");
  file.sql(kTables).sql(text(1, std::string(limits::kEventNameBytes + 10, 'n')));
  file.sql(kernel(1, 2, 7, 1, 5, 1));
  const Outcome out = read(file.close());
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->name(0).size(), limits::kEventNameBytes);
  EXPECT_EQ(out.findings.count(FindingCode::string_cut), 1u);
}

/// A view could do anything under a table's name, and a computed column anything per row.
TEST(NsysDamage, ReadsRealTablesOnly) {
  const TempFolder folder;
  Export view(folder / "view.sqlite");
  view.sql("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
      .sql(
          "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE c(start) AS (SELECT 1 UNION "
          "ALL SELECT start + 1 FROM c) SELECT start, start AS end FROM c");
  EXPECT_EQ(read(view.close()).profile.error().code, Errc::input_empty);

  Export computed(folder / "computed.sqlite");
  computed.sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (a INT, start INT GENERATED ALWAYS AS "
      "(a * 2), end INT)");
  computed.sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(a, end) VALUES(1, 2)");
  EXPECT_EQ(read(computed.close()).profile.error().code, Errc::input_empty);
}

/// Names are looked up one by one, which must not mean that all of them are looked at for each.
TEST(NsysDamage, LooksUpNamesWithoutAKeyInOneGo) {
  const TempFolder folder;
  Export file(folder / "keyless.sqlite");
  file.sql("CREATE TABLE StringIds (id INTEGER, value TEXT)")
      .sql(
          "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20000) "
          "INSERT INTO StringIds SELECT i, 'name ' || i FROM c")
      .sql("CREATE TABLE NVTX_EVENTS (start INT, end INT, globalTid INT, textId INT)")
      .sql("INSERT INTO NVTX_EVENTS SELECT id, id + 1, 1, id FROM StringIds");
  const Outcome out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.profile->events.size(), 20000u);
  EXPECT_EQ(out.profile->name(19999), "name 20000");
}

TEST(NsysDamage, AnswersToEveryTruncationAndFlippedByte) {
  const TempFolder folder;
  Export file(folder / "whole.sqlite");
  file.sql("PRAGMA page_size = 512").sql(kTables).sql(text(1, "k") + text(2, "cudaLaunchKernel"));
  for (int i = 1; i < 20; ++i)
    file.sql(kernel(10 * i, 10 * i + 5, 7, i, 5, 1) + call(10 * i - 5, 10 * i - 1, 5, 5, i, 2));
  const std::string whole = testing::bytes_of(file.close());
  const auto answer = [](const std::string& bytes) {
    Findings findings;
    const auto profile = nsys::read(std::as_bytes(std::span(bytes)), "x.sqlite",
                                    {std::make_shared<StringPool>()}, findings);
    if (!profile) {
      EXPECT_FALSE(profile.error().where.empty() || profile.error().what.empty());
    }
    return profile.has_value();
  };
  EXPECT_TRUE(answer(whole));
  for (std::size_t size = 0; size < whole.size(); size += 211) (void)answer(whole.substr(0, size));
  for (std::size_t at = 0; at < whole.size(); at += 37) {
    for (const int flip : {1, 0x80, 0xFF}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      (void)answer(bytes);
    }
  }
}

/// A page of the tree that names itself as its child: more work than the size explains.
TEST(NsysDamage, DoesNotGoInCircles) {
  const TempFolder folder;
  Export file(folder / "circle.sqlite");
  file.sql("PRAGMA page_size = 512")
      .sql("CREATE TABLE NVTX_EVENTS (start INT, end INT, text TEXT)")
      .sql(
          "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 5000) "
          "INSERT INTO NVTX_EVENTS SELECT i, i + 1, 'range' FROM c");
  std::string bytes = testing::bytes_of(file.close());
  const std::size_t root = 512;  // page 2, an inner one
  ASSERT_EQ(bytes[root], 5);
  for (std::size_t i = 8; i < 12; ++i) bytes[root + i] = 0;
  bytes[root + 11] = 2;
  Findings findings;
  const auto profile = nsys::read(std::as_bytes(std::span(bytes)), "circle.sqlite",
                                  {std::make_shared<StringPool>()}, findings);
  ASSERT_FALSE(profile);
  EXPECT_TRUE(profile.error().code == Errc::input_corrupt ||
              profile.error().code == Errc::limit_exceeded)
      << to_string(profile.error());
}

}  // namespace
}  // namespace orrery::trace::nsys
