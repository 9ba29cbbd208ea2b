// SPDX-License-Identifier: Apache-2.0
//
// Chakra as JSON: the workload form ({"workload_graph": [{"Id": …}, …]}) and printed protobuf
// messages, one after the other, as Chakra's jsonizer writes them, or in one document, as our own
// export does ({"chakra": "0.0.4", "metadata": {…}, "nodes": […]}).
#pragma once

#include <string_view>

#include "orrery/graph/graph.h"
#include "orrery/trace/chakra/reader.h"
#include "orrery/trace/io/window.h"

namespace orrery::trace::chakra {

/// What to say about JSON that is no trace.
[[nodiscard]] tl::unexpected<Error> unsupported_json(const std::string& where);

/// Errc: as read_rank; input_unsupported for JSON of other tools.
[[nodiscard]] Result<graph::Graph> read_json(Window& window, const ReadOptions& options,
                                             Findings& findings);

}  // namespace orrery::trace::chakra
