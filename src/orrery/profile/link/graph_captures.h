// SPDX-License-Identifier: Apache-2.0
//
// What the nodes of a CUDA or HIP graph are: the framework says it while the graph is captured, and
// nothing does when it is launched.
#pragma once

#include <span>

#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Tells works of graph launches by which operators they were captured (Work::captured), and which
/// communications they are. `captures` are recordings of captures, of the same rank and with the
/// same strings: threads on which StreamBeginCapture and StreamEndCapture enclose launches that run
/// nothing (vLLM and SGLang write them to `capture_traces`, TraceLens' how-to "Generate a PyTorch
/// inference performance report"). The n-th launch of a capture is the n-th node of the graph: by
/// node ids, else in order of their starts where all ran on one stream. A launch of a graph is of
/// a capture with as many launches of the same kinds (kernel, copy, memset), in the same order;
/// where several fit (one per batch size) only what they agree on is said. Counts graph_captured
/// (works) and capture_unmatched (launches for which none fits). `profile` is indexed and attached.
/// O(events log events), and once for each sequence of kinds the captures' events.
void attach_graph_captures(Profile& profile, std::span<const Profile> captures, Findings& findings);

}  // namespace orrery::profile
