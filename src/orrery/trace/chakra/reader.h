// SPDX-License-Identifier: Apache-2.0
//
// Reads the trace of one rank from any byte source.
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/builder.h"
#include "orrery/trace/chakra/groups.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::chakra {

/// Options to read one rank.
struct ReadOptions {
  std::string where;                    ///< names the source in errors
  std::shared_ptr<StringPool> strings;  ///< shared by the ranks of a workload
  graph::Repair repair = graph::Repair::refuse;
  /// Receives process groups from METADATA nodes; null: they are ignored.
  GroupMap* groups = nullptr;
  /// Shared by the ranks; null: each rank has its own table.
  std::shared_ptr<graph::KernelTable> kernels{};
};

/// Reads a trace in any form: with or without gzip, any protobuf layout, JSON workload, printed
/// JSON messages. Errc: input_*, limit_exceeded. One pass; memory for the graph and one block of
/// input.
[[nodiscard]] Result<graph::Graph> read_rank(std::unique_ptr<ByteSource> source,
                                             const ReadOptions& options, Findings& findings);

}  // namespace orrery::trace::chakra
