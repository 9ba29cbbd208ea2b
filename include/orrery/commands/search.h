// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Find the best parallelism plans of a job on a cluster: `orrery search`.
struct SearchQuestion {
  /// Evaluate part K of N of a space, stored in FILE.part-K-of-N; env: from the launcher.
  std::optional<std::string> part{};
  /// Write the points of a space as one self-contained web page.
  std::optional<std::string> html{};
  /// Web page to fill, instead of the built-in one.
  std::optional<std::string> page{};
  /// Evaluate points by threads, by mpi (processes of mpirun), or by slurm (writes a job array).
  /// One of threads, mpi, slurm. Default: threads.
  std::optional<std::string> executor{};
  /// Number of jobs of --executor slurm. Default: 64.
  std::optional<std::int64_t> shares{};
  /// Option of sbatch for these jobs: account=me, time=2:00:00.
  std::vector<std::string> slurm_option{};
  /// Only print the size of the space, and how much of it constraints on axes allow.
  std::optional<bool> check{};
  /// Devices of the catalog.
  std::vector<std::string> gpu{};
  /// Numbers of devices, one cluster each.
  std::vector<std::int64_t> gpus{};
  /// Clusters: files, or NAME:DEVICES.
  std::vector<std::string> cluster{};
  /// Price of a device per hour; without prices, cost is in device hours.
  std::vector<std::string> price{};
  /// Links of a dimension: inter=25GB/s (between nodes), intra=…, 1=400Gb/s, or a factor:
  /// inter=0.5.
  std::vector<std::string> network_bandwidth{};
  /// Evaluation: estimate; simulate; or auto: estimate all, simulate the best. One of estimate,
  /// simulate, auto. Default: auto.
  std::optional<std::string> method{};
  /// Number of plans to show. Default: 10.
  std::optional<std::int64_t> top{};
  /// Number of plans with the best estimates to simulate. Default: 20.
  std::optional<std::int64_t> simulated{};
  /// Number of threads; 0: all cores. Default: 0.
  std::optional<std::int64_t> threads{};
  /// Tokens to train on: prints days, and cost with --price. Default: 0.
  std::optional<double> tokens{};
  /// Time available for --tokens: marks plans that need longer; exit code 1 if all do. A duration:
  /// 90d.
  std::optional<std::string> deadline{};
  /// Share of the time that trains, above 0 to 1; by default as 'orrery goodput' predicts it with
  /// published failure rates.
  std::optional<double> goodput{};
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
  /// Write the best plan as a specification; for a space, store its points.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// A space of jobs and clusters (docs/reference/space.md), instead of a job.
  std::optional<std::string> space{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("part", part);
    text.add("html", html);
    text.add("page", page);
    text.add("executor", executor);
    text.add("shares", shares);
    text.add("slurm_option", slurm_option);
    text.add("check", check);
    text.add("gpu", gpu);
    text.add("gpus", gpus);
    text.add("cluster", cluster);
    text.add("price", price);
    text.add("network_bandwidth", network_bandwidth);
    text.add("method", method);
    text.add("top", top);
    text.add("simulated", simulated);
    text.add("threads", threads);
    text.add("tokens", tokens);
    text.add("deadline", deadline);
    text.add("goodput", goodput);
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
    text.add("space", space);
    return text.finish();
  }
};

[[nodiscard]] inline Answer search(const SearchQuestion& question,
                                   const CallOptions& options = {}) {
  return call("search", question.json(), options);
}

}  // namespace orrery::api
