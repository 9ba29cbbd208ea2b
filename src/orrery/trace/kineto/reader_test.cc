// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/reader.h"

#include <gtest/gtest.h>

#include "orrery/core/limits.h"
#include "orrery/trace/kineto/kineto_testing.h"

namespace orrery::trace::kineto {
namespace {

using profile::Kind;
using profile::kNoEvent;
using profile::kNoId;
using testing::complete;
using testing::read;
using testing::trace;

TEST(KinetoReader, ReadsAnOperator) {
  const auto out = read(trace(complete(
      "aten::add", "cpu_op", 5.5, 2.25,
      R"({"External id": 7, "Record function id": 3, "Sequence number": 9, "Fwd thread id": 1,
          "Input Dims": [[2,
            3], []], "Input type": ["float", ""], "Input Strides": [[3, 1], []],
          "Concrete Inputs": ["", "1"], "Ev Idx": 0})")));
  ASSERT_TRUE(out.profile);
  const auto& profile = *out.profile;
  ASSERT_EQ(profile.events.size(), 1u);
  const auto& event = out["aten::add"];
  EXPECT_EQ(event.kind, Kind::op);
  EXPECT_TRUE(event.timed());
  EXPECT_EQ(event.start, ps(0));
  EXPECT_EQ(event.duration, ns(2250));
  EXPECT_EQ(profile.origin_ns, 5500);
  const auto& op = profile.op(0);
  EXPECT_EQ(op.external_id, 7u);
  EXPECT_EQ(op.record_function_id, 3u);
  EXPECT_EQ(op.sequence, 9);
  EXPECT_EQ(op.forward_thread, 1u);
  EXPECT_EQ(profile.string(op.dims), "[[2, 3], []]");
  EXPECT_EQ(profile.string(op.types), "[\"float\", \"\"]");
  EXPECT_EQ(profile.string(op.concrete), "[\"\", \"1\"]");
  EXPECT_EQ(profile.process_id, 10);
  EXPECT_TRUE(out.findings.empty());
}

TEST(KinetoReader, ReadsWorkOnADevice) {
  const auto out = read(trace(
      complete("k", "kernel", 10, 5,
               R"({"External id": 7, "queued": 0, "device": 1, "context": 1, "stream": 20,
                   "correlation": 33, "grid": [1, 2, 3], "est. achieved occupancy %": nan})",
               0, 7) +
      "," +
      complete("Memcpy HtoD", "gpu_memcpy", 16, 1,
               R"({"device": 1, "stream": 20, "correlation": 34, "bytes": 2048})") +
      "," +
      complete("## forward ##", "gpu_user_annotation", 10, 7, R"({"External id": 2})", 1, 20)));
  ASSERT_TRUE(out.profile);
  const auto& profile = *out.profile;
  ASSERT_EQ(profile.lanes.size(), 1u);  // the arguments count, not "pid" and "tid"
  EXPECT_TRUE(profile.lanes[0].device);
  EXPECT_EQ(profile.lanes[0].process, 1);
  EXPECT_EQ(profile.lanes[0].id, 20);
  const auto& work = profile.work(out.event("k"));
  EXPECT_EQ(work.correlation, 33u);
  EXPECT_EQ(work.external_id, 7u);
  EXPECT_EQ(work.bytes, -1);
  EXPECT_EQ(profile.string(work.launch), R"({"grid":[1, 2, 3],"est. achieved occupancy %":null})");
  EXPECT_EQ(profile.work(out.event("Memcpy HtoD")).bytes, 2048);
  EXPECT_EQ(out["## forward ##"].kind, Kind::device_range);
}

/// Every name a category has had since 2021.
TEST(KinetoReader, KnowsOldAndForeignCategories) {
  const std::pair<const char*, Kind> known[] = {{"cpu_op", Kind::op},
                                                {"Operator", Kind::op},
                                                {"user_annotation", Kind::annotation},
                                                {"python_function", Kind::python},
                                                {"cuda_runtime", Kind::call},
                                                {"cuda_driver", Kind::call},
                                                {"Runtime", Kind::call},
                                                {"hip_runtime", Kind::call},
                                                {"mtia_runtime", Kind::call},
                                                {"xpu_runtime", Kind::call},
                                                {"privateuse1_driver", Kind::call},
                                                {"overhead", Kind::overhead},
                                                {"kernel", Kind::kernel},
                                                {"Kernel", Kind::kernel},
                                                {"gpu_memcpy", Kind::memcpy},
                                                {"Memcpy", Kind::memcpy},
                                                {"gpu_memset", Kind::memset},
                                                {"Memset", Kind::memset},
                                                {"mtia_ccp_events", Kind::device_other},
                                                {"gpu_user_annotation", Kind::device_range},
                                                {"cuda_sync", Kind::sync},
                                                {"something_new", Kind::annotation}};
  for (const auto& [category, kind] : known) {
    const auto out = read(trace(complete("x", category, 1, 1)));
    ASSERT_TRUE(out.profile) << category;
    EXPECT_EQ(out["x"].kind, kind) << category;
  }
  const auto work = read(trace(complete("x", "new_queue", 1, 1, R"({"device": 3, "stream": 4})")));
  EXPECT_EQ(work["x"].kind, Kind::device_other);
}

TEST(KinetoReader, ReadsTheFormatOf2021) {
  const auto out = read(R"j([
    {"ph": "X", "cat": "Operator", "name": "aten::mm", "pid": 10, "tid": "thread 5 (main)",
     "ts": 1621401187223005, "dur": 30, "args": {"external id": 6, "Trace iteration": 1}},
    {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": "5",
     "ts": 1621401187223010, "dur": 5, "args": {"correlation": 42, "external id": 6}},
    {"ph": "s", "id": 42, "pid": 10, "tid": 5, "ts": 1621401187223010, "cat": "async", "name": "l"},
    {"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7",
     "ts": 1621401187223050, "dur": 8, "args": {"correlation": 42, "stream": 7}},
    {"ph": "f", "id": 42, "pid": 0, "tid": "stream 7", "ts": 1621401187223050, "cat": "async",
     "name": "l"}])j");
  ASSERT_TRUE(out.profile);
  const auto& profile = *out.profile;
  EXPECT_EQ(profile.events.size(), 3u);
  EXPECT_EQ(profile.account.mapped, 2u);
  EXPECT_EQ(out["aten::mm"].lane, out["cudaLaunchKernel"].lane);
  EXPECT_EQ(profile.op(out.event("aten::mm")).external_id, 6u);
  EXPECT_EQ(profile.call(out.event("cudaLaunchKernel")).correlation, 42u);
  EXPECT_EQ(profile.lanes[out["k"].lane].id, 7);
  EXPECT_EQ(out["k"].start, us(45));
}

TEST(KinetoReader, ThreadsWithoutNumbersAreToldApart) {
  const auto out = read(trace(complete("a", "cpu_op", 1, 1) + R"j(,
       {"ph": "X", "name": "b", "pid": "Spans", "tid": "One", "ts": 1, "dur": 1},
       {"ph": "X", "name": "c", "pid": "Spans", "tid": "Two", "ts": 1, "dur": 1},
       {"ph": "X", "name": "d", "pid": "Spans", "tid": "One", "ts": 3, "dur": 1})j"));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->lanes.size(), 3u);
  EXPECT_EQ(out["b"].lane, out["d"].lane);
  EXPECT_EQ(out.profile->lanes[out["c"].lane].name, "Two");
}

TEST(KinetoReader, NamesLanes) {
  const auto out = read(trace(complete("a", "cpu_op", 1, 1) + "," +
                              complete("k", "kernel", 1, 1, R"({"device": 0, "stream": 7})", 0, 7) +
                              R"j(,
       {"name": "thread_name", "ph": "M", "ts": 0.0, "pid": 10, "tid": 10,
        "args": {"name": "thread 10 (py)"}},
       {"name": "thread_name", "ph": "M", "ts": 0.0, "pid": 0, "tid": 7,
        "args": {"name": "stream 7 "}},
       {"name": "process_sort_index", "ph": "M", "pid": 0, "tid": 0,
        "args": {"sort_index": 5}})j"));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->lanes[out["a"].lane].name, "thread 10 (py)");
  EXPECT_EQ(out.profile->lanes[out["k"].lane].name, "stream 7");
  EXPECT_EQ(out.profile->account.mapped, 3u);
  EXPECT_EQ(out.profile->account.records, 5u);
}

TEST(KinetoReader, ReadsTheHeadWhereverItStands) {
  const char* head = R"("schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A100",
      "totalGlobalMem": 42297524224, "numSms": 108}], "distributedInfo": {"backend": "nccl",
      "rank": 3, "world_size": 8, "pg_config": [{"pg_name": "0", "pg_desc": "default_pg",
      "backend_config": "cuda:nccl", "pg_size": 2, "ranks": [0, 3]}], "nccl_version": "2.17.1"},
      "record_shapes": 1, "user": "a\"b", "baseTimeNanoseconds": 1000000)";
  const std::string event = complete("a", "cpu_op", 5, 1);
  for (const std::string& text :
       {trace(event, std::string(head) + ","), "{\"traceEvents\": [" + event + "]," + head + "}"}) {
    const auto out = read(text);
    ASSERT_TRUE(out.profile);
    const auto& profile = *out.profile;
    EXPECT_EQ(profile.format, "kineto");
    EXPECT_EQ(profile.schema, "1");
    EXPECT_EQ(profile.rank, 3u);
    EXPECT_EQ(profile.world_size, 8u);
    EXPECT_EQ(profile.backend, "nccl");
    EXPECT_EQ(profile.origin_ns, 1'005'000);
    ASSERT_EQ(profile.devices.size(), 1u);
    EXPECT_EQ(profile.devices[0].name, "A100");
    EXPECT_EQ(profile.devices[0].memory_bytes, 42'297'524'224);
    EXPECT_EQ(profile.devices[0].processors, 108);
    ASSERT_EQ(profile.groups.size(), 1u);
    EXPECT_EQ(profile.groups[0].ranks, (std::vector<std::uint32_t>{0, 3}));
    EXPECT_EQ(profile.facts, (std::vector<std::pair<std::string, std::string>>{
                                 {"nccl_version", "2.17.1"},
                                 {"record_shapes", "1"},
                                 {"user", "a\"b"},
                                 {"baseTimeNanoseconds", "1000000"}}));
  }
}

TEST(KinetoReader, PairsForwardAndBackward) {
  const auto out = read(trace(
      complete("outer", "cpu_op", 1, 9) + "," + complete("aten::mm", "cpu_op", 2, 3) + "," +
      complete("MmBackward0", "cpu_op", 20, 3, "{}", 10, 11) +
      R"(,{"ph": "s", "id": 5, "pid": 10, "tid": 10, "ts": 2.0, "cat": "fwdbwd", "name": "fwdbwd"},
       {"ph": "f", "id": 5, "pid": 10, "tid": 11, "ts": 20.0, "cat": "fwdbwd", "name": "fwdbwd", "bp": "e"},
       {"ph": "s", "id": 6, "pid": 10, "tid": 10, "ts": 3.0, "cat": "fwdbwd", "name": "fwdbwd"})"));
  ASSERT_TRUE(out.profile);
  ASSERT_EQ(out.profile->forward_backward.size(), 1u);
  EXPECT_EQ(out.profile->forward_backward[0],
            std::make_pair(out.event("aten::mm"), out.event("MmBackward0")));
  EXPECT_EQ(out.profile->account.mapped, 3u);
  EXPECT_EQ(out["aten::mm"].parent, out.event("outer"));
}

/// MTIA's records have no correlation id; the arrow behind them has.
TEST(KinetoReader, ArrowsCorrelateWorkThatDoesNot) {
  const auto out = read(trace(
      complete("q", "mtia_ccp_events", 2, 3, R"({"stream": 102})", 9, 408) +
      R"(,{"ph": "f", "id": 18, "pid": 9, "tid": 408, "ts": 2.0, "cat": "ac2g", "name": "ac2g", "bp": "e"})"));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->lanes[out["q"].lane].id, 102);
  EXPECT_EQ(out.profile->work(0).correlation, kNoId);  // another thread: not said for certain
  const auto same = read(trace(
      complete("q", "mtia_ccp_events", 2, 3, "{}", 9, 408) +
      R"(,{"ph": "f", "id": 18, "pid": 9, "tid": 408, "ts": 2.0, "cat": "ac2g", "name": "ac2g", "bp": "e"})"));
  EXPECT_EQ(same.profile->work(0).correlation, 18u);
}

TEST(KinetoReader, ReadsBeginAndEnd) {
  const auto out = read(trace(
      R"({"ph": "B", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1},
         {"ph": "B", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 1, "ts": 2},
         {"ph": "E", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 4},
         {"ph": "E", "pid": 1, "tid": 2, "ts": 5},
         {"ph": "X", "cat": "cpu_op", "name": "c", "pid": 1, "tid": 3, "ts": 5, "dur": 5})"));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out["b"].duration, us(2));
  EXPECT_EQ(out["b"].parent, out.event("a"));
  EXPECT_EQ(out["a"].duration, us(9));  // to the end of what is known
  EXPECT_EQ(out["a"].flags & profile::kUnfinished, profile::kUnfinished);
  EXPECT_EQ(out.findings.count(FindingCode::event_unfinished), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::event_dropped), 1u);
  EXPECT_EQ(out.profile->account.records, 5u);
  EXPECT_EQ(out.profile->account.events, 3u);
  EXPECT_EQ(out.profile->account.mapped, 1u);
}

TEST(KinetoReader, CountsWhatItLeavesOut) {
  const auto out = read(trace(
      complete("a", "cpu_op", 1, 1) + "," + complete("PyTorch Profiler (0)", "Trace", 0, 9) +
      R"(,{"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "ts": 1, "pid": 1, "tid": 1},
         {"ph": "i", "name": "Record Window End", "ts": 1, "pid": "", "tid": ""},
         {"ph": "C", "name": "counter", "ts": 1, "pid": 1, "args": {"x": 1}},
         {"ph": "s", "cat": "critical_path", "id": 1, "ts": 1, "pid": 1, "tid": 1},
         {"name": "nothing"}, 5])"));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->account.records, 8u);
  EXPECT_EQ(out.profile->account.events, 1u);
  for (const char* category :
       {"Trace", "cpu_instant_event", "i", "C", "critical_path", "(damaged)"})
    EXPECT_EQ(out.left_out(category), 1u) << category;
  EXPECT_EQ(out.findings.count(FindingCode::event_not_kept), 5u);
  EXPECT_EQ(out.findings.count(FindingCode::event_dropped), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::corrupt_record_dropped), 1u);
}

TEST(KinetoReader, KeepsChangesOfMemory) {
  const auto out = read(trace(
      complete("a", "cpu_op", 5, 1) +
      R"(,{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "ts": 7, "pid": 1,
          "tid": 1, "args": {"Device Type": 1, "Device Id": 0, "Addr": 64, "Bytes": 512,
                              "Total Allocated": 4096, "Total Reserved": 8192}},
         {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "ts": 6, "pid": 1,
          "tid": 1, "args": {"Device Type": 0, "Addr": 128, "Bytes": -64}},
         {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "ts": 8, "pid": 1,
          "tid": 1, "args": {"Bytes": "many"}}])"));
  ASSERT_TRUE(out.profile);
  ASSERT_EQ(out.profile->memory.size(), 2u);
  EXPECT_EQ(out.profile->memory[0].at, us(2)) << "since the first event";
  EXPECT_EQ(out.profile->memory[0].bytes, 512);
  EXPECT_TRUE(out.profile->memory[0].device);
  EXPECT_EQ(out.profile->memory[0].device_id, 0);
  EXPECT_EQ(out.profile->memory[0].address, 64u);
  EXPECT_EQ(out.profile->memory[0].allocated, 4096);
  EXPECT_EQ(out.profile->memory[0].reserved, 8192);
  EXPECT_EQ(out.profile->lanes.at(out.profile->memory[0].lane).id, 1) << "the thread";
  EXPECT_EQ(out.profile->memory[1].allocated, -1) << "not recorded";
  EXPECT_EQ(out.profile->memory[1].at, us(1));
  EXPECT_EQ(out.profile->memory[1].bytes, -64);
  EXPECT_FALSE(out.profile->memory[1].device);
  EXPECT_EQ(out.left_out("cpu_instant_event"), 1u);
  EXPECT_EQ(out.profile->account.mapped, 2u);
}

TEST(KinetoReader, CutsEndlessNames) {
  const std::string name(limits::kEventNameBytes + 100, 'n');
  const auto out = read(trace(complete(name, "cpu_op", 1, 1)));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->name(0).size(), limits::kEventNameBytes);
  EXPECT_EQ(out.findings.count(FindingCode::string_cut), 1u);
}

TEST(KinetoReader, UnescapesNames) {
  const auto out = read(trace(complete(R"(a\"b\\\u00e9\n\ud83d\ude00\/)", "cpu_op", 1, 1)));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->name(0), "a\"b\\\xC3\xA9\n\xF0\x9F\x98\x80/");
}

TEST(KinetoReader, RefusesWhatIsNoTrace) {
  EXPECT_EQ(read("").profile.error().code, Errc::input_corrupt);
  EXPECT_EQ(read("{}").profile.error().code, Errc::input_corrupt);
  EXPECT_EQ(read("{\"nodes\": []}").profile.error().code, Errc::input_corrupt);
  EXPECT_EQ(read("{\"traceEvents\": []}").profile.error().code, Errc::input_empty);
  EXPECT_EQ(read("[]").profile.error().code, Errc::input_empty);
  EXPECT_EQ(read("[{\"ph\": \"M\"}]").profile.error().code, Errc::input_empty);
}

/// Whatever byte is wrong: an answer, and every record accounted for.
TEST(KinetoReader, SurvivesAnyChangedByte) {
  const std::string text = trace(
      complete("record_param_comms", "cpu_op", 1, 1,
               R"({"Collective name": "send", "Process Group Ranks": "[4, 5]", "Rank": 1})") +
          "," + complete("k", "kernel", 2, 1, R"({"device": 0, "stream": 7, "grid": [1, 2]})") +
          R"(,{"ph": "s", "id": 1, "cat": "fwdbwd", "pid": 10, "tid": 10, "ts": 1.0})",
      R"("distributedInfo": {"rank": 1, "pg_config": [{"pg_name": "0", "ranks": [4, 5]}]},)");
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char c : std::string("\"\\{}[],:x9-\n\xff")) {
      std::string damaged = text;
      damaged[at] = c;
      const auto out = read(damaged);
      if (!out.profile) continue;
      std::uint64_t left_out = 0;
      for (const auto& [name, count] : out.profile->account.left_out) left_out += count;
      const auto& account = out.profile->account;
      EXPECT_EQ(account.records, account.events + account.mapped + left_out);
      EXPECT_EQ(account.events, out.profile->events.size());
    }
  }
}

}  // namespace
}  // namespace orrery::trace::kineto
