// SPDX-License-Identifier: Apache-2.0
//
// Names the nodes of CUDA and HIP graphs. The framework records operators only while a graph is
// captured, not when it is launched.
#pragma once

#include <span>

#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Sets the operator that captured each work of a graph launch (Work::captured), and its
/// communication.
///
/// `captures` are recordings of graph captures of the same rank, with the same string pool. In
/// them, StreamBeginCapture and StreamEndCapture on a thread enclose launches that run nothing.
/// vLLM and SGLang write them to `capture_traces` (TraceLens' how-to "Generate a PyTorch inference
/// performance report").
///
/// The n-th launch of a capture is the n-th node of the graph: by node id, else by start if all
/// works ran on one stream. A graph launch matches each capture that has the same kinds of launches
/// (kernel, copy, memset) in the same order. If several captures match (one per batch size), only
/// the values that they agree on are set.
///
/// Counts graph_captured (works) and capture_unmatched (launches that match no capture). `profile`
/// is indexed and attached. O(events log events), plus all events of the captures once per sequence
/// of kinds.
void attach_graph_captures(Profile& profile, std::span<const Profile> captures, Findings& findings);

}  // namespace orrery::profile
