// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Describe a fabric, plot it, and show routes: `orrery network show`.
struct NetworkShowQuestion {
  /// Print the route between two ranks or named nodes.
  std::vector<std::string> route{};
  /// Size of tensor-parallel groups; warns if a group crosses hosts. Default: 0.
  std::optional<std::int64_t> tp{};
  /// List every node.
  std::optional<bool> list_nodes{};
  /// Plot the fabric as SVG.
  std::optional<std::string> plot{};
  /// Write the fabric to FILE as InfraGraph 2.4 ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// A fabric or a cluster.
  std::optional<std::string> file{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("route", route);
    text.add("tp", tp);
    text.add("list_nodes", list_nodes);
    text.add("plot", plot);
    text.add("output", output);
    text.add("force", force);
    text.add("file", file);
    return text.finish();
  }
};

[[nodiscard]] inline Answer network_show(const NetworkShowQuestion& question,
                                         const CallOptions& options = {}) {
  return call("network show", question.json(), options);
}

/// Compare the network models on a job: error and cost of each: `orrery network check`.
struct NetworkCheckQuestion {
  /// Process groups of Chakra traces.
  std::optional<std::string> groups{};
  /// Run the single trace on every rank.
  std::optional<bool> replicate{};
  /// The cluster, for all network models.
  std::optional<std::string> cluster{};
  /// Algorithm of collectives on all networks.
  std::optional<std::string> collective_algorithm{};
  /// Source of compute times. One of auto, recorded, roofline, heuristic, learned, table, fitted,
  /// systolic.
  std::optional<std::string> compute{};
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
  /// Skip network models that need more CPU time by their estimate; by default 2 min. Default: 2
  /// min.
  std::optional<std::string> limit{};
  /// Write the table to FILE.csv, or the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// The workload: traces PREFIX.0.et, PREFIX.1.et, …, or a file of messages.
  std::optional<std::string> prefix{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("groups", groups);
    text.add("replicate", replicate);
    text.add("cluster", cluster);
    text.add("collective_algorithm", collective_algorithm);
    text.add("compute", compute);
    text.add("traces", traces);
    text.add("rank", rank);
    text.add("threads", threads);
    text.add("no_link", no_link);
    text.add("tensors", tensors);
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
    text.add("limit", limit);
    text.add("output", output);
    text.add("force", force);
    text.add("prefix", prefix);
    return text.finish();
  }
};

[[nodiscard]] inline Answer network_check(const NetworkCheckQuestion& question,
                                          const CallOptions& options = {}) {
  return call("network check", question.json(), options);
}

/// Compare a job on several networks: `orrery network compare`.
struct NetworkCompareQuestion {
  /// A cluster, as the arguments; may be repeated.
  std::vector<std::string> cluster{};
  /// Price of a device per hour, in any currency: one for all networks, or one for each.
  std::vector<std::string> price{};
  /// Prefix of Chakra traces.
  std::optional<std::string> workload{};
  /// Process groups of Chakra traces.
  std::optional<std::string> groups{};
  /// Run the single trace on every rank.
  std::optional<bool> replicate{};
  /// Network model for all networks. One of analytical, message, flow, packet, noc, ns3.
  std::optional<std::string> network{};
  /// Algorithm of collectives on all networks.
  std::optional<std::string> collective_algorithm{};
  /// Source of compute times. One of auto, recorded, roofline, heuristic, learned, table, fitted,
  /// systolic.
  std::optional<std::string> compute{};
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
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// Clusters, or changes of the links of the first one: inter=25GB/s, inter=roce-400,
  /// inter=25GB/s,2us.
  std::vector<std::string> networks{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("cluster", cluster);
    text.add("price", price);
    text.add("workload", workload);
    text.add("groups", groups);
    text.add("replicate", replicate);
    text.add("network", network);
    text.add("collective_algorithm", collective_algorithm);
    text.add("compute", compute);
    text.add("traces", traces);
    text.add("rank", rank);
    text.add("threads", threads);
    text.add("no_link", no_link);
    text.add("tensors", tensors);
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
    text.add("output", output);
    text.add("force", force);
    text.add("networks", networks);
    return text.finish();
  }
};

[[nodiscard]] inline Answer network_compare(const NetworkCompareQuestion& question,
                                            const CallOptions& options = {}) {
  return call("network compare", question.json(), options);
}

/// Split bandwidth among the dimensions of a network for a job: `orrery network split`.
struct NetworkSplitQuestion {
  /// Same as the argument SPEC.
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
  /// The cluster: a file with dimensions, or NAME:DEVICES ('h100-sxm:64').
  std::optional<std::string> cluster{};
  /// Bandwidth per device over all dimensions; by default that of the cluster.
  std::optional<std::string> total{};
  /// time: communication time; time-cost: (compute + communication) x cost. One of time, time-cost.
  /// Default: time.
  std::optional<std::string> objective{};
  /// Cost of 1 GB/s in each dimension, innermost first (2,2,57.4), in any currency.
  std::optional<std::string> cost{};
  /// Minimum bandwidth of a dimension: '1=50 GB/s'; may be repeated.
  std::vector<std::string> min_bandwidth{};
  /// Maximum bandwidth of a dimension: '1=50 GB/s'; may be repeated.
  std::vector<std::string> max_bandwidth{};
  /// Dimensions in order of bandwidth, none less than the next: 0,1,2.
  std::optional<std::string> order{};
  /// Write the cluster file with the best split to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
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
    text.add("cluster", cluster);
    text.add("total", total);
    text.add("objective", objective);
    text.add("cost", cost);
    text.add("min_bandwidth", min_bandwidth);
    text.add("max_bandwidth", max_bandwidth);
    text.add("order", order);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer network_split(const NetworkSplitQuestion& question,
                                          const CallOptions& options = {}) {
  return call("network split", question.json(), options);
}

/// Measure synthetic traffic in a network of routers, cycle by cycle: `orrery network noc`.
struct NetworkNocQuestion {
  /// mesh, torus, ring, crossbar or fully-connected. One of mesh, torus, ring, crossbar,
  /// fully-connected. Default: mesh.
  std::optional<std::string> topology{};
  /// Routers of each dimension; one number for a ring, a crossbar (its nodes) and a fully connected
  /// network. Default: 8x8.
  std::optional<std::string> size{};
  /// Nodes of each router. Default: 1.
  std::optional<std::int64_t> concentration{};
  /// Cycles of a link between routers. Default: 1.
  std::optional<std::int64_t> link_cycles{};
  /// uniform, transpose, complement, shuffle, hot-spot or trace. One of uniform, transpose,
  /// complement, shuffle, hot-spot, trace. Default: uniform.
  std::optional<std::string> pattern{};
  /// Loads to simulate, in flits per node and cycle; without it: ten steps up to the bound of the
  /// bisection.
  std::vector<std::string> load{};
  /// Flits of a packet. Default: 1.
  std::optional<std::int64_t> packet{};
  /// --pattern trace: packets, a line each: cycle, source, destination, flits.
  std::optional<std::string> trace{};
  /// --pattern hot-spot: the node that gets more. Default: 0.
  std::optional<std::int64_t> hot_node{};
  /// --pattern hot-spot: share of the packets that go to it. Default: 0.1.
  std::optional<double> hot_share{};
  /// Runs per load, with other random numbers. Default: 3.
  std::optional<std::int64_t> seeds{};
  /// Find the load with three times the latency without contention, by bisection.
  std::optional<bool> saturation{};
  /// auto, xy, yx, o1turn, adaptive, xy_escape, valiant, shortest or up_down. One of auto, xy, yx,
  /// o1turn, adaptive, xy_escape, valiant, shortest, up_down. Default: auto.
  std::optional<std::string> routing{};
  /// Virtual channels of a link. Default: 4.
  std::optional<std::int64_t> channels{};
  /// Flits of a channel's buffer. Default: 8.
  std::optional<std::int64_t> buffer{};
  /// Stages of a router's pipeline. Default: 3.
  std::optional<std::int64_t> stages{};
  /// Cycles until a router uses a credit that has arrived. Default: 1.
  std::optional<std::int64_t> credit_cycles{};
  /// Inputs into the switch for each port. Default: 1.
  std::optional<std::int64_t> speedup{};
  /// Rounds of `islip` per cycle. Default: 1.
  std::optional<std::int64_t> allocator_iterations{};
  /// islip, separable or wavefront. One of islip, separable, wavefront. Default: islip.
  std::optional<std::string> channel_allocator{};
  /// islip, separable or wavefront. One of islip, separable, wavefront. Default: islip.
  std::optional<std::string> switch_allocator{};
  /// wormhole or cut_through. One of wormhole, cut_through. Default: wormhole.
  std::optional<std::string> switching{};
  /// A channel serves the next packet only when its buffer is empty.
  std::optional<bool> waits_for_tail{};
  /// Periods before the measurement. Default: 3.
  std::optional<std::int64_t> warm_up_periods{};
  /// Cycles of a period. Default: 1000.
  std::optional<std::int64_t> period_cycles{};
  /// Most periods, with the warm-up. Default: 10.
  std::optional<std::int64_t> periods{};
  /// Mean latency, in cycles, above which a run ends as saturated; without it: 20 times that
  /// without contention.
  std::optional<double> latency_limit{};
  /// Write latency by load to FILE, as a picture (SVG).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("topology", topology);
    text.add("size", size);
    text.add("concentration", concentration);
    text.add("link_cycles", link_cycles);
    text.add("pattern", pattern);
    text.add("load", load);
    text.add("packet", packet);
    text.add("trace", trace);
    text.add("hot_node", hot_node);
    text.add("hot_share", hot_share);
    text.add("seeds", seeds);
    text.add("saturation", saturation);
    text.add("routing", routing);
    text.add("channels", channels);
    text.add("buffer", buffer);
    text.add("stages", stages);
    text.add("credit_cycles", credit_cycles);
    text.add("speedup", speedup);
    text.add("allocator_iterations", allocator_iterations);
    text.add("channel_allocator", channel_allocator);
    text.add("switch_allocator", switch_allocator);
    text.add("switching", switching);
    text.add("waits_for_tail", waits_for_tail);
    text.add("warm_up_periods", warm_up_periods);
    text.add("period_cycles", period_cycles);
    text.add("periods", periods);
    text.add("latency_limit", latency_limit);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer network_noc(const NetworkNocQuestion& question,
                                        const CallOptions& options = {}) {
  return call("network noc", question.json(), options);
}

}  // namespace orrery::api
