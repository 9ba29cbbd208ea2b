// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Predict the memory of a training step, and whether it fits: `orrery memory`.
struct MemoryQuestion {
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
  /// The cluster, for its devices' capacity.
  std::optional<std::string> cluster{};
  /// A device of the catalog, for its capacity.
  std::optional<std::string> device{};
  /// Memory of one device, e.g. '80 GB'. A size: 64MB.
  std::optional<std::string> capacity{};
  /// Allowance for the allocator, as a share of activations and buffers, 0 to 1. Default: 0.05.
  std::optional<double> fragmentation{};
  /// Plot memory over the step as SVG.
  std::optional<std::string> plot{};
  /// Write the JSON to FILE ('-' for stdout).
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
    text.add("device", device);
    text.add("capacity", capacity);
    text.add("fragmentation", fragmentation);
    text.add("plot", plot);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer memory(const MemoryQuestion& question,
                                   const CallOptions& options = {}) {
  return call("memory", question.json(), options);
}

}  // namespace orrery::api
