// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Describe a fabric, plot it, and show routes: `orrery topology`.
struct TopologyQuestion {
  /// Print the route between two ranks or named nodes.
  std::vector<std::string> route{};
  /// Size of tensor-parallel groups; warns if a group crosses hosts. Default: 0.
  std::optional<std::int64_t> tp{};
  /// List every node.
  std::optional<bool> nodes{};
  /// Plot the fabric as SVG.
  std::optional<std::string> plot{};
  /// Write the fabric to FILE as InfraGraph 2.4 ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// A fabric or a cluster.
  std::optional<std::string> file{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("route", route);
    text.add("tp", tp);
    text.add("nodes", nodes);
    text.add("plot", plot);
    text.add("output", output);
    text.add("force", force);
    text.add("file", file);
    return text.finish();
  }
};

[[nodiscard]] inline Answer topology(const TopologyQuestion& question,
                                     const CallOptions& options = {}) {
  return call("topology", question.json(), options);
}

/// Fit models of your cluster to measurements: `orrery calibrate`.
struct CalibrateQuestion {
  /// Device of the catalogue, if the files name none. Only for 'network', 'compute', 'overheads'.
  std::optional<std::string> device{};
  /// Date of the measurement, if the files have none: 2026-01-31. Only for 'network', 'compute',
  /// 'overheads'.
  std::optional<std::string> date{};
  /// network: the collective, if the files name none. Only for 'network'.
  std::optional<std::string> collective{};
  /// network: number of ranks, if the files do not contain it. Only for 'network'. Default: 0.
  std::optional<std::int64_t> ranks{};
  /// network: number of nodes, if the files do not contain it. Only for 'network'. Default: 0.
  std::optional<std::int64_t> nodes{};
  /// variability: number of steps in the traces; by default the repetitions found. Only for
  /// 'variability'. Default: 0.
  std::optional<std::int64_t> steps{};
  /// compute: data sheets of devices that are not in the catalogue, for tables. Only for 'compute'.
  std::optional<std::string> devices{};
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
    text.add("ranks", ranks);
    text.add("nodes", nodes);
    text.add("steps", steps);
    text.add("devices", devices);
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

}  // namespace orrery::api
