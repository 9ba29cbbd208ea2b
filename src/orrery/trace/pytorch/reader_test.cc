// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pytorch/reader.h"

#include <gtest/gtest.h>

#include "orrery/profile/tensors.h"
#include "orrery/trace/pytorch/pytorch_testing.h"

namespace orrery::trace::pytorch {
namespace {

using profile::EventId;
using profile::Kind;
using profile::Node;

/// What torch 1.11 wrote (1.0.0, tensors without device) and up to 2.2 (1.0.1).
std::string flat(std::string_view schema, std::string_view tensor) {
  return fmt::format(R"x({{
  "schema": "{0}", "pid": 59811, "time": "2023-09-07 16:09:59", "start_ts": 6672645,
  "nodes": [
    {{
      "name": "[pytorch|profiler|execution_graph|thread]", "id": 2, "rf_id": 0, "parent": 1, "fw_parent": 0, "seq_id": -1, "scope": 7, "tid": 1, "fw_tid": 0, "op_schema": "",
      "inputs": [], "input_shapes": [], "input_types": [],
      "outputs": [], "output_shapes": [], "output_types": []
    }},
    {{
      "name": "aten::slice", "id": 8, "rf_id": 4, "parent": 4, "fw_parent": 3, "seq_id": 440, "scope": 0, "tid": 1, "fw_tid": 2, "op_schema": "aten::slice.Tensor(Tensor(a) self)",
      "inputs": [{1},[48],0], "input_shapes": [[112],[[]],[]], "input_types": ["Tensor(long int)","GenericList[Int]","Int"],
      "outputs": [{1}], "output_shapes": [[48]], "output_types": ["Tensor(long int)"]
    }},
    {{
      "name": "## forward ##", "id": 4, "rf_id": 1, "parent": 2, "fw_parent": 0, "seq_id": -1, "scope": 7, "tid": 1, "fw_tid": 0, "op_schema": "",
      "inputs": [], "input_shapes": [], "input_types": [],
      "outputs": [], "output_shapes": [], "output_types": []
    }},
    {{
      "name": "[pytorch|profiler|execution_graph|process]", "id": 1, "rf_id": 0, "parent": 1, "fw_parent": 0, "seq_id": -1, "scope": 7, "tid": 0, "fw_tid": 0, "op_schema": "",
      "inputs": [], "input_shapes": [], "input_types": [],
      "outputs": [], "output_shapes": [], "output_types": []
    }}
  ],
  "finish_ts": 6674697
}})x",
                     schema, tensor);
}

TEST(PyTorchEt, FlatSchemas) {
  for (const std::string schema : {"1.0.0", "1.0.1"}) {
    const std::string tensor = schema == "1.0.0" ? "[5,6,0,112,8]" : "[5,6,0,112,8,\"cuda:0\"]";
    const Outcome out = read_text(flat(schema, tensor));
    ASSERT_TRUE(out.profile) << to_string(out.profile.error());
    EXPECT_TRUE(out.findings.empty());
    EXPECT_EQ(out->format, "pytorch_et");
    EXPECT_EQ(out->schema, schema);
    EXPECT_EQ(out->process_id, 59811);
    EXPECT_EQ(out->facts.size(), 3u);
    EXPECT_EQ(out->account.records, 4u);
    EXPECT_EQ(out->account.events, 2u);
    EXPECT_EQ(out->account.mapped, 2u);
    EXPECT_TRUE(out->account.left_out.empty());
    ASSERT_EQ(out->lanes.size(), 1u);
    EXPECT_EQ(out->lanes[0].process, 59811);
    EXPECT_EQ(out->lanes[0].id, 1);
    const EventId slice = *out.named("aten::slice");
    EXPECT_EQ(out.parent_of("aten::slice"), "## forward ##");
    EXPECT_EQ(out.parent_of("## forward ##"), "");
    EXPECT_EQ(out->events[slice].kind, Kind::op);
    EXPECT_FALSE(out->events[slice].timed());
    EXPECT_EQ(out->events[*out.named("## forward ##")].kind, Kind::annotation);
    EXPECT_EQ(out->op(slice).record_function_id, 4u);
    EXPECT_EQ(out->op(slice).sequence, 440);
    EXPECT_EQ(out->op(slice).forward_thread, 2u);
    const Node& node = *out->node(slice);
    EXPECT_EQ(node.id, 8u);
    EXPECT_EQ(node.parent, 4u);
    EXPECT_EQ(node.forward_parent, 3u);
    EXPECT_EQ(out->string(node.schema), "aten::slice.Tensor(Tensor(a) self)");
    EXPECT_EQ(out->string(node.input_shapes), "[[112],[[]],[]]");
    EXPECT_EQ(out->string(node.input_types), R"x(["Tensor(long int)","GenericList[Int]","Int"])x");
    EXPECT_EQ(out->texts.view(node.inputs), "[" + tensor + ",[48],0]");
    EXPECT_EQ(out->texts.view(node.outputs), "[" + tensor + "]");
    profile::Tensors tensors(out->texts.view(node.inputs), out->string(node.input_types));
    profile::Tensor first;
    ASSERT_TRUE(tensors.next(first));
    EXPECT_EQ(first.elements, 112u);
    // A tree's pre-order, though children come first in the file.
    EXPECT_EQ(out->in_order(0)[0], *out.named("## forward ##"));
  }
}

TEST(PyTorchEt, SchemasWithAttributes) {
  NodeText op{4, "triton_\\u0041\\\"x\\\"", 2, "[ [5, 6, 0, 16, 4, \"cuda:0\"],\n \"a b\", 1.5 ]"};
  op.rest = attribute("kernel_backend", "\"triton\"") + "," +
            attribute("kernel_file", "\"cm7.py\"") + "," +
            attribute("tensor_range", R"("[{\"min\":0}]")") + "," + attribute("new_one", "[1, 2]") +
            "," + attribute("empty", "\"\"");
  for (const char* schema : {"1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4", "1.0.4-chakra.0.0.4",
                             "1.1.0-chakra.0.0.4", "1.1.1-chakra.0.0.4", "1.1.1-chakra.1.0.0"}) {
    const Outcome out = read_text(trace_of({op}, schema));
    ASSERT_TRUE(out.profile) << to_string(out.profile.error());
    EXPECT_EQ(out->schema, schema);
    const EventId event = *out.named("triton_A\"x\"");
    const Node& node = *out->node(event);
    EXPECT_EQ(out->string(node.kernel_backend), "triton");
    EXPECT_EQ(out->string(node.kernel_file), "cm7.py");
    EXPECT_EQ(out->string(node.extra), R"({"tensor_range":"[{\"min\":0}]","new_one":[1,2]})");
    EXPECT_EQ(out->texts.view(node.inputs), R"([[5,6,0,16,4,"cuda:0"],"a b",1.5])");
    EXPECT_EQ(out->op(event).record_function_id, 104u);
    EXPECT_EQ(out.findings.list().size(), 1u);
    EXPECT_EQ(out.findings.count(FindingCode::unknown_field_kept), 1u);
  }
}

TEST(PyTorchEt, NewerSchemasAreReadOthersAreNot) {
  const Outcome newer = read_text(trace_of({{4, "aten::add"}}, "1.2.0-chakra.2.0.0"));
  ASSERT_TRUE(newer.profile);
  EXPECT_EQ(newer.findings.count(FindingCode::unknown_field_kept), 1u);
  for (const char* schema : {"2.0.0", "symbolic_tensor_network", "", "1", "1.x"}) {
    const Outcome out = read_text(trace_of({{4, "aten::add"}}, schema));
    ASSERT_FALSE(out.profile) << schema;
    EXPECT_EQ(out.profile.error().code, Errc::input_unsupported);
  }
  for (const char* text : {R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "a"}]})",
                           "[]", R"({"workload_graph": []})", "{}"}) {
    const Outcome out = read_text(text);
    ASSERT_FALSE(out.profile) << text;
    EXPECT_EQ(out.profile.error().code, Errc::input_unsupported) << text;
  }
  EXPECT_EQ(read_text("").profile.error().code, Errc::input_corrupt);
  EXPECT_EQ(read_text("schema").profile.error().code, Errc::input_corrupt);
  EXPECT_EQ(read_text(trace_of({})).profile.error().code, Errc::input_empty);
}

TEST(PyTorchEt, OddTrees) {
  // 5 is its own parent; 6, 7 and 8 go round; 9's parent is missing; 10's is on another thread.
  const Outcome out = read_text(trace_of({{5, "own", 5},
                                          {6, "a", 7},
                                          {7, "b", 8},
                                          {8, "c", 6},
                                          {9, "lost", 99},
                                          {10, "other", 9, "[]", "[]", "[]", "[]", 0, 2},
                                          {11, "under a", 6},
                                          {12, "none", 0}}));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out->events.size(), 8u);
  EXPECT_EQ(out.findings.count(FindingCode::self_edge_dropped), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::cycle_broken), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::node_without_parent), 2u);
  EXPECT_EQ(out.parent_of("own"), "");
  EXPECT_EQ(out.parent_of("a"), "b");
  EXPECT_EQ(out.parent_of("b"), "c");
  EXPECT_EQ(out.parent_of("c"), "");
  EXPECT_EQ(out.parent_of("lost"), "");
  EXPECT_EQ(out.parent_of("other"), "");
  EXPECT_EQ(out.parent_of("under a"), "a");
  EXPECT_EQ(out->lanes.size(), 2u);
}

TEST(PyTorchEt, IdsTwiceAndNone) {
  const Outcome out = read_text(trace_of({{5, "first"}, {5, "second"}, {0, "x"}, {0, "y"}}));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out->events.size(), 3u);
  EXPECT_FALSE(out.named("second"));
  EXPECT_EQ(out.findings.count(FindingCode::duplicate_id_dropped), 1u);
  EXPECT_EQ(out->account.records, 6u);
  EXPECT_EQ(out->account.left_out, (decltype(out->account.left_out){{"duplicate id", 1}}));
}

TEST(PyTorchEt, AKilledJobsFileHasNoEnd) {
  const std::string whole = trace_of({{4, "inner", 3}, {5, "next", 3}, {3, "outer"}});
  const std::size_t end = whole.find("\"outer\"");
  const Outcome out = read_text(whole.substr(0, end));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out->events.size(), 2u);
  EXPECT_EQ(out.findings.count(FindingCode::node_without_parent), 2u);
  EXPECT_GE(out.findings.count(FindingCode::truncated_tail_dropped), 1u);
  // Cut anywhere, there is an answer.
  for (std::size_t cut = 0; cut < whole.size(); cut += 3) {
    const Outcome part = read_text(whole.substr(0, cut));
    if (part.profile) {
      const profile::RecordCounts& account = part->account;
      std::uint64_t sum = account.events + account.mapped;
      for (const auto& [what, count] : account.left_out) sum += count;
      EXPECT_EQ(sum, account.records) << cut;
    }
  }
}

TEST(PyTorchEt, ValuesOfAnotherTypeAreLeftOut) {
  const Outcome out = read_text(R"({"nodes": [
    {"id": "7", "name": "quoted id", "tid": 1.0, "rf_id": "x", "inputs": "none", "attrs": 3},
    {"id": 8, "name": 5, "ctrl_deps": [7, 9], "scope": [], "seq_id": null, "input_shapes": {}},
    {"id": -1, "name": "negative", "ctrl_deps": [7]},
    {"id": 9, "name": "a broken attribute", "attrs": [{"value": 1}]},
    17, "text"
  ], "pid": 5, "schema": "1.1.1"})");
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  ASSERT_EQ(out->events.size(), 3u);
  EXPECT_EQ(out->node(0)->id, 7u);
  EXPECT_EQ(out->lanes[out->events[0].lane].process, 5);
  EXPECT_EQ(out->op(0).record_function_id, profile::kNoId);
  EXPECT_EQ(out->node(1)->parent, 7u);
  EXPECT_EQ(out->name(1), "");
  EXPECT_EQ(out->node(2)->id, 0u);
  EXPECT_EQ(out.findings.count(FindingCode::attr_ignored), 3u);
  EXPECT_EQ(out->account.records, 6u);
  EXPECT_EQ(out->account.left_out, (decltype(out->account.left_out){{"damaged", 3}}));
  EXPECT_EQ(out.findings.count(FindingCode::corrupt_record_dropped), 3u);
}

TEST(PyTorchEt, ControlCharactersAndBadUtf8AreMended) {
  const Outcome out = read_text(trace_of({{4, "a\x01 b\xff"}, {5, "fine"}}));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out->events.size(), 2u);
  EXPECT_TRUE(out.named("fine"));
  EXPECT_GE(out.findings.count(FindingCode::json_repaired), 1u);
}

// torch 1.13 writes a name as it is; threads that write at once lose a comma or a brace.
TEST(PyTorchEt, ADamagedNodeLeavesItsNeighbors) {
  for (const char* name : {"my \"quoted\" name", "my \"quoted name"}) {
    const Outcome out = read_text(trace_of({{4, "before"}, {5, name}, {6, "inside", 5}}));
    ASSERT_TRUE(out.profile) << name;
    EXPECT_TRUE(out.named("before") && out.named("inside")) << name;
    EXPECT_EQ(out.findings.count(FindingCode::corrupt_record_dropped), 1u);
    EXPECT_EQ(out.findings.count(FindingCode::node_without_parent), 1u);
    EXPECT_EQ(out->account.left_out, (decltype(out->account.left_out){{"damaged", 1}}));
  }
  std::string text = trace_of({{4, "before"}, {5, "after"}});
  text.erase(text.find("}]},{") + 3, 1);
  const Outcome out = read_text(text);
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out->events.size(), 2u);
  EXPECT_EQ(out.findings.count(FindingCode::json_repaired), 1u);
}

TEST(PyTorchEt, LongTextsAreCutToWholeElements) {
  const std::string name(std::size_t{1} << 21, 'n');
  std::string list = "[[1,2]";
  while (list.size() < (std::size_t{5} << 20)) list += ",[5,6,0,112,4,\"cuda:0\"]";
  list += "]";
  NodeText big{4, name, 2, list};
  const Outcome out = read_text(trace_of({big}));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.findings.count(FindingCode::string_cut), 2u);
  EXPECT_EQ(out->name(0).size(), std::size_t{1} << 20);
  const std::string_view retained = out->texts.view(out->node(0)->inputs);
  EXPECT_LE(retained.size(), std::size_t{4} << 20);
  EXPECT_GT(retained.size(), (std::size_t{4} << 20) - 64);
  EXPECT_TRUE(retained.ends_with("\"cuda:0\"]]"));
}

}  // namespace
}  // namespace orrery::trace::pytorch
