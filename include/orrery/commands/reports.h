// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// Show a run as a summary, a web page or a timeline: `orrery report`.
struct ReportQuestion {
  /// One self-contained web page.
  std::optional<std::string> html{};
  /// Web page to fill, instead of the built-in one.
  std::optional<std::string> page{};
  /// A timeline for ui.perfetto.dev.
  std::optional<std::string> perfetto{};
  /// A timeline as Chrome's trace-event JSON.
  std::optional<std::string> chrome{};
  /// Only these ranks: 0-7, or 3; all: every rank of a large run.
  std::optional<std::string> ranks{};
  /// Only events that end after this time: 1ms. A time: 10us.
  std::optional<std::string> from{};
  /// Only events that begin before this time: 2ms. A time: 10us.
  std::optional<std::string> to{};
  /// Several files of about this size: 500MB. A size: 64MB.
  std::optional<std::string> split{};
  /// Show every kind of collective in the summary.
  std::optional<bool> all{};
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// A run file ('orrery run ... -o RUN.orrery'), or two.
  std::vector<std::string> run{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("html", html);
    text.add("page", page);
    text.add("perfetto", perfetto);
    text.add("chrome", chrome);
    text.add("ranks", ranks);
    text.add("from", from);
    text.add("to", to);
    text.add("split", split);
    text.add("all", all);
    text.add("output", output);
    text.add("force", force);
    text.add("run", run);
    return text.finish();
  }
};

[[nodiscard]] inline Answer report(const ReportQuestion& question,
                                   const CallOptions& options = {}) {
  return call("report", question.json(), options);
}

/// Compare two runs, and show the causes of the difference: `orrery compare`.
struct CompareQuestion {
  /// Exit code 1 if the second step is longer by more than this.
  std::optional<std::string> max_slowdown{};
  /// Write both runs, side by side, as one web page.
  std::optional<std::string> html{};
  /// Web page to fill, instead of the built-in one.
  std::optional<std::string> page{};
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// The first run file, the baseline.
  std::optional<std::string> a{};
  /// The second run file.
  std::optional<std::string> b{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("max_slowdown", max_slowdown);
    text.add("html", html);
    text.add("page", page);
    text.add("output", output);
    text.add("force", force);
    text.add("a", a);
    text.add("b", b);
    return text.finish();
  }
};

[[nodiscard]] inline Answer compare(const CompareQuestion& question,
                                    const CallOptions& options = {}) {
  return call("compare", question.json(), options);
}

/// Explain a figure: its meaning, formula and source: `orrery explain`.
struct ExplainQuestion {
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// [RUN.orrery] [METRIC | NODE | COLLECTIVE].
  std::vector<std::string> words{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("output", output);
    text.add("force", force);
    text.add("words", words);
    return text.finish();
  }
};

[[nodiscard]] inline Answer explain(const ExplainQuestion& question,
                                    const CallOptions& options = {}) {
  return call("explain", question.json(), options);
}

/// Show the critical path of a step: `orrery critical-path`.
struct CriticalPathQuestion {
  /// Show every segment in order of time, not only the longest.
  std::optional<bool> all{};
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// A run file ('orrery run ... -o RUN.orrery').
  std::optional<std::string> run{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("all", all);
    text.add("output", output);
    text.add("force", force);
    text.add("run", run);
    return text.finish();
  }
};

[[nodiscard]] inline Answer critical_path(const CriticalPathQuestion& question,
                                          const CallOptions& options = {}) {
  return call("critical-path", question.json(), options);
}

}  // namespace orrery::api
