// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Predict the effect of changes to a recording or a job: `orrery whatif`.
struct WhatifQuestion {
  /// A change; several apply together, in their order (--changes lists them).
  std::vector<std::string> change{};
  /// Try changes one at a time, and rank them by the time they save.
  std::optional<bool> list{};
  /// Also try pairs of the best changes, and print whether their savings add up.
  std::optional<bool> combine{};
  /// Number of changes that --list shows; 0: all. Default: 12.
  std::optional<std::int64_t> most{};
  /// Simulate on this cluster.
  std::optional<std::string> cluster{};
  /// Process groups of Chakra traces.
  std::optional<std::string> groups{};
  /// Run the single trace on every rank of the cluster.
  std::optional<bool> replicate{};
  /// Measured kernels, as written by 'orrery calibrate compute'.
  std::optional<std::string> kernel_table{};
  /// Files or patterns ('run/*.json.gz'): Kineto, PyTorch execution traces, Nsight SQLite, rocpd,
  /// tar archives of them; any number of ranks.
  std::vector<std::string> traces{};
  /// Rank of a single trace that does not contain its rank. Default: -1.
  std::optional<std::int64_t> rank{};
  /// Number of ranks that are read concurrently (0: all cores).
  std::optional<std::int64_t> threads{};
  /// Ignore execution traces if there are device traces.
  std::optional<bool> no_link{};
  /// Also add dependencies by tensor.
  std::optional<bool> tensors{};
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
  /// Device of the recording, for gpu=NAME; by default the one in the recording.
  std::optional<std::string> device{};
  /// Plot --list as SVG.
  std::optional<std::string> plot{};
  /// Same as the change gpu=NAME.
  std::vector<std::string> gpu{};
  /// Write the job inferred from traces, to be corrected and given as --spec; of replayed traces,
  /// the numbers of layers and microbatches, for --structure.
  std::optional<std::string> found{};
  /// Layers and microbatches of the traces: a file of --found, corrected.
  std::optional<std::string> structure{};
  /// List the possible changes, and stop.
  std::optional<bool> changes{};
  /// Number of layers in the traces, for layers=N, if 'inspect --structure' finds another.
  std::optional<std::int64_t> layers{};
  /// Number of microbatches per step in the traces, likewise.
  std::optional<std::int64_t> microbatches{};
  /// Web page to fill, instead of the built-in one.
  std::optional<std::string> page{};
  /// Write the changed run to FILE.orrery, its web page to FILE.html, or the JSON to FILE.json ('-'
  /// for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("change", change);
    text.add("list", list);
    text.add("combine", combine);
    text.add("most", most);
    text.add("cluster", cluster);
    text.add("groups", groups);
    text.add("replicate", replicate);
    text.add("kernel_table", kernel_table);
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
    text.add("optimizer", optimizer);
    text.add("compat", compat);
    text.add("sp", sp);
    text.add("set", set);
    text.add("device", device);
    text.add("plot", plot);
    text.add("gpu", gpu);
    text.add("found", found);
    text.add("structure", structure);
    text.add("changes", changes);
    text.add("layers", layers);
    text.add("microbatches", microbatches);
    text.add("page", page);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer whatif(const WhatifQuestion& question,
                                   const CallOptions& options = {}) {
  return call("whatif", question.json(), options);
}

/// Find the ranks, kernels and links that delay others: `orrery stragglers`.
struct StragglersQuestion {
  /// Number of steps in the traces; by default the repetitions found. Default: 0.
  std::optional<std::int64_t> steps{};
  /// Smallest share of the time that a reported straggler costs. Default: 0.01.
  std::optional<double> least{};
  /// Number of worst ranks, kernel classes and links to try. Default: 6.
  std::optional<std::int64_t> most{};
  /// Simulate on this cluster first.
  std::optional<std::string> cluster{};
  /// Process groups of Chakra traces.
  std::optional<std::string> groups{};
  /// Files or patterns ('run/*.json.gz'): Kineto, PyTorch execution traces, Nsight SQLite, rocpd,
  /// tar archives of them; any number of ranks.
  std::vector<std::string> traces{};
  /// Rank of a single trace that does not contain its rank. Default: -1.
  std::optional<std::int64_t> rank{};
  /// Number of ranks that are read concurrently (0: all cores).
  std::optional<std::int64_t> threads{};
  /// Ignore execution traces if there are device traces.
  std::optional<bool> no_link{};
  /// Also add dependencies by tensor.
  std::optional<bool> tensors{};
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
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("steps", steps);
    text.add("least", least);
    text.add("most", most);
    text.add("cluster", cluster);
    text.add("groups", groups);
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
    text.add("optimizer", optimizer);
    text.add("compat", compat);
    text.add("sp", sp);
    text.add("set", set);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer stragglers(const StragglersQuestion& question,
                                       const CallOptions& options = {}) {
  return call("stragglers", question.json(), options);
}

/// Make a smaller job that represents a large one: `orrery scale-down`.
struct ScaleDownQuestion {
  /// Remaining ranks: in total (4), or along axes (dp=2,pp=2); other axes stay unchanged.
  std::optional<std::string> ranks{};
  /// Number of remaining layers, over all remaining stages.
  std::optional<std::int64_t> layers{};
  /// Number of remaining microbatches per step.
  std::optional<std::int64_t> microbatches{};
  /// Remaining share of the samples of a microbatch: 1/4. Default: 1.
  std::optional<std::string> batch{};
  /// What smaller groups preserve: buffers (of collectives), volume (bytes that each rank sends),
  /// stated (sizes of nodes), job (buffers and the model). One of buffers, volume, stated, job.
  /// Default: buffers.
  std::optional<std::string> keep{};
  /// Simulate on this cluster and on a part of it.
  std::optional<std::string> cluster{};
  /// Process groups of Chakra traces.
  std::optional<std::string> groups{};
  /// Files or patterns ('run/*.json.gz'): Kineto, PyTorch execution traces, Nsight SQLite, rocpd,
  /// tar archives of them; any number of ranks.
  std::vector<std::string> traces{};
  /// Rank of a single trace that does not contain its rank. Default: -1.
  std::optional<std::int64_t> rank{};
  /// Number of ranks that are read concurrently (0: all cores).
  std::optional<std::int64_t> threads{};
  /// Ignore execution traces if there are device traces.
  std::optional<bool> no_link{};
  /// Also add dependencies by tensor.
  std::optional<bool> tensors{};
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
  /// Write the smaller job as Chakra traces, PREFIX.0.et ..., and its cluster.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("ranks", ranks);
    text.add("layers", layers);
    text.add("microbatches", microbatches);
    text.add("batch", batch);
    text.add("keep", keep);
    text.add("cluster", cluster);
    text.add("groups", groups);
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
    text.add("optimizer", optimizer);
    text.add("compat", compat);
    text.add("sp", sp);
    text.add("set", set);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer scale_down(const ScaleDownQuestion& question,
                                       const CallOptions& options = {}) {
  return call("scale-down", question.json(), options);
}

}  // namespace orrery::api
