// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/messages/message_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>

#include "orrery/core/paths_testing.h"
#include "orrery/intake/messages/line_words.h"

namespace orrery::intake {
namespace {

using graph::NodeId;
using graph::NodeKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A text read as messages.
struct MessageText {
  Findings findings;
  Result<graph::Workload> workload;

  explicit MessageText(std::string_view text)
      : workload([&] {
          trace::MemorySource source(std::as_bytes(std::span(text)));
          return read_messages(source, trace::format_of(text), "f", findings);
        }()) {}

  [[nodiscard]] const graph::Graph& rank(std::uint32_t number) const {
    return workload->graph(number);
  }
};

/// "send 2000000 to 13, tag 0, after 1": a node of a rank in words, dependencies by id.
std::vector<std::string> nodes_of(const graph::Graph& graph) {
  std::map<NodeId, std::string> after;
  for (NodeId n = 0; n < graph.size(); ++n)
    for (const NodeId next : graph.successors(n)) after[next] += " " + std::to_string(graph.id(n));
  std::vector<std::string> words;
  for (NodeId n = 0; n < graph.size(); ++n) {
    std::string text = std::string(graph.name(n));
    if (graph::is_message(graph.kind(n))) {
      const graph::PointToPoint message = graph.message(n, 0);
      const bool sends = graph.kind(n) == NodeKind::send;
      text += " " + std::to_string(message.size.count()) + (sends ? " to " : " from ") +
              std::to_string(sends ? message.dst : message.src) + " tag " +
              std::to_string(message.tag);
    } else if (graph.kind(n) == NodeKind::comp) {
      text += " " + std::to_string(graph.duration(n).count());
    }
    if (after.contains(n)) text += " after" + after[n];
    words.push_back(text);
  }
  return words;
}

const char* const kMatrix =
    "# made up\n"
    "Nodes 4\n"
    "Connections 3\n"
    "Triggers 1\n"
    "0->1 id 1 start 5 size 100 send_done_trigger 7\n"
    "1->2 id 2 trigger 7 size 200\n"
    "0->2 id 3 start 3 size 300\n"
    "trigger id 7 oneshot\n";

TEST(ConnectionMatrix, BecomesSendsAndReceives) {
  const MessageText read(kMatrix);
  ASSERT_TRUE(read.workload) << to_string(read.workload.error());
  EXPECT_EQ(read.workload->rank_count(), 4u);
  // Flows by start time: at 3 ps, then 2 ps later.
  EXPECT_THAT(nodes_of(read.rank(0)), ElementsAre("wait 3", "send 300 to 2 tag 2 after 0",
                                                  "wait 2 after 0", "send 100 to 1 tag 0 after 2"));
  EXPECT_THAT(nodes_of(read.rank(1)),
              ElementsAre("recv 100 from 0 tag 0", "send 200 to 2 tag 1 after 0"));
  EXPECT_THAT(nodes_of(read.rank(2)),
              ElementsAre("recv 300 from 0 tag 2", "recv 200 from 1 tag 1"));
  EXPECT_THAT(nodes_of(read.rank(3)), ElementsAre("joint"));  // idle
  EXPECT_TRUE(read.findings.list().empty());
}

TEST(ConnectionMatrix, SendsToOneReceiverDoNotWait) {
  const MessageText read("Nodes 2\nConnections 2\n0->1 start 0 size 1\n0->1 start 0 size 1\n");
  ASSERT_TRUE(read.workload) << to_string(read.workload.error());
  const graph::Graph& sender = read.rank(0);
  ASSERT_EQ(sender.size(), 2u);
  for (NodeId n = 0; n < 2; ++n) EXPECT_EQ(sender.lanes()[sender.lane(n)].row, 1);
}

// Host 3 sees neither end of the flow that starts its own: a message tells it, once.
TEST(ConnectionMatrix, TriggersReachOtherHosts) {
  const MessageText read(
      "Nodes 4\nConnections 4\nTriggers 1\n0->1 id 1 start 0 size 9 recv_done_trigger 2\n"
      "0->2 id 4 start 0 size 9 recv_done_trigger 2\n"
      "3->0 id 2 trigger 2 size 8\n3->1 id 3 trigger 2 size 7\ntrigger id 2 barrier count 2\n");
  ASSERT_TRUE(read.workload) << to_string(read.workload.error());
  EXPECT_THAT(nodes_of(read.rank(3)),
              ElementsAre("recv 1 from 1 tag 4", "recv 1 from 2 tag 5",
                          "send 8 to 0 tag 2 after 0 1", "send 7 to 1 tag 3 after 0 1"));
  EXPECT_THAT(
      nodes_of(read.rank(1)),
      ElementsAre("recv 9 from 0 tag 0", "send 1 to 3 tag 4 after 0", "recv 7 from 3 tag 3"));
  EXPECT_EQ(read.findings.count(FindingCode::default_assumed), 2u);
}

std::string error_of(std::string_view text) {
  const MessageText read(text);
  return read.workload ? "none" : to_string(read.workload.error());
}

TEST(ConnectionMatrix, NamesWhatIsWrong) {
  const std::string head = "Nodes 4\nConnections 1\n";
  EXPECT_THAT(error_of(head), HasSubstr("f: has no connections (E2011)"));
  EXPECT_THAT(error_of(head + "0->1 start 0 size 1\n0->1 start 0 size 1\n"),
              HasSubstr("f: declares 1 connections, but has 2 (E2014)"));
  EXPECT_THAT(error_of("Nodes 4\nConnections 3\n0->1 start 0 size 1\n"), HasSubstr("(E2002)"));
  EXPECT_THAT(error_of(head + "0->4 start 0 size 1\n"),
              HasSubstr("f:line 3: there is no host 4: the file declares 4 (E2009)"));
  EXPECT_THAT(error_of(head + "0->0 start 0 size 1\n"), HasSubstr("host 0 sends to itself"));
  EXPECT_THAT(error_of(head + "0->1 size 1\n"), HasSubstr("neither a start time nor a trigger"));
  EXPECT_THAT(error_of(head + "0->1 start 1 trigger 2 size 1\n"), HasSubstr("(E2014)"));
  EXPECT_THAT(error_of(head + "0->1 start 1\n"), HasSubstr("a flow without a size never ends"));
  EXPECT_THAT(error_of(head + "0->1 start -1 size 1\n"), HasSubstr("start is negative"));
  EXPECT_THAT(error_of(head + "0->1 start 0 size 1 speed 3\n"), HasSubstr("\"speed\" is unknown"));
  EXPECT_THAT(error_of(head + "0->1 start 0 size\n"), HasSubstr("size has no number"));
  EXPECT_THAT(error_of(head + "0-1 start 0 size 1\n"), HasSubstr("\"0-1\" begins no line"));
  EXPECT_THAT(error_of(head + "0->1 start 0 size 9999999999999999999\n"), HasSubstr("(E2009)"));
  EXPECT_THAT(error_of(head + "failure switch_type TOR\n"), HasSubstr("fabric.faults"));
  EXPECT_THAT(error_of(head + "0->1 id 1 trigger 5 size 1\n"),
              HasSubstr("f:line 3: trigger 5 is not declared (E2006)"));
  EXPECT_THAT(error_of(head + "0->1 id 1 trigger 5 size 1\ntrigger id 5 oneshot\n"),
              HasSubstr("trigger 5 never fires"));
  EXPECT_THAT(error_of(head + "0->1 id 1 trigger 5 size 1 send_done_trigger 5\n"
                              "trigger id 5 oneshot\n"),
              HasSubstr("this flow never starts"));
  // 1,500 flows wait for 1,500 others, twice: each trigger is below the limit, the sum is above.
  std::string many = "Nodes 4\nConnections 6000\n";
  for (const char* const trigger : {"5", "6"}) {
    for (int i = 0; i < 1500; ++i)
      many += std::string("0->1 start 0 size 1 send_done_trigger ") + trigger + "\n1->2 trigger " +
              trigger + " size 1\n";
    many += std::string("trigger id ") + trigger + " barrier count 1500\n";
  }
  EXPECT_THAT(error_of(many), HasSubstr("with trigger 6, flows wait for more than 4194304"));
  EXPECT_THAT(error_of("Nodes 4\nConnections 3\n0->1 start 0 size 1 send_done_trigger 5\n"
                       "1->2 start 0 size 1 send_done_trigger 5\n0->1 trigger 5 size 1\n"
                       "trigger id 5 multishot\n"),
              HasSubstr("2 flows fire trigger 5, and the first 1 of them count (E2004)"));
  EXPECT_THAT(error_of(head + std::string(LineWords::kLongestLine + 1, 'x')),
              HasSubstr("f:line 3: is longer than 65536 bytes (E4000)"));
}

TEST(FlowList, BeginsWithItsFirstFlow) {
  const MessageText read("2\n0 1 3 100 2000000 2.0\n2 1 3 101 4096 2.000001\n");
  ASSERT_TRUE(read.workload) << to_string(read.workload.error());
  EXPECT_EQ(read.workload->rank_count(), 3u);
  EXPECT_THAT(nodes_of(read.rank(0)), ElementsAre("send 2000000 to 1 tag 0"));
  EXPECT_THAT(nodes_of(read.rank(2)), ElementsAre("wait 1000000", "send 4096 to 1 tag 1 after 0"));
}

TEST(FlowList, HasFiveToSevenColumns) {
  const MessageText five("1\n0 1 3 77 0.5\n"), seven("1\n12 0 1 3 100 77 0.5\n");
  ASSERT_TRUE(five.workload && seven.workload);
  EXPECT_THAT(nodes_of(five.rank(0)), ElementsAre("send 77 to 1 tag 0"));
  EXPECT_EQ(nodes_of(seven.rank(0)), nodes_of(five.rank(0)));
}

TEST(FlowList, NamesWhatIsWrong) {
  EXPECT_THAT(error_of("3\n0 1 3 100 77 0\n"), HasSubstr("f: declares 3 flows, but has 1 (E2002)"));
  EXPECT_THAT(error_of("2\n0 1 3 100 77 0\n1 0 77 0\n"),
              HasSubstr("f:line 3: has 4 columns, but the first flow has 6 (E2003)"));
  EXPECT_THAT(error_of("1\n0 0 3 100 77 0\n"), HasSubstr("host 0 sends to itself"));
  EXPECT_THAT(error_of("1\n0 1 3 100 0 0\n"), HasSubstr("the flow has no bytes"));
  const MessageText more("1\n0 1 3 100 77 0\n0 1 3 100 77 0\n");
  ASSERT_TRUE(more.workload);
  EXPECT_EQ(more.rank(0).size(), 1u);
  EXPECT_EQ(more.findings.count(FindingCode::attr_ignored), 1u);
}

const char* const kGoal =
    "/* made up */\n"
    "num_ranks 2\n"
    "rank 0 {\n"
    "l1: calc 1500\n"
    "l2: send 65536b to 1 tag 4 cpu 0 nic 0\n"
    "l2 requires l1\n"
    "}\n"
    "rank 1 {\n"
    "recv 65536 b from 0 tag 4   // without a label\n"
    "l2: calc 100 cpu 1\n"
    "l3: calc 0\n"
    "l2 irequires l4\n"
    "l4: calc 7\n"
    "l4 requires l3\n"
    "}\n";

TEST(Goal, BecomesOneGraphPerRank) {
  const MessageText read(kGoal);
  ASSERT_TRUE(read.workload) << to_string(read.workload.error());
  EXPECT_THAT(nodes_of(read.rank(0)), ElementsAre("calc 1500000", "send 65536 to 1 tag 4 after 0"));
  // Node 7 is the moment in which l4 can start, and with it l2.
  EXPECT_THAT(nodes_of(read.rank(1)), ElementsAre("recv 65536 from 0 tag 4", "calc 100000 after 7",
                                                  "joint", "calc 7000 after 7", "joint after 2"));
  const graph::Graph& graph = read.rank(1);
  EXPECT_NE(graph.lane(1), graph.lane(3));  // cpu 1 and cpu 0
}

const char* const kFlexFlow =
    "digraph taskgraph {\n"
    "  node [shape=record];\n"
    "  node0 [label=\"{ npu=0 | linear | fwd | COMP_NODE | wall_clock_time=4.2e-05 }\"];\n"
    "  node1 [label=\"{ npu=0 | act | fwd | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=64 }\"];\n"
    "  node2 [shape=record,label=\"{ npu=1 | relu | fwd | COMP_NODE | wall_clock_time=1e-6 }\"];\n"
    "  node3 [label=\"{ npu=1 | grad | bwd | COMM_SEND_RECV_NODE | src=1 | dst=0 | size=8 }\"];\n"
    "  node0 -> node1 -> node2;\n"
    "  node2 -> node3 // back\n"
    "}\n";

TEST(FlexFlow, BecomesOneGraphPerNpu) {
  const MessageText read(kFlexFlow);
  ASSERT_TRUE(read.workload) << to_string(read.workload.error());
  ASSERT_EQ(read.workload->rank_count(), 2u);
  EXPECT_THAT(nodes_of(read.rank(0)),
              ElementsAre("linear 42000000", "act 64 to 1 tag 0 after 0", "grad 8 from 1 tag 1"));
  EXPECT_THAT(nodes_of(read.rank(1)), ElementsAre("act 64 from 0 tag 0", "relu 1000000 after 1",
                                                  "grad 8 to 0 tag 1 after 2"));
}

TEST(FlexFlow, NamesWhatIsWrong) {
  const std::string good = kFlexFlow;
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  const struct {
    std::string text;
    Errc code;
    std::string_view what;
  } cases[] = {
      {good.substr(0, good.size() - 2), Errc::input_truncated, "no closing brace"},
      {good.substr(0, good.find("4.2e")), Errc::input_truncated, "quoted text has no end"},
      {with("4.2e-05", "fast"), Errc::input_corrupt, "must be a number"},
      {with("4.2e-05", "-1"), Errc::input_range, "negative"},
      {with("COMP_NODE", "MEM_NODE"), Errc::input_unsupported, "\"MEM_NODE\""},
      {with("size=64", "size=-64"), Errc::input_range, "the size"},
      {with("dst=1", "dst=0"), Errc::input_range, "to itself"},
      {with("dst=1 | size=64", "dst=1"), Errc::input_missing_attr, "lacks"},
      {with("npu=0 | linear", "npu=7 | linear"), Errc::input_dangling_dep, "another NPU"},
      {"digraph g { node0 [label=\"{npu=16777215|a|f|COMP_NODE|t=1}\"]; }", Errc::input_mismatch,
       "NPU 0 of 16777216"},
      {with("node3 [", "node2 ["), Errc::input_duplicate_id, "\"node2\""},
      {with("node2 -> node3", "node2 -> node9"), Errc::input_dangling_dep, "no node9"},
      {with("node2 -> node3", "node2 -> node2"), Errc::input_self_edge, "waits for itself"},
      {with("node2 -> node3", "node3 -> node2 -> node3"), Errc::input_cycle, ""},
      {with("  node [shape=record];", "  subgraph a { }"), Errc::input_unsupported, "subgraphs"},
      {with("  node [shape=record];", "  <b>"), Errc::input_corrupt, "begins no word"},
      {"digraph g { /* COMP_NODE */ }", Errc::input_empty, "no node"},
  };
  for (const auto& one : cases) {
    const MessageText read(one.text);
    ASSERT_FALSE(read.workload) << one.text;
    const Error& error = read.workload.error();
    EXPECT_EQ(error.code, one.code) << to_string(error);
    EXPECT_THAT(error.what, HasSubstr(std::string(one.what)));
    EXPECT_THAT(error.where, HasSubstr("f"));
  }
}

std::string field(std::uint32_t number, std::string_view bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) +
         std::string(bytes);
}
std::string field(std::uint32_t number, int value) {
  return std::string(1, static_cast<char>(number << 3)) + static_cast<char>(value);
}

/// a (5 us) → b (7 us), c after b; d on another device.
std::string cost_graph() {
  const auto node = [](std::string_view name, std::string_view device, const std::string& rest) {
    return field(1, field(1, name) + field(2, device) + rest);
  };
  return node("a", "/cpu:0", field(3, 0) + field(9, 5)) +
         node("b", "/cpu:0", field(3, 1) + field(4, "") + field(9, 7)) +
         node("c", "/cpu:0", field(3, 2) + field(8, 1)) +
         node("d", "/gpu:0", field(3, 1) + field(9, 3));
}

TEST(CostGraph, IsOneRankWithAStreamPerDevice) {
  for (const std::string& bytes : {cost_graph(), field(2, cost_graph())}) {
    const MessageText read(bytes);
    ASSERT_TRUE(read.workload) << to_string(read.workload.error());
    ASSERT_EQ(read.workload->rank_count(), 1u);
    EXPECT_THAT(nodes_of(read.rank(0)),
                ElementsAre("a 5000000", "b 7000000 after 0", "c after 1", "d 3000000"));
  }
}

TEST(CostGraph, TruncatedFilesAreErrors) {
  const std::string bytes = field(2, cost_graph());
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    trace::MemorySource source(std::as_bytes(std::span(bytes.data(), size)));
    Findings findings;
    const auto read = read_messages(source, trace::Format::cost_graph, "f", findings);
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, Errc::input_truncated) << size << to_string(read.error());
  }
}

TEST(Goal, NamesWhatIsWrong) {
  const std::string head = "num_ranks 2\nrank 0 {\n";
  EXPECT_THAT(error_of("num_ranks 2\n"), HasSubstr("f: has no ranks (E2011)"));
  EXPECT_THAT(error_of("num_ranks 2\nnum_ranks 3\n"),
              HasSubstr("f:line 2: num_ranks appears twice"));
  // Of several missing labels, the one of the lowest line.
  std::string missing = head + "l0: calc 1\n";
  for (int i = 1; i < 40; ++i) missing += "l0 requires m" + std::to_string(i) + "\n";
  EXPECT_THAT(error_of(missing + "}\n"), HasSubstr("f:line 4: rank 0 has no label \"m1\" (E2006)"));
  EXPECT_THAT(error_of(head), HasSubstr("ends inside rank 0: its closing brace is missing"));
  EXPECT_THAT(error_of(head + "}\n"), HasSubstr("does not describe rank 1 (E2002)"));
  EXPECT_THAT(error_of(head + "l1: calc 1\nl1: calc 2\n}"),
              HasSubstr("f:line 4: label \"l1\" appears twice in rank 0 (E2005)"));
  EXPECT_THAT(error_of(head + "l1: calc 1\nl1 requires l9\n}"),
              HasSubstr("f:line 4: rank 0 has no label \"l9\" (E2006)"));
  EXPECT_THAT(error_of(head + "l1: calc 1\nl1 requires l1\n}"), HasSubstr("waits for itself"));
  EXPECT_THAT(error_of(head + "l1: calc 1\nl2: calc 1\nl1 requires l2\nl2 irequires l1\n}"),
              HasSubstr("(E2008)"));
  EXPECT_THAT(error_of(head + "l1: recv 8b from -1 tag 0\n}"), HasSubstr("from any rank (E2004)"));
  EXPECT_THAT(error_of(head + "l1: recv 8b from 1 tag -1\n}"), HasSubstr("with any tag (E2004)"));
  EXPECT_THAT(error_of(head + "l1: coll allreduce 8b 0\n}"),
              HasSubstr("\"coll\" is no operation that is read"));
  EXPECT_THAT(error_of(head + "l1: send 8 to 1\n}"), HasSubstr("a size ends with 'b'"));
  EXPECT_THAT(error_of(head + "l1: send 8b at 1\n}"), HasSubstr("'to' expected"));
  EXPECT_THAT(error_of(head + "l1: send 8b to 2\n}"), HasSubstr("(E2009)"));
  EXPECT_THAT(error_of(head + "l1: send 8b to 0\n}"), HasSubstr("itself"));
  EXPECT_THAT(error_of(head + "l1: calc 1 gpu 3\n}"), HasSubstr("but there is \"gpu\""));
  EXPECT_THAT(error_of(head + "l1: calc\n}"), HasSubstr("but there is the end of the line"));
  EXPECT_THAT(error_of(head + "}\nrank 0 {\n}"), HasSubstr("rank 0 is described twice (E2005)"));
  EXPECT_THAT(error_of("num_ranks 2\nrank 2 {\n}"), HasSubstr("rank 2 of 2 ranks (E2009)"));
  EXPECT_THAT(error_of("num_ranks 2\n}\n"), HasSubstr("'num_ranks' or 'rank' expected"));
}

// Cut anywhere, each text gives an answer, and an error names its file.
TEST(MessageFiles, CutTextsAreAnswered) {
  for (const std::string text :
       {kMatrix, kGoal, "2\n0 1 3 100 2000000 2.0\n2 1 3 101 4096 2.1\n"}) {
    const trace::Format format = trace::format_of(text);
    for (std::size_t length = 0; length < text.size(); ++length) {
      const std::string part = text.substr(0, length);
      trace::MemorySource source(std::as_bytes(std::span(part)));
      Findings findings;
      const auto read = read_messages(source, format, "f", findings);
      if (read) continue;
      EXPECT_TRUE(read.error().where.starts_with("f")) << to_string(read.error());
    }
  }
}

TEST(MessageFiles, MissingRanksAreIdle) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "message_files_test.cm";
  std::ofstream(path) << kMatrix;
  ASSERT_TRUE(is_message_file(path));
  const auto more = read_message_file(path, 6);
  ASSERT_TRUE(more) << to_string(more.error());
  EXPECT_EQ(more->rank_count(), 6u);
  EXPECT_THAT(nodes_of(more->graph(5)), ElementsAre("joint"));
  const auto fewer = read_message_file(path, 3);
  ASSERT_FALSE(fewer);
  EXPECT_EQ(fewer.error().code, Errc::config_conflict);
  std::filesystem::remove(path);
  EXPECT_FALSE(is_message_file(path));
}

// All matrices of htsim that are at hand.
TEST(MessageFiles, ReadsHtsimsOwnMatrices) {
  const auto folder =
      std::filesystem::path(core_testing::kSourceFolder) / "../shared/data/packets/cm";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no matrices at ../shared/data/packets/cm";
  std::size_t flows = 0, files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const auto read = read_message_file(file.path().string(), 0);
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_TRUE(read->findings.list().empty()) << file.path();
    ++files;
    for (const std::uint32_t graph : read->graph_of_rank)
      for (const NodeKind kind : read->graphs[graph]->kinds()) flows += kind == NodeKind::send;
  }
  EXPECT_EQ(files, 14u);
  EXPECT_EQ(flows, 2u + 15 + 1023 + 127 + 3 + 1 + 21 + 1024 + 16 + 32 + 10 + 10 + 1 + 1);
}

}  // namespace
}  // namespace orrery::intake
