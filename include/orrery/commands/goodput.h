// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Predict goodput with failures, and days and cost to N tokens: `orrery goodput`.
struct GoodputQuestion {
  /// The cluster: a file, or NAME:DEVICES of the catalog.
  std::optional<std::string> cluster{};
  /// Measured step time; by default the job is simulated. A duration: 90d.
  std::optional<std::string> step{};
  /// Tokens of a step, for --step without a job. Default: 0.
  std::optional<std::int64_t> step_tokens{};
  /// Size of a checkpoint; by default weights and optimizer states. A size: 64MB.
  std::optional<std::string> checkpoint_size{};
  /// Published failure rates (docs/goodput.md); llama-3-405b by default. One of llama-3-405b,
  /// rsc-1, rsc-2.
  std::optional<std::string> failure_rates{};
  /// Mean time between failures of one device, instead of published rates. A duration: 90d.
  std::optional<std::string> device_mtbf{};
  /// The same of one node, for all causes outside its devices. A duration: 90d.
  std::optional<std::string> node_mtbf{};
  /// Devices of a node; by default those of the cluster's hosts. Default: 0.
  std::optional<std::int64_t> devices_per_node{};
  /// Bandwidth of the storage for checkpoints, all nodes together; by default 977 MB/s per node, as
  /// for Llama 3. A bandwidth: 50GB/s.
  std::optional<std::string> checkpoint_bandwidth{};
  /// Time that training stops for a checkpoint, instead of size / bandwidth: for asynchronous
  /// checkpoints, the copy to host memory. A duration: 90d.
  std::optional<std::string> checkpoint_time{};
  /// Training between two checkpoints; by default the optimum. A duration: 90d.
  std::optional<std::string> checkpoint_interval{};
  /// Time from a failure until the job reads its checkpoint: detection, replacement, start; 10 min
  /// by default (docs/goodput.md). A duration: 90d. Default: 600s.
  std::optional<std::string> restart_time{};
  /// Time to convert the checkpoint to another plan at a restart. A duration: 90d. Default: 0s.
  std::optional<std::string> reshard_time{};
  /// Nodes that replace failed ones; by default a spare is always free.
  std::optional<std::int64_t> spare_nodes{};
  /// Mean time until a failed node is usable again, for --spare-nodes. A duration: 90d.
  std::optional<std::string> repair_time{};
  /// Tokens to train on: prints days and cost. Default: 0.
  std::optional<double> tokens{};
  /// Time available for --tokens: exit code 1 if the job needs longer. A duration: 90d.
  std::optional<std::string> deadline{};
  /// Price of a device per hour, in any currency.
  std::optional<std::string> price{};
  /// Seed of the simulation. Default: 1.
  std::optional<std::int64_t> seed{};
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
    text.add("cluster", cluster);
    text.add("step", step);
    text.add("step_tokens", step_tokens);
    text.add("checkpoint_size", checkpoint_size);
    text.add("failure_rates", failure_rates);
    text.add("device_mtbf", device_mtbf);
    text.add("node_mtbf", node_mtbf);
    text.add("devices_per_node", devices_per_node);
    text.add("checkpoint_bandwidth", checkpoint_bandwidth);
    text.add("checkpoint_time", checkpoint_time);
    text.add("checkpoint_interval", checkpoint_interval);
    text.add("restart_time", restart_time);
    text.add("reshard_time", reshard_time);
    text.add("spare_nodes", spare_nodes);
    text.add("repair_time", repair_time);
    text.add("tokens", tokens);
    text.add("deadline", deadline);
    text.add("price", price);
    text.add("seed", seed);
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

[[nodiscard]] inline Answer goodput(const GoodputQuestion& question,
                                    const CallOptions& options = {}) {
  return call("goodput", question.json(), options);
}

}  // namespace orrery::api
