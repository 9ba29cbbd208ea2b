// SPDX-License-Identifier: Apache-2.0
//
// For tests: small execution traces from text.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/trace/pytorch/reader.h"

namespace orrery::trace::pytorch {

struct Outcome {
  Result<profile::Profile> profile;
  Findings findings;

  [[nodiscard]] const profile::Profile* operator->() const { return &*profile; }
  [[nodiscard]] std::optional<profile::EventId> named(std::string_view name) const {
    for (profile::EventId e = 0; e < profile->events.size(); ++e) {
      if (profile->name(e) == name) return e;
    }
    return std::nullopt;
  }
  /// The name of the parent of the event named `child`.
  [[nodiscard]] std::string parent_of(std::string_view child) const {
    const auto event = named(child);
    if (!event) return "no such event";
    const profile::EventId parent = profile->events[*event].parent;
    return parent == profile::kNoEvent ? "" : std::string(profile->name(parent));
  }
  [[nodiscard]] const profile::Comm* comm(std::string_view name) const {
    const auto event = named(name);
    return event ? profile->comm(*event) : nullptr;
  }
};

inline Outcome read_text(std::string_view text) {
  Outcome out{fail(Errc::input_empty, "", ""), {}};
  out.profile = read(std::make_unique<MemorySource>(std::as_bytes(std::span(text))),
                     {"rank0.json", std::make_shared<StringPool>()}, out.findings);
  return out;
}

/// A node of schema 1.0.2 and later. `rest`: further attributes; `more`: further members.
struct NodeText {
  int id = 0;
  std::string name;
  int parent = 2;
  std::string inputs = "[]", input_types = "[]";
  std::string outputs = "[]", output_types = "[]";
  int scope = 0, thread = 1;
  std::string rest{}, more{};

  [[nodiscard]] std::string text() const {
    return fmt::format(
        R"({{"id": {}, "name": "{}", "ctrl_deps": {},
            "inputs": {{"values": {}, "shapes": [], "types": {}}},
            "outputs": {{"values": {}, "shapes": [], "types": {}}},
            "attrs": [{{"name": "rf_id", "type": "uint64", "value": {}}},
                      {{"name": "fw_parent", "type": "uint64", "value": 0}},
                      {{"name": "seq_id", "type": "int64", "value": -1}},
                      {{"name": "scope", "type": "uint64", "value": {}}},
                      {{"name": "tid", "type": "uint64", "value": {}}},
                      {{"name": "fw_tid", "type": "uint64", "value": 0}},
                      {{"name": "op_schema", "type": "string", "value": ""}}{}{}]{}{}}})",
        id, name, parent, inputs, input_types, outputs, output_types, id + 100, scope, thread,
        rest.empty() ? "" : ",", rest, more.empty() ? "" : ",", more);
  }
};

/// A complete trace: a thread (node 2), `nodes` and the root.
inline std::string trace_of(const std::vector<NodeText>& nodes,
                            std::string_view schema = "1.1.1-chakra.0.0.4") {
  std::string text = fmt::format(
      R"({{"schema": "{}", "pid": 77, "time": "2025-06-26 13:28:44", "start_ts": 100, "nodes": [)",
      schema);
  text +=
      NodeText{2, "[pytorch|profiler|execution_trace|thread]", 1, "[]", "[]", "[]", "[]", 7}.text();
  for (const NodeText& node : nodes) text += "," + node.text();
  text += "," +
          NodeText{1, "[pytorch|profiler|execution_trace|process]", 1, "[]", "[]", "[]", "[]", 7, 0}
              .text();
  return text + "], \"finish_ts\": 120}";
}

/// Adds `"name": value` attributes to NodeText::rest.
inline std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(R"({{"name": "{}", "type": "x", "value": {}}})", name, value);
}

}  // namespace orrery::trace::pytorch
