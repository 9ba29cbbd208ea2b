// SPDX-License-Identifier: Apache-2.0
//
// Every kind of damage: one clear error that names the place, or under repair a graph and a counted
// finding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/core/limits.h"
#include "orrery/trace/chakra/chakra_testing.h"

namespace orrery::trace::chakra {
namespace {

using graph::Repair;
using testing::framed;
using ::testing::HasSubstr;
using testing::metadata;
using testing::node;
using testing::read;
using testing::trace;

struct Case {
  const char* name;
  std::string bytes;
  Errc code;
  std::string place;
  FindingCode finding;
};

std::string two() { return trace({node(0, 4), node(1, 4, {0})}); }

std::string field(std::uint32_t tag, std::uint64_t value) {
  std::string message;
  protozero::pbf_writer(message).add_uint64(1, 5);
  protozero::pbf_writer(message).add_uint64(tag, value);
  return framed(message);
}

/// Broken framing and broken messages.
std::vector<Case> broken_bytes() {
  const std::string tail = "t.et:byte " + std::to_string(two().size());
  const std::string at_5 = tail + " (node 5)";
  std::string wrong_wire;
  protozero::pbf_writer(wrong_wire).add_uint64(1, 5);
  protozero::pbf_writer(wrong_wire).add_fixed64(3, 4);
  return {
      {"length varint cut", two() + "\xFF", Errc::input_truncated, tail,
       FindingCode::truncated_tail_dropped},
      {"length without end", two() + std::string(12, '\xFF'), Errc::input_corrupt, tail,
       FindingCode::corrupt_record_dropped},
      {"length beyond the file", two() + "\x7F\x08\x05", Errc::input_truncated, tail,
       FindingCode::truncated_tail_dropped},
      {"length beyond the limit", two() + "\xFF\xFF\xFF\xFF\x0F", Errc::limit_exceeded, tail,
       FindingCode::corrupt_record_dropped},
      {"varint cut inside a record", two() + framed("\x08\xFF"), Errc::input_corrupt, tail,
       FindingCode::corrupt_record_dropped},
      {"field longer than its record", two() + framed(std::string("\x08\x05\x12\x7F", 4)),
       Errc::input_corrupt, at_5, FindingCode::corrupt_record_dropped},
      {"varint of eleven bytes", two() + framed("\x08" + std::string(11, '\xFF')),
       Errc::input_corrupt, tail, FindingCode::corrupt_record_dropped},
      {"wrong wire type", two() + framed(wrong_wire), Errc::input_corrupt, at_5,
       FindingCode::corrupt_record_dropped},
      {"group wire type", two() + framed("\x08\x05\x0B"), Errc::input_corrupt, at_5,
       FindingCode::corrupt_record_dropped},
      {"field number 0", two() + framed(std::string("\x08\x05\x00\x01", 4)), Errc::input_corrupt,
       at_5, FindingCode::corrupt_record_dropped},
      {"packed list ends in a varint", two() + framed("\x08\x05\x2A\x01\xFF"), Errc::input_corrupt,
       at_5, FindingCode::corrupt_record_dropped},
  };
}

/// Whole messages that say something impossible.
std::vector<Case> impossible_values() {
  const auto attr = [](AttributeRecord record) {
    return trace({node(0, 4), node(1, 7, {0}, {std::move(record)})});
  };
  const std::string at_5 = "(node 5)";
  const std::string at_1 = "(node 1)";
  return {
      {"node type 9", two() + field(3, 9), Errc::input_range, at_5, FindingCode::value_clamped},
      {"duration that overflows", two() + field(7, 1ull << 60), Errc::input_range, at_5,
       FindingCode::value_clamped},
      {"negative duration", two() + field(7, ~0ull), Errc::input_range, at_5,
       FindingCode::value_clamped},
      {"duplicate id", trace({node(0, 4), node(1, 4), node(0, 4)}), Errc::input_duplicate_id,
       "(node 0)", FindingCode::duplicate_id_dropped},
      {"duplicate id in a row", trace({node(1, 4), node(1, 4)}), Errc::input_duplicate_id, at_1,
       FindingCode::duplicate_id_dropped},
      {"dangling dependency", trace({node(1, 4, {7})}), Errc::input_dangling_dep, at_1,
       FindingCode::dangling_dep_dropped},
      {"huge dependency", trace({node(1, 4, {~0ull})}), Errc::input_dangling_dep, at_1,
       FindingCode::dangling_dep_dropped},
      {"self edge", trace({node(1, 4, {1})}), Errc::input_self_edge, at_1,
       FindingCode::self_edge_dropped},
      {"circle", trace({node(1, 4, {2}), node(2, 4, {1})}), Errc::input_cycle, at_1,
       FindingCode::cycle_broken},
      {"negative size", attr(attribute_int64("comm_size", -1)), Errc::input_range, at_1,
       FindingCode::value_clamped},
      {"huge size", attr(attribute_uint64("comm_size", ~0ull)), Errc::input_range, at_1,
       FindingCode::value_clamped},
      {"size that is no number", attr(attribute_string("comm_size", "big")), Errc::input_range,
       at_1, FindingCode::value_clamped},
      {"size that is a fraction", attr(attribute_double("comm_size", 0.5)), Errc::input_range, at_1,
       FindingCode::value_clamped},
      {"size that is not finite", attr(attribute_double("comm_size", 1e308 * 10)),
       Errc::input_range, at_1, FindingCode::value_clamped},
      {"negative num_ops", attr(attribute_int64("num_ops", -5)), Errc::input_range, at_1,
       FindingCode::value_clamped},
      {"negative rank", attr(attribute_int32("comm_dst", -5)), Errc::input_range, at_1,
       FindingCode::value_clamped},
      {"too many dimensions", attr(attribute_bools("involved_dim", std::vector<bool>(40, true))),
       Errc::input_range, at_1, FindingCode::value_clamped},
      {"size that is a list", attr(attribute_bools("comm_size", {true})), Errc::input_range, at_1,
       FindingCode::value_clamped},
  };
}

/// Other containers.
std::vector<Case> broken_containers() {
  return {
      {"gzip cut", testing::gzip(std::string(two()).append(framed(field(7, 1)))).substr(0, 40),
       Errc::input_truncated, "t.et", FindingCode::truncated_tail_dropped},
      {"JSON cut", R"({"workload_graph": [{"Id": 1, "NodeType": 4}, {"Id": 2)",
       Errc::input_truncated, "t.et:byte 46", FindingCode::truncated_tail_dropped},
      {"JSON record broken", R"({"workload_graph": [{"Id": 1}, {"Id": nul}]})", Errc::input_corrupt,
       "t.et:byte 31", FindingCode::corrupt_record_dropped},
      {"JSON negative id", R"({"workload_graph": [{"Id": 1}, {"Id": -1}]})", Errc::input_range,
       "t.et:byte 31", FindingCode::corrupt_record_dropped},
      {"JSON node without id", R"({"workload_graph": [{"Id": 1}, {"Name": "x"}]})",
       Errc::input_missing_attr, "t.et:byte 31", FindingCode::corrupt_record_dropped},
  };
}

std::vector<Case> cases() {
  std::vector<Case> all = broken_bytes();
  for (const auto& more : {impossible_values(), broken_containers()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

TEST(Damage, IsRefusedWithOnePlace) {
  for (const Case& damage : cases()) {
    const auto out = read(damage.bytes);
    ASSERT_FALSE(out.graph) << damage.name;
    EXPECT_EQ(out.graph.error().code, damage.code)
        << damage.name << ": " << to_string(out.graph.error());
    EXPECT_THAT(out.graph.error().where, HasSubstr(damage.place)) << damage.name;
    EXPECT_FALSE(out.graph.error().what.empty()) << damage.name;
  }
}

TEST(Damage, IsRepairedAndCounted) {
  for (const Case& damage : cases()) {
    const auto out = read(damage.bytes, Repair::repair);
    if (!out.graph) {  // nothing was left to make a graph of
      EXPECT_EQ(out.graph.error().code, Errc::input_empty)
          << damage.name << ": " << to_string(out.graph.error());
    }
    EXPECT_GE(out.findings.count(damage.finding), 1u) << damage.name;
  }
}

TEST(Damage, WithNothingToRepairFromIsAlwaysAnError) {
  for (const Repair repair : {Repair::refuse, Repair::repair}) {
    EXPECT_EQ(read("", repair).graph.error().code, Errc::input_empty);
    EXPECT_EQ(read(metadata(), repair).graph.error().code, Errc::input_empty);
    EXPECT_EQ(read("{}", repair).graph.error().code, Errc::input_empty);
    EXPECT_EQ(read(R"({"schema": "1.1.1", "nodes": []})", repair).graph.error().code,
              Errc::input_unsupported);
    EXPECT_EQ(read(R"({"traceEvents": []})", repair).graph.error().code, Errc::input_unsupported);
    EXPECT_FALSE(read("hello, world: this is a text and not a trace\n", repair).graph);
    EXPECT_FALSE(read(std::string("\x1f\x8b\x08garbage"), repair).graph);
    EXPECT_EQ(read(R"({"workload_graph": 3})", repair).graph.error().code, Errc::input_corrupt);
    EXPECT_EQ(
        read(R"({"workload_graph": [)" + std::string(100'000, '{'), repair).graph.error().code,
        Errc::limit_exceeded);
  }
}

// Not a trace of one odd node, and not a binary record of 91 bytes ('[').
TEST(Damage, JsonThatIsNoTraceIsRefused) {
  for (const Repair repair : {Repair::refuse, Repair::repair}) {
    for (const char* text : {R"({"a": 1})", R"({"name": "orrery", "version": "1", "scripts": {}})",
                             "[1, 2]", "[]", "\n [\"a\"]", R"([{"a": 1}])"}) {
      const auto out = read(text, repair);
      ASSERT_FALSE(out.graph) << text;
      EXPECT_EQ(out.graph.error().code, Errc::input_unsupported) << text;
      EXPECT_FALSE(out.graph.error().hint.empty()) << text;
    }
  }
}

TEST(Damage, ABombIsRefused) {
  std::string bytes = metadata();
  NodeRecord big = node(0, 4);
  big.name.assign(1 << 20, 'x');
  for (; big.id < 100; ++big.id) append_framed(bytes, big);
  const std::string packed = testing::gzip(bytes);
  ASSERT_GT(bytes.size() / packed.size(), limits::kInflateRatio);
  for (const Repair repair : {Repair::refuse, Repair::repair}) {
    const auto out = read(packed, repair);
    ASSERT_FALSE(out.graph);
    EXPECT_EQ(out.graph.error().code, Errc::limit_exceeded);
  }
}

TEST(Damage, AFileOfZerosIsCheap) {
  const auto out = read(std::string(1 << 20, '\0'));
  ASSERT_FALSE(out.graph);
  EXPECT_EQ(out.graph.error().code, Errc::input_duplicate_id);
}

/// Flip, cut, insert: reading ends, and what repair accepts is a graph.
RC_GTEST_PROP(DamageProperty, NeverCrashes, ()) {
  std::string bytes = trace({node(0, 4, {}, {attribute_int64("num_ops", 1)}),
                             node(1, 7, {0}, {attribute_int64("comm_size", 8)}),
                             node(2, 5, {0, 1}, {attribute_bools("involved_dim", {true})})});
  const auto edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        bytes[at] = *rc::gen::arbitrary<char>();
        break;
      case 1:
        bytes.resize(at + 1);
        break;
      default:
        bytes.insert(at, 1, *rc::gen::arbitrary<char>());
        break;
    }
  }
  const auto strict = read(bytes);
  const auto repaired = read(bytes, Repair::repair);
  if (strict.graph)
    RC_ASSERT(repaired.graph && repaired.graph->content_hash() == strict.graph->content_hash());
  if (!strict.graph)
    RC_ASSERT(!strict.graph.error().where.empty() && !strict.graph.error().what.empty());
}

// Zeros are records without content, all of node 0: a reader that repairs must not read them on and
// on. 0.1 CPU s.
TEST(Damage, EndlessZerosEndAtALimit) {
  const auto out = read(std::string(limits::kDroppedRecords + 3, '\0'), Repair::repair);
  ASSERT_FALSE(out.graph);
  EXPECT_EQ(out.graph.error().code, Errc::limit_exceeded);
  EXPECT_TRUE(read(std::string(limits::kDroppedRecords, '\0'), Repair::repair).graph);
}

}  // namespace
}  // namespace orrery::trace::chakra
