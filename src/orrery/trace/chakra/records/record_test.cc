// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/records/record.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <protozero/pbf_writer.hpp>

#include "orrery/trace/chakra/records/records_testing.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::trace::chakra {
namespace {

namespace fs = std::filesystem;
using testing::framed;
using testing::node;
using testing::trace;

struct Round {
  std::string bytes;
  std::size_t spelled = 0;  // records whose spelling had to be kept
  std::string error;
};

/// Reads, takes apart, encodes again.
Round round_trip(std::string_view bytes) {
  Round out;
  const auto take = [&out](auto&& record) -> Result<void> {
    out.spelled += record.original.bytes ? 1 : 0;
    append_framed(out.bytes, record);
    return {};
  };
  auto source =
      std::make_unique<MemorySource>(std::as_bytes(std::span(bytes.data(), bytes.size())));
  const auto done = for_each_record(std::move(source), "t.et", take, take);
  if (!done) out.error = to_string(done.error());
  return out;
}

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

fs::path scratch(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / "orrery_record_test";
  fs::create_directories(folder);
  return folder / name;
}

TEST(Record, EveryMemberComesBack) {
  std::vector<AttributeRecord> attributes;
  for (int member = 3; member <= 32; ++member) {
    AttributeRecord record = attribute("a" + std::to_string(member), static_cast<Member>(member),
                                       member % 2 == 1 && member < 29 ? 0x1234 : 0);
    record.doc_string = "doc";
    const bool text = member >= 29;
    if (member % 2 == 0 && text) record.texts = {"x", "", "yz"};
    if (member % 2 == 0 && !text) record.list = {1, 0, 300};
    if (member % 2 == 1 && text) record.text = "words";
    attributes.push_back(record);
  }
  NodeRecord full = node(7, 4, {1, 2, 300}, attributes);
  full.ctrl_deps = {5};
  full.start_time_micros = 1;
  full.duration_micros = 1ull << 40;
  full.inputs = IoRecord{"[1]", "[[]]", "['Int']", ""};
  full.outputs.emplace();
  const auto again = decode_node_record(encode(full), "here");
  ASSERT_TRUE(again);
  EXPECT_TRUE(same_fields(full, *again));
  EXPECT_FALSE(again->original.bytes);
}

TEST(Record, UnknownFieldsStay) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_uint64(1, 3);
  writer.add_string(11, "new in some later schema");
  writer.add_fixed32(4000, 5);
  const auto round = round_trip(testing::metadata() + framed(message));
  EXPECT_EQ(round.bytes, testing::metadata() + framed(message));
  EXPECT_EQ(round.spelled, 0u);
  auto record = decode_node_record(message, "");
  ASSERT_TRUE(record);
  record->name = "changed";
  EXPECT_NE(encode(*record).find("new in some later schema"), std::string::npos);
}

TEST(Record, OddSpellingsComeBackUntilTheRecordIsChanged) {
  std::string message;  // type before id, an unpacked list, a zero written out
  protozero::pbf_writer writer(message);
  writer.add_enum(3, 4);
  writer.add_uint64(1, 9);
  writer.add_uint64(5, 1);
  writer.add_uint64(5, 2);
  writer.add_uint64(7, 0);
  ASSERT_EQ(message.size(), 0x0Cu - 2);
  const std::string padded = std::string("\x8A\x80\x00", 3) + message;
  const std::string bytes = testing::metadata() + framed(message) + padded + std::string(1, '\0');
  const auto round = round_trip(bytes);
  EXPECT_EQ(round.error, "");
  EXPECT_EQ(round.bytes, bytes);
  EXPECT_EQ(round.spelled, 3u);

  auto record = decode_node_record(message, "");
  ASSERT_TRUE(record && record->original.bytes);
  record->duration_micros = 8;
  std::string changed;
  append_framed(changed, *record);
  EXPECT_EQ(changed, framed(encode(*record)));
}

TEST(Record, NewEmptyRecordsAreNotEmpty) {
  EXPECT_FALSE(encode(NodeRecord{}).empty());
  EXPECT_FALSE(encode(MetadataRecord{}).empty());
  EXPECT_TRUE(same_fields(*decode_node_record(encode(NodeRecord{}), ""), NodeRecord{}));
}

TEST(Record, OldLayoutsAndJsonAreRefused) {
  EXPECT_NE(round_trip(R"({"workload_graph": []})").error.find("JSON"), std::string::npos);
}

TEST(Writer, TheFileAppearsOnlyWhole) {
  const fs::path path = scratch("t.0.et");
  fs::remove(path);
  {
    auto writer = TraceWriter::create(path.string(), {});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->write(node(0, 4)));
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
  ASSERT_TRUE(write_records(path.string(), {std::nullopt, {node(0, 4)}}, {}));
  EXPECT_EQ(slurp(path), trace({node(0, 4)}).substr(testing::metadata().size()));
  EXPECT_EQ(TraceWriter::create("/dev/null/folder/t.0.et", {}).error().code, Errc::output_failed);
}

TEST(Writer, GzipByNameReadsBack) {
  const fs::path path = scratch("t.0.et.gz");
  std::vector<NodeRecord> nodes;
  for (std::uint64_t i = 0; i < 20000; ++i) nodes.push_back(node(i, 4));
  ASSERT_TRUE(
      write_records(path.string(), {MetadataRecord{.version = "0.0.4"}, nodes}, {.force = true}));
  EXPECT_EQ(slurp(path).substr(0, 2), "\x1f\x8b");
  const auto again = read_records(path.string());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->nodes.size(), nodes.size());
}

/// Whatever decodes is written back as it was.
RC_GTEST_PROP(RecordProperty, RoundTripIsExact, ()) {
  std::string message =
      encode(node(3, 7, {1, 2}, {attribute_int64("comm_size", 300), attribute_bools("d", {true})}));
  const auto edits = *rc::gen::inRange(0, 4);
  for (int i = 0; i < edits; ++i)
    message[*rc::gen::inRange<std::size_t>(0, message.size())] = *rc::gen::arbitrary<char>();
  const std::string bytes = trace({node(1, 4), node(2, 4)}) + framed(message);
  const auto round = round_trip(bytes);
  if (round.error.empty()) RC_ASSERT(round.bytes == bytes);
}

}  // namespace
}  // namespace orrery::trace::chakra
