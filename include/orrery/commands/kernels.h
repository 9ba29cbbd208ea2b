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
  /// Devices of the catalog or the table, separated by commas; by default h100-sxm. Only for one
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
  /// Show every distinct kernel of the step, or of the recordings. Only for 'context', a job.
  std::optional<bool> all{};
  /// Data sheets of devices that are not in the catalog, as data/kernels/devices.txt. Only for
  /// 'fit', 'plot'.
  std::optional<std::string> device_sheets{};
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
    text.add("precision", precision);
    text.add("optimizer", optimizer);
    text.add("offload", offload);
    text.add("compat", compat);
    text.add("sp", sp);
    text.add("set", set);
    text.add("all", all);
    text.add("device_sheets", device_sheets);
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

}  // namespace orrery::api
