// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/edit/obfuscate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::intake {
namespace {

using trace::chakra::AttributeRecord;
using trace::chakra::Member;
using trace::chakra::NodeRecord;

TEST(SipHash, VectorsOfThePaper) {
  // Appendix A: key 00 01 … 0f, message 00 01 … 0e.
  std::string message;
  for (char c = 0; c < 15; ++c) message += c;
  EXPECT_EQ(siphash(0x0706050403020100u, 0x0f0e0d0c0b0a0908u, message), 0xa129ca6149be45e5u);
}

TEST(Aliases, SaltedOnesAreTheSameEverywhere) {
  Aliases one("n", "secret"), two("n", "secret"), other("n", "another"), plain("n", "");
  (void)two.of("something before");
  EXPECT_EQ(one.of("aten::mm"), two.of("aten::mm"));
  EXPECT_NE(one.of("aten::mm"), other.of("aten::mm"));
  EXPECT_EQ(plain.of("aten::mm"), "n0");
  EXPECT_EQ(plain.of("aten::add"), "n1");
  EXPECT_EQ(plain.of("aten::mm"), "n0");
  EXPECT_EQ(plain.of(""), "");
}

TEST(Obfuscate, RoundsSizes) {
  EXPECT_EQ(round_to_two_digits(0), 0u);
  EXPECT_EQ(round_to_two_digits(99), 99u);
  EXPECT_EQ(round_to_two_digits(123456), 120000u);
  EXPECT_EQ(round_to_two_digits(125000), 130000u);
  EXPECT_EQ(round_to_two_digits(9999), 10000u);
  EXPECT_EQ(round_to_two_digits(~std::uint64_t{0}), 18'000'000'000'000'000'000u);
}

TEST(Obfuscate, LetsTheseThroughAndNothingElse) {
  EXPECT_EQ(allowed_attributes(),
            (std::vector<std::string_view>{
                "comm_dst",     "comm_group",        "comm_priority", "comm_root",
                "comm_size",    "comm_size_unknown", "comm_src",      "comm_tag",
                "comm_type",    "dep_kinds",         "dep_lags_ps",   "device",
                "involved_dim", "is_comm",           "is_copy",       "is_cpu_op",
                "is_wait",      "num_ops",           "pg_name",       "root",
                "stream",       "stream_row",        "tensor_size",   "tid"}));
}

/// A text that nothing of ours would ever write.
std::string secret_text(int i) { return "SECRET" + std::to_string(i) + "/layer"; }

NodeRecord random_node(std::uint64_t id, int& secrets) {
  NodeRecord node;
  node.id = id;
  node.name = secret_text(*rc::gen::inRange(0, 6));
  node.type = static_cast<std::uint64_t>(*rc::gen::inRange(4, 8));
  if (id > 1) node.data_deps = {id - 1};
  node.start_time_micros = 5'000'000 + id;
  node.duration_micros = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1000));
  node.inputs.emplace();
  node.inputs->values = "[['" + secret_text(secrets++) + "']]";
  node.outputs.emplace();
  node.outputs->types = secret_text(secrets++);
  node.unknown = std::string("\xa2\x06\x06") + "SECRET";  // field 100, a text
  std::vector<std::string> names = {"op_schema", "custom", "stream", "tid", "is_cpu_op"};
  for (const std::string_view retained : allowed_attributes()) names.emplace_back(retained);
  const int count = *rc::gen::inRange(0, 8);
  for (int i = 0; i < count; ++i) {
    AttributeRecord attribute;
    attribute.name = *rc::gen::elementOf(names);
    attribute.member = *rc::gen::element(Member::int64_val, Member::uint64_val, Member::int32_val,
                                         Member::string_val, Member::bytes_val, Member::string_list,
                                         Member::double_val);
    attribute.doc_string = secret_text(secrets++);
    attribute.bits = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1'000'000));
    if (attribute.member == Member::string_val || attribute.member == Member::bytes_val)
      attribute.text = secret_text(secrets++);
    if (attribute.member == Member::string_list) attribute.texts = {secret_text(secrets++)};
    node.attributes.push_back(attribute);
  }
  return node;
}

RC_GTEST_PROP(Obfuscate, NothingButTheAllowedRemains, ()) {
  Obfuscator obfuscator(*rc::gen::element<std::string>("", "salt"));
  const auto& allowed = allowed_attributes();
  RC_ASSERT(std::is_sorted(allowed.begin(), allowed.end()));
  int secrets = 100;
  const int nodes = *rc::gen::inRange(1, 12);
  for (int i = 1; i <= nodes; ++i) {
    const NodeRecord before = random_node(static_cast<std::uint64_t>(i), secrets);
    const NodeRecord after = obfuscator.node(before, 5'000'001);
    const std::string bytes = encode(after);
    RC_ASSERT(bytes.find("SECRET") == std::string::npos);
    RC_ASSERT(bytes.find("layer") == std::string::npos);
    RC_ASSERT(after.unknown.empty() && !after.inputs && !after.outputs);
    for (const AttributeRecord& a : after.attributes) {
      RC_ASSERT(std::find(allowed.begin(), allowed.end(), a.name) != allowed.end());
      RC_ASSERT(a.doc_string.empty() && a.unknown.empty());
      for (const std::string& text : a.texts)
        RC_ASSERT(text == name(dependency_kind(text)));  // a word of ours
    }
    // What a simulation needs is still there.
    RC_ASSERT(after.id == before.id && after.type == before.type);
    RC_ASSERT(after.data_deps == before.data_deps);
    RC_ASSERT(after.duration_micros == before.duration_micros);
    RC_ASSERT(after.start_time_micros == static_cast<std::uint64_t>(i - 1));
  }
}

class ObfuscateFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("orrery_obfuscate_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void write_rank(int rank) const {
    trace::chakra::TraceRecords trace;
    trace.metadata.emplace();
    trace.metadata->attributes.push_back(trace::chakra::attribute_string("username", "somebody"));
    for (std::uint64_t id = 1; id <= 3; ++id) {
      NodeRecord node;
      node.id = id;
      node.name = id == 3 ? "nccl:all_reduce" : "aten::mm";
      node.type = id == 3 ? 7 : 4;
      node.duration_micros = id;
      if (id > 1) node.data_deps = {id - 1};
      if (id == 3) {
        node.attributes.push_back(trace::chakra::attribute_int64("comm_type", 0));
        node.attributes.push_back(trace::chakra::attribute_int64("comm_size", 123456));
        node.attributes.push_back(trace::chakra::attribute_string("pg_name", "tensor_parallel"));
      }
      trace.nodes.push_back(node);
    }
    ASSERT_TRUE(write_records(path("w." + std::to_string(rank) + ".et"), trace, {}));
  }

  std::filesystem::path folder_;
};

TEST_F(ObfuscateFiles, StaysAWorkload) {
  write_rank(0);
  write_rank(1);
  std::ofstream(path("comm_group.json")) << R"({"tensor_parallel": [1, 0]})";
  std::filesystem::create_directories(path("out"));
  Findings findings;
  const auto report = obfuscate(path("w"), path("out/o"), "", false, findings);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->ranks, 2u);
  EXPECT_EQ(report->nodes, 6u);
  EXPECT_EQ(report->names, 2u);
  EXPECT_EQ(report->reidentification.names, 2u);
  EXPECT_EQ(report->reidentification.unique, 2u);
  const auto workload = trace::chakra::load_workload(path("out/o"));
  ASSERT_TRUE(workload) << to_string(workload.error());
  EXPECT_EQ(workload->rank_count(), 2u);
  EXPECT_EQ(workload->groups.at("g0").ranks, (std::vector<std::uint32_t>{1, 0}));
  const graph::Graph& graph = workload->graph(1);
  EXPECT_EQ(graph.name(0), "n0");
  EXPECT_EQ(graph.string(graph.collective(2).group), "g0");
  EXPECT_EQ(graph.collective(2).size, Bytes(120000));
  for (const char* file : {"out/o.0.et", "out/o.1.et", "out/comm_group.json"}) {
    for (const char* word : {"aten", "nccl", "tensor_parallel", "somebody"})
      EXPECT_EQ(content(path(file)).find(word), std::string::npos) << file << " " << word;
  }
}

TEST_F(ObfuscateFiles, MissingOnesAreAnError) {
  Findings findings;
  const auto report = obfuscate(path("none"), path("o"), "", false, findings);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::input_not_found);
}

}  // namespace
}  // namespace orrery::intake
