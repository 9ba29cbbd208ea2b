// SPDX-License-Identifier: Apache-2.0
//
// From the model to ops: each distinct part of it, on one rank, for one microbatch. Parts know
// tensor, sequence, context and expert parallelism, recompute and kernels; they know nothing of
// pipeline stages, data parallelism and the optimizer (assemble.h puts those around them).
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/program/mesh.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// A part and what it does.
///
/// The first op of `forward` and of `backward` waits for stream::compute (whoever fed it); the last
/// op on stream::compute is its result, and every other stream that the result needs has been
/// waited for by then. Ops of phase weight_grad in `backward` may be taken out and run later, in
/// their order, behind the rest (zero-bubble schedules): nothing else in `backward` waits for their
/// stream's tail because of them. Recomputation stands in `backward` where it happens.
struct LoweredPart {
  Part part;
  std::vector<Op> forward;
  std::vector<Op> backward;
};

/// The model in order: parts, and how many of each come after one another.
struct LoweredModel {
  std::vector<LoweredPart> parts;
  std::vector<PartRun> order;
};

/// The model on a rank in `where`. A collective over an axis of extent 1 is not emitted. Tied
/// tables count their weights in the embedding; when pp > 1 the head's part holds its own copy,
/// too. Errc: config_range (an op beyond 2^62 FLOPs or bytes).
[[nodiscard]] Result<LoweredModel> lower(const Spec& spec, const Mesh& mesh, const Position& where);

// Families, one file each; `lower` chooses.
[[nodiscard]] Result<LoweredModel> lower_language_model(const Spec& spec, const Mesh& mesh,
                                                        const Position& where);
[[nodiscard]] Result<LoweredModel> lower_vision(const Spec& spec, const Mesh& mesh,
                                                const Position& where);
[[nodiscard]] Result<LoweredModel> lower_resnet(const Spec& spec, const Mesh& mesh,
                                                const Position& where);
[[nodiscard]] Result<LoweredModel> lower_dlrm(const Spec& spec, const Mesh& mesh,
                                              const Position& where);

}  // namespace orrery::workload
