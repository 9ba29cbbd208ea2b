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
  /// Number of changes of each kind that --list shows; 0: all. Default: 6.
  std::optional<std::int64_t> top{};
  /// Simulate on this cluster.
  std::optional<std::string> cluster{};
  /// Bandwidth of the links of a dimension, before changes.
  std::vector<std::string> network_bandwidth{};
  /// Latency per hop of a dimension, before changes.
  std::vector<std::string> network_latency{};
  /// Links of a dimension, of the catalog, before changes.
  std::vector<std::string> network_link{};
  /// Process groups of Chakra traces.
  std::optional<std::string> groups{};
  /// Run the single trace on every rank of the cluster.
  std::optional<bool> replicate{};
  /// Measured kernels, as written by 'orrery calibrate compute'.
  std::optional<std::string> kernel_table{};
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
  /// Device of the recording, for gpu=NAME; by default the one in the recording.
  std::optional<std::string> recorded_device{};
  /// Recorded / predicted times by class and device, for gpu=NAME, instead of the built-in table;
  /// none: predicted ratios only, and hosts as recorded.
  std::optional<std::string> device_ratios{};
  /// Plot --list as SVG.
  std::optional<std::string> plot{};
  /// Earlier form of --change gpu=NAME.
  std::vector<std::string> gpu{};
  /// Write the job inferred from traces, to be corrected and given as --spec; of replayed traces,
  /// the numbers of layers and microbatches, for --structure-file.
  std::optional<std::string> found{};
  /// Layers and microbatches of the traces: a file of --found, corrected.
  std::optional<std::string> structure_file{};
  /// List the possible changes, and stop.
  std::optional<bool> changes{};
  /// Number of layers in the traces, for layers=N, if 'trace info --structure' finds another.
  std::optional<std::int64_t> layers{};
  /// Number of microbatches per step in the traces, likewise.
  std::optional<std::int64_t> microbatches{};
  /// Web page to fill, instead of the built-in one.
  std::optional<std::string> page{};
  /// Write the changed run to FILE.orrery, the web page of both runs to FILE.html, or the JSON to
  /// FILE.json ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("change", change);
    text.add("list", list);
    text.add("combine", combine);
    text.add("top", top);
    text.add("cluster", cluster);
    text.add("network_bandwidth", network_bandwidth);
    text.add("network_latency", network_latency);
    text.add("network_link", network_link);
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
    text.add("precision", precision);
    text.add("optimizer", optimizer);
    text.add("offload", offload);
    text.add("compat", compat);
    text.add("sp", sp);
    text.add("set", set);
    text.add("recorded_device", recorded_device);
    text.add("device_ratios", device_ratios);
    text.add("plot", plot);
    text.add("gpu", gpu);
    text.add("found", found);
    text.add("structure_file", structure_file);
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

}  // namespace orrery::api
