// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/rocpd/reader.h"

#include <gtest/gtest.h>

#include "orrery/trace/rocpd/rocpd_testing.h"

namespace orrery::trace::rocpd {
namespace {

using profile::EventId;
using profile::Kind;
using profile::Profile;
using testing::DatabaseFile;
using testing::kByReference;
using testing::kCommon;
using testing::kDirect;
using testing::kDirectRows;
using testing::kReferenceRows;
using testing::of_set;
using testing::read;
using trace::testing::TempFolder;

/// The first event of that name.
EventId called(const Profile& profile, std::string_view name) {
  for (std::size_t e = 0; e < profile.events.size(); ++e) {
    if (profile.name(static_cast<EventId>(e)) == name) return static_cast<EventId>(e);
  }
  ADD_FAILURE() << "no event \"" << name << "\"";
  return 0;
}

void expect_all_counted(const Profile& profile) {
  std::uint64_t left_out = 0;
  for (const auto& [what, count] : profile.account.left_out) left_out += count;
  EXPECT_EQ(profile.account.events, profile.events.size());
  EXPECT_EQ(profile.account.records, profile.account.events + profile.account.mapped + left_out);
}

std::string direct_set(const std::string& suffix) {
  return of_set(std::string(kCommon) + kDirect + kDirectRows, suffix);
}

/// What either layout says.
void expect_the_rows(const Profile& profile) {
  EXPECT_EQ(profile.format, "rocpd");
  EXPECT_EQ(profile.schema, "3");
  EXPECT_EQ(profile.process_id, 77);
  ASSERT_EQ(profile.devices.size(), 2u);
  EXPECT_EQ(profile.devices[1].id, 1);
  EXPECT_EQ(profile.devices[1].name, "AMD Instinct MI300X");

  const EventId gemm = called(profile, "gemm(float*)");
  EXPECT_EQ(profile.events[gemm].kind, Kind::kernel);
  EXPECT_EQ(profile.events[gemm].start, ns(1150));
  EXPECT_EQ(profile.events[gemm].duration, ns(850));
  EXPECT_EQ(profile.work(gemm).correlation, 11u);
  EXPECT_EQ(profile.string(profile.work(gemm).launch),
            R"({"grid": [10, 2, 1], "block": [64, 2, 1], "shared memory": 2048})");
  const auto& stream = profile.lanes[profile.events[gemm].lane];
  EXPECT_TRUE(stream.device);
  EXPECT_EQ(stream.process, 1);  // the second GPU, not the third agent
  EXPECT_EQ(stream.id, 7);

  const EventId launch = called(profile, "hipLaunchKernel");
  EXPECT_EQ(profile.events[launch].kind, Kind::call);
  EXPECT_EQ(profile.call(launch).correlation, 11u);
  const auto& thread = profile.lanes[profile.events[launch].lane];
  EXPECT_EQ(thread.process, 77);
  EXPECT_EQ(thread.id, 78);
  EXPECT_EQ(thread.name, "main");

  const EventId copy = called(profile, "Memcpy HtoD");
  EXPECT_EQ(profile.events[copy].kind, Kind::memcpy);
  EXPECT_EQ(profile.work(copy).bytes, 4096);
  EXPECT_EQ(profile.work(copy).correlation,
            profile.call(called(profile, "hipMemcpyAsync")).correlation);
  EXPECT_EQ(profile.events[called(profile, "step 3")].kind, Kind::annotation);
  const auto* reduce = profile.comm(called(profile, "ncclAllReduce"));
  ASSERT_NE(reduce, nullptr);
  EXPECT_EQ(reduce->kind, profile::CommKind::all_reduce);
  expect_all_counted(profile);
}

TEST(RocpdReader, ReadsTimesInRows) {
  const TempFolder folder;
  DatabaseFile file(folder / "a.db");
  file.sql(direct_set("_a1"));
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  expect_the_rows(*out.profile);
  EXPECT_EQ(out.profile->events[called(*out.profile, "memory ALLOC")].kind, Kind::annotation);
  EXPECT_TRUE(out.findings.empty());
}

TEST(RocpdReader, ReadsTimesByReference) {
  const TempFolder folder;
  DatabaseFile file(folder / "a.db");
  file.sql(of_set(std::string(kCommon) + kByReference + kReferenceRows));
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  expect_the_rows(*out.profile);
  EXPECT_TRUE(out.findings.empty());
}

/// Without correlation ids the ids of the stack's innermost call are what both sides have.
TEST(RocpdReader, LinksByStacksWhereNothingIsCorrelated) {
  const TempFolder folder;
  DatabaseFile file(folder / "a.db");
  file.sql(direct_set("_a1"))
      .sql("UPDATE rocpd_event_a1 SET stack_id = correlation_id, correlation_id = 0");
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.profile->work(called(*out.profile, "gemm(float*)")).correlation, 11u);
  EXPECT_EQ(out.profile->call(called(*out.profile, "hipLaunchKernel")).correlation, 11u);
}

TEST(RocpdReader, TakesCategoriesFromTheirOwnTable) {
  const TempFolder folder;
  DatabaseFile file(folder / "a.db");
  file.sql(direct_set("_a1"))
      .sql("CREATE TABLE rocpd_info_category_a1 (id INTEGER PRIMARY KEY, name TEXT)")
      .sql("INSERT INTO rocpd_info_category_a1 VALUES(1, 'RCCL_API'), (8, 'HSA_CORE_API')");
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.profile->events[called(*out.profile, "hipLaunchKernel")].kind, Kind::annotation);
  EXPECT_EQ(out.profile->events[called(*out.profile, "ncclAllReduce")].kind, Kind::call);
}

/// Each process writes tables of its own, counts its ids from 1, and may be the first of its
/// container.
TEST(RocpdReader, KeepsProcessesApart) {
  const TempFolder folder;
  DatabaseFile file(folder / "node.db");
  file.sql(direct_set("_a1") + direct_set("_b2") + direct_set("_c3"))
      .sql("UPDATE rocpd_info_process_b2 SET pid = 99");
  const std::string path = file.close();
  const std::int64_t again = (std::int64_t{1} << 32) + 77;
  EXPECT_EQ(processes_in(path).value(), (std::vector<std::int64_t>{77, 99, again}));

  const auto all = read(path);
  ASSERT_TRUE(all.profile) << to_string(all.profile.error());
  ASSERT_EQ(all.profile->works.size(), 6u);
  EXPECT_NE(all.profile->works[0].correlation, all.profile->works[2].correlation);
  EXPECT_NE(all.profile->works[0].correlation, all.profile->works[4].correlation);
  EXPECT_EQ(all.profile->lanes.size(), 6u);
  EXPECT_EQ(all.profile->devices.size(), 2u);
  expect_all_counted(*all.profile);

  for (const std::int64_t process : {std::int64_t{77}, std::int64_t{99}, again}) {
    const auto one = read(path, process);
    ASSERT_TRUE(one.profile) << to_string(one.profile.error());
    EXPECT_EQ(one.profile->works.size(), 2u);
    EXPECT_EQ(one.profile->process_id, process);
    EXPECT_EQ(one.findings.count(FindingCode::event_not_kept), 14u);
    expect_all_counted(*one.profile);
  }
}

TEST(RocpdReader, DoesWithoutAllButTheTimes) {
  const TempFolder folder;
  DatabaseFile file(folder / "few.db");
  file.sql(R"(
    CREATE TABLE rocpd_kernel_dispatch (start INT, end INT, region_name_id INT, queue_id INT);
    INSERT INTO rocpd_kernel_dispatch VALUES (20, 30, 1, 3), (0, 0, 1, 3), (NULL, 4, 1, 3);
    CREATE TABLE rocpd_string (id INT, string TEXT);
    INSERT INTO rocpd_string VALUES (1, 'fill'), (2, 'hipFree');
    CREATE TABLE rocpd_region (start INT, end INT, name_id INT);
    INSERT INTO rocpd_region VALUES (10, 15, 2), (16, 17, 99);
    CREATE TABLE rocpd_sample (id INT, timestamp INT);
    INSERT INTO rocpd_sample VALUES (1, 5), (2, 6);)");
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const Profile& profile = *out.profile;
  EXPECT_EQ(profile.events.size(), 3u);
  EXPECT_EQ(profile.events[called(profile, "fill")].kind, Kind::kernel);
  EXPECT_EQ(profile.lanes[profile.events[called(profile, "fill")].lane].id, 3);
  EXPECT_EQ(profile.events[called(profile, "hipFree")].kind, Kind::call);
  EXPECT_EQ(profile.events[called(profile, "region")].kind, Kind::annotation);
  EXPECT_EQ(out.findings.count(FindingCode::event_dropped), 2u);
  EXPECT_EQ(out.findings.count(FindingCode::event_not_kept), 2u);
  expect_all_counted(profile);
}

}  // namespace
}  // namespace orrery::trace::rocpd
