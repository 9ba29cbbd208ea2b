// SPDX-License-Identifier: Apache-2.0
//
// One rank's trace from any byte source.
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/builder.h"
#include "orrery/trace/chakra/groups.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::chakra {

/// What reading one rank needs besides its bytes.
struct ReadOptions {
  std::string where;                    ///< names the source in errors
  std::shared_ptr<StringPool> strings;  ///< shared by the ranks of a workload
  graph::Repair repair = graph::Repair::refuse;
  GroupMap* groups = nullptr;  ///< process groups found in METADATA nodes; null = not wanted
  std::shared_ptr<graph::KernelTable> kernels{};  ///< shared, too; null: each has its own
};

/// Reads a trace whatever it is: gzip or not, any protobuf layout, JSON workload, printed JSON
/// messages. Errc: input_*, limit_exceeded. One pass; memory for the graph and one block of input.
[[nodiscard]] Result<graph::Graph> read_rank(std::unique_ptr<ByteSource> source,
                                             const ReadOptions& options, Findings& findings);

}  // namespace orrery::trace::chakra
