// SPDX-License-Identifier: Apache-2.0
//
// Lowers the model to ops: each distinct part, on one rank, for one microbatch. Parts depend on
// tensor, sequence, context and expert parallelism, recompute and kernels. They do not depend on
// pipeline stages, data parallelism and the optimizer (assemble.h adds these).
#pragma once

#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/program/mesh.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// A part and its ops.
///
/// The first op of `forward` and of `backward` waits for stream::compute (its producer). The last
/// op on stream::compute is the result of the pass; by then the pass has waited for every other
/// stream that the result needs. Zero-bubble schedules may move the ops of phase weight_grad out of
/// `backward` and run them later, in their order: no other op in `backward` depends on them.
/// Recomputation is in `backward`, where it happens.
struct LoweredPart {
  Part part;
  std::vector<Op> forward;
  std::vector<Op> backward;
};

/// The parts of a model, and their order with repetitions.
struct LoweredModel {
  std::vector<LoweredPart> parts;
  std::vector<PartRun> order;
};

/// Appends a part that occurs `count` times in a row, as layers from `layer` on (-1: not a layer).
[[nodiscard]] Result<void> append_part(LoweredModel& model, Result<LoweredPart> part,
                                       std::int64_t count, std::int64_t layer);

/// Lowers the model for a rank at `where`. Omits collectives over an axis of extent 1. Tied tables
/// count as weights of the embedding; with pp > 1 the head's part also has its own copy. Errc:
/// config_range (an op above 2^62 FLOPs or bytes).
[[nodiscard]] Result<LoweredModel> lower(const Spec& spec, const Mesh& mesh, const Position& where);

// One function per family; `lower` selects one.
[[nodiscard]] Result<LoweredModel> lower_language_model(const Spec& spec, const Mesh& mesh,
                                                        const Position& where);
[[nodiscard]] Result<LoweredModel> lower_vision(const Spec& spec, const Mesh& mesh,
                                                const Position& where);
[[nodiscard]] Result<LoweredModel> lower_resnet(const Spec& spec, const Mesh& mesh,
                                                const Position& where);
[[nodiscard]] Result<LoweredModel> lower_dlrm(const Spec& spec, const Mesh& mesh,
                                              const Position& where);

}  // namespace orrery::workload
