// SPDX-License-Identifier: Apache-2.0
//
// RunMetadata and cost graphs of TensorFlow, task graphs of FlexFlow.
#include <cstdint>
#include <protozero/pbf_writer.hpp>

#include "orrery/trace/tensorflow/proto_fields.h"
#include "pytorch_traces.h"

namespace orrery::hostile {
namespace {

namespace proto = trace::tensorflow;

/// A node of a cost graph.
std::string cost_node(std::int64_t id, std::int64_t input, std::int64_t cost) {
  std::string node, source, out;
  protozero::pbf_writer writer(node);
  writer.add_string(proto::kCostName, "n");
  writer.add_string(proto::kCostDevice, "/cpu:0");
  writer.add_int64(proto::kCostId, id);
  if (input >= 0) {
    protozero::pbf_writer(source).add_int64(proto::kPrecedingNode, input);
    writer.add_message(proto::kCostInput, source);
  }
  writer.add_int64(proto::kComputeCost, cost);
  protozero::pbf_writer(out).add_message(proto::kCostNode, node);
  return out;
}

/// StepStats of a GPU with one kernel at this time.
std::string step_stats(std::uint64_t start) {
  std::string node, device, out;
  protozero::pbf_writer of_node(node);
  of_node.add_string(proto::kNodeName, "a:MatMul");
  of_node.add_uint64(proto::kAllStartMicros, start);
  of_node.add_uint64(proto::kAllEndMicros, 5);
  protozero::pbf_writer of_device(device);
  of_device.add_string(proto::kDeviceName, "/device:GPU:0/stream:all");
  of_device.add_message(proto::kNodeStats, node);
  protozero::pbf_writer(out).add_message(proto::kDeviceStats, device);
  return out;
}

std::string task(std::string_view node, std::string_view npu, std::string_view time) {
  return std::string(node) + " [label=\"{ npu=" + std::string(npu) +
         " | a | f | COMP_NODE | wall_clock_time=" + std::string(time) + " }\"]; ";
}

std::vector<Case> dot_cases() {
  const auto bad = [](std::string name, const std::string& body, std::string says) {
    return refused("flexflow_" + std::move(name), "trace convert g.dot -o t", "g.dot",
                   "digraph g { " + body, {std::move(says)});
  };
  const std::string first = task("node0", "0", "1e-5"), second = task("node1", "0", "1e-5");
  return {
      bad("cycle", first + second + "node0 -> node1; node1 -> node0; }", "E2008"),
      bad("edge_to_nothing", first + "node0 -> node7; }", "E2006"),
      bad("time_nan", task("node0", "0", "nan") + "}", "E2003"),
      bad("npu_99999999999", task("node0", "99999999999", "1") + "}", "E2009"),
      bad("message_to_itself",
          "node0 [label=\"{ npu=0 | a | f | COMM_SEND_RECV_NODE | src=0 | dst=0 | size=1 }\"]; }",
          "E2009"),
      bad("cut", first + "node1 [label=\"{ npu=0 | a", "E2002"),
  };
}

}  // namespace

std::vector<Case> task_graph_cases() {
  const auto bad = [](std::string name, std::string bytes, std::string says) {
    return refused("tensorflow_" + std::move(name), "trace convert m.pb -o t", "m.pb",
                   std::move(bytes), {std::move(says)});
  };
  std::vector<Case> cases = dot_cases();
  const std::string stats = step_stats(1'700'000'000'000'000);
  for (Case& one :
       std::vector<Case>{bad("costs_in_a_cycle", cost_node(1, 2, 5) + cost_node(2, 1, 5), "E2008"),
                         bad("costs_id_twice", cost_node(1, -1, 5) + cost_node(1, -1, 5), "E2005"),
                         bad("costs_input_missing", cost_node(1, 7, 5), "E2006"),
                         bad("costs_negative", cost_node(1, -1, -5), "E2009"),
                         bad("costs_of_300000_years", cost_node(1, -1, INT64_MAX), "E2009"),
                         bad("step_cut", stats.substr(0, stats.size() - 2), "E2002"),
                         bad("step_and_junk", stats + std::string(100, '\x07'), "E2003"),
                         bad("step_as_text", "step_stats {\n  dev_stats {\n", "the text form"),
                         bad("step_at_the_end_of_time", step_stats(UINT64_MAX), "E2011")})
    cases.push_back(std::move(one));
  return cases;
}

}  // namespace orrery::hostile
