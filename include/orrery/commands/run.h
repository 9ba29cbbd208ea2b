// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Simulate a workload on a cluster, and break its step down: `orrery run`.
struct RunQuestion {
  /// Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces, Nsight
  /// SQLite, rocpd, XPlane, RunMetadata, tar archives.
  std::vector<std::string> traces{};
  /// Rank of a single trace that does not contain its rank. Default: -1.
  std::optional<std::int64_t> rank{};
  /// Threads that read and simulate (0: all cores); by default all read and one simulates.
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
  /// Specifications, in any known format (docs/workloads.md).
  std::vector<std::string> spec{};
  /// A model of the catalog (docs/reference/models.md).
  std::optional<std::string> model{};
  /// Tensor parallel.
  std::optional<std::string> tp{};
  /// Pipeline stages.
  std::optional<std::string> pp{};
  /// Data parallel; by default the remaining devices of the cluster.
  std::optional<std::string> dp{};
  /// Context parallel.
  std::optional<std::string> cp{};
  /// Expert parallel.
  std::optional<std::string> ep{};
  /// none, zero1, zero2, zero3 (fsdp), hsdp (in hosts of 8 devices).
  std::optional<std::string> sharding{};
  /// gpipe, 1f1b, interleaved, zb_h1, zb_v, dual_pipe.
  std::optional<std::string> schedule{};
  /// Parts of the model per rank.
  std::optional<std::string> chunks{};
  /// none, selective or full.
  std::optional<std::string> recompute{};
  /// Sequences per step.
  std::optional<std::string> global_batch{};
  /// Sequences per microbatch.
  std::optional<std::string> micro_batch{};
  /// Tokens per sequence.
  std::optional<std::string> seq{};
  /// Format of matrix products: bf16, fp16, fp8, mxfp8 or nvfp4. One of bf16, fp16, fp8, mxfp8,
  /// nvfp4.
  std::optional<std::string> precision{};
  /// adam, adamw, sgd, sgd_momentum or muon.
  std::optional<std::string> optimizer{};
  /// In remote or host memory: optimizer, weights, activations[:LAYERS], ….
  std::optional<std::string> offload{};
  /// stage: count as the generator STAGE does, including its errors.
  std::optional<std::string> compat{};
  /// Sequence parallel: norms and residuals are split over --tp.
  std::optional<bool> sp{};
  /// Any key of the specification, e.g. kernels.fused=false.
  std::vector<std::string> set{};
  /// auto: simulate one rank for all identical ones; or off. One of auto, off. Default: auto.
  std::optional<std::string> fold{};
  /// auto: compute the end of a collective if nothing contends; messages: simulate every message.
  /// One of auto, messages. Default: auto.
  std::optional<std::string> collectives{};
  /// auto: skip iterations that repeat the previous one; or off. One of auto, off. Default: auto.
  std::optional<std::string> skip{};
  /// Simulate with and without folding and compare every rank; exit code 1 if they differ.
  std::optional<bool> verify_fold{};
  /// Write the run to FILE.orrery, its web page to FILE.html, or the JSON to FILE.json ('-' for
  /// stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// Web page to fill, instead of the built-in one.
  std::optional<std::string> page{};
  /// Spans that the run file stores: all, critical or none. One of all, critical, none.
  std::optional<std::string> spans{};
  /// Disable an effect (docs/scoreboard.md); may be repeated.
  std::vector<std::string> without{};
  /// Variability of ranks and steps: a file, or a name of the catalog.
  std::optional<std::string> variability{};
  /// Number of sampled steps. Default: 1000.
  std::optional<std::int64_t> draws{};
  /// Random seed of the samples. Default: 1.
  std::optional<std::int64_t> seed{};
  /// Sample the ranks' speeds once: steps of one fleet, not of many.
  std::optional<bool> same_fleet{};
  /// Simulate every sampled step, instead of using the fast path.
  std::optional<bool> simulate_draws{};
  /// Number of samples to also simulate, to print the error of the fast path. Default: 2.
  std::optional<std::int64_t> verify_draws{};
  /// Plot the cost of variability by number of ranks as SVG.
  std::optional<std::string> plot{};
  /// Show every kind of communication.
  std::optional<bool> all{};
  /// Simulate again without each effect, and show the difference.
  std::optional<bool> effects{};
  /// Exit with code 1 if the job does not fit into memory.
  std::optional<bool> require_fit{};
  /// Price of a device per hour: prints cost per million tokens.
  std::optional<std::string> price{};
  /// Power of a device in W: catalog, 700, or idle and busy: 100-700.
  std::optional<std::string> power{};
  /// Write the state of the simulation to this file every minute.
  std::optional<std::string> checkpoint{};
  /// Write it once, at this simulated time, instead of every minute.
  std::optional<std::string> checkpoint_at{};
  /// Continue from a checkpoint of the same job; the result is the same.
  std::optional<std::string> resume{};
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
    text.add("spec", spec);
    text.add("model", model);
    text.add("tp", tp);
    text.add("pp", pp);
    text.add("dp", dp);
    text.add("cp", cp);
    text.add("ep", ep);
    text.add("sharding", sharding);
    text.add("schedule", schedule);
    text.add("chunks", chunks);
    text.add("recompute", recompute);
    text.add("global_batch", global_batch);
    text.add("micro_batch", micro_batch);
    text.add("seq", seq);
    text.add("precision", precision);
    text.add("optimizer", optimizer);
    text.add("offload", offload);
    text.add("compat", compat);
    text.add("sp", sp);
    text.add("set", set);
    text.add("fold", fold);
    text.add("collectives", collectives);
    text.add("skip", skip);
    text.add("verify_fold", verify_fold);
    text.add("output", output);
    text.add("force", force);
    text.add("page", page);
    text.add("spans", spans);
    text.add("without", without);
    text.add("variability", variability);
    text.add("draws", draws);
    text.add("seed", seed);
    text.add("same_fleet", same_fleet);
    text.add("simulate_draws", simulate_draws);
    text.add("verify_draws", verify_draws);
    text.add("plot", plot);
    text.add("all", all);
    text.add("effects", effects);
    text.add("require_fit", require_fit);
    text.add("price", price);
    text.add("power", power);
    text.add("checkpoint", checkpoint);
    text.add("checkpoint_at", checkpoint_at);
    text.add("resume", resume);
    text.add("prefix", prefix);
    return text.finish();
  }
};

[[nodiscard]] inline Answer run(const RunQuestion& question, const CallOptions& options = {}) {
  return call("run", question.json(), options);
}

}  // namespace orrery::api
