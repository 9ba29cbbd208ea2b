// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Simulate several jobs that share a cluster: `orrery together`.
struct TogetherQuestion {
  /// Cluster instead of the file's: a file, or a name of the catalogue.
  std::optional<std::string> cluster{};
  /// analytical (no congestion), message (congestion) or flow (shared links). One of analytical,
  /// message, flow.
  std::optional<std::string> network{};
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

[[nodiscard]] inline Answer together(const TogetherQuestion& question,
                                     const CallOptions& options = {}) {
  return call("together", question.json(), options);
}

}  // namespace orrery::api
