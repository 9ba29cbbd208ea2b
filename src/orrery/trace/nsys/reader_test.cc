// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/nsys/reader.h"

#include <gtest/gtest.h>

#include "orrery/trace/nsys/nsys_testing.h"

namespace orrery::trace::nsys {
namespace {

using profile::CommKind;
using profile::EventId;
using profile::Kind;
using profile::Profile;
using profile::SyncKind;
using testing::call;
using testing::Export;
using testing::global;
using testing::kernel;
using testing::kTables;
using testing::read;
using testing::text;
using trace::testing::TempFolder;

/// The first event of that name.
EventId named(const Profile& profile, std::string_view name) {
  for (std::size_t e = 0; e < profile.events.size(); ++e) {
    if (profile.name(static_cast<EventId>(e)) == name) return static_cast<EventId>(e);
  }
  ADD_FAILURE() << "no event \"" << name << "\"";
  return 0;
}

void expect_accounted(const Profile& profile) {
  std::uint64_t left_out = 0;
  for (const auto& [what, count] : profile.account.left_out) left_out += count;
  EXPECT_EQ(profile.account.events, profile.events.size());
  EXPECT_EQ(profile.account.records, profile.account.events + profile.account.mapped + left_out);
}

/// A thread that launches two kernels, with an event between their streams.
void fill_two_streams(Export& file) {
  file.sql(kTables)
      .sql(text(1, "gemm<float>(int)") + text(2, "cudaLaunchKernel_v7000") +
           text(3, "cudaEventRecord_v3020") + text(4, "cudaStreamWaitEvent_v3020") +
           text(5, "cudaStreamSynchronize_ptsz_v7000") + text(6, "main thread"))
      .sql("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1700000000000000000, '', '')")
      .sql("INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION', '3.19.4')")
      .sql("INSERT INTO TARGET_INFO_GPU VALUES(1, 3, 'NVIDIA H100', '', 85899345920, 132, 0)")
      .sql("INSERT INTO ThreadNames VALUES(6, NULL, " + global(77, 78) + ")")
      .sql(call(1000, 1100, 77, 78, 11, 2) + call(1200, 1250, 77, 78, 12, 3) +
           call(1300, 1350, 77, 78, 13, 4) + call(1400, 1450, 77, 78, 14, 2) +
           call(1500, 3000, 77, 78, 15, 5))
      .sql(kernel(1150, 2000, 7, 11, 77, 1) + kernel(2010, 2900, 13, 14, 77, 1))
      .sql("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(500, 600, 0, 1, 7, 9, " + global(77) +
           ", 4096, 1)")
      .sql("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(610, 620, 0, 1, 7, 10, " + global(77) +
           ", 0, 256)")
      .sql("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES(0, 1, 7, 12, " + global(77) + ", 5)")
      .sql("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(1310, 1320, 0, 1, 13, 13, " +
           global(77) + ", 2, 5)")
      .sql("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(1510, 2990, 0, 1, 13, 15, " +
           global(77) + ", 3, 4294967295)");
}

TEST(NsysReader, ReadsWhatRanOnStreamsAndThreads) {
  const TempFolder folder;
  Export file(folder / "a.sqlite");
  fill_two_streams(file);
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const Profile& profile = *out.profile;
  EXPECT_EQ(profile.format, "nsys");
  EXPECT_EQ(profile.schema, "3.19.4");
  EXPECT_EQ(profile.origin_ns, 1700000000000000000);
  EXPECT_EQ(profile.process_id, 77);
  ASSERT_EQ(profile.devices.size(), 1u);
  EXPECT_EQ(profile.devices[0].name, "NVIDIA H100");
  EXPECT_EQ(profile.devices[0].id, 0);  // CUDA's number, not the machine's
  EXPECT_EQ(profile.devices[0].processors, 132);

  const EventId gemm = named(profile, "gemm<float>(int)");
  EXPECT_EQ(profile.events[gemm].kind, Kind::kernel);
  EXPECT_EQ(profile.events[gemm].start, ns(1150));
  EXPECT_EQ(profile.events[gemm].duration, ns(850));
  EXPECT_EQ(profile.work(gemm).correlation, 11u);
  EXPECT_EQ(profile.string(profile.work(gemm).launch),
            R"({"grid": [4, 2, 1], "block": [128, 1, 1], "registers per thread": 32, )"
            R"("shared memory": 3072})");
  const auto& lane = profile.lanes[profile.events[gemm].lane];
  EXPECT_TRUE(lane.device);
  EXPECT_EQ(lane.id, 7);

  const EventId launch = named(profile, "cudaLaunchKernel");  // without Nsight's "_v7000"
  EXPECT_EQ(profile.call(launch).correlation, 11u);
  EXPECT_EQ(profile.lanes[profile.events[launch].lane].name, "main thread");
  EXPECT_EQ(profile.lanes[profile.events[launch].lane].process, 77);
  EXPECT_EQ(profile.lanes[profile.events[launch].lane].id, 78);
  (void)named(profile, "cudaStreamSynchronize");  // nor "_ptsz"

  const EventId copy = named(profile, "Memcpy HtoD");
  EXPECT_EQ(profile.events[copy].kind, Kind::memcpy);
  EXPECT_EQ(profile.work(copy).bytes, 4096);
  EXPECT_EQ(profile.work(named(profile, "Memset")).bytes, 256);
  expect_accounted(profile);
  EXPECT_TRUE(out.findings.empty());
}

TEST(NsysReader, FindsTheRecordingThatAStreamWaitsFor) {
  const TempFolder folder;
  Export file(folder / "a.sqlite");
  fill_two_streams(file);
  // The event again, later: not what was waited for. And the same event of another process.
  file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES(0, 1, 20, 90, " + global(77) +
           ", 5)");
  file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES(0, 1, 21, 12, " + global(99) +
           ", 5)");
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const Profile& profile = *out.profile;
  EXPECT_TRUE(profile.has_sync_events);
  const auto& wait = profile.sync(named(profile, "Stream Wait Event"));
  EXPECT_EQ(wait.kind, SyncKind::stream_wait);
  EXPECT_EQ(wait.correlation, 13u);
  EXPECT_EQ(wait.stream, 13);
  EXPECT_EQ(wait.wait_on_stream, 7);
  EXPECT_EQ(wait.record_correlation, 12u);
  const auto& sync = profile.sync(named(profile, "Stream Sync"));
  EXPECT_EQ(sync.kind, SyncKind::stream);
  EXPECT_EQ(sync.stream, 13);
  EXPECT_EQ(sync.record_correlation, profile::kNoId);
}

TEST(NsysReader, PairsWaitsAndRecordingsByTheirIdWhereThereIsOne) {
  const TempFolder folder;
  Export file(folder / "a.sqlite");
  fill_two_streams(file);
  file.sql("ALTER TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT ADD COLUMN eventSyncId INTEGER")
      .sql("ALTER TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION ADD COLUMN eventSyncId INTEGER")
      .sql("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES(0, 1, 20, 90, " + global(77) +
           ", 8, 555)")
      .sql("UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET eventSyncId = 555 WHERE syncType = 2");
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const auto& wait = out.profile->sync(named(*out.profile, "Stream Wait Event"));
  EXPECT_EQ(wait.wait_on_stream, 20);
  EXPECT_EQ(wait.record_correlation, 90u);
}

TEST(NsysReader, DoesNotTrustWaitsOnEventsOfWhichNothingIsKnown) {
  const TempFolder folder;
  Export file(folder / "a.sqlite");
  fill_two_streams(file);
  file.sql("DROP TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT");
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_FALSE(out.profile->has_sync_events);
  EXPECT_EQ(out.profile->syncs.size(), 2u);
}

TEST(NsysReader, ReadsOldExportsWithFewColumns) {
  const TempFolder folder;
  Export file(folder / "old.sqlite");
  file.sql(R"(
    CREATE TABLE StringIds (id INTEGER, value TEXT);
    INSERT INTO StringIds VALUES (1, 'old_kernel'), (2, 'cudaLaunch'), (1, 'not this');
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT,
      correlationId INT, shortName INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20, 30, 1, 7, 5, 1);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT,
      correlationId INT, nameId INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 15, 4294967301, 5, 2);
    CREATE TABLE NVTX_EVENTS (start INT, end INT, text TEXT);
    INSERT INTO NVTX_EVENTS VALUES (5, 40, 'step'), (6, NULL, 'a mark');)");
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const Profile& profile = *out.profile;
  const EventId kernel = named(profile, "old_kernel");
  EXPECT_EQ(profile.work(kernel).launch, StringId::empty);
  EXPECT_EQ(profile.work(kernel).correlation,
            profile.call(named(profile, "cudaLaunch")).correlation);
  EXPECT_EQ(profile.lanes[profile.events[kernel].lane].process, 1);
  EXPECT_EQ(profile.events[named(profile, "step")].kind, Kind::annotation);
  ASSERT_EQ(profile.account.left_out.size(), 1u);
  EXPECT_EQ(profile.account.left_out[0].first, "NVTX mark");
  expect_accounted(profile);
}

TEST(NsysReader, KeepsTheProcessesOfANodeApart) {
  const TempFolder folder;
  Export file(folder / "node.sqlite");
  file.sql(kTables).sql(text(1, "k") + text(2, "cudaLaunchKernel_v7000"));
  for (const int process : {100, 200}) {
    file.sql(call(10, 20, process, process, 5, 2) + kernel(15, 30, 7, 5, process, 1));
  }
  const std::string path = file.close();
  EXPECT_EQ(processes_in(path).value(), (std::vector<std::int64_t>{100, 200}));

  const auto both = read(path);
  ASSERT_TRUE(both.profile) << to_string(both.profile.error());
  ASSERT_EQ(both.profile->works.size(), 2u);
  EXPECT_NE(both.profile->works[0].correlation, both.profile->works[1].correlation);
  EXPECT_EQ(both.profile->works[0].correlation, both.profile->calls[0].correlation);
  EXPECT_EQ(both.profile->works[1].correlation, both.profile->calls[1].correlation);
  EXPECT_EQ(both.profile->lanes.size(), 4u);

  const auto one = read(path, 200);
  ASSERT_TRUE(one.profile) << to_string(one.profile.error());
  EXPECT_EQ(one.profile->works.size(), 1u);
  EXPECT_EQ(one.profile->process_id, 200);
  EXPECT_EQ(one.findings.count(FindingCode::event_not_kept), 2u);
  expect_accounted(*one.profile);
}

TEST(NsysReader, TakesWholeGraphsWhereTheirKernelsAreNotRecorded) {
  const TempFolder folder;
  Export file(folder / "graph.sqlite");
  file.sql(kTables).sql(R"(
    CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER,
      streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (100, 900, 0, 7, 3, NULL, 42);)");
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const EventId graph = named(*out.profile, "CUDA graph 42");
  EXPECT_EQ(out.profile->events[graph].kind, Kind::device_other);
  EXPECT_EQ(out.profile->work(graph).correlation, 3u);
}

TEST(NsysReader, TakesLibrariesOverheadAndMpi) {
  const TempFolder folder;
  Export file(folder / "libs.sqlite");
  file.sql(kTables).sql(text(1, "cublasGemmEx") + text(2, "MPI_Allreduce") + text(3, "Flush") +
                        text(4, "MPI_Isend"));
  const std::string thread = global(9, 9);
  file.sql("CREATE TABLE CUBLAS_EVENTS (start INT, end INT, globalTid INT, nameId INT)")
      .sql("INSERT INTO CUBLAS_EVENTS VALUES(1, 2, " + thread + ", 1)")
      .sql("CREATE TABLE PROFILER_OVERHEAD (start INT, end INT, globalTid INT, nameId INT)")
      .sql("INSERT INTO PROFILER_OVERHEAD VALUES(3, 4, " + thread + ", 3)")
      .sql("CREATE TABLE MPI_RANKS (globalTid INT, rank INT)")
      .sql("INSERT INTO MPI_RANKS VALUES(" + thread + ", 5)")
      .sql(
          "CREATE TABLE MPI_COLLECTIVES_EVENTS (start INT, end INT, globalTid INT, textId INT, "
          "size INT, rootRank INT)")
      .sql("INSERT INTO MPI_COLLECTIVES_EVENTS VALUES(5, 6, " + thread + ", 2, 800, NULL)")
      .sql(
          "CREATE TABLE MPI_P2P_EVENTS (start INT, end INT, globalTid INT, textId INT, size INT, "
          "remoteRank INT)")
      .sql("INSERT INTO MPI_P2P_EVENTS VALUES(7, 8, " + thread + ", 4, 64, 3)");
  const auto out = read(file.close());
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const Profile& profile = *out.profile;
  EXPECT_EQ(profile.rank, 5u);
  EXPECT_EQ(profile.events[named(profile, "cublasGemmEx")].kind, Kind::annotation);
  EXPECT_EQ(profile.events[named(profile, "Flush")].kind, Kind::overhead);
  const auto* reduce = profile.comm(named(profile, "MPI_Allreduce"));
  ASSERT_NE(reduce, nullptr);
  EXPECT_EQ(reduce->kind, CommKind::all_reduce);
  EXPECT_EQ(reduce->bytes(), 800);
  const auto* send = profile.comm(named(profile, "MPI_Isend"));
  ASSERT_NE(send, nullptr);
  EXPECT_EQ(send->kind, CommKind::send);
  EXPECT_EQ(send->peer, 3);
  expect_accounted(profile);
}

}  // namespace
}  // namespace orrery::trace::nsys
