// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Compare a measured MFU with predicted and published ones: `orrery mfu`.
struct MfuQuestion {
  /// Measured step time. A time: 10us.
  std::optional<std::string> measured{};
  /// Measured MFU instead of the step time, of the peak that 'orrery run' prints.
  std::optional<std::string> measured_mfu{};
  /// Measured tokens per second of all devices instead of the step time.
  std::optional<double> measured_tokens_per_s{};
  /// The cluster: a file, or a device and a number.
  std::optional<std::string> cluster{};
  /// Source of compute times; by default the cluster file's. One of auto, recorded, roofline,
  /// heuristic, learned, table, fitted, systolic.
  std::optional<std::string> compute{};
  /// Measured kernels, which `auto` and `table` use first (docs/kernel-times.md).
  std::optional<std::string> kernel_table{};
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

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("measured", measured);
    text.add("measured_mfu", measured_mfu);
    text.add("measured_tokens_per_s", measured_tokens_per_s);
    text.add("cluster", cluster);
    text.add("compute", compute);
    text.add("kernel_table", kernel_table);
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
    return text.finish();
  }
};

[[nodiscard]] inline Answer mfu(const MfuQuestion& question, const CallOptions& options = {}) {
  return call("mfu", question.json(), options);
}

}  // namespace orrery::api
