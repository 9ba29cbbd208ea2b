// SPDX-License-Identifier: Apache-2.0
//
// Damaged configurations of ASTRA-sim: network, system, memory, groups, custom collectives.
#include "hostile_case.h"
#include "orrery/trace/chakra/chakra_testing.h"

namespace orrery::hostile {

namespace fs = std::filesystem;
namespace chakra = trace::chakra;
using chakra::testing::node;

namespace {

Case with(const char* file, std::string name, std::string text, std::vector<std::string> says,
          int exit_code = 2) {
  says.insert(says.begin(), file);
  return {std::move(name), kAstra, exit_code, std::move(says), {{file, std::move(text)}}};
}

Case network(std::string name, std::string text, std::vector<std::string> says, int exit_code = 2) {
  return with("net.yml", "network_" + std::move(name), std::move(text), std::move(says), exit_code);
}

/// One dimension with these values.
std::string one_dim(const char* block, const char* npus, const char* bandwidth,
                    const char* latency) {
  return std::string("topology: [ ") + block + " ]\nnpus_count: [ " + npus + " ]\nbandwidth: [ " +
         bandwidth + " ]\nlatency: [ " + latency + " ]\n";
}

Case system_file(std::string name, std::string text, std::vector<std::string> says,
                 int exit_code = 2) {
  return with("sys.json", "system_" + std::move(name), std::move(text), std::move(says), exit_code);
}

Case memory(std::string name, std::string text, std::vector<std::string> says, int exit_code = 2) {
  return with("mem.json", "memory_" + std::move(name), std::move(text), std::move(says), exit_code);
}

Case groups(std::string name, std::string text, std::vector<std::string> says, int exit_code = 3) {
  says.insert(says.begin(), "groups.json");
  return {"groups_" + std::move(name),
          kAstra + " --groups groups.json",
          exit_code,
          std::move(says),
          {{"groups.json", std::move(text)}}};
}

/// Level after level ten times the one before.
std::string alias_bomb() {
  std::string text = "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string name = std::to_string(i);
    text += "l" + name + ": &l" + name + " [" + repeated("*l" + std::to_string(i - 1) + ", ", 9) +
            "*l" + std::to_string(i - 1) + "]\n";
  }
  return text;
}

std::function<void(const fs::path&)> link(const char* name, const char* target) {
  return [=](const fs::path& folder) {
    fs::remove(folder / name);
    fs::create_symlink(target, folder / name);
  };
}

}  // namespace

std::vector<Case> network_cases() {
  return {
      network("empty", "", {}),
      network("not_yaml", "topology: [ Ring", {"net.yml:1"}),
      network("no_topology", "npus_count: [ 2 ]\n", {"/topology"}),
      network("unknown_block", one_dim("Torus", "2", "50", "500"), {"/topology/0", "Torus"}),
      network("one_npu", one_dim("Ring", "1", "50", "500"), {"/npus_count/0"}),
      network("half_an_npu", one_dim("Ring", "2.5", "50", "500"), {"/npus_count/0"}),
      network("npus_nan", one_dim("Ring", ".nan", "50", "500"), {"/npus_count/0"}),
      network("npus_beyond_64_bits", one_dim("Ring", "99999999999999999999", "50", "500"),
              {"/npus_count/0"}),
      network("too_many_npus",
              "topology: [ Ring, Ring ]\nnpus_count: [ 2000000000, 2000000000 ]\nbandwidth: [ 5, 5 "
              "]\nlatency: [ 1, 1 ]\n",
              {"/npus_count"}, 5),
      network("bandwidth_0", one_dim("Ring", "2", "0", "500"), {"/bandwidth/0"}),
      network("bandwidth_negative", one_dim("Ring", "2", "-50", "500"), {"/bandwidth/0"}),
      network("bandwidth_nan", one_dim("Ring", "2", ".nan", "500"), {"/bandwidth/0"}),
      network("bandwidth_infinite", one_dim("Ring", "2", ".inf", "500"), {"/bandwidth/0"}),
      network("latency_negative", one_dim("Ring", "2", "50", "-500"), {"/latency/0"}),
      network("latency_huge", one_dim("Ring", "2", "50", "1e300"), {"/latency/0"}),
      network("lists_unequal",
              "topology: [ Ring, Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 5 ]\nlatency: [ 1 ]\n",
              {"/npus_count"}),
      network("key_twice", "topology: [ Ring ]\n" + one_dim("Ring", "2", "50", "500"),
              {"net.yml:2"}),
      network("alias_bomb", alias_bomb(), {"net.yml:"}, 5),
      network("alias_of_itself", "a: &a [*a]\n", {"net.yml:1"}),
      network("deep_lists", repeated("[", 100'000) + repeated("]", 100'000), {"net.yml:1"}, 5),
      network("deep_blocks", repeated("- ", 100'000), {"net.yml:1"}, 5),
      network("not_utf8", "topology: [ \xff ]\n", {"net.yml:byte 12"}),
      {"network_of_17_MB", kAstra, 5, {"net.yml"}, {}, too_large("net.yml", "# a comment\n")},
      {"network_missing",
       kAstra,
       2,
       {"net.yml", "E1001"},
       {},
       [](const fs::path& f) { fs::remove(f / "net.yml"); }},
      {"network_endless", kAstra, 5, {"net.yml"}, {}, link("net.yml", "/dev/zero")},
      {"network_folder", kAstra, 2, {"net.yml"}, {}, link("net.yml", ".")},
  };
}

std::vector<Case> system_cases() {
  return {
      system_file("empty", "", {"sys.json:1"}),
      system_file("cut", R"({"scheduling-policy": "LI)", {"sys.json:1"}),
      system_file("a_list", "[]", {}),
      system_file("not_utf8", "{\"scheduling-policy\": \"\xC3\x28\"}", {}),
      system_file("key_twice", R"({"L": 1, "L": 2})", {"\"L\""}),
      system_file("unknown_policy", R"({"scheduling-policy": "LIFI"})", {"/scheduling-policy"}),
      system_file("unknown_algorithm", R"({"all-reduce-implementation": ["rings"]})",
                  {"/all-reduce-implementation/0"}),
      system_file("algorithms_too_many",
                  R"({"all-to-all-implementation": ["ring", "ring", "ring"]})",
                  {"/all-to-all-implementation"}),
      system_file("splits_1e18", R"({"preferred-dataset-splits": 1000000000000000000})",
                  {"/preferred-dataset-splits"}),
      system_file("splits_negative", R"({"preferred-dataset-splits": -1})",
                  {"/preferred-dataset-splits"}),
      system_file("active_chunks_0", R"({"active-chunks-per-dimension": 0})",
                  {"/active-chunks-per-dimension"}),
      system_file("delay_a_word", R"({"endpoint-delay": "ten"})", {"/endpoint-delay"}),
      system_file("delay_huge", R"({"endpoint-delay": 1e300})", {"/endpoint-delay"}),
      system_file("bandwidth_1e999", R"({"local-mem-bw": 1e999})", {"sys.json:1"}),
      system_file("bandwidth_nan", R"({"local-mem-bw": NaN})", {"sys.json:1"}),
      system_file("peak_negative", R"({"peak-perf": -1})", {"/peak-perf"}),
      system_file("deep", R"({"a": )" + repeated("[", 100'000), {}, 5),
      system_file("many_values", R"({"a": [)" + repeated("1,", 1'100'000) + "1]}", {}, 5),
      {"system_of_17_MB", kAstra, 5, {"sys.json"}, {}, too_large("sys.json", "                \n")},
      {"system_missing",
       kAstra,
       2,
       {"sys.json", "E1001"},
       {},
       [](const fs::path& f) { fs::remove(f / "sys.json"); }},
  };
}

std::vector<Case> memory_cases() {
  return {
      memory("empty", "", {"mem.json:1"}),
      memory("no_type", "{}", {"/memory-type"}),
      memory("unknown_type", R"({"memory-type": "MEMORY_POOLS"})", {"/memory-type"}),
      memory("bandwidth_0",
             R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 1, "remote-mem-bw": 0})",
             {"/remote-mem-bw"}),
      memory("latency_negative",
             R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": -1, "remote-mem-bw": 1})",
             {"/remote-mem-latency"}),
      memory(
          "nodes_missing",
          R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 1, "remote-mem-bw": 1})",
          {"/num-nodes"}),
      memory("deep", repeated(R"({"a":)", 100'000), {}, 5),
  };
}

std::vector<Case> group_cases() {
  return {
      groups("not_json", "{", {"not JSON"}),
      groups("a_word", R"({"1": "0,1"})", {"/1"}),
      groups("none", R"({"1": []})", {"/1"}),
      groups("rank_negative", R"({"1": [0, -1]})", {"/1/1"}),
      groups("rank_huge", R"({"1": [99999999999999999999]})", {"/1/0"}),
      groups("rank_twice", R"({"1": [1, 1]})", {"\"1\"", "rank 1 twice"}),
      groups("rank_not_there", R"({"1": [0, 7]})", {"\"1\"", "rank 7"}),
      groups("deep", R"({"1": )" + repeated("[", 100'000), {"nested too deep"}),
      {"groups_missing", kAstra + " --groups gone.json", 3, {"gone.json", "E2000"}},
      {"groups_companion_damaged",
       kRun,
       3,
       {"comm_group.json"},
       {{"comm_group.json", R"({"1": [0, )"}}},
  };
}

std::vector<Case> custom_cases() {
  const std::string prefix =
      R"({"preferred-dataset-splits": 1, "all-reduce-implementation-custom": ["algo"]})";
  const std::string send_back = chakra::testing::trace(
      {node(0, 5, {},
            {chakra::attribute_int32("comm_dst", 9), chakra::attribute_int32("comm_tag", 0),
             chakra::attribute_int64("comm_size", 8)})});
  const std::string circle = chakra::testing::trace({node(1, 4, {2}), node(2, 4, {1})});
  const std::string receive = chakra::testing::trace(
      {node(0, 6, {},
            {chakra::attribute_int32("comm_src", 1), chakra::attribute_int32("comm_tag", 0),
             chakra::attribute_int64("comm_size", 8)})});
  return {
      {"custom_missing", kAstra, 3, {"algo.0.et"}, {{"sys.json", prefix}}},
      {"custom_damaged",
       kAstra,
       3,
       {"algo.0.et:byte "},
       {{"sys.json", prefix}, {"algo.0.et", "\x7F\x08"}}},
      {"custom_circle",
       kAstra,
       3,
       {"algo.0.et:byte ", "E2008"},
       {{"sys.json", prefix}, {"algo.0.et", circle}, {"algo.1.et", circle}}},
      {"custom_for_fewer_ranks",
       kAstra,
       3,
       {"w.1.et", "\"algo\"", "position 1"},
       {{"sys.json", prefix}, {"algo.0.et", receive}}},
      {"custom_peer_not_there",
       kAstra,
       3,
       {"algo"},
       {{"sys.json", prefix}, {"algo.0.et", send_back}, {"algo.1.et", send_back}}},
      {"custom_never_ends",
       kAstra,
       4,
       {"w", "E3000"},
       {{"sys.json", prefix}, {"algo.0.et", receive}, {"algo.1.et", receive}}},
  };
}

std::vector<Case> custom_map_cases() {
  const std::string by_node =
      R"({"preferred-dataset-splits": 1, "all-reduce-implementation": ["ring"],
"per-node-custom-implementation": "nodes.yaml"})";
  return {
      {"custom_map_missing",
       kAstra,
       2,
       {"/per-node-custom-implementation"},
       {{"sys.json", by_node}}},
      {"custom_map_not_yaml",
       kAstra,
       2,
       {"nodes.yaml:1"},
       {{"sys.json", by_node}, {"nodes.yaml", "1: [ a"}}},
      {"custom_map_a_word",
       kAstra,
       2,
       {"nodes.yaml:/first"},
       {{"sys.json", by_node}, {"nodes.yaml", "first: algo\n"}}},
      {"custom_map_deep",
       kAstra,
       5,
       {"nodes.yaml"},
       {{"sys.json", by_node}, {"nodes.yaml", repeated("- ", 100'000)}}},
      {"custom_map_dangling",
       kAstra,
       3,
       {"gone.0.et"},
       {{"sys.json", by_node}, {"nodes.yaml", "1: gone\n"}}},
  };
}

}  // namespace orrery::hostile
