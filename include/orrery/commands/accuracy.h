// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Compare predicted steps with measured ones: `orrery accuracy`.
struct AccuracyQuestion {
  /// Source of kernel times, as for 'orrery run'. One of auto, recorded, roofline, heuristic,
  /// learned, table, fitted, systolic.
  std::optional<std::string> compute{};
  /// Switch an effect off; may be repeated.
  std::vector<std::string> without{};
  /// Points that are predicted concurrently; 0: one per core. Default: 1.
  std::optional<std::int64_t> threads{};
  /// Predict all steps again without each effect in turn.
  std::optional<bool> effects{};
  /// Fit the slowdown of kernels in steps; predict each source with factors of the others.
  std::optional<bool> fit{};
  /// With --fit: measured steps to predict but not to fit to; may be repeated.
  std::vector<std::string> predict_only{};
  /// Exit code 1 if the median error is above this.
  std::optional<double> max_error{};
  /// Plot predicted against measured steps as SVG.
  std::optional<std::string> plot{};
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// Measured steps.
  std::vector<std::string> file{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("compute", compute);
    text.add("without", without);
    text.add("threads", threads);
    text.add("effects", effects);
    text.add("fit", fit);
    text.add("predict_only", predict_only);
    text.add("max_error", max_error);
    text.add("plot", plot);
    text.add("output", output);
    text.add("force", force);
    text.add("file", file);
    return text.finish();
  }
};

[[nodiscard]] inline Answer accuracy(const AccuracyQuestion& question,
                                     const CallOptions& options = {}) {
  return call("accuracy", question.json(), options);
}

/// Fit models of your cluster to measurements: `orrery calibrate`.
struct CalibrateQuestion {
  /// Device of the catalog, if the files name none. Only for 'network', 'compute', 'overheads'.
  std::optional<std::string> device{};
  /// Date of the measurement, if the files have none: 2026-01-31. Only for 'network', 'compute',
  /// 'overheads'.
  std::optional<std::string> date{};
  /// network: the collective, if the files name none. Only for 'network'.
  std::optional<std::string> collective{};
  /// network: number of ranks, if the files do not contain it. Only for 'network'. Default: 0.
  std::optional<std::int64_t> world_size{};
  /// network: number of nodes, if the files do not contain it. Only for 'network'. Default: 0.
  std::optional<std::int64_t> nodes{};
  /// variability: number of steps in the traces; by default the repetitions found. Only for
  /// 'variability'. Default: 0.
  std::optional<std::int64_t> steps{};
  /// compute: data sheets of devices that are not in the catalog, for tables. Only for 'compute'.
  std::optional<std::string> device_sheets{};
  /// network: best choices for NCCL, as CSV for its tuner plug-in. Only for 'network'.
  std::optional<std::string> write_tuner{};
  /// network: plot measured against predicted times of held-out sizes as SVG. Only for 'network'.
  std::optional<std::string> plot{};
  /// compute: also write a model fitted to the kernels. Only for 'compute'.
  std::optional<std::string> write_model{};
  /// Write the calibration to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// network, compute, overheads or variability, then files, folders or patterns.
  std::vector<std::string> what{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("device", device);
    text.add("date", date);
    text.add("collective", collective);
    text.add("world_size", world_size);
    text.add("nodes", nodes);
    text.add("steps", steps);
    text.add("device_sheets", device_sheets);
    text.add("write_tuner", write_tuner);
    text.add("plot", plot);
    text.add("write_model", write_model);
    text.add("output", output);
    text.add("force", force);
    text.add("what", what);
    return text.finish();
  }
};

[[nodiscard]] inline Answer calibrate(const CalibrateQuestion& question,
                                      const CallOptions& options = {}) {
  return call("calibrate", question.json(), options);
}

/// Run the operators of a recording on this machine: `orrery bench`.
struct BenchQuestion {
  /// Rank to replay, if there are several.
  std::optional<std::int64_t> replay_rank{};
  /// top: outermost operators (in any release of PyTorch); kernel: operators that do the work. One
  /// of top, kernel. Default: top.
  std::optional<std::string> level{};
  /// Only a part: scope=NAME (the first range or operator whose name contains NAME), layer=N or
  /// layers=N-M (by repetition), fewer=N (everything, with N layers), microbatches=N (everything,
  /// with the first N), or times from the start of the step (10ms-20ms).
  std::optional<std::string> subtrace{};
  /// Replay all steps; by default the first complete one, if steps are marked.
  std::optional<bool> all_steps{};
  /// Number of measured iterations. Default: 10.
  std::optional<std::int64_t> iterations{};
  /// Number of iterations before the measured ones; at least one. Default: 2.
  std::optional<std::int64_t> warm_up{};
  /// Number of threads of operators. Default: 1.
  std::optional<std::int64_t> threads{};
  /// Replay on cuda or cuda:N, with streams as recorded; by default on the host (cpu). Default:
  /// cpu.
  std::optional<std::string> torch_device{};
  /// Wait for the device after each operator, so that times are those of operators.
  std::optional<bool> synchronize{};
  /// Wait where the recorded host did other work (needs a device trace, too).
  std::optional<bool> think{};
  /// skip: leave it out; gloo: between processes, one per rank; predicted: delays from --run. One
  /// of skip, gloo, predicted. Default: skip.
  std::optional<std::string> communication{};
  /// Run file of the same job, with the times of communication.
  std::optional<std::string> run{};
  /// gloo: ranks to replay; by default all.
  std::optional<std::string> ranks{};
  /// gloo: longest wait of a rank for other ranks, in seconds. Default: 60.
  std::optional<double> timeout{};
  /// Shares of looked-up rows that are used once, twice, 3 to 4, 5 to 8 … times; by default
  /// uniform indices.
  std::optional<std::string> reuse{};
  /// Compare recording and replay by kind of work and by operator.
  std::optional<bool> similarity{};
  /// Memory for tensors; by default three quarters of the machine's. A size: 64MB.
  std::optional<std::string> memory_limit{};
  /// Only plan, and print what would be replayed.
  std::optional<bool> only_plan{};
  /// Measure each distinct operator (name, sizes, types) alone instead.
  std::optional<bool> micro{};
  /// Only operators whose name contains TEXT.
  std::optional<std::string> filter{};
  /// Write the times of known kernels, as a table for 'orrery kernels'.
  std::optional<std::string> kernels{};
  /// Name of the device in this table. Default: host.
  std::optional<std::string> device_name{};
  /// 128=32: change sizes of 128 to 32 everywhere, and products of it; separated by commas.
  std::optional<std::string> resize{};
  /// names: rename recorded operators; sizes: also change sizes slightly, as far as operators
  /// accept it. One of names, sizes.
  std::optional<std::string> obfuscate{};
  /// Secret key of new names and sizes; equal salts give equal results.
  std::optional<std::string> salt{};
  /// Write the measured times as a trace.
  std::optional<std::string> kineto{};
  /// Write recording and replay, side by side, as one web page.
  std::optional<std::string> html{};
  /// Web page to fill, instead of the built-in one.
  std::optional<std::string> page{};
  /// Write the steps as text ('-' for stdout).
  std::optional<std::string> write_plan{};
  /// Write the JSON to FILE ('-' for stdout); generate: the program to the folder FILE.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// run or generate, then the recording's files.
  std::vector<std::string> what{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("replay_rank", replay_rank);
    text.add("level", level);
    text.add("subtrace", subtrace);
    text.add("all_steps", all_steps);
    text.add("iterations", iterations);
    text.add("warm_up", warm_up);
    text.add("threads", threads);
    text.add("torch_device", torch_device);
    text.add("synchronize", synchronize);
    text.add("think", think);
    text.add("communication", communication);
    text.add("run", run);
    text.add("ranks", ranks);
    text.add("timeout", timeout);
    text.add("reuse", reuse);
    text.add("similarity", similarity);
    text.add("memory_limit", memory_limit);
    text.add("only_plan", only_plan);
    text.add("micro", micro);
    text.add("filter", filter);
    text.add("kernels", kernels);
    text.add("device_name", device_name);
    text.add("resize", resize);
    text.add("obfuscate", obfuscate);
    text.add("salt", salt);
    text.add("kineto", kineto);
    text.add("html", html);
    text.add("page", page);
    text.add("write_plan", write_plan);
    text.add("output", output);
    text.add("force", force);
    text.add("what", what);
    return text.finish();
  }
};

[[nodiscard]] inline Answer bench(const BenchQuestion& question, const CallOptions& options = {}) {
  return call("bench", question.json(), options);
}

}  // namespace orrery::api
