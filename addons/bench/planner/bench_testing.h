// SPDX-License-Identifier: Apache-2.0
//
// For tests: a framework with a few operators, and recordings of a few nodes.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "addons/bench/planner/planner.h"
#include "orrery/trace/pytorch/reader.h"

namespace orrery::bench {

/// Has the operators that the test adds.
class FakeOperators final : public FrameworkOperators {
 public:
  explicit FakeOperators(std::vector<Overload> overloads) {
    for (Overload& overload : overloads) {
      const std::size_t end = overload.schema.find_first_of(".(");
      by_name_[overload.schema.substr(0, end)].push_back(std::move(overload));
    }
  }
  [[nodiscard]] std::vector<Overload> overloads(std::string_view name) const override {
    const auto found = by_name_.find(std::string(name));
    return found == by_name_.end() ? std::vector<Overload>{} : found->second;
  }

 private:
  std::map<std::string, std::vector<Overload>> by_name_;
};

inline constexpr std::string_view kRelu = "aten::relu(Tensor self) -> Tensor";
inline constexpr std::string_view kAddTensor =
    "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
inline constexpr std::string_view kAddInPlace =
    "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)";
inline constexpr std::string_view kLinear =
    "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor";
inline constexpr std::string_view kAddmm =
    "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> "
    "Tensor";
inline constexpr std::string_view kT = "aten::t(Tensor(a) self) -> Tensor(a)";
inline constexpr std::string_view kEmbedding =
    "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool "
    "scale_grad_by_freq=False, bool sparse=False) -> Tensor";

/// relu, add, add_, t, embedding and addmm have kernels; linear calls other operators.
inline FakeOperators few_operators() {
  return FakeOperators({{std::string(kRelu), true, false},
                        {std::string(kAddTensor), true, false},
                        {std::string(kAddInPlace), true, false},
                        {std::string(kLinear), true, true},
                        {std::string(kAddmm), true, false},
                        {std::string(kT), true, false},
                        {std::string(kEmbedding), true, false}});
}

/// A node as text in a file.
struct NodeLine {
  int id = 0;
  std::string name;
  std::string_view schema;
  std::string inputs = "[]", input_shapes = "[]", input_types = "[]";
  std::string outputs = "[]", output_shapes = "[]", output_types = "[]";
  int parent = 2;
};

/// [id, storage, offset, elements, 4, "cpu"]
inline std::string tensor(int id, int storage, long long elements, long long offset = 0,
                          int width = 4) {
  return fmt::format(R"j([{}, {}, {}, {}, {}, "cpu"])j", id, storage, offset, elements, width);
}

/// A complete trace in schema 1.0.1.
inline std::string trace_text(const std::vector<NodeLine>& nodes) {
  std::string text = R"({"schema": "1.0.1", "pid": 1, "time": "t", "start_ts": 1, "nodes": [)";
  const auto add = [&](const NodeLine& node) {
    text += fmt::format(
        R"({{"name": "{}", "id": {}, "rf_id": {}, "parent": {}, "fw_parent": 0, "seq_id": -1,
            "scope": 0, "tid": 1, "fw_tid": 0, "op_schema": "{}", "inputs": {}, "input_shapes": {},
            "input_types": {}, "outputs": {}, "output_shapes": {}, "output_types": {}}})",
        node.name, node.id, node.id + 1000, node.parent, node.schema, node.inputs,
        node.input_shapes, node.input_types, node.outputs, node.output_shapes, node.output_types);
  };
  add({.id = 2, .name = "[pytorch|profiler|execution_graph|thread]", .parent = 1});
  for (const NodeLine& node : nodes) {
    text += ",";
    add(node);
  }
  text += ",";
  add({.id = 1, .name = "[pytorch|profiler|execution_graph|process]", .parent = 1});
  return text + "], \"finish_ts\": 2}";
}

inline Result<profile::Profile> profile_of(const std::string& text) {
  Findings findings;
  return trace::pytorch::read(std::make_unique<trace::MemorySource>(std::as_bytes(std::span(text))),
                              {"test.json", std::make_shared<StringPool>()}, findings);
}

inline Result<ReplayPlan> plan_of(const std::vector<NodeLine>& nodes,
                                  const FrameworkOperators& operators,
                                  const PlanOptions& options = {}) {
  const auto profile = profile_of(trace_text(nodes));
  if (!profile) return tl::unexpected(profile.error());
  return make_plan(*profile, operators, options);
}

/// y = relu(x), of [32] floats.
inline NodeLine relu_node(int id, int in, int in_storage, int out, int out_storage,
                          int parent = 2) {
  return {id,
          "aten::relu",
          kRelu,
          "[" + tensor(in, in_storage, 32) + "]",
          "[[32]]",
          R"j(["Tensor(float)"])j",
          "[" + tensor(out, out_storage, 32) + "]",
          "[[32]]",
          R"j(["Tensor(float)"])j",
          parent};
}

}  // namespace orrery::bench
