// SPDX-License-Identifier: Apache-2.0
//
// Exports Chakra traces as text: JSON of any size, dot and GraphML for small graphs. Imports such
// JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::intake {

enum class ExportFormat : std::uint8_t { json, dot, graphml };

/// The format for a file name's ending (".json", ".dot" or ".gv", ".graphml", each also with
/// ".gz"). Errc: usage for any other ending.
[[nodiscard]] Result<ExportFormat> export_format_of(std::string_view path);

struct ExportOptions {
  ExportFormat format = ExportFormat::json;
  /// Maximum number of nodes for dot and GraphML. Layout programs fail on smaller graphs already.
  std::uint64_t maximum_nodes = 10'000;
  bool force = false;  ///< export_to_file: replaces an existing file
};

struct ExportReport {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
};

/// Calls `on_text` with the text of one rank's trace, piece by piece, in the order of the file.
///
/// JSON: one document {"chakra": version, "metadata": {…}, "nodes": [{…}, …]}. Messages and fields
/// are named as in protobuf's JSON; but integers below 2^53 are numbers, and only larger ones are
/// text. dot and GraphML: nodes have their names; data dependencies are arrows, control
/// dependencies tees (GraphML: edge attribute "dependency"). Dependencies on missing nodes are
/// omitted and counted (dangling_dep_dropped). Layouts before 0.0.4 and JSON are read as a graph;
/// values that a graph does not store are missing in the text.
///
/// Errc: input_*, limit_exceeded, and errors of `on_text`.
[[nodiscard]] Result<ExportReport> export_trace(
    const std::string& path, const ExportOptions& options, Findings& findings,
    const std::function<Result<void>(std::string_view)>& on_text);

/// Exports to a file, which is written completely or not at all.
[[nodiscard]] Result<ExportReport> export_to_file(const std::string& path,
                                                  const std::string& output,
                                                  const ExportOptions& options, Findings& findings);

/// Converts a document of this JSON form to a Chakra file. Errc: input_corrupt, input_truncated,
/// output_exists unless `force`, output_failed.
[[nodiscard]] Result<ExportReport> import_json(const std::string& path, const std::string& output,
                                               bool force, Findings& findings);

}  // namespace orrery::intake
