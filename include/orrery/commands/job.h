// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Write traces from a model and a parallelism plan: `orrery job generate`.
struct JobGenerateQuestion {
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
  /// chakra, simai, yaml or json (the specification). One of chakra, simai, yaml, json. Default:
  /// chakra.
  std::optional<std::string> format{};
  /// Write traces PREFIX.0.et …, or the text of --format to FILE ('-' for stdout).
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
    text.add("format", format);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer job_generate(const JobGenerateQuestion& question,
                                         const CallOptions& options = {}) {
  return call("job generate", question.json(), options);
}

/// Count the FLOPs, bytes and messages of a training step: `orrery job count`.
struct JobCountQuestion {
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
  /// The cluster that runs the job.
  std::optional<std::string> cluster{};
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
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer job_count(const JobCountQuestion& question,
                                      const CallOptions& options = {}) {
  return call("job count", question.json(), options);
}

/// Simulate several jobs that share a cluster: `orrery job together`.
struct JobTogetherQuestion {
  /// Cluster instead of the file's: a file, or a name of the catalog.
  std::optional<std::string> cluster{};
  /// analytical (no congestion), message (congestion), flow (shared links), packet (packets in
  /// queues), noc (flits in routers) or ns3 (packets of ns-3). One of analytical, message, flow,
  /// packet, noc, ns3.
  std::optional<std::string> network{};
  /// Links of a dimension: inter=25GB/s (between nodes), intra=…, 1=400Gb/s, or a factor:
  /// inter=0.5.
  std::vector<std::string> network_bandwidth{};
  /// Print the links that jobs share, and the traffic of each job on them.
  std::optional<bool> links{};
  /// auto: simulate one rank for all identical ones; or off. One of auto, off. Default: auto.
  std::optional<std::string> fold{};
  /// auto: compute the end of a collective if nothing contends; messages: simulate every message.
  /// One of auto, messages. Default: auto.
  std::optional<std::string> collectives{};
  /// auto: skip iterations that repeat the previous one; or off. One of auto, off. Default: auto.
  std::optional<std::string> skip{};
  /// Simulate with and without folding and compare every rank; exit code 1 if they differ.
  std::optional<bool> verify_fold{};
  /// Web page to fill, instead of the built-in one.
  std::optional<std::string> page{};
  /// Write the run with all jobs to FILE.orrery, its web page to FILE.html, or the JSON to
  /// FILE.json ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// The file of jobs (docs/reference/jobs.md).
  std::optional<std::string> jobs{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("cluster", cluster);
    text.add("network", network);
    text.add("network_bandwidth", network_bandwidth);
    text.add("links", links);
    text.add("fold", fold);
    text.add("collectives", collectives);
    text.add("skip", skip);
    text.add("verify_fold", verify_fold);
    text.add("page", page);
    text.add("output", output);
    text.add("force", force);
    text.add("jobs", jobs);
    return text.finish();
  }
};

[[nodiscard]] inline Answer job_together(const JobTogetherQuestion& question,
                                         const CallOptions& options = {}) {
  return call("job together", question.json(), options);
}

}  // namespace orrery::api
