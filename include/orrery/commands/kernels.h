// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Predict kernel times, and show which model predicts them: `orrery kernels`.
struct KernelsQuestion {
  /// Format of all operands, or of each: fp8,fp8>bf16. Only for one kernel.
  std::optional<std::string> dtype{};
  /// forward, input_grad, weight_grad or backward. Only for one kernel. One of forward, input_grad,
  /// weight_grad, backward.
  std::optional<std::string> pass{};
  /// Devices of the catalogue or the table, separated by commas; by default h100-sxm. Only for one
  /// kernel, 'check', 'context', 'plot'.
  std::vector<std::string> device{};
  /// Measured kernels, rows of device,kernel,us. Only for one kernel, 'check', 'context', 'plot', a
  /// job.
  std::optional<std::string> table{};
  /// A model that 'kernels fit' wrote. Only for one kernel, 'context', 'plot', a job.
  std::optional<std::string> kernel_model{};
  /// A systolic array, as a configuration of SCALE-Sim. Only for one kernel, 'layers', a job.
  std::optional<std::string> systolic{};
  /// The cluster that runs the step. Only for a job.
  std::optional<std::string> cluster{};
  /// Model of kernel times; by default the cluster file's. Only for 'context', 'plot', a job. One
  /// of auto, recorded, roofline, heuristic, learned, table, fitted, systolic.
  std::optional<std::string> compute{};
  /// Specifications (YAML, JSON), or files of Hugging Face, Megatron, NeMo, DeepSpeed, Calculon,
  /// vTrain, SimAI; later files add to earlier ones.
  std::vector<std::string> spec{};
  /// A model of the catalogue (docs/reference/models.md).
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
  /// none, zero1, zero2 or zero3 (FSDP).
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
  /// adam, adamw, sgd, sgd_momentum or muon.
  std::optional<std::string> optimizer{};
  /// stage: count as the generator STAGE does, including its errors.
  std::optional<std::string> compat{};
  /// Sequence parallel: norms and residuals are split over --tp.
  std::optional<bool> sp{};
  /// Any key of the specification, e.g. kernels.fused=false.
  std::vector<std::string> set{};
  /// Show every distinct kernel of the step, or of the recordings. Only for 'context', a job.
  std::optional<bool> all{};
  /// Data sheets of devices that are not in the catalogue, as data/kernels/devices.txt. Only for
  /// 'fit', 'plot'.
  std::optional<std::string> devices{};
  /// Random seed, also of the choice of held-out kernels; by default 1. Only for 'fit', 'plot'.
  /// Default: 1.
  std::optional<std::int64_t> seed{};
  /// plot: only the 10 % of kernels that fits do not use. Only for 'plot'.
  std::optional<bool> held_back{};
  /// fit: trees (XGBoost) or nets (neural networks); by default trees, if XGBoost is there. Only
  /// for 'fit'.
  std::optional<std::string> by{};
  /// fit: only these classes, separated by commas: gemm_bf16,softmax. Only for 'fit'.
  std::vector<std::string> classes{};
  /// fit: epochs of neural networks; by default about one minute per network. Only for 'fit'.
  /// Default: 0.
  std::optional<std::int64_t> epochs{};
  /// fit: file of text for the header of the model, such as sources. Only for 'fit'.
  std::optional<std::string> notes{};
  /// fit: skip the test that predicts each device from the others. Only for 'fit'.
  std::optional<bool> no_leave_out{};
  /// Write the JSON to FILE ('-' for stdout); plot: the plot; fit: the model.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// An operation with its sizes, in order or as NAME=VALUE (gemm 4096 8192 k=8192), and traits
  /// (causal); or check TABLE, context TRACES, plot TABLES, layers TOPOLOGY.
  std::vector<std::string> kernel{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("dtype", dtype);
    text.add("pass", pass);
    text.add("device", device);
    text.add("table", table);
    text.add("kernel_model", kernel_model);
    text.add("systolic", systolic);
    text.add("cluster", cluster);
    text.add("compute", compute);
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
    text.add("optimizer", optimizer);
    text.add("compat", compat);
    text.add("sp", sp);
    text.add("set", set);
    text.add("all", all);
    text.add("devices", devices);
    text.add("seed", seed);
    text.add("held_back", held_back);
    text.add("by", by);
    text.add("classes", classes);
    text.add("epochs", epochs);
    text.add("notes", notes);
    text.add("no_leave_out", no_leave_out);
    text.add("output", output);
    text.add("force", force);
    text.add("kernel", kernel);
    return text.finish();
  }
};

[[nodiscard]] inline Answer kernels(const KernelsQuestion& question,
                                    const CallOptions& options = {}) {
  return call("kernels", question.json(), options);
}

/// Measure the reuse of embedding rows, and predict lookups: `orrery embeddings`.
struct EmbeddingsQuestion {
  /// File with the first index of each bag. Only for 'histogram', 'time'.
  std::optional<std::string> offsets{};
  /// File with the number of indices of each bag. Only for 'histogram', 'time'.
  std::optional<std::string> lengths{};
  /// Number of tables; a file has the bags of the first, then of the second …. Only for
  /// 'histogram', 'time'. Default: 0.
  std::optional<std::int64_t> tables{};
  /// Bags per table. Only for 'synthesize', 'time'. Default: 0.
  std::optional<std::int64_t> batch{};
  /// Lookups per bag. Only for 'histogram', 'synthesize', 'time'. Default: 0.
  std::optional<std::int64_t> pooling{};
  /// Rows per table. Only for 'synthesize', 'time'. Default: 0.
  std::optional<std::int64_t> rows{};
  /// Numbers per row (embedding dimension). Only for 'time'. Default: 0.
  std::optional<std::int64_t> features{};
  /// Format of the weights; by default fp32. Only for 'time'. Default: fp32.
  std::optional<std::string> dtype{};
  /// Shares of rows by number of reads: 17 numbers, or a file of them. Only for 'synthesize',
  /// 'time'.
  std::optional<std::string> histogram{};
  /// File of indices whose histogram to use. Only for 'synthesize', 'time'.
  std::optional<std::string> like{};
  /// Devices of the catalogue, separated by commas; by default h100-sxm. Only for 'time'.
  std::vector<std::string> device{};
  /// Random seed; by default 1. Only for 'synthesize', 'fit'. Default: 1.
  std::optional<std::int64_t> seed{};
  /// time: neural networks that 'embeddings fit' wrote. Only for 'time'.
  std::optional<std::string> lookup_model{};
  /// fit: number of epochs; by default 120. Only for 'fit'. Default: 0.
  std::optional<std::int64_t> epochs{};
  /// Write the JSON to FILE ('-' for stdout); synthesize: the stream; fit: the nets.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// histogram FILES, synthesize, or time [FILE].
  std::vector<std::string> words{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("offsets", offsets);
    text.add("lengths", lengths);
    text.add("tables", tables);
    text.add("batch", batch);
    text.add("pooling", pooling);
    text.add("rows", rows);
    text.add("features", features);
    text.add("dtype", dtype);
    text.add("histogram", histogram);
    text.add("like", like);
    text.add("device", device);
    text.add("seed", seed);
    text.add("lookup_model", lookup_model);
    text.add("epochs", epochs);
    text.add("output", output);
    text.add("force", force);
    text.add("words", words);
    return text.finish();
  }
};

[[nodiscard]] inline Answer embeddings(const EmbeddingsQuestion& question,
                                       const CallOptions& options = {}) {
  return call("embeddings", question.json(), options);
}

/// Compare the algorithms for a collective with a lower bound: `orrery collective`.
struct CollectiveQuestion {
  /// A cluster file, or a name of the catalogue.
  std::optional<std::string> cluster{};
  /// Size of the full buffer: the larger of a rank's input and output; by default 1GB. A size:
  /// 64MB.
  std::optional<std::string> size{};
  /// dispatch, combine: number of experts on all ranks. Default: 0.
  std::optional<std::int64_t> experts{};
  /// dispatch, combine: number of experts per token. Default: 0.
  std::optional<std::int64_t> top_k{};
  /// Number format, which limits reduction in switches: fp32, bf16 …; by default any.
  std::optional<std::string> dtype{};
  /// analytical (no congestion), message (congestion) or flow (shared links). One of analytical,
  /// message, flow.
  std::optional<std::string> network{};
  /// Order of dimensions for chunks, instead of the cluster's; best: the fastest order and number
  /// of chunks that is found.
  std::optional<std::string> chunk_order{};
  /// Ranks that take part: 0-7,16; by default all.
  std::optional<std::string> ranks{};
  /// all-reduce, all-gather, reduce-scatter, all-to-all; for tokens of experts: dispatch, combine.
  std::optional<std::string> collective{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("cluster", cluster);
    text.add("size", size);
    text.add("experts", experts);
    text.add("top_k", top_k);
    text.add("dtype", dtype);
    text.add("network", network);
    text.add("chunk_order", chunk_order);
    text.add("ranks", ranks);
    text.add("collective", collective);
    return text.finish();
  }
};

[[nodiscard]] inline Answer collective(const CollectiveQuestion& question,
                                       const CallOptions& options = {}) {
  return call("collective", question.json(), options);
}

/// Check a plan of a collective (MSCCL, MSCCL++, Chakra): `orrery plan`.
struct PlanQuestion {
  /// Size of the full buffer: the larger of a rank's input and output; by default 1GB. A size:
  /// 64MB.
  std::optional<std::string> size{};
  /// Cluster to simulate the plan on: a file, or a name of the catalogue.
  std::optional<std::string> cluster{};
  /// analytical (no congestion), message (congestion) or flow (shared links). One of analytical,
  /// message, flow.
  std::optional<std::string> network{};
  /// Ranks of the cluster that run the plan: 0-7,16; by default the first; once per FILE.
  std::vector<std::string> ranks{};
  /// Write the plan: FILE.xml for MSCCL ('-' for stdout), otherwise a folder of Chakra traces.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// A plan: MSCCL XML, MSCCL++ JSON, or the prefix of Chakra traces; several run concurrently.
  std::vector<std::string> file{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("size", size);
    text.add("cluster", cluster);
    text.add("network", network);
    text.add("ranks", ranks);
    text.add("output", output);
    text.add("force", force);
    text.add("file", file);
    return text.finish();
  }
};

[[nodiscard]] inline Answer plan(const PlanQuestion& question, const CallOptions& options = {}) {
  return call("plan", question.json(), options);
}

/// Synthesize a collective for a fabric, with a lower bound: `orrery synthesise`.
struct SynthesiseQuestion {
  /// A fabric or a cluster.
  std::optional<std::string> fabric{};
  /// Size of the full buffer: the larger of a rank's input and output; by default 1GiB. A size:
  /// 64MB. Default: 1073741824B.
  std::optional<std::string> size{};
  /// Only these ranks: 0-7,16; repeated: several groups, whose collectives run concurrently.
  std::vector<std::string> ranks{};
  /// broadcast, reduce: index of the root in its group; by default 0. Default: 0.
  std::optional<std::int64_t> root{};
  /// Chunks of each rank's shard; by default several numbers are tried. Default: 0.
  std::optional<std::int64_t> chunks{};
  /// Random seed; by default 1. Default: 1.
  std::optional<std::int64_t> seed{};
  /// Search even if the fabric is a torus, which has a constructive schedule.
  std::optional<bool> search{};
  /// Plot the use of links over time as SVG.
  std::optional<std::string> plot{};
  /// Write the schedule as one self-contained web page.
  std::optional<std::string> html{};
  /// Web page to fill, instead of the built-in one.
  std::optional<std::string> page{};
  /// Write the plan: FILE.xml for MSCCL ('-' for stdout), otherwise a folder of Chakra traces. Only
  /// ranks forward data then. Several groups get one numbered plan each.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// all-gather, reduce-scatter, all-reduce, all-to-all, broadcast or reduce.
  std::optional<std::string> collective{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("fabric", fabric);
    text.add("size", size);
    text.add("ranks", ranks);
    text.add("root", root);
    text.add("chunks", chunks);
    text.add("seed", seed);
    text.add("search", search);
    text.add("plot", plot);
    text.add("html", html);
    text.add("page", page);
    text.add("output", output);
    text.add("force", force);
    text.add("collective", collective);
    return text.finish();
  }
};

[[nodiscard]] inline Answer synthesise(const SynthesiseQuestion& question,
                                       const CallOptions& options = {}) {
  return call("synthesise", question.json(), options);
}

}  // namespace orrery::api
