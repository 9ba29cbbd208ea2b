// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/inspector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "orrery/calibrate/measurements/toy_runs_testing.h"

namespace orrery::calibrate {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using namespace testing_runs;

std::string header_text(int rank, int ranks = 2, int nodes = 1) {
  return fmt::format(
      R"("header":{{"id":"0x7f8c","comm_name":"DP","rank":{},"n_ranks":{},"nnodes":{}}},)"
      R"("metadata":{{"inspector_output_format_version":"v4.0","hostname":"h","pid":1}})",
      rank, ranks, nodes);
}

std::string operation_text(const char* name, int number, long bytes, long us,
                           const std::string& more = "") {
  return fmt::format(R"("coll_perf":{{"coll":"{}","coll_sn":{},"coll_msg_size_bytes":{},)"
                     R"("coll_exec_time_us":{}{}}})",
                     name, number, bytes, us, more);
}

std::string record_text(int rank, const char* name, int number, long bytes, long us,
                        const std::string& more = "") {
  return "{" + header_text(rank) + "," + operation_text(name, number, bytes, us, more) + "}\n";
}

std::string transfer_text(const char* kind, int rank, int peer, int number, long us) {
  return fmt::format(R"({{{},"p2p_perf":{{"p2p":"{}","p2p_sn":{},"p2p_peer":{},)"
                     R"("p2p_msg_size_bytes":9000,"p2p_exec_time_us":{},"p2p_algobw_gbs":{}}}}})"
                     "\n",
                     header_text(rank), kind, number, peer, us, 9000 / (us * 1e3));
}

TEST(Inspector, TakesTheRankThatWaitedLeast) {
  std::string text;
  for (int number = 0; number < 5; ++number)
    for (int rank = 0; rank < 2; ++rank)
      text +=
          record_text(rank, "AllReduce", number, 1 << 20, rank == number % 2 ? 100 + number : 5000,
                      R"(,"coll_timing_source":"kernel_gpu")");
  const auto [set, findings] = parse(text);
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 1u);
  EXPECT_EQ(set->rows[0].collective, "all_reduce");
  EXPECT_DOUBLE_EQ(set->rows[0].time_us, 102);
  EXPECT_EQ(set->rows[0].bytes, 1 << 20);
  EXPECT_EQ(set->rows[0].ranks, 2);
  EXPECT_EQ(set->rows[0].nodes, 1);
  EXPECT_TRUE(findings.empty());
}

TEST(Inspector, KnowsWhatSizesMean) {
  const auto [set, findings] =
      parse(record_text(0, "AllGather", 0, 10000, 20, R"(,"coll_algobw_gbs":1.0)") +
            record_text(1, "AllGather", 0, 10000, 20, R"(,"coll_algobw_gbs":1.0)") +
            record_text(0, "All2All", 1, 10000, 20, R"(,"coll_algobw_gbs":0)") +
            record_text(0, "AllGatherV", 2, 10000, 20) + record_text(0, "Reduce", 3, 10000, 0));
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 2u);
  EXPECT_EQ(set->rows[0].bytes, 20000) << "of all ranks";
  EXPECT_EQ(findings.count(FindingCode::measurement_left_out), 2u);
  EXPECT_EQ(findings.count(FindingCode::waiting_included), 1u) << "one rank of the all-to-all";
  EXPECT_THAT(error_of(record_text(0, "AllGather", 0, 10000, 20, R"(,"coll_algobw_gbs":0.001)")),
              HasSubstr("milliseconds"));
}

TEST(Inspector, DropsWhatWasColdAndTellsOfHosts) {
  std::string text;
  for (const int us : {900, 100, 101, 102, 103})
    text += record_text(0, "Broadcast", us == 900 ? 0 : us, 1 << 20, us,
                        R"(,"coll_timing_source":"collective_cpu")");
  const auto [set, findings] = parse(text);
  ASSERT_TRUE(set) << to_string(set.error());
  EXPECT_DOUBLE_EQ(set->rows[0].time_us, 101.5);
  EXPECT_EQ(findings.count(FindingCode::cold_measurement_dropped), 1u);
  EXPECT_EQ(findings.count(FindingCode::waiting_included), 5u);
  EXPECT_EQ(findings.count(FindingCode::time_of_host), 5u);
}

TEST(Inspector, JoinsSendsWithTheirReceives) {
  std::string text;
  for (int i = 0; i < 3; ++i)
    text += transfer_text("Send", 0, 1, 10 + i, i == 1 ? 90 : 20) +
            transfer_text("Recv", 1, 0, 7 + i, i == 1 ? 22 : 400);
  const auto [set, findings] = parse(text);
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 1u);
  EXPECT_EQ(set->rows[0].collective, "send_recv");
  EXPECT_EQ(set->rows[0].ranks, 2);
  EXPECT_EQ(set->rows[0].nodes, 1);
  EXPECT_DOUBLE_EQ(set->rows[0].time_us, 20);
  EXPECT_TRUE(findings.empty());
  const auto [alone, predicted] = parse(text + transfer_text("Send", 0, 1, 20, 50));
  EXPECT_EQ(predicted.count(FindingCode::waiting_included), 7u);
}

// Version 4.3: one header for all that is written at a time.
TEST(Inspector, ReadsRecordsWithoutHeaders) {
  const std::string text = "{" + header_text(1, 4, 4) + R"(,"dump_stats":{"coll_records":2}})" +
                           "\n{" + operation_text("ReduceScatter", 0, 10000, 20) + "}\n{" +
                           operation_text("ReduceScatter", 1, 10000, 22) + "}\n";
  const auto [set, findings] = parse(text);
  ASSERT_TRUE(set) << to_string(set.error());
  EXPECT_EQ(set->rows[0].bytes, 40000);
  EXPECT_EQ(set->rows[0].nodes, 4);
  const auto [headless, predicted] = parse(text.substr(text.find('\n') + 1));
  EXPECT_FALSE(headless);
  EXPECT_EQ(predicted.count(FindingCode::measurement_left_out), 2u);
}

TEST(Inspector, DamageCostsOneRecord) {
  const std::string good = record_text(0, "AllReduce", 1, 10000, 20);
  std::string pretty = good;
  for (std::size_t at = 0; (at = pretty.find(',', at)) != pretty.npos; at += 3)
    pretty.replace(at, 1, ",\n ");
  const auto [set, findings] =
      parse(good + good.substr(0, 90) + "\n" + good + "\x01\xFF junk\n" + pretty +
            good.substr(0, good.size() - 1) + good + "{]\n" +
            record_text(0, "All\xFFReduce", 1, 10000, 20) + good + good.substr(0, 50));
  ASSERT_TRUE(set) << to_string(set.error());
  EXPECT_EQ(findings.count(FindingCode::waiting_included), 1u) << "the same one six times";
  EXPECT_EQ(findings.count(FindingCode::corrupt_record_dropped), 3u);
  EXPECT_EQ(findings.count(FindingCode::json_repaired), 1u);
  EXPECT_EQ(findings.count(FindingCode::measurement_left_out), 1u);
  EXPECT_EQ(findings.count(FindingCode::truncated_tail_dropped), 1u);
}

TEST(Inspector, JoinsTheFilesOfAFolder) {
  const fs::path folder = fs::path(::testing::TempDir()) / "orrery_inspector_test";
  fs::remove_all(folder);
  fs::create_directories(folder / "more");
  std::ofstream(folder / "a-pid1.log") << record_text(0, "AllReduce", 0, 1 << 20, 70);
  std::ofstream(folder / "a-pid2.log") << record_text(1, "AllReduce", 0, 1 << 20, 50);
  std::ofstream(folder / "empty.log");
  Findings findings;
  const auto set = read_measurements({folder.string()}, findings);
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 1u);
  EXPECT_DOUBLE_EQ(set->rows[0].time_us, 50);
  EXPECT_EQ(findings.count(FindingCode::file_skipped), 1u);
  EXPECT_EQ(findings.count(FindingCode::waiting_included), 0u);
  EXPECT_EQ(read_measurements({(folder / "more").string()}, findings).error().code,
            Errc::input_empty);
  EXPECT_EQ(read_measurements({(folder / "none").string()}, findings).error().code,
            Errc::input_not_found);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace orrery::calibrate
