// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/inputs/format.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "orrery/trace/inputs/json_outline.h"

namespace orrery::trace {
namespace {

TEST(Format, HasNames) {
  EXPECT_EQ(name(Format::unknown), "unknown");
  EXPECT_EQ(name(Format::chakra), "chakra");
  EXPECT_EQ(name(Format::kineto), "kineto");
  EXPECT_EQ(name(Format::pftrace), "pftrace");
  EXPECT_EQ(name(Format::pytorch_et), "pytorch_et");
  EXPECT_EQ(name(Format::nsys_sqlite), "nsys_sqlite");
  EXPECT_EQ(name(Format::rocpd), "rocpd");
  EXPECT_EQ(name(Format::xplane), "xplane");
  EXPECT_EQ(name(Format::run_metadata), "run_metadata");
  EXPECT_EQ(name(Format::run_file), "run_file");
  EXPECT_EQ(name(Format::flight_record), "flight_record");
  EXPECT_EQ(name(Format::astra_text), "astra_text");
  EXPECT_EQ(name(Format::mpi_json), "mpi_json");
  EXPECT_EQ(name(Format::htsim_matrix), "htsim_matrix");
  EXPECT_EQ(name(Format::ns3_flows), "ns3_flows");
  EXPECT_EQ(name(Format::goal), "goal");
  EXPECT_EQ(name(Format::flexflow), "flexflow");
  EXPECT_EQ(name(Format::cost_graph), "cost_graph");
  EXPECT_EQ(name(Format::nsys_report), "nsys_report");
  EXPECT_EQ(name(Format::nsys_table), "nsys_table");
  EXPECT_EQ(name(Format::ascend_json), "ascend_json");
  EXPECT_EQ(name(Format::rocprof_json), "rocprof_json");
  EXPECT_EQ(name(Format::archive), "archive");
  EXPECT_EQ(name(Format::foreign), "foreign");
}

TEST(Format, RecognizesTensorFlowAndFlexFlow) {
  const std::string device = "\x0A\x0D/device:GPU:0";
  const std::string stats = std::string("\x0A") + static_cast<char>(device.size()) + device;
  EXPECT_EQ(format_of(stats), Format::run_metadata) << "StepStats alone";
  EXPECT_EQ(format_of(std::string("\x0A") + static_cast<char>(stats.size()) + stats),
            Format::run_metadata);
  const std::string node =
      "\x0A\x01"
      "a"
      "\x12\x06/cpu:0\x18\x01";
  const std::string graph = std::string("\x0A") + static_cast<char>(node.size()) + node;
  EXPECT_EQ(format_of(graph), Format::cost_graph) << "CostGraphDef alone";
  EXPECT_EQ(format_of(std::string("\x12") + static_cast<char>(graph.size()) + graph),
            Format::cost_graph);
  EXPECT_EQ(format_of("/* a */ digraph g { node0 [label=\"{ npu=0|a|f|COMP_NODE|t=1 }\"]; }"),
            Format::flexflow);
  EXPECT_NE(format_of("digraph g { a -> b; }"), Format::flexflow) << "another dot file";
}

TEST(Format, RecognizesFlightRecords) {
  const std::string pickle = std::string("\x80\x02}(X\x09\0\0\0pg_config}u.", 20);
  EXPECT_EQ(format_of(pickle), Format::flight_record);
  EXPECT_EQ(format_of(R"({"entries": [{"collective_seq_id": 1}]})"), Format::flight_record);
  EXPECT_EQ(format_of(R"({"pg_config": {}, "version": "2.4"})"), Format::flight_record);
  EXPECT_EQ(format_of(R"({"entries": [{"id": 1}]})"), Format::unknown) << "other entries";
  const std::string other = std::string("\x80\x02}(X\x05\0\0\0stateu.", 15);
  EXPECT_EQ(format_of(other), Format::unknown) << "another pickle";
}

// Files that have no reader are recognized, so that they are refused by name.
TEST(Format, RecognizesRefusedFormats) {
  EXPECT_EQ(format_of("Time (%),Total Time (ns),Instances,Name\n45.1,123456789,100,gemm\n"),
            Format::nsys_table);
  EXPECT_EQ(format_of("Start (ns),Duration (ns),CorrId,Name\n"), Format::nsys_table);
  EXPECT_EQ(format_of("Processing [a.sqlite] with [stats]\n\n ** CUDA GPU Kernel Summary:\n\n"
                      " Time (%)  Total Time (ns)  Instances\n"),
            Format::nsys_table);
  EXPECT_EQ(format_of(R"([{"ph": "M", "name": "process_name", "pid": 8, )"
                      R"("args": {"name": "Ascend Hardware"}}, {"ph": "X", "name": "a"}])"),
            Format::ascend_json);
  EXPECT_EQ(format_of(R"({"rocprofiler-sdk-tool": [{"metadata": {"pid": 1}, )"),
            Format::rocprof_json);
  for (const std::string_view head :
       {std::string_view("PK\3\4\x14\0\0\0", 8), std::string_view("BZh91AY&SY"),
        std::string_view("\xFD"
                         "7zXZ\0",
                         6),
        std::string_view("\x04\x22\x4D\x18@@", 6), std::string_view("Rar!\x1A\x07\x01\0", 8)})
    EXPECT_EQ(format_of(head), Format::archive) << head;
  for (const Format format : {Format::nsys_report, Format::nsys_table, Format::ascend_json,
                              Format::rocprof_json, Format::archive})
    EXPECT_TRUE(is_refused(format)) << name(format);
  EXPECT_FALSE(is_refused(Format::kineto));
  EXPECT_FALSE(is_refused(Format::mpi_json));
}

TEST(Format, TellsKineto) {
  for (const std::string head : {
           R"({"traceEvents": []})",
           R"({"schemaVersion": 1, "deviceProperties": [{"id": 0)",  // cut
           R"({"distributedInfo": {"rank": 0}, "x": 1)",
           R"({"metadata": {"a": {"traceEvents": 1}}, "traceEvents": [)",
           R"([{"ph": "X", "name": "a", "ts": 1}, {"ph": "X"}])",
           "\xEF\xBB\xBF [ {\"cat\": \"cpu_op\", \"args\": {\"a\": [1]}, \"ph\": \"X\"",
           "{\n \"traceName\": \"a\tb\x01\", \"displayTimeUnit\": \"ms\"",
           R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "MPI_Send"}]})",
           R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a"}, {"name": "MPI_Send"}]})",
       }) {
    EXPECT_EQ(name(format_of(head)), "kineto") << head;
  }
  std::string late = R"({"metadata": {"text": ")" + std::string(500'000, 'm') + R"("},)";
  EXPECT_EQ(format_of(late), Format::unknown);
  EXPECT_EQ(format_of(late + R"("traceEvents": [)"), Format::kineto);
}

TEST(Format, TellsExecutionTraces) {
  for (const std::string head : {
           R"({"schema": "1.0.1", "pid": 1, "time": "x", "start_ts": 5, "nodes": [)",
           R"({"schema": "1.1.1-chakra.0.0.4", "pid": 1)",
           R"({"schema": "1.0.1", "nodes": [{"name": "a", "traceEvents": 1}]})",
           R"({"finish_ts": 3, "nodes": [{"id": 1)",  // keys in alphabetical order
       }) {
    EXPECT_EQ(name(format_of(head)), "pytorch_et") << head;
  }
  EXPECT_EQ(format_of(R"({"schema": "1.0.1"})"), Format::unknown);
  EXPECT_EQ(format_of(R"({"nodes": []})"), Format::unknown);
}

TEST(Format, TellsChakraInAllItsForms) {
  using namespace std::string_literals;
  EXPECT_EQ(format_of(R"({"workload_graph": [{"Id": 1}]})"), Format::chakra);
  EXPECT_EQ(format_of(R"({"id": "1", "name": "a", "type": "COMP_NODE"}{"id": "2"})"),
            Format::chakra);
  EXPECT_EQ(format_of("{\n  \"version\": \"0.0.4\"\n}\n{\n"), Format::chakra);
  EXPECT_EQ(format_of("\x07\x0A\x05\x30.0.4\x04\x08\x01\x18\x04"s), Format::chakra);  // metadata
  EXPECT_EQ(format_of("\0\x04\x08\x01\x18\x04"s), Format::chakra);  // an empty record first
  EXPECT_EQ(format_of("\x04\x08\x01\x18\x03\x06\x08\x02"s), Format::chakra);  // without; cut
  EXPECT_EQ(format_of("\0\0"s), Format::unknown);
  EXPECT_EQ(format_of("\x04\x08\x01\x9A\x06"s), Format::unknown);  // field 99
  EXPECT_EQ(format_of("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s), Format::unknown);
  EXPECT_EQ(format_of("hello"), Format::unknown);
}

TEST(Format, TellsDatabases) {
  std::string head("SQLite format 3\0", 16);
  head.resize(200, '\0');
  EXPECT_EQ(format_of(head), Format::unknown);
  EXPECT_EQ(format_of(head + "CREATE TABLE StringIds"), Format::nsys_sqlite);
  EXPECT_EQ(format_of(head + "CREATE TABLE `rocpd_string_0000a1`"), Format::rocpd);
  head.replace(68, 4, "Orry");
  EXPECT_EQ(format_of(head), Format::run_file);
}

TEST(Format, TellsTexts) {
  for (const char* word : {"MICRO", "DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA",
                           "HYBRID_DLRM 3", "HYBRID_DLRM_ENHANCED\t5", "HYBRID_TRANSFORMER"}) {
    EXPECT_EQ(format_of(word + std::string("\r\n1\n")), Format::astra_text) << word;
  }
  EXPECT_EQ(format_of("DATABASE\n1\n"), Format::unknown);
  EXPECT_EQ(format_of("DATA"), Format::unknown);
}

TEST(Format, TellsMessagesOfNetworkSimulations) {
  EXPECT_EQ(format_of("Nodes 16\nConnections 1\n0->13 start 0 size 2\n"), Format::htsim_matrix);
  EXPECT_EQ(format_of("# a\n\nConnections 1\r\nNodes 2\r\n"), Format::htsim_matrix);
  EXPECT_EQ(format_of("Nodes 32\nTiers 2\nPodsize 32\n"), Format::unknown);  // a topology
  EXPECT_EQ(format_of("Nodes 16\n"), Format::unknown);
  EXPECT_EQ(format_of("2\n0 1 3 100 2000000 2.0\n"), Format::ns3_flows);
  EXPECT_EQ(format_of("1\n0 1 3 2000000 2e-6\n"), Format::ns3_flows);
  EXPECT_EQ(format_of("2\n0 1 3 100 2000000 late\n"), Format::unknown);
  EXPECT_EQ(format_of("2 3\n0 1 3 100 2000000 2.0\n"), Format::unknown);
  EXPECT_EQ(format_of("num_ranks 2\nrank 0 {\n"), Format::goal);
  EXPECT_EQ(format_of("/* a\n b */\n// c\nnum_ranks 2"), Format::goal);
  EXPECT_EQ(format_of("num_rankss 2\n"), Format::unknown);
  for (const Format format : {Format::htsim_matrix, Format::ns3_flows, Format::goal}) {
    EXPECT_TRUE(is_message_list(format));
    EXPECT_FALSE(is_refused(format) || is_device_trace(format));
  }
  EXPECT_FALSE(is_message_list(Format::chakra));
}

TEST(Format, TellsCommunicationTraces) {
  EXPECT_EQ(format_of(R"({"traceEvents": [{"ph": "X", "name": "MPI_Allreduce"}]})"),
            Format::mpi_json);
  EXPECT_EQ(format_of(R"([{"ph": "X", "name": "MPI_Send", "args": {}}])"), Format::mpi_json);
  EXPECT_EQ(format_of(R"([{"comms": "all_reduce", "in_msg_size": 4}])"), Format::mpi_json);
}

TEST(Format, KnowsNothingOfTheRest) {
  for (const char* head : {"", "{", "[", "[1, 2]", R"({"a": [1]})", R"([{"a": 1}])",
                           R"({"0": [0, 1, 2, 3]})", "import torch\n", "<html>", "{}"}) {
    EXPECT_EQ(format_of(head), Format::unknown) << head;
  }
}

TEST(Format, TakesAnyBytes) {
  rc::check([](const std::string& bytes) {
    (void)format_of(bytes);
    (void)format_of("{" + bytes);
    (void)format_of("[{\"" + bytes);
    (void)format_of(R"({"a":)" + bytes);
  });
}

TEST(Outline, HasKeysOfTheOutermostObjectOnly) {
  const Outline object =
      outline_of(R"( {"a\"b": {"c": 1}, "d": ["e", {"f": 2}], "g": "h:", "d": 1)");
  EXPECT_TRUE(object.is_json);
  EXPECT_FALSE(object.is_array);
  EXPECT_EQ(object.keys, (std::vector<std::string>{R"(a\"b)", "d", "g"}));
  const Outline array = outline_of(R"([{"a": {"b": 1}}, {"c": 2}])");
  EXPECT_TRUE(array.is_array);
  EXPECT_EQ(array.keys, (std::vector<std::string>{"a", "c"}));
}

TEST(Outline, IsBounded) {
  std::string text = "{";
  for (int i = 0; i < 10'000; ++i) text += "\"k" + std::to_string(i) + "\": 1,";
  EXPECT_EQ(outline_of(text).keys.size(), 256u);
}

TEST(NaturalOrder, TakesNumbersByValue) {
  std::vector<std::string> names = {
      "rank10.json", "rank9.json", "rank09.json",
      "rank",        "rank1/b2",   "rank1/b10",
      "a",           "rank007x",   "rank99999999999999999999999999.json"};
  std::sort(names.begin(), names.end(), natural_less);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "rank", "rank1/b2", "rank1/b10", "rank007x",
                                             "rank9.json", "rank09.json", "rank10.json",
                                             "rank99999999999999999999999999.json"}));
}

TEST(NaturalOrder, IsAnOrder) {
  const auto word = rc::gen::container<std::string>(rc::gen::element('0', '1', '2', 'a', '.'));
  rc::check([&] {
    const std::string a = *word, b = *word, c = *word;
    RC_ASSERT(!natural_less(a, a));
    RC_ASSERT(a == b || natural_less(a, b) != natural_less(b, a));
    if (natural_less(a, b) && natural_less(b, c)) RC_ASSERT(natural_less(a, c));
  });
}

}  // namespace
}  // namespace orrery::trace
