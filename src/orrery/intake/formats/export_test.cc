// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/formats/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "orrery/intake/formats/chakra_json.h"
#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/writer.h"
#include "orrery/trace/inputs/format.h"

namespace orrery::intake {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using trace::chakra::Member;
using trace::chakra::NodeRecord;
using trace::chakra::TraceRecords;

class Export : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("orrery_export_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string bytes(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::string write(const TraceRecords& trace) const {
    EXPECT_TRUE(trace::chakra::write_records(path("t.0.et"), trace, {.force = true}));
    return path("t.0.et");
  }
  Result<ExportReport> text_of(const std::string& file, ExportFormat format,
                               std::uint64_t most = 10'000) {
    text_.clear();
    return export_trace(file, {format, most}, findings_,
                        [&](std::string_view text) -> Result<void> {
                          text_ += text;
                          return {};
                        });
  }

  fs::path folder_;
  Findings findings_;
  std::string text_;
};

/// Every kind of value, and names that no format likes.
TraceRecords trace() {
  TraceRecords out;
  out.metadata.emplace().version = "0.0.4";
  out.metadata->attributes.push_back(trace::chakra::attribute_string("schema", "1.1.1"));
  NodeRecord first;
  first.id = 1;
  first.name = "a<b> & \"c\\\" \n\x01 é \xFF";
  first.type = 4;
  first.duration_micros = std::uint64_t{1} << 60;
  first.inputs.emplace().values = "[[1, 'x']]";
  NodeRecord second;
  second.id = 2;
  second.name = "second";
  second.type = 7;
  second.ctrl_deps = {1};
  second.data_deps = {1};
  for (std::uint32_t member = 3; member <= 32; ++member) {
    auto value = trace::chakra::attribute("m" + std::to_string(member), Member(member), 0);
    if (member == 29 || member == 31) {
      value.text = member == 29 ? "text" : std::string("\x00\xFF\x10", 3);
    } else if (member == 30 || member == 32) {
      value.texts = {"", "a", "ab", "abcd"};
    } else if (member % 2 == 0) {
      value.list = {0, 1};
    } else {
      value.bits = member == 3    ? std::bit_cast<std::uint64_t>(0.1)
                   : member == 5  ? std::bit_cast<std::uint32_t>(1.5f)
                   : member == 27 ? 1
                                  : 77;
    }
    second.attributes.push_back(value);
  }
  second.attributes.push_back(trace::chakra::attribute_int64("big", -(std::int64_t{1} << 60)));
  second.attributes.push_back(trace::chakra::attribute_int32("small", -5));
  second.attributes.push_back(trace::chakra::attribute_double("inf", -HUGE_VAL));
  out.nodes = {first, second};
  return out;
}

TEST_F(Export, JsonIsOneDocumentAndComesBack) {
  TraceRecords records = trace();
  records.nodes[0].name = "a<b> & \"c\\\" \n\x01 é";  // what is no UTF-8 cannot come back
  const std::string file = write(records);
  const auto report = export_to_file(file, path("t.json"), {}, findings_);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->nodes, 2u);
  EXPECT_EQ(report->edges, 2u);
  const auto document = nlohmann::json::parse(bytes("t.json"));
  EXPECT_EQ(document["chakra"], "0.0.4");
  EXPECT_EQ(document["nodes"][0]["durationMicros"], "1152921504606846976") << "too large for 2^53";
  EXPECT_EQ(document["nodes"][1]["type"], "COMM_COLL_NODE");
  EXPECT_EQ(document["nodes"][1]["dataDeps"][0], 1);
  const auto& attributes = document["nodes"][1]["attr"];
  EXPECT_EQ(attributes[4]["name"], "m7");
  EXPECT_EQ(attributes[4]["int32Val"], 77);
  EXPECT_EQ(attributes[28]["bytesVal"], "AP8Q");
  EXPECT_EQ(attributes[30]["int64Val"], "-1152921504606846976");
  EXPECT_EQ(attributes[31]["int32Val"], -5);
  EXPECT_EQ(attributes[32]["doubleVal"], "-Infinity");

  const auto back = import_json(path("t.json"), path("back.0.et"), false, findings_);
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(bytes("back.0.et"), bytes("t.0.et"));
  EXPECT_TRUE(findings_.empty());
}

TEST_F(Export, JsonIsReadAsATrace) {
  TraceRecords records = trace();
  records.nodes[0].duration_micros = 7;
  const std::string file = write(records);
  ASSERT_TRUE(export_to_file(file, path("t.json"), {}, findings_));
  const auto strings = std::make_shared<StringPool>();
  const auto binary = trace::chakra::load_rank(file, strings, graph::Repair::refuse, findings_);
  const auto text =
      trace::chakra::load_rank(path("t.json"), strings, graph::Repair::refuse, findings_);
  ASSERT_TRUE(binary);
  ASSERT_TRUE(text) << to_string(text.error());
  EXPECT_EQ(text->content_hash(), binary->content_hash());
  EXPECT_EQ(text->edge_count(), 1u);
  EXPECT_EQ(trace::inputs_in(path("t.json"))->front().format, trace::Format::chakra);
}

TEST_F(Export, Dot) {
  const auto report = text_of(write(trace()), ExportFormat::dot);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->edges, 2u);
  EXPECT_THAT(text_, HasSubstr("digraph chakra {"));
  EXPECT_THAT(text_, HasSubstr("n1 [label=\"a<b> & \\\"c\\\\\\\" \\n  é \xEF\xBF\xBD\"];"));
  EXPECT_THAT(text_, HasSubstr("  n1 -> n2;\n"));
  EXPECT_THAT(text_, HasSubstr("  n1 -> n2 [arrowhead=tee];\n"));
}

TEST_F(Export, GraphMl) {
  ASSERT_TRUE(text_of(write(trace()), ExportFormat::graphml));
  EXPECT_THAT(text_, HasSubstr("a&lt;b&gt; &amp; \"c\\\" \n\xEF\xBF\xBD é \xEF\xBF\xBD</data>"));
  EXPECT_THAT(text_, HasSubstr("<edge source=\"n1\" target=\"n2\"><data key=\"dependency\">ctrl<"));
  EXPECT_THAT(text_, HasSubstr("</graphml>\n"));
}

TEST_F(Export, SmallGraphsOnly) {
  TraceRecords many;
  many.metadata.emplace().version = "0.0.4";
  for (std::uint64_t id = 1; id <= 5; ++id) {
    NodeRecord node;
    node.id = id;
    node.name = "n";
    many.nodes.push_back(node);
  }
  many.nodes[4].data_deps = {99, 1};
  const std::string file = write(many);
  const auto refused = text_of(file, ExportFormat::dot, 4);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::limit_exceeded);
  EXPECT_FALSE(refused.error().hint.empty());
  EXPECT_FALSE(export_to_file(file, path("t.dot"), {ExportFormat::dot, 4}, findings_));
  EXPECT_FALSE(fs::exists(path("t.dot")));
  const auto drawn = text_of(file, ExportFormat::dot, 5);
  ASSERT_TRUE(drawn);
  EXPECT_EQ(drawn->edges, 1u);
  EXPECT_EQ(findings_.count(FindingCode::dangling_dep_dropped), 1u);
  EXPECT_THAT(text_, Not(HasSubstr("n99")));
  EXPECT_TRUE(text_of(file, ExportFormat::json, 1)) << "JSON of any size";
}

TEST_F(Export, OtherFormsOfChakra) {
  put("w.json", R"({"workload_graph": [{"Id": 0, "Name": "c", "NodeType": 4, "runtime": 7,
                    "data_deps": []}, {"Id": 1, "Name": "d", "NodeType": 4, "runtime": 7,
                    "data_deps": [0]}]})");
  const auto report = text_of(path("w.json"), ExportFormat::dot);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->nodes, 2u);
  EXPECT_EQ(report->edges, 1u);
  put("k.json", R"({"traceEvents": []})");
  EXPECT_EQ(text_of(path("k.json"), ExportFormat::json).error().code, Errc::input_unsupported);
  EXPECT_EQ(text_of(path("none"), ExportFormat::json).error().code, Errc::input_not_found);
}

TEST_F(Export, DamagedDocuments) {
  const char* const kBad[] = {
      R"({"chakra": "0.0.4", "nodes": [{"id": "x"}]})",
      R"({"chakra": "0.0.4", "nodes": [{"id": -1}]})",
      R"({"chakra": "0.0.4", "nodes": [{"id": 1, "what": 2}]})",
      R"({"chakra": "0.0.4", "nodes": [{"id": 1, "attr": [{"name": "a", "int32Val": 5000000000}]}]})",
      R"({"chakra": "0.0.4", "nodes": [{"id": 1, "attr": [{"name": "a", "nothing": 5}]}]})",
      R"({"chakra": "0.0.4", "nodes": [{"id": 1, "attr": [{"name": "a", "bytesVal": "!"}]}]})",
      R"({"chakra": "0.0.4", "nodes": [{"id": 1, "attr": [{"name": "a", "boolList": [true]}]}]})",
      R"({"chakra": "0.0.4", "metadata": [], "nodes": [{"id": 1}]})",
      R"({"chakra": "0.0.4", "nodes": []})",
      "no JSON",
      "",
  };
  for (const char* text : kBad) {
    put("bad.json", text);
    EXPECT_FALSE(import_json(path("bad.json"), path("bad.et"), false, findings_)) << text;
    EXPECT_FALSE(fs::exists(path("bad.et"))) << text;
  }
  put("cut.json", R"({"chakra": "0.0.4", "nodes": [{"id": 1, "name": "a"}, {"id": 2)");
  EXPECT_EQ(import_json(path("cut.json"), path("bad.et"), false, findings_).error().code,
            Errc::input_truncated);
}

TEST_F(Export, FormatsByEnding) {
  EXPECT_EQ(*export_format_of("a/t.json"), ExportFormat::json);
  EXPECT_EQ(*export_format_of("t.json.gz"), ExportFormat::json);
  EXPECT_EQ(*export_format_of("t.dot"), ExportFormat::dot);
  EXPECT_EQ(*export_format_of("t.gv"), ExportFormat::dot);
  EXPECT_EQ(*export_format_of("t.graphml"), ExportFormat::graphml);
  EXPECT_EQ(export_format_of("t.svg").error().code, Errc::usage);
  EXPECT_EQ(export_format_of("json").error().code, Errc::usage);
}

}  // namespace
}  // namespace orrery::intake
