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

/// Whether the content begins like a JSON object (a binary trace can begin with '{' too, but not go
/// on like one).
[[nodiscard]] bool looks_like_json(std::string_view head);

/// Whether the content is the beginning of a list as text, which no Chakra trace is. (A binary one
/// can begin with '[' too, but has bytes that no text has.) `head`: 64 bytes or all there is.
[[nodiscard]] bool looks_like_list(std::string_view head);

/// What to say about JSON that is no trace.
[[nodiscard]] tl::unexpected<Error> other_json(const std::string& where);

/// Errc: as read_rank; input_unsupported for JSON of other tools.
[[nodiscard]] Result<graph::Graph> read_json(Window& window, const ReadOptions& options,
                                             Findings& findings);

}  // namespace orrery::trace::chakra
