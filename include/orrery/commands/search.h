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
  /// Devices of the catalogue.
  std::vector<std::string> gpu{};
  /// Numbers of devices, one cluster each.
  std::vector<std::int64_t> gpus{};
  /// Clusters: files, or NAME:DEVICES.
  std::vector<std::string> cluster{};
  /// Price of a device per hour, in any currency; without prices, cost is in device hours.
  std::vector<std::string> price{};
  /// Evaluation: estimate; simulate; or auto: estimate all, simulate the best. One of estimate,
  /// simulate, auto. Default: auto.
  std::optional<std::string> gear{};
  /// Number of plans to show. Default: 10.
  std::optional<std::int64_t> best{};
  /// Number of plans with the best estimates to simulate. Default: 20.
  std::optional<std::int64_t> simulated{};
  /// Number of threads; 0: all cores. Default: 0.
  std::optional<std::int64_t> threads{};
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
    text.add("gear", gear);
    text.add("best", best);
    text.add("simulated", simulated);
    text.add("threads", threads);
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
    text.add("space", space);
    return text.finish();
  }
};

[[nodiscard]] inline Answer search(const SearchQuestion& question,
                                   const CallOptions& options = {}) {
  return call("search", question.json(), options);
}

/// Assign embedding tables to devices: `orrery shard`.
struct ShardQuestion {
  /// Number of devices. Default: 8.
  std::optional<std::int64_t> devices{};
  /// Device of the catalogue. Default: h100-sxm.
  std::optional<std::string> device{};
  /// Samples per step, over all devices. Default: 65536.
  std::optional<std::int64_t> batch{};
  /// Memory per device for tables; by default 0.8 of its memory. A size: 64MB.
  std::optional<std::string> memory{};
  /// Maximum number of tables or pieces of tables per device; 0: no limit. Default: 0.
  std::optional<std::int64_t> most_tables{};
  /// Use a known sharder: naive, random, size_greedy, lookup_greedy, norm_lookup_greedy,
  /// size_lookup_greedy. One of naive, random, size_greedy, lookup_greedy, norm_lookup_greedy,
  /// size_lookup_greedy.
  std::optional<std::string> sharder{};
  /// Do not cut tables into pieces.
  std::optional<bool> whole{};
  /// Random seed. Default: 1.
  std::optional<std::int64_t> seed{};
  /// Plot the lookup time of each device as SVG.
  std::optional<std::string> plot{};
  /// Write the placement to FILE as CSV ('-' for stdout), or to FILE.yaml as a DLRM specification.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// CSV with the columns name, rows, features, pooling; optionally format and reuse.
  std::optional<std::string> tables{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("devices", devices);
    text.add("device", device);
    text.add("batch", batch);
    text.add("memory", memory);
    text.add("most_tables", most_tables);
    text.add("sharder", sharder);
    text.add("whole", whole);
    text.add("seed", seed);
    text.add("plot", plot);
    text.add("output", output);
    text.add("force", force);
    text.add("tables", tables);
    return text.finish();
  }
};

[[nodiscard]] inline Answer shard(const ShardQuestion& question, const CallOptions& options = {}) {
  return call("shard", question.json(), options);
}

/// Split bandwidth among the dimensions of a network for a job: `orrery split-bandwidth`.
struct SplitBandwidthQuestion {
  /// Same as the argument SPEC.
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
  std::vector<std::string> least{};
  /// Maximum bandwidth of a dimension: '1=50 GB/s'; may be repeated.
  std::vector<std::string> most{};
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
    text.add("optimizer", optimizer);
    text.add("compat", compat);
    text.add("sp", sp);
    text.add("set", set);
    text.add("cluster", cluster);
    text.add("total", total);
    text.add("objective", objective);
    text.add("cost", cost);
    text.add("least", least);
    text.add("most", most);
    text.add("order", order);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer split_bandwidth(const SplitBandwidthQuestion& question,
                                            const CallOptions& options = {}) {
  return call("split-bandwidth", question.json(), options);
}

/// Predict a step, or search its plan, with Calculon's rules: `orrery calculon`.
struct CalculonQuestion {
  /// Search plans for this number of devices. Default: 0.
  std::optional<std::int64_t> devices{};
  /// Maximum samples per step; rounded down to a multiple of the data-parallel replicas. Default:
  /// 0.
  std::optional<std::int64_t> batch{};
  /// float8, float16, float32 or bfloat16. One of float8, float16, float32, bfloat16. Default:
  /// float16.
  std::optional<std::string> datatype{};
  /// Number of plans to show. Default: 10.
  std::optional<std::int64_t> best{};
  /// Number of threads; 0: all cores. Default: 0.
  std::optional<std::int64_t> threads{};
  /// Write the best plan, as an execution file.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// Calculon's application file.
  std::optional<std::string> model{};
  /// Calculon's system file.
  std::optional<std::string> system{};
  /// Calculon's execution file.
  std::optional<std::string> execution{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("devices", devices);
    text.add("batch", batch);
    text.add("datatype", datatype);
    text.add("best", best);
    text.add("threads", threads);
    text.add("output", output);
    text.add("force", force);
    text.add("model", model);
    text.add("system", system);
    text.add("execution", execution);
    return text.finish();
  }
};

[[nodiscard]] inline Answer calculon(const CalculonQuestion& question,
                                     const CallOptions& options = {}) {
  return call("calculon", question.json(), options);
}

}  // namespace orrery::api
