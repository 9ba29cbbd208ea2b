// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/nccl_log.h"
#include "orrery/calibrate/measurements/nccl_tests.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/calibrate/measurements/toy_runs_testing.h"

namespace orrery::calibrate {
namespace {

using ::testing::HasSubstr;
using namespace testing_runs;

TEST(NcclTests, ReadsWhatIsPrinted) {
  const auto [set, findings] =
      parse(text_of({.ranks = 16, .hosts = 2, .factor = 1.875}, toy_times(5)));
  ASSERT_TRUE(set) << to_string(set.error());
  EXPECT_TRUE(findings.empty());
  ASSERT_EQ(set->rows.size(), 10u);
  const MeasuredCollective& row = set->rows[2];
  EXPECT_EQ(row.collective, "all_reduce");
  EXPECT_EQ(row.bytes, 4096);
  EXPECT_DOUBLE_EQ(row.time_us, 10.04);
  EXPECT_EQ(row.ranks, 16);
  EXPECT_EQ(row.nodes, 2);
  EXPECT_FALSE(row.in_place);
  EXPECT_TRUE(set->rows[3].in_place);
  EXPECT_EQ(row.dtype, "float");
  EXPECT_EQ(row.device, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(row.library, "nccl");
  EXPECT_EQ(row.version, "2.29.7");
}

// What MPI, slurm and NCCL print around it, in a run of AMD's tests.
TEST(NcclTests, FindsRowsAmongOtherLines) {
  const auto [set, findings] = parse(
      "$ mpirun -np 2 ./build/reduce_scatter_perf -b 1M\n"
      "Authorization required, but no authorization protocol specified\n"
      "0: # nThread 1 nGpus 1 minBytes 1048576 maxBytes 2097152 step: 2(factor)\n"
      "[1,0]<stdout>:rccl-tests: Version develop:3f7f785\n"
      "[1,0]<stdout>:# Using devices\n"
      "[1,0]<stdout>:#   Rank  0 Pid  21284 on nine device  0 [0000:2f:00.0] AMD Instinct MI100\n"
      "[1,0]<stdout>:#   Rank  1 Pid  21285 on ten device  1 [0000:03:00.0] AMD Instinct MI100\n"
      "[1,0]<stdout>:RCCL version : 2.27.7-HEAD:0d2c4fd\n"
      "12ab:880:888 [1] NCCL INFO 24 coll channels, 0 nvls channels\n"
      "[1,0]<stdout>:#   size  count  type  redop  root  time  algbw  busbw #wrong\n"
      "[1,0]<stdout>: 1048576 262144 float sum -1 105.9 9.90 4.95 0\n"
      "9 files are open here now\n"
      "[1,0]<stdout>: 2097152 524288 float sum -1 142.1 14.76 7.38 N/A\n");
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 2u);
  EXPECT_EQ(set->rows[0].collective, "reduce_scatter");
  EXPECT_EQ(set->rows[1].nodes, 2);
  EXPECT_EQ(set->rows[1].device, "AMD Instinct MI100");
  EXPECT_EQ(set->rows[1].library + set->rows[1].version, "rccl2.27.7");
  EXPECT_EQ(findings.count(FindingCode::corrupt_record_dropped), 1u) << "what begins like a row";
}

/// `text` with `prefix` before each line.
std::string behind(const std::string& prefix, const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out += prefix + text.substr(at, end + 1 - at);
    at = end + 1;
  }
  return out;
}

// Ranks, tags, times, pods, colors: what follows them is what they would be alone.
TEST(NcclTests, ReadsRowsBehindPrefixesOfLaunchers) {
  const std::string plain = text_of({.ranks = 16, .hosts = 2, .factor = 1.875}, toy_times(5));
  const auto [expected, none] = parse(plain);
  ASSERT_TRUE(expected);
  for (const std::string prefix :
       {"[0]", "[0] ", "0: ", "[1,0]<stdout>:", "[1,0]<stdout>: ", "12: ", "worker-0: ",
        "nccl-test-launcher-x7k2p | ", "nccl-worker-1|", "(pid=312) ", "10:11:12 ",
        "2025-03-03T10:11:12.123456Z ", "[2025-03-03 10:11:12] ", "2025-03-03 10:11:12,345 INFO ",
        "1741000000 ", "1741000000.25 [node-3:0] ",
        "<13>Mar  3 10:11:12 node-3 job[77]: ", "\x1b[32m[rank0]\x1b[0m: ", "\t"}) {
    const auto [set, findings] = parse(behind(prefix, plain));
    ASSERT_TRUE(set) << prefix << to_string(set.error());
    ASSERT_EQ(set->rows.size(), expected->rows.size()) << prefix;
    for (std::size_t i = 0; i < set->rows.size(); ++i) {
      EXPECT_EQ(set->rows[i].bytes, expected->rows[i].bytes) << prefix;
      EXPECT_EQ(set->rows[i].time_us, expected->rows[i].time_us) << prefix;
      EXPECT_EQ(set->rows[i].ranks, 16) << prefix;
      EXPECT_EQ(set->rows[i].nodes, 2) << prefix;
      EXPECT_EQ(set->rows[i].device, expected->rows[i].device) << prefix;
      EXPECT_EQ(set->rows[i].version, expected->rows[i].version) << prefix;
    }
    EXPECT_TRUE(findings.empty()) << prefix;
  }
}

// NCCL_DEBUG=INFO states ranks and nodes where the list of devices is missing.
TEST(NcclTests, TakesRanksAndNodesFromTheLogOfNccl) {
  const std::string log =
      "n1:10:20 [0] NCCL INFO comm 0x55 rank 0 nranks 16 cudaDev 0 busId 18000 - Init START\n"
      "n1:10:20 [0] NCCL INFO comm 0x55 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL "
      "0\n";
  const auto [set, findings] = parse(log +
                                     "# size count type redop root time algbw busbw #wrong\n"
                                     "1048576 262144 float sum -1 105.9 9.90 18.56 0\n");
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 1u);
  EXPECT_EQ(set->rows[0].collective, "all_reduce");
  EXPECT_EQ(set->rows[0].ranks, 16);
  EXPECT_EQ(set->rows[0].nodes, 2);
  EXPECT_THAT(error_of(log), HasSubstr("which has no times; it states 16 ranks on 2 nodes"));
}

// Each run has the ranks of its own log: also without titles between the runs, after a run that
// printed no rows, and with lines of the first run's end behind the begin of the second.
TEST(NcclTests, TakesTheRanksOfEachRunFromItsOwnLog) {
  const auto log_of = [](int ranks, int nodes) {
    return fmt::format(
        "n1:10:20 [0] NCCL INFO comm 0x55 rank 0 nranks {0} cudaDev 0 busId 1 - Init START\n"
        "n1:10:20 [0] NCCL INFO comm 0x55 rank 0 nRanks {0} nNodes {1} localRanks 8 localRank 0\n",
        ranks, nodes);
  };
  const std::string settings = "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1048576\n";
  const std::string destroyed =
      "n1:10:20 [0] NCCL INFO comm 0x55 rank 0 nranks 16 cudaDev 0 busId 1 - Destroy COMPLETE\n";
  const auto table_of = [](std::string_view busbw) {
    return fmt::format(
        "# size count type redop root time algbw busbw #wrong\n"
        "1048576 262144 float sum -1 105.9 9.90 {} 0\n",
        busbw);
  };
  const std::string large = log_of(16, 2) + table_of("18.56");
  const std::string small = log_of(8, 1) + table_of("17.32");
  for (const std::string& text :
       {large + small, settings + large + settings + small, settings + large + destroyed + small,
        settings + large + settings + destroyed + small,
        settings + large + settings + log_of(32, 4) + settings + small}) {
    const auto [set, findings] = parse(text);
    ASSERT_TRUE(set) << to_string(set.error()) << text;
    ASSERT_EQ(set->rows.size(), 2u) << text;
    EXPECT_EQ(set->rows[0].ranks, 16) << text;
    EXPECT_EQ(set->rows[0].nodes, 2) << text;
    EXPECT_EQ(set->rows[1].ranks, 8) << text;
    EXPECT_EQ(set->rows[1].nodes, 1) << text;
  }
}

// Launchers that tag each write put tags between the parts of a row, too.
TEST(NcclTests, RemovesTagsWithinRows) {
  for (const std::string tag : {"[0]", "[1,0]<stdout>:", "worker-0:"}) {
    std::string text =
        "T#  size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong\n"
        "T#  (B)  (elements)  (us)  (GB/s)  (GB/s)  (us)  (GB/s)  (GB/s)\n"
        "T   1048576   262144  float  sum   -1T  166.5  6.30  11.02   0T  164.3  6.38  11.17   0\n"
        "T   16777216 4194304  float  sum   -1T  334.9  50.10 87.67   0 T 336.5  49.86 87.25   0\n";
    for (std::size_t at = 0; (at = text.find('T', at)) != std::string::npos;)
      text.replace(at, 1, tag);
    const auto [set, findings] = parse("# Collective test starting: all_reduce_perf\n" + text);
    ASSERT_TRUE(set) << tag << to_string(set.error());
    ASSERT_EQ(set->rows.size(), 4u) << tag;
    EXPECT_EQ(set->rows[0].time_us, 166.5);
    EXPECT_EQ(set->rows[1].time_us, 164.3);
    EXPECT_TRUE(set->rows[1].in_place);
    EXPECT_EQ(set->rows[3].time_us, 336.5);
    EXPECT_TRUE(findings.empty()) << tag;
  }
}

TEST(NcclTests, ReadsSeveralRunsBehindEachOther) {
  const auto [set, findings] =
      parse(text_of({}, toy_times(4)) +
            text_of({.program = "alltoall_perf", .ranks = 4, .factor = 0.75, .redop = "none"},
                    toy_times(4)) +
            text_of({.program = "hypercube_perf", .redop = "none"}, toy_times(1)));
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 16u);
  EXPECT_EQ(set->rows[7].ranks, 8);
  EXPECT_EQ(set->rows[8].collective, "all_to_all");
  EXPECT_EQ(set->rows[8].ranks, 4);
  EXPECT_EQ(findings.count(FindingCode::measurement_left_out), 2u) << "no model for hypercubes";
}

constexpr std::string_view kIterations =
    "# Collective test starting: all_gather_perf\n"
    "# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% "
    "time algbw busbw #wrong i_min i_max i_p99 i_cv% timestamp\n"
    "# (B) (elements) (us) (GB/s) %Y-%m-%d %H:%M:%S\n"
    "1024 256 float none -1 10.24 0.10 0.05 0 9 12 11 3.2 10.00 0.10 0.05 N/A 9 12 11 3.2 "
    "2026-01-02 03:04:05\n"
    "2048 512 float none -1 11.00 0.19 0.09 0 9 12 11 3.2 N/A N/A N/A N/A 9 12 11 3.2 "
    "2026-01-02 03:04:06\n";

TEST(NcclTests, FindsColumnsByTheHeader) {
  const auto [set, findings] = parse(kIterations);
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 3u);
  EXPECT_EQ(set->rows[1].time_us, 10.0);
  EXPECT_TRUE(set->rows[1].in_place);
  EXPECT_EQ(set->rows[2].time_us, 11.0);
  EXPECT_EQ(set->rows[2].ranks, 0) << "nothing says how many";
  EXPECT_TRUE(findings.empty());
}

// Versions of 2019: no reduction where there is none, a column called error, bytes as "size".
TEST(NcclTests, ReadsOldTables) {
  const auto [set, findings] = parse(
      "# Collective test starting: all_gather_perf\n"
      "#  size count type redop time algbw busbw error time algbw busbw error\n"
      "  1024 256 float 10.24 0.10 0.05 4e-07 10.00 0.10 0.05 4e-07\n"
      "  2048 512 float 12.00 0.17\n"
      "  4096 512 float 11.00 0.37 0.19 2e-07\n");
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 2u);
  EXPECT_EQ(findings.count(FindingCode::corrupt_record_dropped), 2u);
}

TEST(NcclTests, HostTimesAreReplacedByWhatTheBandwidthSays) {
  const auto [set, findings] = parse(
      "# Collective test starting: all_reduce_perf\n"
      "# size count type redop root cputime algbw busbw #wrong\n"
      "1048576 262144 float sum -1 3.10 20.00 35.00 0\n"
      "8 2 float sum -1 3.10 0.00 0.00 0\n");
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 1u);
  EXPECT_DOUBLE_EQ(set->rows[0].time_us, 52.4288);
  EXPECT_EQ(findings.count(FindingCode::time_of_host), 1u);
  EXPECT_EQ(findings.count(FindingCode::measurement_left_out), 1u) << "too coarse";
}

TEST(NcclTests, TellsTheCollectiveWhereNothingNamesIt) {
  struct Case {
    double factor;
    const char *redop, *root, *collective;
  };
  for (const Case& one : {Case{1.75, "sum", "-1", "all_reduce"},
                          Case{0.875, "sum", "-1", "reduce_scatter"}, Case{1, "sum", "0", "reduce"},
                          Case{1, "none", "0", "broadcast"}, Case{1, "none", "-1", "send_recv"}}) {
    const auto [set, findings] = parse(text_of(
        {.program = "", .factor = one.factor, .redop = one.redop, .root = one.root}, toy_times(8)));
    ASSERT_TRUE(set) << to_string(set.error());
    EXPECT_EQ(set->rows[0].collective, one.collective);
    EXPECT_EQ(findings.count(FindingCode::collective_inferred), 1u);
  }
  const std::string either =
      text_of({.program = "", .factor = 0.875, .redop = "none"}, toy_times(8));
  EXPECT_THAT(error_of(either), HasSubstr("match all_gather, all_to_all (E2010)"));
  EXPECT_EQ(parse(either, {.collective = "all_to_all"}).set->rows[0].collective, "all_to_all");
  EXPECT_THAT(error_of(either, {.collective = "all_to_some"}), HasSubstr("E1000"));
}

TEST(NcclTests, RefusesNumbersThatContradictEachOther) {
  EXPECT_THAT(error_of(text_of({.unit = 1000}, toy_times(9))), HasSubstr("milliseconds"));
  EXPECT_THAT(error_of(text_of({.unit = 1e-3}, toy_times(9))), HasSubstr("nanoseconds"));
  EXPECT_THAT(error_of(text_of({.program = "all_gather_perf"}, toy_times(9))),
              HasSubstr("for all_gather among 8 ranks it must be 0.875 times (E1007)"));
  EXPECT_THAT(error_of(text_of({.ranks = 4}, toy_times(9))),
              HasSubstr("check the collective and the number of ranks"));
  EXPECT_THAT(
      error_of(text_of({}, {{1 << 20, 50}}) + "1048576 262144 float sum -1 50 2.10 3.67 0\n"),
      HasSubstr("E1007"));
}

TEST(NcclTests, RefusesMixedDevices) {
  std::string text = text_of({}, toy_times(4));
  text.replace(text.find("NVIDIA H100"), 11, "NVIDIA A100");
  EXPECT_THAT(error_of(text), HasSubstr("one run mixes two devices: \"NVIDIA A100 80GB HBM3\" and "
                                        "\"NVIDIA H100 80GB HBM3\" (E2014)"));
}

// NCCL_TESTS_SPLIT: several communicators side by side; rows are of one of them.
TEST(NcclTests, CountsTheRanksOfOneGroup) {
  std::string text = text_of({.ranks = 4, .factor = 1}, toy_times(6));
  for (const char* rank : {"Rank  1 Group  0", "Rank  3 Group  0"})
    text.replace(text.find(rank) + 15, 1, "1");
  const auto [set, findings] = parse(text);
  ASSERT_TRUE(set) << to_string(set.error());
  EXPECT_EQ(set->rows[0].ranks, 2);
}

TEST(NcclTests, TellsOfWrongResults) {
  std::string text = text_of({}, toy_times(4));
  text.replace(text.find("0 OK"), 4, "3 FAILED");
  EXPECT_EQ(parse(text).findings.count(FindingCode::measured_wrong), 1u);
  text.replace(text.rfind(" 0\n"), 3, " 7\n");
  const auto [set, findings] = parse(text);
  ASSERT_TRUE(set) << to_string(set.error());
  EXPECT_EQ(findings.count(FindingCode::measured_wrong), 1u);
  EXPECT_EQ(findings.list()[0].places, std::vector<std::string>{"toy.log:21"});
}

TEST(NcclTests, OptionsSayWhatTheFileDoesNot) {
  const auto [set, findings] =
      parse(kIterations, {.collective = "reduce", .device = "h100-sxm", .ranks = 2, .nodes = 1});
  ASSERT_TRUE(set) << to_string(set.error());
  EXPECT_EQ(set->rows[0].collective, "all_gather");
  EXPECT_EQ(set->rows[0].device, "h100-sxm");
  EXPECT_EQ(set->rows[0].ranks, 2);
  EXPECT_EQ(set->rows[0].nodes, 1);
}

TEST(NcclTests, KnowsVersions) {
  EXPECT_EQ(nccl_version_text("22907"), "2.29.7");
  EXPECT_EQ(nccl_version_text("2804"), "2.8.4");
  for (const char* none : {"", "-5", "12", "99999999", "x"}) EXPECT_EQ(nccl_version_text(none), "");
}

// Any run with numbers that agree is read, whatever rounding did to them.
TEST(NcclTests, RoundingIsNoMistake) {
  for (int ranks = 2; ranks < 1000; ranks = ranks * 3 + 1) {
    std::vector<std::pair<long, double>> times;
    for (long bytes = 4; bytes < (1L << 36); bytes = bytes * 3 + 4)
      times.emplace_back(bytes, 0.04 + static_cast<double>(bytes) * ranks / 7e5);
    const double factor = 2.0 * (ranks - 1) / ranks;
    const auto [set, findings] = parse(text_of({.ranks = ranks, .factor = factor}, times));
    ASSERT_TRUE(set) << to_string(set.error());
    EXPECT_EQ(set->rows.size(), 2 * times.size());
  }
}

constexpr std::string_view kJson = R"({"version":4,"start_time":"2026-01-02 03:04:05",
"args":["./build/all_reduce_perf","-b","8"],"env":["A=\"{[","B=1"],"nccl_version":22703,
"config":{"nthreads":1,"ngpus":4,"devices":[
 {"rank":0,"group":0,"pid":7,"hostname":"a","device":0,"device_hex":"00:1b","device_info":"NVIDIA GB200"},
 {"rank":4,"group":0,"pid":8,"hostname":"b","device":0,"device_hex":"00:1b","device_info":"NVIDIA GB200"}]},
"results":[
 {"size":1048576,"count":262144,"type":"float","redop":"sum","root":"    -1",
  "out_of_place":{"time":50.0,"alg_bw":20.97152,"bus_bw":36.70016,"nwrong":0.0},
  "out_of_place_per_iter":{"min_us":49.0,"times_us":[49.0,51.0]},
  "in_place":{"time":49.0,"alg_bw":21.399510,"bus_bw":37.449143,"nwrong":null},
  "actual_iterations":20,"experiment_name":"AllReduce"},
 {"size":0,"count":0,"type":"float","redop":"sum","root":"    -1",
  "out_of_place":null,"in_place":{"time":4.0,"alg_bw":0.0,"bus_bw":-nan,"nwrong":"nan"}},
 {"size":2097152,"count":524288,"type":"float","redop":"sum","root":"    -1",
  "out_of_place":{"cpu_time":3.0,"alg_bw":20.97152,"bus_bw":36.70016,"nwrong":2.0}}
],"out_of_bounds":{"count":2,"okay":"false"},"average_bus_bandwidth":{"bandwidth":36.7}})";

TEST(NcclTestsJson, IsRead) {
  const auto [set, findings] = parse(kJson);
  ASSERT_TRUE(set) << to_string(set.error());
  ASSERT_EQ(set->rows.size(), 3u);
  EXPECT_EQ(set->rows[0].collective, "all_reduce");
  EXPECT_EQ(set->rows[0].ranks, 8);
  EXPECT_EQ(set->rows[0].nodes, 2);
  EXPECT_EQ(set->rows[0].device, "NVIDIA GB200");
  EXPECT_EQ(set->rows[0].version, "2.27.3");
  EXPECT_TRUE(set->rows[1].in_place);
  EXPECT_NEAR(set->rows[2].time_us, 100, 1e-6) << "of the bandwidth, not of the host";
  EXPECT_EQ(findings.count(FindingCode::measured_wrong), 1u);
  EXPECT_EQ(findings.count(FindingCode::time_of_host), 1u);
  EXPECT_EQ(findings.count(FindingCode::json_repaired), 1u);
  EXPECT_EQ(findings.count(FindingCode::measurement_left_out), 1u);
}

TEST(NcclTestsJson, IsReadAsFarAsItGoes) {
  const auto [set, findings] = parse(kJson.substr(0, kJson.find("\"size\":2097152") + 100));
  ASSERT_TRUE(set) << to_string(set.error());
  EXPECT_EQ(set->rows.size(), 2u);
  EXPECT_GE(findings.count(FindingCode::truncated_tail_dropped), 1u);
  EXPECT_THAT(error_of("{\"traceEvents\": []}"), HasSubstr("E2004"));
  EXPECT_THAT(error_of(R"({"results":[]})"), HasSubstr("E2011"));
}

// Lines as NCCL 2.21 (numbers) and 2.24 (words) print them, behind the prefixes of launchers.
TEST(NcclLog, StatesChannelsAdaptersAndChoices) {
  const NcclLog log = read_nccl_log(
      "NCCL version 2.21.5+cuda12.4\n"
      "0: n1:10:10 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0\n"
      "[1] n1:10:20 [0] NCCL INFO Channel 00/08 :    0   1   2   3\n"
      "n1:10:20 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
      "n1:10:20 [0] NCCL INFO 12 coll channels, 0 collnet channels, 0 nvls channels\n"
      "n1:10:20 [0] NCCL INFO comm 0x5 rank 0 nRanks 16 nNodes 2 localRanks 8 - Init COMPLETE\n"
      "n1:10:20 [0] NCCL INFO AllReduce: 4194304 Bytes -> Algo 1 proto 2 time 35.2\n"
      "n1:10:20 [0] NCCL INFO AllReduce: 64 Bytes -> Algo RING proto SIMPLE "
      "channel{Lo..Hi}={0..3}\r\n"
      "n1:10:20 [0] NCCL INFO AllGather: 64 Bytes -> Algo 9 proto LL time 1\n");
  EXPECT_EQ(log.version, "NCCL 2.21.5+cuda12.4");
  EXPECT_EQ(log.adapters, 2);
  EXPECT_EQ(log.channels, 12);
  EXPECT_EQ(log.ranks, 16);
  ASSERT_EQ(log.choices.size(), 1U);
  EXPECT_EQ(log.choices.begin()->first, "AllReduce ring simple");
  EXPECT_EQ(log.choices.begin()->second, 2);
  EXPECT_EQ(contents_of(log),
            "16 ranks on 2 nodes, 12 channels for collectives, 2 network adapters in a node");
}

TEST(NcclLog, DamagedLinesStateNothing) {
  const NcclLog log = read_nccl_log(
      "NCCL INFO  coll channels\nNCCL INFO Channel 0\nNCCL INFO Channel /99999999999 :\n"
      "NCCL INFO : 1 Bytes -> Algo 1 proto 1\nNCCL INFO NET/IB : Using [\nCCL version \n"
      "NCCL INFO x Bytes -> Algo  proto \nNCCL INFO Channel 00/-1 :");
  EXPECT_TRUE(log.seen);
  EXPECT_EQ(log.channels, 0);
  EXPECT_EQ(log.adapters, 0);
  EXPECT_EQ(contents_of(log), "nothing that is used");
}

}  // namespace
}  // namespace orrery::calibrate
