// SPDX-License-Identifier: Apache-2.0
//
// Sound files that cannot be simulated: ranks that wait for each other, numbers beyond all bounds.
#include "hostile_case.h"
#include "orrery/trace/chakra/chakra_testing.h"

namespace orrery::hostile {

namespace fs = std::filesystem;
namespace chakra = trace::chakra;
using chakra::NodeRecord;
using chakra::testing::node;

namespace {

using Nodes = std::vector<NodeRecord>;
using Deps = std::vector<std::uint64_t>;

NodeRecord send(std::uint64_t id, std::int32_t to, std::int64_t size, std::int32_t tag = 0,
                Deps deps = {}) {
  return node(id, 5, std::move(deps),
              {chakra::attribute_int32("comm_dst", to), chakra::attribute_int64("comm_size", size),
               chakra::attribute_int32("comm_tag", tag)});
}

NodeRecord receive(std::uint64_t id, std::int32_t from, std::int64_t size, std::int32_t tag = 0,
                   Deps deps = {}) {
  return node(
      id, 6, std::move(deps),
      {chakra::attribute_int32("comm_src", from), chakra::attribute_int64("comm_size", size),
       chakra::attribute_int32("comm_tag", tag)});
}

NodeRecord collective(std::uint64_t id, std::int64_t type, std::int64_t size, Deps deps = {},
                      const std::string& group = "") {
  NodeRecord out = node(
      id, 7, std::move(deps),
      {chakra::attribute_int64("comm_type", type), chakra::attribute_int64("comm_size", size)});
  if (!group.empty()) out.attributes.push_back(chakra::attribute_string("pg_name", group));
  return out;
}

NodeRecord compute(std::uint64_t id, std::uint64_t micros, Deps deps = {}) {
  NodeRecord out = node(id, 4, std::move(deps));
  out.duration_micros = micros;
  return out;
}

Files ranks(const Nodes& first, const Nodes& second) {
  return {{"w.0.et", chakra::testing::trace(first)}, {"w.1.et", chakra::testing::trace(second)}};
}

/// Stalls under both rule sets are reported with rank, node and reason.
Case stall(std::string name, const Nodes& first, const Nodes& second, std::string reports,
           const std::string& command = kRun) {
  return {std::move(name),   command, 4, {"w: ", "E3000"}, ranks(first, second), {},
          std::move(reports)};
}

Case pair_refused(std::string name, const Nodes& first, const Nodes& second,
                  std::vector<std::string> says, int exit_code = 3,
                  const std::string& command = kRun) {
  return {std::move(name), command, exit_code, std::move(says), ranks(first, second)};
}

std::string no_roofline(const std::string& keys) {
  return R"({"preferred-dataset-splits": 4, "all-reduce-implementation": ["ring"], )" + keys + "}";
}

}  // namespace

std::vector<Case> message_cases() {
  const Nodes nothing = {compute(0, 1)};
  return {
      stall("receive_without_send", {receive(0, 1, 64)}, nothing, "from rank 1"),
      stall("receive_without_send_astra", {receive(0, 1, 64)}, nothing, "from rank 1", kAstra),
      stall("receive_from_itself", {receive(0, 0, 64)}, nothing, "from rank 0"),
      stall("sizes_differ", {send(0, 1, 64)}, {receive(0, 0, 65)}, "65 bytes"),
      stall("tags_differ", {send(0, 1, 64, 1)}, {receive(0, 0, 64, 2)}, "tag 2"),
      stall("sizes_differ_astra", {send(0, 1, 64)}, {receive(0, 0, 65)}, "65 bytes", kAstra),
      stall("sizes_differ_message_model", {send(0, 1, 64)}, {receive(0, 0, 65)}, "65 bytes",
            kRun + " --network message"),
      stall("ranks_wait_for_each_other", {receive(0, 1, 64), send(1, 1, 64, 0, {0})},
            {receive(0, 0, 64), send(1, 0, 64, 0, {0})}, "rank 0"),
      stall("one_receive_too_many", {send(0, 1, 64)}, {receive(0, 0, 64), receive(1, 0, 64)},
            "64 bytes"),
      stall("message_behind_collective", {receive(0, 1, 64), collective(1, 0, 1024, {0})},
            {collective(0, 0, 1024), send(1, 0, 64, 0, {0})}, "all_reduce"),
      pair_refused("send_to_rank_99", {send(0, 99, 64)}, nothing, {"w.0.et", "99"}),
      pair_refused("receive_from_rank_99", {receive(0, 99, 64)}, nothing, {"w.0.et", "99"}),
      pair_refused("send_without_peer", {node(0, 5, {}, {chakra::attribute_int64("comm_size", 8)})},
                   nothing, {"w.0.et"}),
      pair_refused(
          "send_from_elsewhere",
          {node(0, 5, {},
                {chakra::attribute_int32("comm_src", 1), chakra::attribute_int32("comm_dst", 1),
                 chakra::attribute_int64("comm_size", 8)})},
          nothing, {"w.0.et"}),
  };
}

std::vector<Case> collective_cases() {
  const Nodes nothing = {compute(0, 1)};
  const std::string with_groups = kRun + " --groups groups.json";
  const auto grouped = [&](std::string name, const char* text, int exit_code,
                           std::vector<std::string> says) {
    Case out{std::move(name), with_groups, exit_code, std::move(says),
             ranks({collective(0, 0, 1024, {}, "5")}, {collective(0, 0, 1024, {}, "5")})};
    out.files["groups.json"] = text;
    return out;
  };
  return {
      stall("collective_on_one_rank", {collective(0, 0, 1024)}, nothing, "all_reduce"),
      stall("collective_on_one_rank_astra", {collective(0, 0, 1024)}, nothing, "all_reduce",
            kAstra),
      stall("collectives_of_two_types", {collective(0, 0, 1024)}, {collective(0, 6, 1024)},
            "all_reduce"),
      stall("collectives_of_two_sizes", {collective(0, 0, 1024)}, {collective(0, 0, 4096)},
            "all_reduce"),
      stall("collectives_in_two_orders", {collective(0, 0, 1024), collective(1, 2, 2048, {0})},
            {collective(0, 2, 2048), collective(1, 0, 1024, {0})}, "all_reduce"),
      stall("second_collective_missing", {collective(0, 0, 1024), collective(1, 0, 1024, {0})},
            {collective(0, 0, 1024)}, "rank 1"),
      grouped("group_unknown", R"({"4": [0, 1]})", 3, {"w.0.et", "\"5\""}),
      grouped("group_without_the_rank", R"({"5": [1]})", 3, {"w.0.et", "\"5\""}),
      pair_refused("collective_without_size",
                   {node(0, 7, {}, {chakra::attribute_int64("comm_type", 0)})}, nothing, {"w.0.et"},
                   3, kAstra),
      pair_refused(
          "collective_on_cpu",
          {node(0, 7, {},
                {chakra::attribute_bool("is_cpu_op", true), chakra::attribute_int64("comm_type", 0),
                 chakra::attribute_int64("comm_size", 8)})},
          nothing, {"w.0.et"}, 3, kAstra),
      pair_refused("collective_of_2_to_62_bytes", {collective(0, 0, std::int64_t{1} << 62)},
                   {collective(0, 0, std::int64_t{1} << 62)}, {"53 days"}, 2),
  };
}

std::vector<Case> number_cases() {
  const std::uint64_t forty_days = 40ull * 86'400 * 1'000'000;
  const Nodes nothing = {compute(0, 1)};
  NodeRecord work = node(0, 4, {},
                         {chakra::attribute_int64("num_ops", std::int64_t{1} << 62),
                          chakra::attribute_int64("tensor_size", 1)});
  NodeRecord load = node(0, 2, {}, {chakra::attribute_uint64("tensor_size", 1ull << 62)});
  Case pool = pair_refused("remote_load_of_2_to_62_bytes", {load}, nothing, {"w.0.et"}, 2, kAstra);
  pool.files["mem.json"] =
      R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 1, "remote-mem-bw": 1})";
  Case no_pool = pair_refused("remote_load_without_memory", {load}, nothing, {"w.0.et"}, 2, kAstra);
  Case slow = pair_refused("roofline_of_years", {work}, nothing, {"w.0.et"}, 2, kAstra);
  slow.files["sys.json"] =
      no_roofline(R"("roofline-enabled": 1, "peak-perf": 0.001, "local-mem-bw": 1)");
  Case splits{"splits_beyond_limit", kAstra, 2, {"sys.json:/preferred-dataset-splits"}};
  splits.files["sys.json"] =
      R"({"preferred-dataset-splits": 1000000000, "all-reduce-implementation": ["ring"]})";
  splits.files.merge(
      ranks({collective(0, 0, std::int64_t{1} << 40)}, {collective(0, 0, std::int64_t{1} << 40)}));
  Case absent{"algorithm_absent", kAstra, 2, {"w.0.et", "all_reduce-implementation", "E1004"}};
  absent.files["sys.json"] = R"({"preferred-dataset-splits": 4, "local-mem-bw": 1600})";
  Case scale{"injection_scale_huge",
             kAstra + " --injection-scale 1e300",
             2,
             {"/endpoint-delay", "injection scale"}};
  return {
      pair_refused("eighty_days", {compute(0, forty_days), compute(1, forty_days, {0})}, nothing,
                   {"53 days"}, 2),
      pair_refused("eighty_days_astra", {compute(0, forty_days), compute(1, forty_days, {0})},
                   nothing, {"53 days"}, 2, kAstra),
      pair_refused(
          "two_days_times_1000",
          [&] {
            Nodes many;
            for (std::uint64_t i = 0; i < 1000; ++i)
              many.push_back(compute(i, forty_days / 20, i > 0 ? Deps{i - 1} : Deps{}));
            return many;
          }(),
          nothing, {"53 days"}, 2),
      pair_refused("message_of_2_to_62_bytes", {send(0, 1, std::int64_t{1} << 62)},
                   {receive(0, 0, std::int64_t{1} << 62)}, {"53 days"}, 2),
      pair_refused("message_of_2_to_62_bytes_hops", {send(0, 1, std::int64_t{1} << 62)},
                   {receive(0, 0, std::int64_t{1} << 62)}, {"53 days"}, 2,
                   kRun + " --network message"),
      std::move(pool),
      std::move(no_pool),
      std::move(slow),
      std::move(splits),
      std::move(absent),
      std::move(scale),
  };
}

std::vector<Case> usage_cases() {
  return {
      {"usage_no_workload", "run --cluster two.yaml", 2, {"PREFIX", "E1000"}},
      {"usage_no_cluster", "run w", 2, {"--cluster", "E1000"}},
      {"usage_two_clusters", kAstra + " --cluster two.yaml", 2, {"--cluster", "E1008"}},
      {"usage_half_of_astra", "run w --astra-network net.yml", 2, {"--astra-system"}},
      {"usage_unknown_model", kRun + " --network packets", 2, {"--network", "packets"}},
      {"usage_unknown_option", kRun + " --clutser two.yaml", 2, {"clutser"}},
      {"usage_unknown_command", "rum w", 2, {"rum"}},
      {"usage_queues_0", kAstra + " --num-queues-per-dim 0", 2, {"num-queues-per-dim"}},
      {"usage_queues_1e9", kAstra + " --num-queues-per-dim 1000000000", 2, {"num-queues-per-dim"}},
      {"usage_queues_a_word", kAstra + " --num-queues-per-dim many", 2, {"num-queues-per-dim"}},
      {"usage_scale_nan", kAstra + " --injection-scale nan", 2, {"injection-scale"}},
      {"usage_rendezvous_maybe",
       kAstra + " --rendezvous-protocol=maybe",
       2,
       {"--rendezvous-protocol"}},
      {"usage_output_exists", kRun + " --output two.yaml", 2, {"two.yaml", "E1009"}},
      {"usage_output_nowhere",
       kRun + " --output two.yaml/folder/out.json",
       2,
       {"two.yaml/folder", "E1010"}},
      {"usage_output_full", kRun + " --output /dev/full --force", 2, {"/dev/full", "E1010"}},
  };
}

}  // namespace orrery::hostile
