// SPDX-License-Identifier: Apache-2.0
//
// Chakra traces as text: JSON of any size, dot and GraphML for small graphs; and JSON back.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::intake {

enum class ExportFormat : std::uint8_t { json, dot, graphml };

/// By a file name's ending (".json", ".dot" or ".gv", ".graphml", each also with ".gz").
/// Errc: usage for any other.
[[nodiscard]] Result<ExportFormat> export_format_of(std::string_view path);

struct ExportOptions {
  ExportFormat format = ExportFormat::json;
  /// dot and GraphML: nodes at most. Programs that draw them give up well before.
  std::uint64_t maximum_nodes = 10'000;
  bool force = false;  ///< export_to_file: replaces a file that is there
};

struct ExportReport {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
};

/// Hands over the text of one rank's trace piece by piece, in the order of the file.
///
/// JSON: one document {"chakra": version, "metadata": {…}, "nodes": [{…}, …]}; messages and their
/// fields as protobuf prints them, but whole numbers below 2^53 as numbers and only larger ones as
/// text. dot and GraphML: nodes by name, data dependencies as arrows, control dependencies as tees
/// (edge attribute "dependency" in GraphML); dependencies on nodes that are not there are left out
/// and counted (dangling_dep_dropped). Layouts before 0.0.4 and JSON are read as a graph: what a
/// graph does not hold is not in the text either.
/// Errc: input_*, limit_exceeded, and the callback's.
[[nodiscard]] Result<ExportReport> export_trace(
    const std::string& path, const ExportOptions& options, Findings& findings,
    const std::function<Result<void>(std::string_view)>& on_text);

/// The same into a file, whole or not at all.
[[nodiscard]] Result<ExportReport> export_to_file(const std::string& path,
                                                  const std::string& output,
                                                  const ExportOptions& options, Findings& findings);

/// A document of that JSON form as a Chakra file. Errc: input_corrupt, input_truncated,
/// output_exists unless `force`, output_failed.
[[nodiscard]] Result<ExportReport> import_json(const std::string& path, const std::string& output,
                                               bool force, Findings& findings);

}  // namespace orrery::intake
