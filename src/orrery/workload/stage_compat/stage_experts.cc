// SPDX-License-Identifier: Apache-2.0
//
// STAGE's mixture of experts: two matrices per expert, and a router with as many outputs as experts
// per token. STAGE divides the work by `ep` twice: once because a rank has fewer experts, and once
// by mistake.
#include "orrery/workload/stage_compat/stage_ops.h"

namespace orrery::workload::stage_compat {

using graph::CollectiveType;

namespace {

/// Sizes that both directions need.
struct Routed {
  explicit Routed(const StageSizes& s)
      : local(s.experts / s.ep),
        tokens(s.tokens * s.top_k / (s.experts * s.ep)),
        all(s.tokens * s.top_k * s.hidden / (s.tp * s.ep)),
        own(s.tokens * s.hidden / (s.tp * s.ep)),
        choices(s.tokens * s.top_k / s.tp) {}

  Wide local;    ///< experts on a rank
  Wide tokens;   ///< tokens per expert
  Wide all;      ///< elements of all tokens sent to experts
  Wide own;      ///< elements of a rank's slice of the tokens
  Wide choices;  ///< tokens times top_k
};

void exchange(const StageSizes& s, Wide size, OpList& list) {
  if (s.ep > 1) {
    list.collective("exchange", CollectiveType::all_to_all, Axis::ep, stream::ep, size);
  }
}

void gather(const StageSizes& s, Wide size, OpList& list) {
  if (s.ep > 1) {
    list.collective("gather", CollectiveType::all_gather, Axis::ep, stream::ep, size);
  }
}

}  // namespace

void experts_forward(const StageSizes& s, OpList& list) {
  const Routed r(s);
  gather(s, s.hidden / s.ep * s.top_k, list);
  list.product("M.router", s.tokens * s.hidden * s.top_k / s.tp, r.choices);
  list.each("R.router", r.choices);
  list.each("B.dispatch", r.all);
  exchange(s, r.all, list);
  for (Wide expert = 0; expert < r.local; ++expert) {
    list.each("SLICE.expert", r.tokens * s.hidden / s.tp);
    mlp_forward(s, r.tokens, list);
    list.each("SLICE.expert.out", r.all);
  }
  if (r.local > 1) list.each("E2.experts", r.all);
  exchange(s, r.all, list);
  list.each("SLICE.scores", r.all);
  list.each("E2.scores", r.all);
  list.each("B.combine", r.own);
  gather(s, r.own, list);
}

void experts_backward(const StageSizes& s, OpList& list) {
  const Routed r(s);
  list.each("B.combine.grad", r.all);
  list.each("E2.scores.grad", r.all);
  list.each("E2.router.grad", r.all);
  exchange(s, r.all, list);
  for (Wide expert = 0; expert < r.local; ++expert) {
    list.each("SLICE.expert.grad", r.tokens * s.hidden / s.tp);
    mlp_backward(s, r.tokens, list);
    list.each("SLICE.expert.dgrad", r.all);
  }
  if (r.local > 1) list.each("E2.experts.grad", r.all);
  exchange(s, r.all, list);
  list.each("B.dispatch.grad", r.own);
  list.each("SLICE.router.grad", r.choices);
  list.each("R.router.grad", r.choices);
  list.phase(Phase::weight_grad);
  list.product("M.router.wgrad", r.choices * s.hidden / s.ep, s.hidden / s.ep * s.top_k);
  list.phase(Phase::input_grad);
  list.product("M.router.dgrad", r.choices * s.hidden / s.ep, r.own);
  list.each("A.dgrad", r.own);
  gather(s, r.own, list);
}

}  // namespace orrery::workload::stage_compat
