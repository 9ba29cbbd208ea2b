// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/flight_recorder/dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "orrery/core/paths_testing.h"

namespace orrery::trace::flight_recorder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Dump> dump_of(const std::string& text) {
  MemorySource source(std::as_bytes(std::span(text)));
  return read_dump(source, "t");
}

Result<Dump> dump_in(const std::string& path) {
  auto source = open_file(std::string(core_testing::kSourceFolder) + "/" + path);
  if (!source) return tl::unexpected(source.error());
  return read_dump(**source, path);
}

/// A dump with one record; `changed` replaces a part of it.
std::string dump_with(std::string_view part, std::string_view changed) {
  std::string text =
      R"({"entries": [{"collective_seq_id": 7, "duration_ms": 0.25, "input_dtypes": ["Float"], )"
      R"("input_sizes": [[4, 8]], "is_p2p": false, "op_id": 7, "output_dtypes": ["Float"], )"
      R"("output_sizes": [[4, 8]], "p2p_seq_id": 0, "pg_id": 0, "process_group": ["0", "default_pg"], )"
      R"("profiling_name": "nccl:all_reduce", "record_id": 3, "state": "completed", )"
      R"("time_created_ns": 1000}], "pg_config": {"0": {"desc": "default_pg", "name": "0", )"
      R"("ranks": "[1, 0]"}}, "version": "2.4"})";
  if (const std::size_t at = text.find(part); !part.empty() && at != std::string::npos)
    text.replace(at, part.size(), changed);
  return text;
}

TEST(FlightRecorder, ReadsStatesOfGroups) {
  const auto states = [](const std::string& text) {
    return dump_of(dump_with(R"("version")", R"("pg_status": )" + text + R"(, "version")"));
  };
  // Numbers in pickles, texts in JSON.
  const auto dump =
      states(R"({"1": {"last_enqueued_collective": 9}, "0": {"last_enqueued_collective": "7", )"
             R"("last_started_collective": "6", "last_completed_collective": "-1"}})");
  ASSERT_TRUE(dump) << to_string(dump.error());
  EXPECT_EQ(dump->records[0].group_id, 0);
  ASSERT_EQ(dump->statuses.size(), 2u);
  EXPECT_EQ(dump->statuses[0].enqueued, 7);
  EXPECT_EQ(dump->statuses[0].started, 6);
  EXPECT_EQ(dump->statuses[0].completed, -1);
  EXPECT_EQ(dump->statuses[1].enqueued, 9);
  EXPECT_EQ(dump->statuses[1].completed, -1);
  EXPECT_EQ(states(R"({"a": {}})").error().code, Errc::input_corrupt);
  EXPECT_EQ(states(R"({"0": []})").error().code, Errc::input_corrupt);
}

TEST(FlightRecorder, ReadsJson) {
  const auto dump = dump_of(dump_with("", ""));
  ASSERT_TRUE(dump) << to_string(dump.error());
  EXPECT_EQ(dump->version, "2.4");
  ASSERT_EQ(dump->groups.size(), 1u);
  EXPECT_THAT(dump->groups[0].ranks, ElementsAre(0, 1));
  ASSERT_EQ(dump->records.size(), 1u);
  const Record& record = dump->records[0];
  EXPECT_EQ(record.library, "nccl");
  EXPECT_EQ(record.operation, "all_reduce");
  EXPECT_EQ(record.group, "0");
  EXPECT_EQ(record.collective_seq, 7);
  EXPECT_EQ(record.record_id, 3);
  EXPECT_EQ(record.state, State::completed);
  EXPECT_EQ(record.duration, us(250));
  EXPECT_EQ(record.created_ns, 1000);
  EXPECT_THAT(record.inputs.sizes, ElementsAre(ElementsAre(4, 8)));
  EXPECT_THAT(record.inputs.types, ElementsAre("Float"));
}

TEST(FlightRecorder, ReadsPicklesOfAllProtocols) {
  const auto dump = dump_in("examples/hang/nccl_trace_rank_2");
  ASSERT_TRUE(dump) << to_string(dump.error());
  ASSERT_EQ(dump->records.size(), 10u);
  EXPECT_EQ(dump->records.back().state, State::scheduled);
  EXPECT_EQ(dump->records.back().call_site, "train.py:42 in train_step");
  EXPECT_EQ(dump->records[0].duration, us(125));
  EXPECT_TRUE(dump->records[0].has_start);
  for (const char* name : {"protocol2.rank3", "protocol3.rank0", "protocol4.rank1",
                           "protocol5.rank2", "different.rank0.json"}) {
    const auto other = dump_in(std::string("tests/fuzz/corpus/flight_recorder_fuzz/") + name);
    ASSERT_TRUE(other) << to_string(other.error());
    EXPECT_FALSE(other->records.empty()) << name;
  }
  const auto message = dump_in("tests/fuzz/corpus/flight_recorder_fuzz/protocol5.rank2");
  EXPECT_TRUE(message->records[0].is_p2p);
  EXPECT_EQ(message->records[0].operation, "send");
  EXPECT_EQ(message->records[0].peer, 1);
}

TEST(FlightRecorder, NamesWhatIsWrong) {
  struct Wrong {
    std::string part, changed;
    Errc code;
    std::string what;
  };
  for (const Wrong& one : std::vector<Wrong>{
           {"\"2.4\"", "\"3.0\"", Errc::input_unsupported, "version 3.0"},
           {"\"version\"", "\"ver\"", Errc::input_unsupported, "no 'version'"},
           {"\"completed\"", "\"done\"", Errc::input_corrupt, "the state is \"done\""},
           {"\"state\"", "\"s\"", Errc::input_missing_attr, "t:entry 0: has no 'state'"},
           {"\"collective_seq_id\"", "\"c\"", Errc::input_missing_attr, "collective_seq_id"},
           {"\"collective_seq_id\": 7", "\"collective_seq_id\": -7", Errc::input_corrupt,
            "not an integer from 0"},
           {"0.25", "-1", Errc::input_corrupt, "duration_ms"},
           {"0.25", "1e300", Errc::input_corrupt, "duration_ms"},
           {"\"time_created_ns\": 1000", "\"time_created_ns\": -1", Errc::input_corrupt,
            "time_created_ns"},
           {"[[4, 8]]", "[4, 8]", Errc::input_corrupt, "input_sizes"},
           {"[[4, 8]]", "[[4, -8]]", Errc::input_corrupt, "input_sizes"},
           {"[\"0\", \"default_pg\"]", "\"0\"", Errc::input_corrupt, "process_group"},
           {"\"[1, 0]\"", "\"[1, x]\"", Errc::input_corrupt, "the ranks of group"},
           {"\"[1, 0]\"", "\"[1, 99999999999]\"", Errc::input_corrupt, "the ranks of group"},
           {"[{", "{\"a\": [{", Errc::input_corrupt, "JSON"},
       }) {
    const auto dump = dump_of(dump_with(one.part, one.changed));
    ASSERT_FALSE(dump) << one.changed;
    EXPECT_EQ(dump.error().code, one.code) << one.changed;
    EXPECT_THAT(to_string(dump.error()), HasSubstr(one.what));
  }
}

TEST(FlightRecorder, ReadsDumpsWithoutRecords) {
  const auto dump = dump_of(R"({"version": "2.10", "pg_config": {}})");
  ASSERT_TRUE(dump) << to_string(dump.error());
  EXPECT_TRUE(dump->records.empty());
}

}  // namespace
}  // namespace orrery::trace::flight_recorder
