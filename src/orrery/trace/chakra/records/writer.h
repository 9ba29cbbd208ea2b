// SPDX-License-Identifier: Apache-2.0
//
// Writes Chakra files in the current schema.
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/graph.h"
#include "orrery/trace/chakra/records/record.h"
#include "orrery/trace/io/file_sink.h"

namespace orrery::trace::chakra {

/// The schema version written into new files.
inline constexpr std::string_view kVersion = "0.0.4";

/// Writes a trace record by record. The file appears, complete, only at `close`. Uses gzip if the
/// name ends in ".gz".
class TraceWriter {
 public:
  /// Errc: output_exists unless `how.force`, output_failed.
  [[nodiscard]] static Result<TraceWriter> create(const std::string& path, FilePlacement how);

  Result<void> write(const MetadataRecord& metadata);
  Result<void> write(const NodeRecord& node);
  Result<void> close();

 private:
  explicit TraceWriter(std::unique_ptr<FileSink> sink) : sink_(std::move(sink)) {}
  Result<void> flush(std::size_t at_least);

  std::unique_ptr<FileSink> sink_;
  std::string buffer_;
};

/// Writes a complete trace. Errc: output_exists unless `how.force`, output_failed.
[[nodiscard]] Result<void> write_records(const std::string& path, const TraceRecords& trace,
                                         FilePlacement how);

/// Converts a graph to records. Every dependency becomes a data dependency, and only attributes
/// that a graph stores are written. Durations that are not whole microseconds are rounded to
/// nearest and counted (value_clamped).
[[nodiscard]] TraceRecords records_of(const graph::Graph& graph, Findings& findings);

}  // namespace orrery::trace::chakra
