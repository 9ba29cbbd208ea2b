// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Show the contents of traces: `orrery trace info`.
struct TraceInfoQuestion {
  /// Process groups, JSON: {"NAME": [ranks]}; NAME is the pg_name of nodes.
  std::optional<std::string> groups{};
  /// Show the repeated parts of each rank's work instead: steps, microbatches, layers.
  std::optional<bool> structure{};
  /// Plot this structure as SVG (implies --structure).
  std::optional<std::string> plot{};
  /// Drop damaged nodes and edges, and count them.
  std::optional<bool> repair{};
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
  /// Tables of recorded traces: operators, modules, gemms, categories, collectives, launches, idle,
  /// sequences, ranges, memory, or all. One of operators, modules, gemms, categories, collectives,
  /// launches, idle, sequences, ranges, memory, all.
  std::vector<std::string> view{};
  /// Write the tables of recorded traces as one web page.
  std::optional<std::string> html{};
  /// Web page to fill, instead of the built-in one.
  std::optional<std::string> page{};
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// Chakra traces (their common prefix, or files), recorded traces, or dumps of PyTorch's flight
  /// recorder (their folder, or files).
  std::vector<std::string> prefix{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("groups", groups);
    text.add("structure", structure);
    text.add("plot", plot);
    text.add("repair", repair);
    text.add("traces", traces);
    text.add("rank", rank);
    text.add("threads", threads);
    text.add("no_link", no_link);
    text.add("tensors", tensors);
    text.add("view", view);
    text.add("html", html);
    text.add("page", page);
    text.add("output", output);
    text.add("force", force);
    text.add("prefix", prefix);
    return text.finish();
  }
};

[[nodiscard]] inline Answer trace_info(const TraceInfoQuestion& question,
                                       const CallOptions& options = {}) {
  return call("trace info", question.json(), options);
}

/// Link execution traces with device traces: `orrery trace merge`.
struct TraceMergeQuestion {
  /// Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces, Nsight
  /// SQLite, rocpd, XPlane, RunMetadata, tar archives.
  std::vector<std::string> traces{};
  /// Rank of a single trace that does not contain its rank. Default: -1.
  std::optional<std::int64_t> rank{};
  /// Number of ranks that are read concurrently (0: all cores).
  std::optional<std::int64_t> threads{};
  /// Ignore execution traces if there are device traces.
  std::optional<bool> no_link{};
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("traces", traces);
    text.add("rank", rank);
    text.add("threads", threads);
    text.add("no_link", no_link);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer trace_merge(const TraceMergeQuestion& question,
                                        const CallOptions& options = {}) {
  return call("trace merge", question.json(), options);
}

/// Convert recorded traces to Chakra, and Chakra traces to text: `orrery trace convert`.
struct TraceConvertQuestion {
  /// Recordings of any number of ranks, files or patterns: Kineto, PyTorch execution traces, Nsight
  /// SQLite, rocpd, XPlane, RunMetadata, tar archives.
  std::vector<std::string> traces{};
  /// Rank of a single trace that does not contain its rank. Only for recorded traces. Default: -1.
  std::optional<std::int64_t> rank{};
  /// Number of ranks that are read concurrently (0: all cores). Only for recorded traces.
  std::optional<std::int64_t> threads{};
  /// Ignore execution traces if there are device traces. Only for recorded traces.
  std::optional<bool> no_link{};
  /// Also add dependencies by tensor. Only for recorded traces.
  std::optional<bool> tensors{};
  /// ASTRA-sim 1.0 text: number of ranks. Only for ASTRA-sim 1.0 text. Default: 0.
  std::optional<std::int64_t> npus{};
  /// ASTRA-sim 1.0 text: number of iterations. Only for ASTRA-sim 1.0 text. Default: 1.
  std::optional<std::int64_t> passes{};
  /// Allow dot and GraphML with more than 10,000 nodes. Only for dot and GraphML.
  std::optional<bool> large{};
  /// Write traces PREFIX.0.et …, or one trace to FILE.json, FILE.dot or FILE.graphml.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("traces", traces);
    text.add("rank", rank);
    text.add("threads", threads);
    text.add("no_link", no_link);
    text.add("tensors", tensors);
    text.add("npus", npus);
    text.add("passes", passes);
    text.add("large", large);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer trace_convert(const TraceConvertQuestion& question,
                                          const CallOptions& options = {}) {
  return call("trace convert", question.json(), options);
}

/// Cut an iteration, a time window or some ranks out of traces: `orrery trace slice`.
struct TraceSliceQuestion {
  /// Number of the iteration, the N of ProfilerStep#N.
  std::optional<std::int64_t> iteration{};
  /// Begin, from the first recorded time on: '1.5 ms'. A time: 10us.
  std::optional<std::string> from{};
  /// End, exclusive. A time: 10us.
  std::optional<std::string> to{};
  /// Only these ranks: 0,4-7.
  std::optional<std::string> ranks{};
  /// Write the part to FILE, or several files to FOLDER/.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// Files or patterns.
  std::vector<std::string> traces{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("iteration", iteration);
    text.add("from", from);
    text.add("to", to);
    text.add("ranks", ranks);
    text.add("output", output);
    text.add("force", force);
    text.add("traces", traces);
    return text.finish();
  }
};

[[nodiscard]] inline Answer trace_slice(const TraceSliceQuestion& question,
                                        const CallOptions& options = {}) {
  return call("trace slice", question.json(), options);
}

/// Write Chakra traces that you can show to others: `orrery trace anonymize`.
struct TraceAnonymizeQuestion {
  /// Equal names stay equal in all traces with this salt; keep it secret.
  std::optional<std::string> salt{};
  /// Write traces PREFIX.0.et …, or one trace to FILE.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// Traces PREFIX.0.et …, or one file.
  std::optional<std::string> prefix{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("salt", salt);
    text.add("output", output);
    text.add("force", force);
    text.add("prefix", prefix);
    return text.finish();
  }
};

[[nodiscard]] inline Answer trace_anonymize(const TraceAnonymizeQuestion& question,
                                            const CallOptions& options = {}) {
  return call("trace anonymize", question.json(), options);
}

/// Compare two traces of a rank: what is new, gone or slower: `orrery trace diff`.
struct TraceDiffQuestion {
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// The first and the second trace.
  std::vector<std::string> traces{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("output", output);
    text.add("force", force);
    text.add("traces", traces);
    return text.finish();
  }
};

[[nodiscard]] inline Answer trace_diff(const TraceDiffQuestion& question,
                                       const CallOptions& options = {}) {
  return call("trace diff", question.json(), options);
}

/// Simulate a recording again, and measure the error: `orrery trace replay`.
struct TraceReplayQuestion {
  /// Scale recorded times of host, kernels, copies, communication, or of kernels by part of their
  /// name.
  std::vector<std::string> scale{};
  /// Ignore dependencies of a kind: lanes (order within a stream), lags, launch-latency, streams
  /// (waits for each other), threads (hand-offs), think-time, rendezvous.
  std::vector<std::string> ignore{};
  /// Predict each step with the times of the step before it, and print the error.
  std::optional<bool> learn{};
  /// Write the simulated times as a trace for Perfetto and HTA; several ranks: FILE.rank0.json ….
  std::optional<std::string> kineto{};
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
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("scale", scale);
    text.add("ignore", ignore);
    text.add("learn", learn);
    text.add("kineto", kineto);
    text.add("traces", traces);
    text.add("rank", rank);
    text.add("threads", threads);
    text.add("no_link", no_link);
    text.add("tensors", tensors);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer trace_replay(const TraceReplayQuestion& question,
                                         const CallOptions& options = {}) {
  return call("trace replay", question.json(), options);
}

/// Predict a recorded step from typical operator times: `orrery trace predict`.
struct TracePredictQuestion {
  /// Use host times of these recordings instead of those of the other ranks.
  std::vector<std::string> overheads{};
  /// Use each rank's own host times, to measure the error of their means.
  std::optional<bool> own{};
  /// Predict kernel times with models of the recorded device.
  std::optional<bool> use_models{};
  /// Predict kernel times for this device of the catalog (implies --use-models).
  std::optional<std::string> device{};
  /// Remove the overhead of the profiler.
  std::optional<bool> unprofiled{};
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
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("overheads", overheads);
    text.add("own", own);
    text.add("use_models", use_models);
    text.add("device", device);
    text.add("unprofiled", unprofiled);
    text.add("traces", traces);
    text.add("rank", rank);
    text.add("threads", threads);
    text.add("no_link", no_link);
    text.add("tensors", tensors);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer trace_predict(const TracePredictQuestion& question,
                                          const CallOptions& options = {}) {
  return call("trace predict", question.json(), options);
}

/// Find the ranks, kernels and links that delay others: `orrery trace stragglers`.
struct TraceStragglersQuestion {
  /// Number of steps in the traces; by default the repetitions found. Default: 0.
  std::optional<std::int64_t> steps{};
  /// Smallest share of the time that a reported straggler costs. Default: 0.01.
  std::optional<double> min_share{};
  /// Number of worst ranks, kernel classes and links to try. Default: 6.
  std::optional<std::int64_t> top{};
  /// Simulate on this cluster first.
  std::optional<std::string> cluster{};
  /// Bandwidth of the links of a dimension.
  std::vector<std::string> network_bandwidth{};
  /// Process groups of Chakra traces.
  std::optional<std::string> groups{};
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
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("steps", steps);
    text.add("min_share", min_share);
    text.add("top", top);
    text.add("cluster", cluster);
    text.add("network_bandwidth", network_bandwidth);
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

[[nodiscard]] inline Answer trace_stragglers(const TraceStragglersQuestion& question,
                                             const CallOptions& options = {}) {
  return call("trace stragglers", question.json(), options);
}

/// Make a smaller job that represents a large one: `orrery trace scale-down`.
struct TraceScaleDownQuestion {
  /// Remaining ranks: in total (4), or along axes (dp=2,pp=2); other axes stay unchanged.
  std::optional<std::string> keep_ranks{};
  /// Number of remaining layers, over all remaining stages.
  std::optional<std::int64_t> keep_layers{};
  /// Number of remaining microbatches per step.
  std::optional<std::int64_t> keep_microbatches{};
  /// Remaining share of the samples of a microbatch: 1/4. Default: 1.
  std::optional<std::string> keep_batch{};
  /// What smaller groups preserve: buffers (of collectives), volume (bytes that each rank sends),
  /// stated (sizes of nodes), job (buffers and the model). One of buffers, volume, stated, job.
  /// Default: buffers.
  std::optional<std::string> keep{};
  /// Simulate on this cluster and on a part of it.
  std::optional<std::string> cluster{};
  /// Bandwidth of the links of a dimension.
  std::vector<std::string> network_bandwidth{};
  /// Process groups of Chakra traces.
  std::optional<std::string> groups{};
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
  /// Write the smaller job as Chakra traces, PREFIX.0.et ..., and its cluster.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("keep_ranks", keep_ranks);
    text.add("keep_layers", keep_layers);
    text.add("keep_microbatches", keep_microbatches);
    text.add("keep_batch", keep_batch);
    text.add("keep", keep);
    text.add("cluster", cluster);
    text.add("network_bandwidth", network_bandwidth);
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

[[nodiscard]] inline Answer trace_scale_down(const TraceScaleDownQuestion& question,
                                             const CallOptions& options = {}) {
  return call("trace scale-down", question.json(), options);
}

/// Learn the traces of many training jobs: `orrery trace learn`.
struct TraceLearnQuestion {
  /// Also learn N random dense decoders. Default: 0.
  std::optional<std::int64_t> random_jobs{};
  /// Seed of the random jobs. Default: 0.
  std::optional<std::int64_t> seed{};
  /// Write the learned traces to FILE.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// Specifications of jobs, or folders with such files (.yaml, .yml).
  std::vector<std::string> corpus{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("random_jobs", random_jobs);
    text.add("seed", seed);
    text.add("output", output);
    text.add("force", force);
    text.add("corpus", corpus);
    return text.finish();
  }
};

[[nodiscard]] inline Answer trace_learn(const TraceLearnQuestion& question,
                                        const CallOptions& options = {}) {
  return call("trace learn", question.json(), options);
}

/// Synthesize traces of a job from learned traces: `orrery trace synthesize`.
struct TraceSynthesizeQuestion {
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
  /// Learned traces, of 'orrery trace learn'.
  std::optional<std::string> learned{};
  /// Seed of the sampling; by default 1. Default: 1.
  std::optional<std::int64_t> seed{};
  /// Write traces PREFIX.0.et ….
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
    text.add("learned", learned);
    text.add("seed", seed);
    text.add("output", output);
    text.add("force", force);
    return text.finish();
  }
};

[[nodiscard]] inline Answer trace_synthesize(const TraceSynthesizeQuestion& question,
                                             const CallOptions& options = {}) {
  return call("trace synthesize", question.json(), options);
}

}  // namespace orrery::api
