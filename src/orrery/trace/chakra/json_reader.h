// SPDX-License-Identifier: Apache-2.0
//
// Reads Chakra as JSON, in three forms:
// - The workload form ({"workload_graph": [{"Id": …}, …]}).
// - Printed protobuf messages, one after the other, as Chakra's jsonizer writes them.
// - One document, as Orrery's export writes it ({"chakra": "0.0.4", "metadata": {…}, "nodes":
//   […]}).
#pragma once

#include "orrery/graph/graph.h"
#include "orrery/trace/chakra/reader.h"
#include "orrery/trace/io/window.h"

namespace orrery::trace::chakra {

/// The error for JSON that is not a trace.
[[nodiscard]] tl::unexpected<Error> unsupported_json(const std::string& where);

/// Errc: as read_rank; input_unsupported for JSON of other tools.
[[nodiscard]] Result<graph::Graph> read_json(Window& window, const ReadOptions& options,
                                             Findings& findings);

}  // namespace orrery::trace::chakra
