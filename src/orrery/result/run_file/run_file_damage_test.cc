// SPDX-License-Identifier: Apache-2.0
//
// Run files that are damaged, or made to do harm: each is read as something that makes sense, or
// ends in one error that says where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "orrery/core/paths_testing.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/run_database.h"
#include "orrery/result/run_file/run_file_testing.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::result {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::query;
using testing::read_bytes;
using testing::sample_run;
using testing::TemporaryFolder;
using testing::write_bytes;

class Damage : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_run(sample_run(3, 2), file_, false));
    good_ = read_bytes(file_);
  }

  /// The error that reading the file gives after `sql` has changed it.
  Error after(const std::string& sql) {
    write_bytes(file_, good_);
    (void)query(file_, sql, true);
    return error();
  }

  Error error() {
    const auto run = read_run(file_);
    if (!run) return run.error();
    ADD_FAILURE() << "it is readable";
    return {Errc::usage, "", ""};
  }

  void expect_corrupt(const std::string& sql, const std::string& place, const std::string& what) {
    const Error error = after(sql);
    EXPECT_EQ(error.code, Errc::input_corrupt) << sql;
    EXPECT_EQ(error.where, file_ + ":" + place) << sql;
    EXPECT_THAT(error.what, HasSubstr(what)) << sql;
  }

  TemporaryFolder scratch_;
  std::string file_ = scratch_ / "a.orrery";
  std::string good_;
};

TEST_F(Damage, PacketsAreChecked) {
  auto run = sample_run(3, 2);
  PacketRecord& packets = run.packets.emplace();
  packets.bin = us(1);
  packets.ports = {{0, {.marked = 3}, {{0, {.marked = 1}}, {4, {.marked = 2}}}}, {2, {}, {}}};
  packets.message_times = {{.from = 0, .to = 1, .bytes = 9, .start = 5, .end = 8, .ideal = 3}};
  ASSERT_TRUE(write_run(run, file_, true));
  good_ = read_bytes(file_);
  EXPECT_EQ(read_run(file_)->packets, run.packets);
  expect_corrupt("DELETE FROM packet_total", "packet_total", "length of bins");
  expect_corrupt("UPDATE packet_total SET message_step = 0", "packet_total row 0", "message_step");
  expect_corrupt("UPDATE packet_port SET link = 3 WHERE id = 1", "packet_port row 1", "link");
  expect_corrupt("UPDATE packet_port SET link = 0", "packet_port row 1", "sorted by link");
  expect_corrupt("UPDATE packet_port SET bins = 3 WHERE id = 0", "packet_port_use", "too few rows");
  expect_corrupt("UPDATE packet_port SET bins = 1 WHERE id = 0", "packet_port_use row 1",
                 "belongs to no port");
  expect_corrupt("UPDATE packet_port_use SET bin = 4", "packet_port_use row 1", "sorted by bin");
  expect_corrupt("UPDATE packet_port_use SET port = 1", "packet_port_use row 0", "sorted by port");
  expect_corrupt("UPDATE packet_message SET end_ps = 2", "packet_message row 0",
                 "before it begins");
}

// All bytes of the header; of the rest, some of those that mean something.
TEST_F(Damage, FlippedBytesNeverDoHarm) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < good_.size(); ++at) {
    if (at >= 100 && (good_[at] == 0 || ++number % 47 != 0)) continue;
    for (const int flip : {0x01, 0xff}) {
      std::string bytes = good_;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      write_bytes(file_, bytes);
      const auto run = read_run(file_);
      if (run) continue;
      ASSERT_FALSE(run.error().where.empty());
      ASSERT_FALSE(run.error().what.empty());
    }
  }
}

TEST_F(Damage, CutFilesAreRefused) {
  for (std::size_t size = 0; size < good_.size(); size += size < 200 ? 1 : 331) {
    write_bytes(file_, std::string_view(good_).substr(0, size));
    const Error refused = error();
    EXPECT_EQ(refused.code, Errc::input_corrupt) << size;
  }
}

TEST_F(Damage, OtherFilesAreNamedForWhatTheyAre) {
  write_bytes(file_, "hello");
  EXPECT_EQ(error().code, Errc::input_corrupt);
  EXPECT_THAT(error().hint, HasSubstr("orrery run -o"));
  write_bytes(file_, "");
  EXPECT_EQ(error().code, Errc::input_corrupt);
  EXPECT_THAT(after("PRAGMA application_id = 7").what, HasSubstr("not a run file"));
  EXPECT_EQ(after("PRAGMA user_version = " + std::to_string(kRunFileVersion + 1)).code,
            Errc::input_unsupported);
  const Error old = after("PRAGMA user_version = " + std::to_string(kRunFileVersion - 1));
  EXPECT_EQ(old.code, Errc::input_unsupported);
  EXPECT_THAT(old.hint, HasSubstr("older version of Orrery"));
  EXPECT_EQ(after("PRAGMA user_version = 0").code, Errc::input_corrupt);
  EXPECT_EQ(read_run(scratch_ / "none").error().code, Errc::input_not_found);
  EXPECT_EQ(read_run(scratch_ / "").error().code, Errc::input_read);
  EXPECT_EQ(read_run("/dev/zero").error().code, Errc::input_read);
}

TEST_F(Damage, NamesOfFilesAreTakenAsTheyAre) {
  for (const char* name : {"a?mode=rw#x.orrery", "100%41.orrery", "sp ace.orrery", "ü.orrery"}) {
    ASSERT_TRUE(write_run(sample_run(), scratch_ / name, false)) << name;
    EXPECT_TRUE(read_run(scratch_ / name)) << name;
  }
}

// SQLite would apply a journal or a write-ahead log next to the file to it.
TEST_F(Damage, NothingBesideTheFileIsLookedAt) {
  write_bytes(file_ + "-journal", std::string("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8));
  write_bytes(file_ + "-wal", "whatever");
  EXPECT_TRUE(read_run(file_));
  EXPECT_EQ(scratch_.files(), 3u);
}

TEST_F(Damage, TablesMustBeOurs) {
  const auto expect_table = [&](const std::string& sql, const std::string& table) {
    expect_corrupt(sql, table, "differs from this version's run files");
  };
  expect_table("DROP TABLE link", "link");
  expect_table(
      "ALTER TABLE finding_place RENAME TO p; CREATE VIEW finding_place AS SELECT * FROM p",
      "finding_place");
  expect_table("DROP TABLE stored_name; CREATE VIRTUAL TABLE stored_name USING fts5(id, prefix)",
               "stored_name");
  expect_table(
      "DROP TABLE stored_path; CREATE TABLE stored_path(id INTEGER PRIMARY KEY, rank, span, cause "
      "AS "
      "(printf('%.*c', 100000000, 'x')), released, start_ps, end_ps)",
      "stored_path");
  expect_table("ALTER TABLE stored_span ADD COLUMN more", "stored_span");
}

TEST_F(Damage, WhatPeopleAddIsLeftAlone) {
  (void)query(
      file_,
      "CREATE TABLE note(text); CREATE INDEX mine ON stored_span(name); CREATE VIEW v AS SELECT "
      "1; CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM stored_span; END; VACUUM",
      true);
  EXPECT_TRUE(read_run(file_));
}

TEST_F(Damage, EveryReferenceIsChecked) {
  const std::string range = "out of range";
  expect_corrupt("UPDATE stored_span SET name = 99 WHERE id = 3", "span row 3",
                 "name is out of range: 99");
  expect_corrupt("UPDATE stored_span SET name = -1 WHERE id = 3", "span row 3", range);
  expect_corrupt("UPDATE stored_span SET lane = 4 WHERE id = 0", "span row 0", range);
  expect_corrupt("UPDATE stored_span SET lane = 3 WHERE id = 8", "span row 8", range);
  expect_corrupt("UPDATE stored_span SET kind = 8 WHERE id = 0", "span row 0", range);
  expect_corrupt("UPDATE span_part SET timeline = 1 WHERE id = 0", "span row 0",
                 "another timeline");
  expect_corrupt("UPDATE stored_span SET released_by = 8 WHERE id = 1", "span row 1", range);
  expect_corrupt("UPDATE stored_span SET distance = 3 WHERE id = 2", "span row 2", range);
  expect_corrupt("UPDATE stored_span SET distance = NULL WHERE id = 2", "span row 2",
                 "must have a peer");
  expect_corrupt("UPDATE stored_span SET peer_span = 8 WHERE id = 2", "span row 2", "no such span");
  expect_corrupt("UPDATE stored_span SET rank_group = 1 WHERE id = 1", "span row 1",
                 "does not exist");
  expect_corrupt("UPDATE stored_span SET sequence = 2 WHERE id = 1", "rank row 0",
                 "does not exist");
  expect_corrupt("UPDATE stored_span SET rank_group = NULL WHERE id = 1", "span row 1",
                 "a collective");
  expect_corrupt("UPDATE lane SET timeline = 3 WHERE id = 11", "lane row 11", range);
  expect_corrupt("UPDATE lane SET kind = 'tape' WHERE id = 1", "lane row 1",
                 "not one of the valid words");
  expect_corrupt("UPDATE lane SET rank_group = 1 WHERE id = 1", "lane", "does not exist");
  expect_corrupt("UPDATE rank SET timeline = 3 WHERE id = 1", "rank row 1", range);
  expect_corrupt(
      "UPDATE rank SET timeline = 0; UPDATE stored_collective SET last_span = NULL; "
      "UPDATE stored_path SET span = NULL",
      "timeline row 1", "no rank");
  expect_corrupt("UPDATE rank SET first_group = 0", "rank_group row 1", "first_group");
  expect_corrupt("UPDATE rank_group SET process_group = 1", "rank_group row 0", range);
  expect_corrupt("UPDATE rank_group SET number = 1 WHERE id = 2", "rank_group row 2", "sorted");
  expect_corrupt("UPDATE stored_collective SET last_rank = 3", "collective row 0", range);
  expect_corrupt("UPDATE stored_collective SET last_span = 3", "collective row 0", range);
  expect_corrupt("UPDATE stored_collective SET process_group = 1", "collective row 0", range);
  expect_corrupt("UPDATE stored_collective SET members = 4", "collective row 0", range);
  expect_corrupt("UPDATE process_group SET collectives = 1", "collective", "belong to no group");
  expect_corrupt("UPDATE process_group SET first_collective = 1", "process_group row 0", "sum of");
  expect_corrupt("UPDATE process_group SET first_member = 1", "process_group", "first_member");
  expect_corrupt("UPDATE process_group SET stored_collective = 1", "process_group row 0", "exist");
  expect_corrupt("UPDATE process_group SET size = 2", "process_group row 0", "members");
  expect_corrupt("INSERT INTO group_member VALUES (0, 0, 1), (1, 0, 1), (2, 0, 2)",
                 "process_group row 0", "twice");
  expect_corrupt("UPDATE link SET dimension = 1", "link row 0", range);
  expect_corrupt("UPDATE link SET curve = 1", "link row 0", range);
  expect_corrupt("UPDATE link SET curve = NULL", "link row 0", "curve");
  expect_corrupt("UPDATE link_use SET bin = 2 WHERE id = 1", "link_use row 1", "sorted");
  expect_corrupt("UPDATE memory_level_use SET level = 0 WHERE id = 2", "memory_level_use row 2",
                 "sorted");
  expect_corrupt("UPDATE memory_level_use SET bin = 2 WHERE id = 1", "memory_level_use row 1",
                 "sorted");
  expect_corrupt("UPDATE memory_level SET bin_ps = 0", "memory_level row 0", "length");
  expect_corrupt("UPDATE memory_level SET bin_ps = 7 WHERE id = 1", "memory_level row 1", "length");
  expect_corrupt("UPDATE stored_path SET rank = 3 WHERE id = 2", "path row 2", range);
  expect_corrupt("UPDATE stored_path SET span = 1 WHERE id = 1", "path row 1", range);
  expect_corrupt("UPDATE held_tensor SET name = 70", "held_tensor row 0", range);
  expect_corrupt("UPDATE finding_place SET finding = 1", "finding_place row 0", range);
}

TEST_F(Damage, EveryTimeIsChecked) {
  const std::string range = "out of range";
  expect_corrupt("UPDATE stored_span SET start_ps = -1 WHERE id = 3", "span row 3", range);
  expect_corrupt("UPDATE stored_span SET duration_ps = -1 WHERE id = 3", "span row 3", range);
  expect_corrupt("UPDATE stored_span SET duration_ps = 1 << 62 WHERE id = 3", "span row 3", range);
  expect_corrupt("UPDATE stored_span SET wait_ps = duration_ps WHERE id = 1", "span row 1",
                 "longer");
  expect_corrupt("UPDATE stored_span SET queue_ps = (1 << 62) - 1 WHERE id = 1", "span row 1",
                 "longer");
  expect_corrupt("UPDATE stored_span SET start_ps = 0 WHERE id = 2", "span row 2",
                 "the span that released it");
  expect_corrupt("UPDATE stored_span SET released_by = id WHERE id = 2", "span row 2", "released");
  expect_corrupt(
      "UPDATE stored_span SET duration_ps = 0, wait_ps = 0, latency_ps = 0, start_ps = 0, "
      "released_by = (id + 1) % 4 WHERE id < 4",
      "span row 0", "waits for itself");
  expect_corrupt("UPDATE memory SET at_ps = 0 WHERE id = 1", "memory row 1", "sorted");
  expect_corrupt("UPDATE rank SET idle_ps = 1 WHERE id = 2", "rank row 2", "do not sum to");
  expect_corrupt("UPDATE rank SET comm_only_ps = (1 << 62) - 1 WHERE id = 2", "rank row 2",
                 "do not sum to");
  expect_corrupt("UPDATE run SET step_ps = step_ps - 1", "rank row 0", "after the step");
  expect_corrupt("UPDATE run SET step_ps = step_ps + 1", "path", "end at the end of the step");
  expect_corrupt("UPDATE stored_path SET end_ps = end_ps - 1 WHERE id = 4", "path row 5",
                 "begin where");
  expect_corrupt("UPDATE stored_collective SET first_start_ps = 1 << 50", "collective row 0",
                 "ends before it begins");
  expect_corrupt("UPDATE stored_collective SET end_ps = 1", "collective row 0",
                 "ends before it begins");
}

TEST_F(Damage, EveryValueHasItsKind) {
  expect_corrupt("UPDATE stored_span SET node = 1.5 WHERE id = 3", "span row 3",
                 "node is not a whole number");
  expect_corrupt(
      "PRAGMA ignore_check_constraints = 1; UPDATE dimension SET bandwidth_bytes_per_s = 'fast'",
      "dimension row 0", "bandwidth");
  expect_corrupt("UPDATE dimension SET bandwidth_bytes_per_s = 9e999", "dimension row 0",
                 "bandwidth");
  expect_corrupt("UPDATE dimension SET size = 0", "dimension row 0", "size");
  expect_corrupt("UPDATE manifest SET value = x'00' WHERE id = 1", "manifest row 1",
                 "value is not text");
  expect_corrupt("UPDATE run SET stalled = 2", "run row 0", "stalled");
  for (const char* number : {"0", "-1", "1.5", "1e3", "99999999", "x"}) {
    const std::string add = "INSERT INTO manifest SELECT count(*), 'representatives', '";
    expect_corrupt(add + number + "' FROM manifest", "manifest", "representatives");
  }
  expect_corrupt("UPDATE run SET spans = 'some'", "run row 0", "spans");
}

TEST_F(Damage, EveryCountIsChecked) {
  expect_corrupt("DELETE FROM run", "run", "exactly one row");
  expect_corrupt(
      "INSERT INTO run SELECT 1, spans, step_ps, stalled, ranks, device, peak_flop_per_s, "
      "peak_precision, capacity_bytes, needed_bytes, needed_low_bytes, needed_high_bytes, "
      "samples, tokens, model_flop, hardware_flop, "
      "link_bin_ps, messages, events FROM run",
      "run row 1", "one row");
  expect_corrupt("UPDATE run SET samples = 0, tokens = 7", "run row 0", "no samples");
  expect_corrupt("UPDATE run SET needed_bytes = 0, needed_low_bytes = 7", "run row 0",
                 "no needed memory");
  expect_corrupt("UPDATE timeline SET memory_role = 70", "timeline row 0", "memory_role");
  expect_corrupt("UPDATE held_tensor SET kind = 70", "held_tensor row 0", "kind");
  expect_corrupt("UPDATE run SET ranks = 2", "process_group row 0", "size");
  expect_corrupt(
      "INSERT INTO rank SELECT 3, timeline, first_group, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 "
      "FROM rank WHERE id = 2",
      "rank row 3", "more ranks");
  expect_corrupt("UPDATE run SET ranks = 4", "rank", "fewer rows");
  expect_corrupt("DELETE FROM stored_span WHERE id = 5", "stored_span row 5",
                 "does not continue the sequence");
  expect_corrupt("DELETE FROM stored_span WHERE id = 23", "span_part row 16", "fewer stored rows");
  expect_corrupt("DELETE FROM span_part WHERE id = 16", "stored_span row 16", "no part");
  expect_corrupt("DELETE FROM span_part WHERE id = 16; DELETE FROM stored_span WHERE id >= 16",
                 "span", "too few rows for the timelines");
  expect_corrupt("UPDATE timeline SET spans = 1 << 30 WHERE id = 2", "timeline row 2", "file size");
  expect_corrupt("UPDATE timeline SET spans = 7 WHERE id = 2", "span row 23",
                 "belongs to no timeline");
  expect_corrupt("UPDATE timeline SET first_span = 0 WHERE id = 2", "timeline row 2", "first_span");
  expect_corrupt("UPDATE link_curve SET bins = 1 << 31", "link_use", "too few rows for the curves");
  expect_corrupt("UPDATE link_curve SET bins = 3", "link_use row 3", "no curve");
  expect_corrupt("UPDATE memory_level SET bins = 1 << 31 WHERE id = 1", "memory_level_use",
                 "too few rows for the levels");
  expect_corrupt("UPDATE memory_level SET bins = 1 WHERE id = 1", "memory_level_use row 3",
                 "no level");
  expect_corrupt(
      "DELETE FROM rank_group WHERE id = 2; UPDATE rank SET first_group = 3 WHERE id = 2",
      "rank_group", "too few rows for the ranks");
  EXPECT_EQ(after("UPDATE run SET ranks = 1 << 30").code, Errc::limit_exceeded);
}

/// Spans and the path repeat from the second layer on; names and collectives do.
class DamagedRepetition : public Damage {
 protected:
  void SetUp() override {
    auto run = sample_run(3, 12);
    for (int i = 0; i < 12; ++i) run.names.intern("op" + std::to_string(i) + " L1");
    ASSERT_TRUE(write_run(run, file_, false));
    good_ = read_bytes(file_);
    ASSERT_THAT(query(file_, "SELECT id, spans, period, stored_span, timeline FROM span_part"),
                ElementsAre("0|1|1|0|0", "1|47|4|1|0", "48|1|1|5|1", "49|47|4|6|1", "96|1|1|10|2",
                            "97|47|4|11|2"));
    ASSERT_THAT(query(file_, "SELECT * FROM name_part"), ElementsAre("0|6|6|0|0", "6|12|1|6|1"));
    ASSERT_THAT(query(file_, "SELECT id, collectives, period, last_span_step FROM collective_part"),
                ElementsAre("0|12|1|4"));
    ASSERT_THAT(query(file_, "SELECT id, segments, period, span_step FROM path_part"),
                ElementsAre("0|1|1|0", "1|59|5|4"));
  }
};

TEST_F(DamagedRepetition, EveryPartIsChecked) {
  const std::string period = "complete period", order = "does not continue the sequence";
  expect_corrupt("UPDATE span_part SET period = 0 WHERE id = 1", "span_part row 1", period);
  expect_corrupt("UPDATE span_part SET period = 48 WHERE id = 1", "span_part row 1", period);
  expect_corrupt("UPDATE span_part SET period = -1 WHERE id = 1", "span_part row 1", period);
  expect_corrupt("UPDATE span_part SET spans = -1 WHERE id = 1", "span_part row 1", period);
  expect_corrupt("UPDATE span_part SET spans = 0 WHERE id = 1", "span_part row 1", period);
  expect_corrupt("UPDATE span_part SET spans = 46 WHERE id = 1", "span_part row 47", order);
  expect_corrupt("UPDATE span_part SET id = 2 WHERE id = 1", "span_part row 1", order);
  expect_corrupt("DELETE FROM span_part WHERE id = 0", "span_part row 0", order);
  expect_corrupt("UPDATE span_part SET stored_span = 0 WHERE id = 1", "span_part row 1",
                 "first stored row");
  expect_corrupt("UPDATE span_part SET period = 5 WHERE id = 97", "span_part row 97",
                 "fewer stored rows");
  expect_corrupt("UPDATE span_part SET period = 3 WHERE id = 97", "stored_span row 14", "no part");
  expect_corrupt("UPDATE span_part SET timeline = 1 WHERE id = 1", "span row 1",
                 "another timeline");
  expect_corrupt("UPDATE span_part SET timeline = 3 WHERE id = 97", "span row 97", "out of range");
  expect_corrupt("UPDATE collective_part SET collectives = 13 WHERE id = 0", "collective row 12",
                 "out of range");
  expect_corrupt("UPDATE collective_part SET period = 2", "collective_part row 0",
                 "fewer stored rows");
  expect_corrupt("UPDATE path_part SET segments = 58 WHERE id = 1", "path", "end of the step");
  expect_corrupt("UPDATE path_part SET id = 2 WHERE id = 1", "path_part row 1", order);
  expect_corrupt("DELETE FROM repetition WHERE id = 11", "repetition", "rows");
  expect_corrupt("INSERT INTO repetition VALUES (12)", "repetition", "rows");
  expect_corrupt("UPDATE name_part SET names = 13 WHERE id = 6", "repetition", "rows");
}

TEST_F(DamagedRepetition, EveryStepIsChecked) {
  const std::string range = "out of range";
  expect_corrupt("UPDATE span_part SET start_step_ps = -1 WHERE id = 1", "span row 5",
                 "the span that released it");
  expect_corrupt("UPDATE span_part SET start_step_ps = 1 << 60 WHERE id = 1", "span row 17", range);
  expect_corrupt("UPDATE span_part SET node_step = 1.5 WHERE id = 1", "span_part row 1",
                 "node_step is not a whole number");
  expect_corrupt("UPDATE stored_span SET name_step = 2 WHERE id = 1", "span row 33", range);
  expect_corrupt("UPDATE stored_span SET name_step = 'x' WHERE id = 1", "stored_span row 1",
                 "whole number");
  expect_corrupt("UPDATE stored_span SET name_step = 1 << 63 WHERE id = 1", "span row 5", range);
  expect_corrupt("UPDATE stored_span SET sequence_step = 2 WHERE id = 1", "rank row 0",
                 "does not exist");
  expect_corrupt("UPDATE stored_span SET peer_span_step = 5 WHERE id = 2", "span row 38",
                 "no such span");
  expect_corrupt("UPDATE stored_span SET slack_step_ps = -1 WHERE id = 1", "span row 5", range);
  expect_corrupt("UPDATE stored_span SET released_by = 7 WHERE id = 1", "span row 45", range);
  expect_corrupt("UPDATE collective_part SET last_span_step = 5", "collective row 10", range);
  expect_corrupt("UPDATE collective_part SET start_step_ps = -1 << 50", "collective row 1", range);
  expect_corrupt("UPDATE stored_collective SET name_step = 2", "collective row 8", range);
  expect_corrupt("UPDATE path_part SET span_step = 5 WHERE id = 1", "path row 50", range);
  expect_corrupt("UPDATE path_part SET start_step_ps = 1 WHERE id = 1", "path row 6",
                 "where the previous segment ends");
  expect_corrupt("UPDATE stored_name SET prefix = 'x' WHERE id < 3", "name row 0", "not empty");
  expect_corrupt("UPDATE stored_name SET prefix = 'send' WHERE id = 1", "name row 3", "twice");
  expect_corrupt("UPDATE name_part SET number_step = 0 WHERE id = 6", "name row 7", "twice");
  expect_corrupt("UPDATE name_part SET number_step = -1 WHERE id = 6", "name row 7", range);
  expect_corrupt("UPDATE stored_name SET number = NULL WHERE id = 6", "name row 7", "twice");
  expect_corrupt("UPDATE stored_name SET number = 'x' WHERE id = 6", "name row 6", "whole number");
}

// A small file must not fill the memory.
TEST_F(DamagedRepetition, RepetitionsAreLimited) {
  const auto expect_limit = [&](const std::string& sql, const std::string& place) {
    const Error error = after(sql);
    EXPECT_EQ(error.code, Errc::limit_exceeded) << sql;
    EXPECT_EQ(error.where, file_ + ":" + place) << sql;
  };
  expect_limit("UPDATE name_part SET names = 1025 WHERE id = 6", "name_part row 6");
  expect_limit("UPDATE stored_name SET suffix = printf('%.*c', 129, 'x') WHERE id = 6",
               "stored_name row 6");
  expect_corrupt("UPDATE timeline SET spans = 1 << 24 WHERE id = 2", "timeline row 2", "file size");
  expect_limit(
      "UPDATE timeline SET spans = 4096 WHERE id = 2; UPDATE span_part SET spans = 4097 WHERE id = "
      "97",
      "span_part row 97");
}

TEST_F(DamagedRepetition, FlippedBytesNeverDoHarm) {
  std::size_t number = 0;
  for (std::size_t at = 100; at < good_.size(); ++at) {
    if (good_[at] == 0 || ++number % 31 != 0) continue;
    std::string bytes = good_;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x11);
    write_bytes(file_, bytes);
    const auto run = read_run(file_);
    if (run) continue;
    ASSERT_FALSE(run.error().where.empty());
    ASSERT_FALSE(run.error().what.empty());
  }
}

TEST_F(Damage, FindingsOfNewerProgramsAreNotLeftOut) {
  const Error error = after("UPDATE finding SET code = 'moon_in_the_way'");
  EXPECT_EQ(error.code, Errc::input_unsupported);
  EXPECT_EQ(error.where, file_ + ":finding row 0");
}

// Pages that are in a tree many times over would make a small file endless.
TEST_F(Damage, RowsAreNotRepeated) {
  write_bytes(file_, good_);
  std::string insert =
      "WITH RECURSIVE n(i) AS (SELECT 7 UNION ALL SELECT i + 1 FROM n WHERE i < "
      "3000) INSERT INTO manifest SELECT i, 'k' || i, 'v' FROM n";
  (void)query(file_, insert, true);
  const std::string bytes = read_bytes(file_);
  const auto root = std::stoul(
      query(file_, "SELECT rootpage FROM sqlite_schema WHERE name = 'manifest'").front());
  std::string bad = bytes;
  const std::size_t page = (root - 1) * 4096;
  ASSERT_EQ(bad[page], 5);  // an interior page: all of its cells now name the same child
  const auto cells = static_cast<std::size_t>(static_cast<unsigned char>(bad[page + 4]));
  ASSERT_GT(cells, 3u);
  const auto cell = [&](std::size_t i) {
    const std::size_t at = page + 12 + 2 * i;
    return page + static_cast<unsigned char>(bad[at]) * 256u +
           static_cast<unsigned char>(bad[at + 1]);
  };
  for (std::size_t i = 1; i < cells; ++i) bad.replace(cell(i), 4, bad.substr(cell(0), 4));
  write_bytes(file_, bad);
  EXPECT_EQ(error().code, Errc::input_corrupt);
  EXPECT_THAT(error().what,
              AnyOf(HasSubstr("does not continue the sequence"), HasSubstr("malformed")));
}

// A schema with which SQLite believes that memory has run out: no reason to give up altogether.
TEST(RunFileCorpus, AnErrorOfMemoryIsOneOfTheFile) {
  const auto run = read_run(std::string(core_testing::kSourceFolder) +
                            "/tests/fuzz/corpus/run_file_fuzz/out_of_memory");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::limit_exceeded);
}

TEST(CheckRun, BoundsTheWorkOnPeers) {
  // Even ranks share a timeline, odd ones another, which is shorter; every span of the first has
  // another distance.
  constexpr std::uint32_t kMany = 400;
  auto run = sample_run(2, 1);
  run.ranks.resize(kMany, run.ranks[0]);
  for (std::uint32_t rank = 0; rank < kMany; ++rank) run.ranks[rank].timeline = rank % 2;
  run.groups[0].size = kMany;
  const Span message = run.timelines[0].spans[2];
  run.timelines[0].spans.resize(kMany / 2, message);
  for (std::uint32_t i = 4; i < kMany / 2; ++i) {
    run.timelines[0].spans[i].distance = 2 * i;
    run.timelines[0].spans[i].peer_span = 4;
  }
  EXPECT_TRUE(check_run(run));
  const auto refused = check_run(run, 30'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::limit_exceeded);
}

}  // namespace
}  // namespace orrery::result
