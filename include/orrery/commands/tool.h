// SPDX-License-Identifier: Apache-2.0
//
// Generated from the tables of options. To renew it, run the cli tests with ORRERY_UPDATE_DOCS=1.
#pragma once

#include "orrery/call.h"

namespace orrery::api {

/// List models, devices, links, clusters and collectives by name: `orrery list`.
struct ListQuestion {
  /// Write the JSON to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// The list: models, devices, links, clusters, collectives.
  std::optional<std::string> list{};
  /// Only entries with this text in their name or title.
  std::optional<std::string> filter{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("output", output);
    text.add("force", force);
    text.add("list", list);
    text.add("filter", filter);
    return text.finish();
  }
};

[[nodiscard]] inline Answer list(const ListQuestion& question, const CallOptions& options = {}) {
  return call("list", question.json(), options);
}

/// Print the JSON Schema of a file format: `orrery schema`.
struct SchemaQuestion {
  /// Write the schema to FILE ('-' for stdout).
  std::optional<std::string> output{};
  /// Overwrite FILE.
  std::optional<bool> force{};
  /// The format: cluster, workload, variability, space, together, case-study, question, output.
  std::optional<std::string> format{};
  /// With question or output: only this command.
  std::optional<std::string> command{};

  [[nodiscard]] std::string json() const {
    QuestionText text;
    text.add("output", output);
    text.add("force", force);
    text.add("format", format);
    text.add("command", command);
    return text.finish();
  }
};

[[nodiscard]] inline Answer schema(const SchemaQuestion& question,
                                   const CallOptions& options = {}) {
  return call("schema", question.json(), options);
}

}  // namespace orrery::api
