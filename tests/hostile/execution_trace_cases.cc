// SPDX-License-Identifier: Apache-2.0
//
// Damaged PyTorch execution traces, and ones that do not belong to their device trace.
#include <fmt/format.h>

#include "orrery/trace/pytorch/pytorch_testing.h"
#include "pytorch_traces.h"

namespace orrery::hostile {

namespace {

using trace::pytorch::NodeText;
using trace::pytorch::trace_of;

const NodeText kFirst{3, "aten::mm"};
const NodeText kSecond{4, "aten::add"};

Case host_survives(std::string name, std::string bytes, std::string reports) {
  return survives("execution_" + std::move(name), kConvertHost, "e.json", std::move(bytes),
                  std::move(reports));
}

Case host_refused(std::string name, std::string bytes, std::string says, int exit_code = 3) {
  return refused("execution_" + std::move(name), kConvertHost, "e.json", std::move(bytes),
                 {std::move(says)}, exit_code);
}

NodeText child_of(int id, int parent) {
  NodeText node{id, "op" + std::to_string(id)};
  node.parent = parent;
  return node;
}

NodeText with_inputs(std::string values, std::string types) {
  NodeText node{3, "aten::mm"};
  node.inputs = std::move(values);
  node.input_types = std::move(types);
  return node;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

Case host_made(std::string name, int count, std::string reports,
               std::function<NodeText(int)> node) {
  return made(
      "execution_" + std::move(name), kConvertHost, "e.json",
      [count, node = std::move(node)] {
        std::vector<NodeText> nodes;
        for (int i = 3; i < count + 3; ++i) nodes.push_back(node(i));
        return trace_of(nodes);
      },
      std::move(reports));
}

Case groups_of(std::string name, std::string_view text, std::string reports) {
  NodeText init = with_inputs(fmt::format("[\"{}\"]", text), "[\"String\"]");
  init.name = "## process_group:init ##";
  return host_survives("groups_" + std::move(name), trace_of({init, kSecond}), std::move(reports));
}

}  // namespace

std::vector<Case> execution_cut_cases() {
  const std::string whole = trace_of({kFirst, kSecond});
  const auto until = [&](std::string_view mark, std::size_t further) {
    return whole.substr(0, whole.find(mark) + further);
  };
  const std::string lost = "truncated_tail_dropped";
  return {
      host_refused("cut_in_the_head", whole.substr(0, 40), "E2004"),
      host_refused("cut_before_the_nodes", until("[{", 1), "E2011"),
      host_refused("cut_in_the_first_node", until("aten::mm", 4), "E2011"),
      host_survives("cut_in_the_second_node", until("aten::add", 4), lost),
      host_survives("cut_in_an_attribute", until("aten::add", 300), lost),
      host_survives("cut_before_the_end", whole.substr(0, whole.size() - 1), lost),
      host_survives("cut_in_the_end", until("finish_ts", 4), lost),
      host_survives("nuls_behind_it", whole + std::string(1000, '\0'), "corrupt_record_dropped"),
      host_survives("byte_order_mark", "\xEF\xBB\xBF" + whole, "t.0.et"),
      host_refused("nodes_an_object", R"({"schema": "1.1.1", "pid": 1, "nodes": {}})", "E2004"),
      host_refused("nodes_null", R"({"schema": "1.1.1", "pid": 1, "nodes": null})", "E2004"),
      host_refused("nodes_none", R"({"schema": "1.1.1", "pid": 1, "nodes": []})", "E2011"),
      host_refused("nodes_missing", R"({"schema": "1.1.1", "pid": 1, "start_ts": 1})", "E2004"),
      host_refused("schema_unknown", trace_of({kFirst}, "9.9.9"), "\"9.9.9\""),
      host_refused("schema_a_word", trace_of({kFirst}, "x"), "E2004"),
      host_refused("schema_a_number", replaced(whole, "\"1.1.1-chakra.0.0.4\"", "3"), "E2004"),
      host_survives("schema_missing", replaced(whole, "\"schema\": \"1.1.1-chakra.0.0.4\", ", ""),
                    "t.0.et"),
      host_survives("quotes_in_a_name", trace_of({{3, "a \"b\" c"}, kSecond}),
                    "corrupt_record_dropped"),
      host_survives("control_characters", trace_of({{3, "a\nb\x01"}, kSecond}), "json_repaired"),
      host_survives("broken_utf8", trace_of({{3, "\xFF\xFE"}, kSecond}), "json_repaired"),
  };
}

std::vector<Case> execution_node_cases() {
  const std::string whole = trace_of({kFirst, kSecond});
  const std::string brackets = repeated("[", 200'000) + repeated("]", 200'000);
  NodeText deep = kFirst;
  deep.more = "\"x\": " + brackets;
  NodeText attributes = kFirst;
  attributes.rest = R"(1, "x", null, [], {}, {"name": 3, "value": 4}, {"name": "rf_id"})";
  return {
      host_survives("parent_missing", trace_of({child_of(3, 99), kSecond}), "node_without_parent"),
      host_survives("parent_itself", trace_of({child_of(3, 3), kSecond}), "self_edge_dropped"),
      host_survives("parents_in_a_circle", trace_of({child_of(3, 4), child_of(4, 3)}),
                    "cycle_broken"),
      host_survives("parent_negative", trace_of({child_of(3, -1)}), "node_without_parent"),
      host_survives("parent_a_word", replaced(whole, "\"ctrl_deps\": 2,", "\"ctrl_deps\": \"x\","),
                    "node_without_parent"),
      host_survives("id_twice", trace_of({kFirst, kFirst}), "duplicate_id_dropped"),
      host_survives("id_2_to_63", replaced(whole, "\"id\": 3,", "\"id\": 9223372036854775808,"),
                    "attr_ignored"),
      host_survives("id_negative", replaced(whole, "\"id\": 3,", "\"id\": -1,"), "attr_ignored"),
      host_survives("id_null", replaced(whole, "\"id\": 3,", "\"id\": null,"), "attr_ignored"),
      host_survives("record_id_2_to_64",
                    replaced(whole, "\"value\": 103}", "\"value\": 18446744073709551616}"),
                    "attr_ignored"),
      host_survives("inputs_a_number", trace_of({with_inputs("3", "[]"), kSecond}), "attr_ignored"),
      host_survives("inputs_a_word", trace_of({with_inputs("\"x\"", "[]"), kSecond}),
                    "attr_ignored"),
      host_survives("inputs_an_object", trace_of({with_inputs("{}", "{}"), kSecond}),
                    "attr_ignored"),
      host_survives("inputs_deep", trace_of({with_inputs(brackets, "[]"), kSecond}),
                    "corrupt_record_dropped"),
      host_survives(
          "types_deep",
          trace_of({with_inputs("[[1,0,0,1,4]]", "[\"" + repeated("GenericList[", 100'000) + "\"]"),
                    kSecond}),
          "string_cut"),
      host_survives(
          "tensor_lies",
          trace_of({with_inputs("[[9223372036854775807,9223372036854775807,0,9223372036854775807,"
                                "8,\"cuda:0\"]]",
                                "[\"Tensor(float)\"]"),
                    kSecond}),
          "t.0.et"),
      host_survives("node_deep", trace_of({deep, kSecond}), "corrupt_record_dropped"),
      host_survives("attributes_junk", trace_of({attributes, kSecond}), "_"),
      host_survives("name_missing", replaced(whole, "\"name\": \"aten::mm\", ", ""), "t.0.et"),
      host_survives("parent_left_out", replaced(whole, "\"ctrl_deps\": 2,", ""),
                    "node_without_parent"),
      groups_of("empty", "", "metadata_group_ignored"),
      groups_of("cut", "[{", "metadata_group_ignored"),
      groups_of("deep", repeated("[", 100'000), "metadata_group_ignored"),
      groups_of("lie", R"([{\"pg_name\": \"0\", \"ranks\": [0, -5, 99999999999999]}])",
                "metadata_group_ignored"),
      groups_of("no_list", R"([{\"pg_name\": \"0\", \"ranks\": \"x\"}])", "metadata_group_ignored"),
  };
}

std::vector<Case> execution_size_cases() {
  return {
      host_made("long_circle", 100'000, "cycle_broken",
                [](int i) { return child_of(i, i == 3 ? 100'002 : i - 1); }),
      host_made("long_chain", 100'000, "t.0.et", [](int i) { return child_of(i, i - 1); }),
      host_made("one_id", 100'000, "duplicate_id_dropped", [](int) { return kFirst; }),
      host_made("many_threads", 100'000, "t.0.et",
                [](int i) {
                  NodeText node{i, "a"};
                  node.thread = i;
                  return node;
                }),
      host_made("name_of_15_MB", 2, "string_cut",
                [](int i) {
                  return NodeText{i, i == 3 ? repeated("a", 15'000'000) : std::string("b")};
                }),
  };
}

std::vector<Case> unlinked_cases() {
  std::vector<NodeText> others;
  for (int i = 3; i < 200; ++i) others.push_back({i, "other" + std::to_string(i)});
  const Files apart = {{"k.json", device_trace()}, {"e.json", trace_of(others)}};
  std::vector<Case> cases;
  for (const std::string command :
       {"trace convert k.json e.json -o t", "trace merge k.json e.json",
        "trace validate --traces k.json e.json", "trace info --traces k.json e.json"}) {
    cases.push_back({"unlinked_" + command.substr(6, command.find(' ', 6) - 6),
                     command,
                     3,
                     {"e.json", "k.json", "E2013", "hint"},
                     apart});
  }
  return cases;
}

}  // namespace orrery::hostile
