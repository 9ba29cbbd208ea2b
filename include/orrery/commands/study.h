// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Predict a step, or search its plan, with Calculon's rules: `orrery study calculon`.
struct StudyCalculonQuestion {
  /// Search plans for this number of devices. Default: 0.
  std::optional<std::int64_t> devices{};
  /// Maximum samples per step; rounded down to a multiple of the data-parallel replicas. Default:
  /// 0.
  std::optional<std::int64_t> max_batch{};
  /// float8, float16, float32 or bfloat16. One of float8, float16, float32, bfloat16. Default:
  /// float16.
  std::optional<std::string> datatype{};
  /// Number of plans to show. Default: 10.
  std::optional<std::int64_t> top{};
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
    text.add("max_batch", max_batch);
    text.add("datatype", datatype);
    text.add("top", top);
    text.add("threads", threads);
    text.add("output", output);
    text.add("force", force);
    text.add("model", model);
    text.add("system", system);
    text.add("execution", execution);
    return text.finish();
  }
};

[[nodiscard]] inline Answer study_calculon(const StudyCalculonQuestion& question,
                                           const CallOptions& options = {}) {
  return call("study calculon", question.json(), options);
}

/// Reproduce a case study and compare it with its publication: `orrery study reproduce`.
struct StudyReproduceQuestion {
  /// List the built-in case studies.
  std::optional<bool> list_studies{};
  /// Runs that are simulated concurrently; 0: one per core. Default: 0.
  std::optional<std::int64_t> threads{};
  /// Store the results in DIR, with a table and a plot.
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// A built-in case study, or a file (study.yaml).
  std::optional<std::string> name{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("list_studies", list_studies);
    text.add("threads", threads);
    text.add("output", output);
    text.add("force", force);
    text.add("name", name);
    return text.finish();
  }
};

[[nodiscard]] inline Answer study_reproduce(const StudyReproduceQuestion& question,
                                            const CallOptions& options = {}) {
  return call("study reproduce", question.json(), options);
}

}  // namespace orrery::api
