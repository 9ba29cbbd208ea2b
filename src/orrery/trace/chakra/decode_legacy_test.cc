// SPDX-License-Identifier: Apache-2.0
//
// Layouts of 2023, written here field by field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/trace/chakra/chakra_testing.h"

namespace orrery::trace::chakra {
namespace {

using graph::CollectiveType;
using graph::NodeKind;
using protozero::pbf_writer;
using testing::framed;
using testing::read;

/// One node of 0.0.1.
std::string flat(std::uint64_t id, std::uint64_t type,
                 const std::vector<std::pair<std::uint32_t, std::uint64_t>>& fields) {
  std::string message;
  pbf_writer writer(message);
  writer.add_uint64(1, id);
  writer.add_string(2, "n");
  writer.add_uint64(3, type);
  for (const auto& [tag, value] : fields) writer.add_uint64(tag, value);
  return framed(message);
}

TEST(Legacy, V001FlatFields) {
  const std::string bytes =
      flat(1, 3, {{7, 5}, {12, 100}}) +  // COMP, 5 us
      flat(2, 6, {{4, 1}, {13, 2}, {14, 1}, {14, 0}, {15, 3}, {18, 65536}, {20, 4}}) +  // COLL
      flat(3, 4, {{4, 1}, {4, 2}, {16, 0}, {17, 1}, {18, 10}, {19, 7}}) +               // SEND
      flat(4, 1, {{5, 2}, {6, 4096}});                                                  // MEM_LOAD
  const auto out = read(bytes);
  ASSERT_TRUE(out.graph) << to_string(out.graph.error());
  const graph::Graph& graph = *out.graph;
  EXPECT_EQ(out.findings.count(FindingCode::legacy_schema), 1u);
  EXPECT_EQ(graph.kind(0), NodeKind::comp);
  EXPECT_EQ(graph.duration(0), us(5));
  EXPECT_EQ(graph.work(0).num_ops, 100);
  EXPECT_EQ(graph.kind(1), NodeKind::coll);
  EXPECT_EQ(graph.collective(1).type, CollectiveType::all_to_all);
  EXPECT_EQ(graph.collective(1).size, Bytes(65536));
  EXPECT_EQ(graph.collective(1).dims_count, 2);
  EXPECT_EQ(graph.collective(1).dims_mask, 1u);
  EXPECT_EQ(graph.string(graph.collective(1).group), "3");
  EXPECT_EQ(graph.kind(2), NodeKind::send);
  EXPECT_EQ(graph.in_degrees()[2], 2u);
  EXPECT_TRUE(graph.has(2, graph::kHasSrc));
  EXPECT_EQ(graph.kind(3), NodeKind::mem_load);
  EXPECT_EQ(graph.work(3).tensor_size, Bytes(4096));
}

/// Numbers of the attribute message's value fields and type codes in one version of it.
struct Dialect {
  const char* name;
  bool metadata;
  bool shifted_types;  // node types before METADATA was inserted
  std::uint32_t int_type, int_field, string_type, string_field, bools_type, bools_field;
};

constexpr Dialect kDialects[] = {
    {"0.0.2", false, true, 1, 5, 2, 6, 4, 8},
    {"0.0.3", false, false, 2, 6, 3, 7, 4, 8},
    {"0.0.3 with metadata", true, false, 2, 6, 3, 7, 4, 8},
    {"0.0.3 with unsigned", true, false, 3, 7, 4, 8, 5, 9},
};

class Old {
 public:
  Old(const Dialect& dialect, std::uint64_t id, std::uint64_t type)
      : dialect_(dialect), writer_(message_) {
    writer_.add_uint64(1, id);
    writer_.add_string(2, "n");
    writer_.add_uint64(3, dialect.shifted_types && type > 0 ? type - 1 : type);
  }
  Old& parent(std::uint64_t id) {
    writer_.add_uint64(4, id);
    return *this;
  }
  Old& number(const char* name, std::uint64_t value) {
    pbf_writer attribute(writer_, 11);
    attribute.add_string(1, name);
    if (dialect_.int_type != 0) attribute.add_uint32(2, dialect_.int_type);
    if (value != 0) attribute.add_uint64(dialect_.int_field, value);
    return *this;
  }
  Old& text(const char* name, const char* value) {
    pbf_writer attribute(writer_, 11);
    attribute.add_string(1, name);
    attribute.add_uint32(2, dialect_.string_type);
    attribute.add_string(dialect_.string_field, value);
    return *this;
  }
  Old& bools(const char* name, const std::string& packed) {
    pbf_writer attribute(writer_, 11);
    attribute.add_string(1, name);
    attribute.add_uint32(2, dialect_.bools_type);
    attribute.add_string(dialect_.bools_field, packed);
    return *this;
  }
  [[nodiscard]] std::string record() const { return framed(message_); }

 private:
  const Dialect& dialect_;
  std::string message_;
  pbf_writer writer_;
};

std::string old_metadata(const Dialect& dialect) {
  std::string message;
  pbf_writer writer(message);
  pbf_writer attribute(writer, 1);
  attribute.add_string(1, "schema");
  attribute.add_uint32(2, dialect.string_type);
  attribute.add_string(dialect.string_field, "x");
  attribute.commit();
  return framed(message);
}

TEST(Legacy, V002AndV003AttributesInAllTheirNumberings) {
  for (const Dialect& dialect : kDialects) {
    const std::string bytes = (dialect.metadata ? old_metadata(dialect) : std::string()) +
                              Old(dialect, 10, 4)
                                  .number("is_cpu_op", 1)
                                  .number("runtime", 8)
                                  .number("num_ops", 3)
                                  .record() +
                              Old(dialect, 11, 7)
                                  .parent(10)
                                  .number("comm_type", 0)
                                  .number("comm_size", 1 << 20)
                                  .text("pg_name", "g")
                                  .bools("involved_dim", std::string("\x01\x00\x01", 3))
                                  .record() +
                              Old(dialect, 12, 7)
                                  .parent(10)
                                  .parent(11)
                                  .number("comm_type", 2)
                                  .number("comm_size", 4)
                                  .record();
    const auto out = read(bytes);
    ASSERT_TRUE(out.graph) << dialect.name << ": " << to_string(out.graph.error());
    const graph::Graph& graph = *out.graph;
    ASSERT_EQ(graph.size(), 3u) << dialect.name;
    EXPECT_EQ(out.findings.count(FindingCode::legacy_schema), 1u) << dialect.name;
    EXPECT_EQ(graph.kind(0), NodeKind::comp) << dialect.name;
    EXPECT_TRUE(graph.is_cpu(0)) << dialect.name;
    EXPECT_EQ(graph.duration(0), us(8)) << dialect.name;
    EXPECT_EQ(graph.kind(1), NodeKind::coll) << dialect.name;
    EXPECT_EQ(graph.collective(1).type, CollectiveType::all_reduce) << dialect.name;
    EXPECT_TRUE(graph.has(1, graph::kHasCommType)) << dialect.name;
    EXPECT_EQ(graph.collective(1).size, Bytes(1 << 20)) << dialect.name;
    EXPECT_EQ(graph.string(graph.collective(1).group), "g") << dialect.name;
    EXPECT_EQ(graph.collective(1).dims_mask, 0b101u) << dialect.name;
    EXPECT_EQ(graph.collective(2).type, CollectiveType::all_gather) << dialect.name;
    EXPECT_EQ(graph.in_degrees()[2], 2u) << dialect.name;
  }
}

TEST(Legacy, OldNodesWithPrintedTensorsAndNoAttributes) {
  std::string message;
  pbf_writer writer(message);
  writer.add_uint64(1, 5);
  writer.add_string(2, "aten::add");
  writer.add_uint64(3, 4);
  writer.add_string(5, "[1, 2]");
  writer.add_string(6, "[[], []]");
  writer.add_string(7, "['Int', 'Int']");
  const auto out = read(old_metadata(kDialects[2]) + framed(message));
  ASSERT_TRUE(out.graph) << to_string(out.graph.error());
  EXPECT_EQ(out.graph->kind(0), NodeKind::comp);
}

TEST(Legacy,
     TodaysNodesUnderMetadataOfOneCommit) {  // GlobalMetadata{attr = 1}, before versions came
  std::string bytes;
  {
    std::string message;
    pbf_writer writer(message);
    pbf_writer attribute(writer, 1);
    attribute.add_string(1, "schema");
    attribute.add_string(29, "x");
    attribute.commit();
    bytes = framed(message);
  }
  append_framed(bytes, testing::node(1, 7, {}, {attribute_int64("comm_size", 5)}));
  const auto out = read(bytes);
  ASSERT_TRUE(out.graph) << to_string(out.graph.error());
  ASSERT_EQ(out.graph->size(), 1u);
  EXPECT_EQ(out.graph->collective(0).size, Bytes(5));
  EXPECT_TRUE(out.findings.empty());
}

TEST(Legacy, PlainNodesAfterAVersionAreTodays) {
  std::string bytes = testing::metadata();
  NodeRecord plain = testing::node(1, 4);
  plain.duration_micros = 2;
  append_framed(bytes, plain);
  EXPECT_EQ(read(bytes).graph->kind(0), NodeKind::comp);
}

}  // namespace
}  // namespace orrery::trace::chakra
