// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Show the contents of traces: `orrery inspect`.
struct InspectQuestion {
  /// Process groups, JSON: {"NAME": [ranks]}; NAME is the pg_name of nodes.
  std::optional<std::string> groups{};
  /// Show the repeated parts of each rank's work instead: steps, microbatches, layers.
  std::optional<bool> structure{};
  /// Plot this structure as SVG (implies --structure).
  std::optional<std::string> plot{};
  /// Drop damaged nodes and edges, and count them.
  std::optional<bool> repair{};
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
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// Chakra traces (their common prefix, or files), or recorded traces.
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
    text.add("output", output);
    text.add("force", force);
    text.add("prefix", prefix);
    return text.finish();
  }
};

[[nodiscard]] inline Answer inspect(const InspectQuestion& question,
                                    const CallOptions& options = {}) {
  return call("inspect", question.json(), options);
}

/// Convert recorded traces to Chakra, and Chakra traces to text: `orrery convert`.
struct ConvertQuestion {
  /// Files or patterns ('run/*.json.gz'): Kineto, PyTorch execution traces, Nsight SQLite, rocpd,
  /// tar archives of them; any number of ranks.
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

[[nodiscard]] inline Answer convert(const ConvertQuestion& question,
                                    const CallOptions& options = {}) {
  return call("convert", question.json(), options);
}

/// Link execution traces with device traces: `orrery link`.
struct LinkQuestion {
  /// Files or patterns ('run/*.json.gz'): Kineto, PyTorch execution traces, Nsight SQLite, rocpd,
  /// tar archives of them; any number of ranks.
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

[[nodiscard]] inline Answer link(const LinkQuestion& question, const CallOptions& options = {}) {
  return call("link", question.json(), options);
}

/// Simulate a recording again, and measure the error: `orrery replay`.
struct ReplayQuestion {
  /// Scale recorded times of host, kernels, copies, communication, or of kernels by part of their
  /// name.
  std::vector<std::string> scale{};
  /// Ignore dependencies of a kind: lanes (order within a stream), lags, launch-latency, streams
  /// (waits for each other), threads (hand-offs), think-time, rendezvous.
  std::vector<std::string> without{};
  /// Predict each step with the times of the step before it, and print the error.
  std::optional<bool> learn{};
  /// Write the simulated times as a trace for Perfetto and HTA; several ranks: FILE.rank0.json ….
  std::optional<std::string> kineto{};
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
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("scale", scale);
    text.add("without", without);
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

[[nodiscard]] inline Answer replay(const ReplayQuestion& question,
                                   const CallOptions& options = {}) {
  return call("replay", question.json(), options);
}

/// Predict a recorded step from typical operator times: `orrery predict`.
struct PredictQuestion {
  /// Use host times of these recordings instead of those of the other ranks.
  std::vector<std::string> overheads{};
  /// Use each rank's own host times, to measure the error of their means.
  std::optional<bool> own{};
  /// Predict kernel times with models of the recorded device.
  std::optional<bool> models{};
  /// Predict kernel times for this device of the catalogue (implies --models).
  std::optional<std::string> device{};
  /// Remove the overhead of the profiler.
  std::optional<bool> unprofiled{};
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
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("overheads", overheads);
    text.add("own", own);
    text.add("models", models);
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

[[nodiscard]] inline Answer predict(const PredictQuestion& question,
                                    const CallOptions& options = {}) {
  return call("predict", question.json(), options);
}

/// Compare two traces of a rank: what is new, gone or slower: `orrery diff`.
struct DiffQuestion {
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

[[nodiscard]] inline Answer diff(const DiffQuestion& question, const CallOptions& options = {}) {
  return call("diff", question.json(), options);
}

/// Cut an iteration, a time window or some ranks out of traces: `orrery cut`.
struct CutQuestion {
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

[[nodiscard]] inline Answer cut(const CutQuestion& question, const CallOptions& options = {}) {
  return call("cut", question.json(), options);
}

/// Write Chakra traces that you can show to others: `orrery obfuscate`.
struct ObfuscateQuestion {
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

[[nodiscard]] inline Answer obfuscate(const ObfuscateQuestion& question,
                                      const CallOptions& options = {}) {
  return call("obfuscate", question.json(), options);
}

}  // namespace orrery::api
