// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "orrery/trace/chakra/chakra_testing.h"
#include "orrery/trace/chakra/records/finding_attribute.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::trace::chakra {
namespace {

using graph::CollectiveType;
using graph::NodeKind;
using ::testing::ElementsAre;
using testing::framed;
using testing::metadata;
using testing::node;
using testing::read;
using testing::trace;

TEST(Reader, ReadsEveryAttribute) {
  NodeRecord comp = node(1, 4, {},
                         {attribute_bool("is_cpu_op", true), attribute_int64("num_ops", 5),
                          attribute_uint64("tensor_size", 6)});
  comp.duration_micros = 3;
  const std::string bytes =
      trace({comp,
             node(2, 7, {1},
                  {attribute_int64("comm_type", 2), attribute_int64("comm_size", 1 << 20),
                   attribute_string("pg_name", "4"), attribute_int32("comm_priority", -2),
                   attribute_bools("involved_dim", {true, false, true})}),
             node(3, 5, {2},
                  {attribute_int32("comm_src", 1), attribute_int32("comm_dst", 2),
                   attribute_int32("comm_tag", 9), attribute_int64("comm_size", 10)})});
  const auto out = read(bytes);
  ASSERT_TRUE(out.graph) << to_string(out.graph.error());
  EXPECT_TRUE(out.findings.empty());
  const graph::Graph& graph = *out.graph;
  EXPECT_EQ(graph.duration(0), us(3));
  EXPECT_TRUE(graph.is_cpu(0));
  EXPECT_EQ(graph.work(0).num_ops, 5);
  EXPECT_EQ(graph.work(0).tensor_size, Bytes(6));
  const graph::Collective& coll = graph.collective(1);
  EXPECT_EQ(coll.type, CollectiveType::all_gather);
  EXPECT_EQ(coll.size, Bytes(1 << 20));
  EXPECT_EQ(graph.string(coll.group), "4");
  EXPECT_EQ(coll.priority, -2);
  EXPECT_EQ(coll.dims_mask, 0b101u);
  EXPECT_EQ(coll.dims_count, 3);
  EXPECT_EQ(graph.point_to_point(2).dst, 2);
  EXPECT_EQ(graph.point_to_point(2).tag, 9u);
  EXPECT_THAT(graph.in_degrees(), ElementsAre(0u, 1u, 1u));
  EXPECT_TRUE(graph.has(2, graph::kHasSrc));
  EXPECT_FALSE(graph.has(0, graph::kHasCommSize));
}

// The length of a first record of 256 or 384 bytes reads 80 02 or 80 03, as a Python pickle begins.
TEST(Reader, ReadsFirstRecordsOfEveryLength) {
  std::set<std::string> starts;
  for (std::size_t text = 1; text < 600; ++text) {
    NodeRecord first = node(1, 4, {}, {attribute_bool("is_cpu_op", true)});
    first.name = std::string(text, 'k');
    std::string bytes;
    append_framed(bytes, first);
    append_framed(bytes, node(2, 4));
    starts.insert(bytes.substr(0, 2));
    const auto out = read(bytes);
    ASSERT_TRUE(out.graph) << text << to_string(out.graph.error());
    ASSERT_EQ(out.graph->size(), 2u);
  }
  EXPECT_TRUE(starts.contains("\x80\x02") && starts.contains("\x80\x03"));
}

// Messages of custom collectives may say their size in chunks of the buffer; bytes go before.
TEST(Reader, ReadsSharesOfACollectivesBuffer) {
  const auto message = [](std::uint64_t id, std::vector<AttributeRecord> more) {
    more.push_back(attribute_int32("comm_dst", 1));
    more.push_back(attribute_int32("comm_tag", 0));
    return node(id, 5, {}, std::move(more));
  };
  const auto out = read(
      trace({message(1, {attribute_int32("msg_chunk_cnt", 2), attribute_int32("total_chunk_cnt", 8),
                         attribute_int32("msg_chunk_idx", 5)}),
             message(2, {attribute_int64("comm_size", 10), attribute_int32("msg_chunk_cnt", 2),
                         attribute_int32("total_chunk_cnt", 8)})}));
  ASSERT_TRUE(out.graph) << to_string(out.graph.error());
  const graph::PointToPoint& share = out.graph->point_to_point(0);
  EXPECT_EQ(share.pieces, 8u);
  EXPECT_EQ(share.first_piece(), 5u);
  EXPECT_EQ(share.piece_count(), 2u);
  EXPECT_EQ(share.share_of(Bytes(803)), Bytes(803 * 7 / 8 - 803 * 5 / 8));
  EXPECT_FALSE(out.graph->has(0, graph::kHasCommSize));
  EXPECT_EQ(out.graph->point_to_point(1).size, Bytes(10));
  EXPECT_EQ(out.graph->point_to_point(1).pieces, 0u);
  // Written, they are the same.
  Findings findings;
  std::vector<NodeRecord> records = records_of(*out.graph, findings).nodes;
  const auto again = read(trace(records));
  ASSERT_TRUE(again.graph) << to_string(again.graph.error());
  EXPECT_EQ(again.graph->content_hash(), out.graph->content_hash());
}

TEST(Reader, TakesAScalarFromAnyMember) {
  const Member members[] = {Member::int32_val,    Member::int64_val,   Member::uint32_val,
                            Member::uint64_val,   Member::fixed32_val, Member::fixed64_val,
                            Member::sfixed32_val, Member::sfixed64_val};
  for (const Member member : members) {
    const auto out = read(trace({node(0, 7, {}, {attribute("comm_size", member, 77)})}));
    ASSERT_TRUE(out.graph);
    EXPECT_EQ(out.graph->collective(0).size, Bytes(77));
    EXPECT_TRUE(out.findings.empty());
  }
  for (const Member member : {Member::sint32_val, Member::sint64_val}) {
    EXPECT_EQ(read(trace({node(0, 7, {}, {attribute("comm_size", member, 154)})}))
                  .graph->collective(0)
                  .size,
              Bytes(77));
  }
  const auto real = read(trace({node(0, 7, {}, {attribute_double("comm_size", 77.0)})}));
  EXPECT_EQ(real.graph->collective(0).size, Bytes(77));
  EXPECT_EQ(real.findings.count(FindingCode::attr_coerced), 1u);
  EXPECT_EQ(read(trace({node(0, 7, {}, {attribute_string("comm_size", "77")})}))
                .graph->collective(0)
                .size,
            Bytes(77));
  EXPECT_TRUE(read(trace({node(0, 4, {}, {attribute_int32("is_cpu_op", 1)})})).graph->is_cpu(0));
}

TEST(Reader, TheFirstAttributeOfANameWins) {
  const auto out = read(
      trace({node(0, 7, {}, {attribute_int64("comm_size", 1), attribute_int64("comm_size", 2)})}));
  EXPECT_EQ(out.graph->collective(0).size, Bytes(1));
}

TEST(Reader, TheExactDurationBeforeWholeMicroseconds) {
  NodeRecord exact = node(0, 4, {}, {attribute_int64("duration_ps", 1'234'567)});
  exact.duration_micros = 1;
  const auto out = read(trace({exact}));
  EXPECT_EQ(out.graph->duration(0), ps(1'234'567));
  EXPECT_TRUE(out.findings.empty());
  const auto negative = read(trace({node(0, 4, {}, {attribute_int64("duration_ps", -1)})}));
  EXPECT_EQ(negative.graph.error().code, Errc::input_range);
}

TEST(Reader, AnOldCommGroupIsAGroupName) {
  const auto out = read(trace({node(0, 7, {}, {attribute_int32("comm_group", 3)})}));
  EXPECT_EQ(out.graph->string(out.graph->collective(0).group), "3");
}

TEST(Reader, AnUnknownCollectiveIsUnknown) {
  EXPECT_EQ(
      read(trace({node(0, 7, {}, {attribute_int64("comm_type", 42)})})).graph->collective(0).type,
      CollectiveType::unknown);
}

TEST(Reader, ReadsTensorsIncludingListsWithoutValue) {
  const auto out = read(trace({node(0, 4, {},
                                    {attribute("inputs", Member::none, 0),
                                     attribute_strings("outputs", {"a", "128.0", "b", "4"})}),
                               node(1, 4, {}, {attribute_strings("inputs", {"one"})})}));
  ASSERT_TRUE(out.graph);
  EXPECT_TRUE(out.graph->has(0, graph::kHasTensors));
  ASSERT_EQ(out.graph->tensors(0).size(), 2u);
  EXPECT_EQ(out.graph->tensors(0)[0].size, Bytes(128));
  EXPECT_TRUE(out.graph->tensors(0)[1].is_output);
  EXPECT_FALSE(out.graph->has(1, graph::kHasTensors));
  EXPECT_EQ(out.findings.count(FindingCode::attr_ignored), 1u);
}

TEST(Reader, UnionOfDataAndControlDependencies) {
  NodeRecord last = node(2, 4, {0});
  last.ctrl_deps = {0, 1};
  const auto out = read(trace({last, node(0, 4), node(1, 4)}));
  ASSERT_TRUE(out.graph);
  EXPECT_THAT(out.graph->in_degrees(), ElementsAre(0u, 0u, 2u));
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(read(trace({node(0, 4), node(2, 4, {0, 0})}))
                .findings.count(FindingCode::duplicate_dep_merged),
            1u);
}

TEST(Reader, AcceptsUnpackedListsUnknownFieldsAndAnyFieldOrder) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_uint64(5, 0);
  writer.add_uint64(5, 1);
  writer.add_string(200, "later");
  writer.add_enum(3, 4);
  writer.add_uint64(1, 2);
  const auto out = read(trace({node(0, 4), node(1, 4)}) + framed(message));
  ASSERT_TRUE(out.graph);
  EXPECT_EQ(out.graph->in_degrees()[2], 2u);
  EXPECT_EQ(out.findings.count(FindingCode::unknown_field_kept), 1u);
}

TEST(Reader, AnEmptyRecordIsTheDefaultNode) {
  const auto out = read(metadata() + std::string(1, '\0') + framed("\x08\x01\x18\x04"));
  ASSERT_TRUE(out.graph);
  EXPECT_EQ(out.graph->size(), 2u);
  EXPECT_EQ(out.graph->kind(0), NodeKind::invalid);
  EXPECT_EQ(out.findings.count(FindingCode::empty_record), 1u);
}

TEST(Reader, MetadataMayBeEmptyOrMissingOrWithoutVersion) {
  const std::string nodes =
      testing::trace({node(0, 4, {}, {attribute_int64("num_ops", 1)})}).substr(metadata().size());
  EXPECT_TRUE(read(std::string(1, '\0') + nodes).graph);
  EXPECT_TRUE(read(nodes).graph);
  MetadataRecord plain;
  plain.attributes = {attribute_string("schema", "symbolic_tensor_network")};
  std::string bytes;
  append_framed(bytes, plain);
  const auto out = read(bytes + nodes);
  ASSERT_TRUE(out.graph);
  EXPECT_EQ(out.graph->size(), 1u);
}

TEST(Reader, WhatWasFoundWhileItWasMadeIsFound) {
  Findings made;
  made.add(FindingCode::wait_learned, "rank0.json", 28);
  made.add(FindingCode::comm_alone, "somewhere");
  MetadataRecord metadata;
  metadata.version = "0.0.4";
  metadata.attributes = {attribute_findings(made)};
  // What another version, or no program, would write.
  for (const char* text : {"new_kind 3", "wait_learned", "wait_learned -1", "wait_learned 0",
                           "wait_learned 1x", "wait_learned 99999999999999999999", "", " "})
    metadata.attributes[0].texts.emplace_back(text);
  metadata.attributes.push_back(attribute_string("findings", "comm_alone 5"));
  std::string bytes;
  append_framed(bytes, metadata);
  append_framed(bytes, node(0, 4));
  const auto out = read(bytes);
  ASSERT_TRUE(out.graph);
  EXPECT_EQ(out.findings.count(FindingCode::wait_learned), 28u);
  EXPECT_EQ(out.findings.count(FindingCode::comm_alone), 1u);
  EXPECT_EQ(out.findings.list().size(), 2u);
  EXPECT_EQ(out.findings.list()[0].places, std::vector<std::string>{"t.et"});
}

TEST(Reader, UnpacksGzipWhateverItsName) {
  const std::string bytes = trace({node(0, 4), node(1, 4, {0})});
  EXPECT_EQ(read(testing::gzip(bytes)).graph->size(), 2u);
  const std::string two_members =
      testing::gzip(bytes.substr(0, 10)) + testing::gzip(bytes.substr(10));
  EXPECT_EQ(read(two_members).graph->size(), 2u);
}

TEST(Reader, ReadsAcrossBlocks) {
  std::vector<NodeRecord> nodes;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    nodes.push_back(
        node(i, 4, i == 0 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{i - 1}));
    nodes.back().name.assign(i % 1000 + 500, 'x');
  }
  nodes[1500].name.assign(3 << 20, 'y');  // larger than a block
  const auto out = read(trace(nodes));
  ASSERT_TRUE(out.graph);
  EXPECT_EQ(out.graph->size(), 3000u);
  EXPECT_EQ(out.graph->name(1500).size(), std::size_t{3} << 20);
}

TEST(Reader, FindsProcessGroupsInMetadataNodes) {
  const auto with = [](std::string values) {
    NodeRecord init = node(1, 1);
    init.name = "## process_group:init ##";
    init.inputs.emplace().values = std::move(values);
    return read(trace({init}));
  };
  const auto python =
      with(R"(['[{"pg_name": "0", "ranks": []}, {"pg_name": "7", "ranks": [3, 1]}]'])");
  ASSERT_EQ(python.groups.size(), 2u);
  EXPECT_THAT(python.groups.at("7").ranks, ElementsAre(3u, 1u));
  EXPECT_TRUE(python.groups.at("0").ranks.empty());
  const char* const escaped = R"(['[{"pg_name": "a\\"b", "pg_desc": "dp\'s", "ranks": [0]}]'])";
  EXPECT_EQ(with(escaped).groups.count("a\"b"), 1u);
  EXPECT_EQ(with(R"([{"pg_name": 5, "ranks": [0]}])").groups.at("5").ranks.size(), 1u);
  EXPECT_EQ(with(R"(["[{\"pg_name\": \"5\", \"ranks\": [0]}]"])").groups.count("5"), 1u);
  const auto broken = with(R"(['[{"pg_name": "0", "ranks": [}'])");
  EXPECT_TRUE(broken.graph);
  EXPECT_EQ(broken.findings.count(FindingCode::metadata_group_ignored), 1u);
}

/// A trace whose metadata has these kernels, and a node for each of `numbers`.
std::string with_kernels(const std::vector<std::string>& texts,
                         const std::vector<AttributeRecord>& said) {
  MetadataRecord head;
  head.version = "0.0.4";
  head.attributes.push_back(attribute_strings("kernels", texts));
  std::string bytes;
  append_framed(bytes, head);
  for (std::size_t i = 0; i < said.size(); ++i) {
    NodeRecord record;
    record.id = i + 1;
    record.type = 4;
    record.attributes = {attribute_bool("is_cpu_op", false), said[i]};
    append_framed(bytes, record);
  }
  return bytes;
}

TEST(Reader, KernelsAreThoseOfTheMetadataOrOfTheNodeItself) {
  const std::string gemm = "gemm forward bf16,bf16>bf16 m=4 n=5 k=6 transposed_b";
  const std::string norm = "rms_norm forward bf16,unsaid>bf16 rows=4 features=5";
  const auto out = read(with_kernels(
      {norm, "nonsense", gemm},
      {attribute_int64("kernel", 2), attribute_int64("kernel", 0), attribute_string("kernel", gemm),
       attribute_int64("kernel", 1), attribute_int64("kernel", 3),
       attribute_string("kernel", "nonsense"), attribute_int64("num_ops", 9)}));
  ASSERT_TRUE(out.graph) << to_string(out.graph.error());
  const auto& graph = out.graph;
  ASSERT_NE(graph->kernels(), nullptr);
  const auto text = [&](graph::NodeId n) {
    return graph->kernel(n) == graph::kNoKernel ? std::string("none")
                                                : to_text((*graph->kernels())[graph->kernel(n)]);
  };
  EXPECT_EQ(text(0), gemm);
  EXPECT_EQ(text(1), norm);
  EXPECT_EQ(text(2), gemm);
  for (graph::NodeId n = 3; n < 7; ++n) EXPECT_EQ(text(n), "none");
  EXPECT_EQ(out.findings.count(FindingCode::attr_ignored),
            4u);  // one of the metadata's, three nodes'
  // Written again they are the same.
  Findings more;
  const TraceRecords records = records_of(*graph, more);
  std::string again;
  append_framed(again, *records.metadata);
  for (const NodeRecord& record : records.nodes) append_framed(again, record);
  const auto reread = read(again);
  ASSERT_TRUE(reread.graph);
  EXPECT_EQ(reread.graph->content_hash(), graph->content_hash());
}

/// A trace with one kernel whose metadata says so of launches.
std::string with_launch(Member member, std::vector<std::uint64_t> times) {
  MetadataRecord head;
  head.version = "0.0.4";
  head.attributes.push_back(
      attribute_strings("kernels", {"softmax forward bf16,bf16>bf16 rows=4 features=5"}));
  head.attributes.push_back(attribute("kernel_launch_ps", member, 0));
  head.attributes.back().list = std::move(times);
  std::string bytes;
  append_framed(bytes, head);
  NodeRecord record;
  record.id = 1;
  record.type = 4;
  record.attributes = {attribute_bool("is_cpu_op", false), attribute_int64("kernel", 0)};
  append_framed(bytes, record);
  return bytes;
}

TEST(Reader, HostsLaunchAsTheMetadataSays) {
  const auto launch_of = [](const auto& out) { return out.graph->kernels()->launch_times(); };
  const std::string bytes = with_launch(Member::int64_list, {24'000'000, 30'000'000, 0});
  const auto out = read(bytes);
  ASSERT_TRUE(out.graph) << to_string(out.graph.error());
  ASSERT_NE(out.graph->kernels(), nullptr);
  EXPECT_EQ(launch_of(out), (graph::LaunchTimes{us(24), us(30), Time{}}));
  EXPECT_EQ(out.findings.count(FindingCode::attr_ignored), 0u);
  Findings more;
  const TraceRecords records = records_of(*out.graph, more);
  std::string again;
  append_framed(again, *records.metadata);
  for (const NodeRecord& record : records.nodes) append_framed(again, record);
  const auto reread = read(again);
  ASSERT_TRUE(reread.graph);
  EXPECT_EQ(launch_of(reread), launch_of(out));
  EXPECT_EQ(reread.graph->content_hash(), out.graph->content_hash());
  const auto without = read(with_launch(Member::int64_list, {0, 0, 0}));
  EXPECT_NE(without.graph->content_hash(), out.graph->content_hash());
}

TEST(Reader, LaunchTimesThatCannotBeAreLeftOut) {
  for (const auto& bytes : {with_launch(Member::int64_list, {1, 2}),
                            with_launch(Member::int64_list, {1, 2, ~std::uint64_t{0}}),
                            with_launch(Member::int64_list, {1, 2, 2'000'000'000'000}),
                            with_launch(Member::int64_val, {})}) {
    const auto out = read(bytes);
    ASSERT_TRUE(out.graph);
    EXPECT_FALSE(out.graph->kernels()->launch_times().is_set());
    EXPECT_EQ(out.findings.count(FindingCode::attr_ignored), 1u);
  }
}

}  // namespace
}  // namespace orrery::trace::chakra
