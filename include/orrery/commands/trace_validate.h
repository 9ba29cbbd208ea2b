// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Check traces and configurations without simulating: `orrery trace validate`.
struct TraceValidateQuestion {
  /// Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces, Nsight
  /// SQLite, rocpd, XPlane, RunMetadata, tar archives.
  std::vector<std::string> traces{};
  /// Rank of a single trace that does not contain its rank. Default: -1.
  std::optional<std::int64_t> rank{};
  /// Number of ranks that are read concurrently (0: all cores).
  std::optional<std::int64_t> threads{};
  /// Ignore execution traces if there are device traces.
  std::optional<bool> no_link{};
  /// Also add dependencies by tensor.
  std::optional<bool> tensors{};
  /// Prefix of the Chakra traces, as the argument PREFIX.
  std::optional<std::string> workload{};
  /// Process groups, JSON: {"NAME": [ranks]}. NAME is the pg_name of nodes; nodes without one
  /// communicate with all ranks.
  std::optional<std::string> groups{};
  /// Every rank runs the trace of rank 0 (PREFIX may be a file).
  std::optional<bool> replicate{};
  /// Drop and count damaged nodes and edges instead of failing.
  std::optional<bool> repair{};
  /// The cluster, as YAML or JSON ('orrery schema cluster').
  std::optional<std::string> cluster{};
  /// Network, YAML.
  std::optional<std::string> astra_network{};
  /// System, JSON.
  std::optional<std::string> astra_system{};
  /// Remote memory, JSON.
  std::optional<std::string> astra_memory{};
  /// Queues per dimension. Default: 1.
  std::optional<std::int64_t> num_queues_per_dim{};
  /// Multiplies endpoint-delay. Default: 1.
  std::optional<double> injection_scale{};
  /// Has no effect, as in ASTRA-sim. Default: 1.
  std::optional<double> compute_scale{};
  /// Has no effect, as in ASTRA-sim. Default: 1.
  std::optional<double> comm_scale{};
  /// Links of a dimension: inter=25GB/s (between nodes), intra=…, 1=400Gb/s, or a factor:
  /// inter=0.5.
  std::vector<std::string> network_bandwidth{};
  /// Latency per hop of a dimension: inter=2us, or a factor.
  std::vector<std::string> network_latency{};
  /// Links of a dimension, of the catalog: inter=roce-400 (docs/reference/catalog.md).
  std::vector<std::string> network_link{};
  /// analytical (no congestion), message (congestion), flow (shared links), packet (packets in
  /// queues), noc (flits in routers) or ns3 (packets of ns-3). One of analytical, message, flow,
  /// packet, noc, ns3.
  std::optional<std::string> network{};
  /// One name, or one per dimension: ring, direct, halving_doubling, double_binary_tree, in_network
  /// or auto, the fastest; by default the cluster's.
  std::optional<std::string> collective_algorithm{};
  /// Order of dimensions for chunks, instead of the cluster's: ascending, themis …; best: the
  /// fastest order and number of chunks that is found (docs/chunk-order.md).
  std::optional<std::string> chunk_order{};
  /// Source of compute times: auto, recorded, roofline, heuristic, learned, table, fitted,
  /// systolic; by default the cluster file's. One of auto, recorded, roofline, heuristic, learned,
  /// table, fitted, systolic.
  std::optional<std::string> compute{};
  /// Measured kernels, which `auto` and `table` use first (docs/kernel-times.md).
  std::optional<std::string> kernel_table{};
  /// A model written by 'orrery kernels fit', which `auto` uses after the table.
  std::optional<std::string> kernel_model{};
  /// For `--compute systolic`: a SCALE-Sim configuration of an array.
  std::optional<std::string> systolic{};
  /// orrery or astra; by default those of the cluster's files. One of orrery, astra.
  std::optional<std::string> rules{};
  /// Rendezvous: a sender waits until the receiver is ready.
  std::optional<std::string> rendezvous_protocol{};
  /// Has no effect.
  std::optional<std::string> logging_configuration{};
  /// Has no effect.
  std::optional<std::string> logging_folder{};
  /// Write the JSON to FILE ('-' for stdout), or the cluster with every key to FILE.yaml.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// The workload: traces PREFIX.0.et, PREFIX.1.et, ….
  std::optional<std::string> prefix{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("traces", traces);
    text.add("rank", rank);
    text.add("threads", threads);
    text.add("no_link", no_link);
    text.add("tensors", tensors);
    text.add("workload", workload);
    text.add("groups", groups);
    text.add("replicate", replicate);
    text.add("repair", repair);
    text.add("cluster", cluster);
    text.add("astra_network", astra_network);
    text.add("astra_system", astra_system);
    text.add("astra_memory", astra_memory);
    text.add("num_queues_per_dim", num_queues_per_dim);
    text.add("injection_scale", injection_scale);
    text.add("compute_scale", compute_scale);
    text.add("comm_scale", comm_scale);
    text.add("network_bandwidth", network_bandwidth);
    text.add("network_latency", network_latency);
    text.add("network_link", network_link);
    text.add("network", network);
    text.add("collective_algorithm", collective_algorithm);
    text.add("chunk_order", chunk_order);
    text.add("compute", compute);
    text.add("kernel_table", kernel_table);
    text.add("kernel_model", kernel_model);
    text.add("systolic", systolic);
    text.add("rules", rules);
    text.add("rendezvous_protocol", rendezvous_protocol);
    text.add("logging_configuration", logging_configuration);
    text.add("logging_folder", logging_folder);
    text.add("output", output);
    text.add("force", force);
    text.add("prefix", prefix);
    return text.finish();
  }
};

[[nodiscard]] inline Answer trace_validate(const TraceValidateQuestion& question,
                                           const CallOptions& options = {}) {
  return call("trace validate", question.json(), options);
}

}  // namespace orrery::api
