// SPDX-License-Identifier: Apache-2.0
//
// The context of every layer builder: the specification, and how many tokens this rank sees.
#pragma once

#include "orrery/workload/program/mesh.h"
#include "orrery/workload/spec/amount.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// One rank's view of a microbatch of `seq` tokens per sequence. The specification and mesh must
/// outlive it.
struct Scope {
  const Spec* spec = nullptr;
  const Mesh* mesh = nullptr;
  Position where;
  std::int64_t tp = 1;
  std::int64_t cp = 1;
  bool sp = false;  ///< Parallel::sp, and tp > 1
  std::int64_t micro = 1;
  std::int64_t seq = 1;
  Amount tokens = 1;  ///< t = micro × seq / cp
  Amount shard = 1;   ///< ts = t / tp with sequence parallelism, else t: tokens between blocks

  Scope(const Spec& of, const Mesh& on, const Position& at, std::int64_t tokens_per_sequence)
      : spec(&of),
        mesh(&on),
        where(at),
        tp(of.parallel.tp),
        cp(of.parallel.cp),
        sp(of.parallel.sp && of.parallel.tp > 1),
        micro(of.batch.micro),
        seq(tokens_per_sequence),
        tokens(ceil_div(Amount(micro) * seq, cp)),
        shard(sp ? ceil_div(tokens, tp) : tokens) {}

  [[nodiscard]] const Model& model() const { return spec->model; }
  /// The same rank, for sequences of another length.
  [[nodiscard]] Scope with_seq(std::int64_t tokens_per_sequence) const {
    return {*spec, *mesh, where, tokens_per_sequence};
  }

  /// Ranks that have the same tokens and are not of one tp group: those of a separate ep axis.
  [[nodiscard]] std::int64_t duplicate_ranks() const {
    return spec->parallel.ep_own_axis ? spec->parallel.ep : 1;
  }
  /// Ranks that do identical work between blocks: duplicate_ranks, times tp without sequence
  /// parallelism.
  [[nodiscard]] std::int64_t equivalent_ranks() const { return (sp ? 1 : tp) * duplicate_ranks(); }

  /// Whether the model's weights are frozen, so that only adapters are trained.
  [[nodiscard]] bool is_frozen() const { return spec->lora.has_value(); }

  // Bytes of `elements` activations, weights and gradients.
  [[nodiscard]] Amount activation(Amount elements) const {
    return bytes(elements, spec->precision.activations);
  }
  [[nodiscard]] Amount weight(Amount elements) const {
    return bytes(elements, spec->precision.weights);
  }
  [[nodiscard]] Amount gradient(Amount elements) const {
    return bytes(elements, spec->precision.gradients);
  }
};

}  // namespace orrery::workload
