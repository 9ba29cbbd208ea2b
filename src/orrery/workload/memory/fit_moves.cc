// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/fit_moves.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace orrery::workload {
namespace {

using Degree = std::int64_t Parallel::*;
struct NamedAxis {
  const char* name;
  Degree degree;
};
constexpr NamedAxis kDp{"dp", &Parallel::dp}, kTp{"tp", &Parallel::tp}, kCp{"cp", &Parallel::cp},
    kPp{"pp", &Parallel::pp}, kEp{"ep", &Parallel::ep};

/// Makes one degree `factor` times as large and another one as much smaller: dp when it can be
/// divided, else the first of the others that can.
std::string spread(Spec& spec, NamedAxis to, std::int64_t factor) {
  Parallel& p = spec.parallel;
  for (const NamedAxis& from : {kDp, kPp, kCp, kTp}) {
    if (from.degree == to.degree || p.*(from.degree) % factor != 0) continue;
    p.*(to.degree) *= factor;
    p.*(from.degree) /= factor;
    return fmt::format("parallel.{} = {}, parallel.{} = {}", to.name, p.*(to.degree), from.name,
                       p.*(from.degree));
  }
  return {};
}

std::string more_experts_apart(Spec& spec, std::int64_t factor) {
  if (spec.parallel.ep_own_axis) return spread(spec, kEp, factor);
  spec.parallel.ep *= factor;
  return fmt::format("parallel.ep = {}", spec.parallel.ep);
}

class Moves {
 public:
  explicit Moves(const Spec& spec) : spec_(spec) {}

  std::vector<Move> all() {
    kernels();
    sharding();
    micro_batch();
    degrees();
    recompute();
    sequence_parallel();
    return std::move(moves_);
  }

 private:
  void add(MoveKind kind, std::int32_t disturbance, std::function<std::string(Spec&)> apply) {
    moves_.push_back({kind, disturbance, std::move(apply)});
  }

  void kernels() {
    if (!spec_.kernels.flash_attention) {
      add(MoveKind::flash_attention, 0, [](Spec& spec) {
        spec.kernels.flash_attention = true;
        return std::string("kernels.flash_attention = true");
      });
    }
  }

  void sharding() {
    struct Stage {
      Sharding sharding;
      std::int32_t disturbance;
    };
    for (const Stage& stage :
         {Stage{Sharding::zero1, 2}, Stage{Sharding::zero2, 4}, Stage{Sharding::zero3, 16}}) {
      if (stage.sharding <= spec_.parallel.sharding) continue;
      add(MoveKind::optimizer_sharding, stage.disturbance, [stage](Spec& spec) {
        if (spec.parallel.dp * spec.parallel.cp == 1) return std::string();
        spec.parallel.sharding = stage.sharding;
        const auto names = config::Words<Sharding>::names;
        return fmt::format("parallel.sharding = {}",
                           names[static_cast<std::size_t>(stage.sharding)].first);
      });
    }
  }

  void micro_batch() {
    std::int32_t disturbance = 6;
    for (std::int64_t factor = 2; spec_.batch.micro % factor == 0 && factor <= 64; factor *= 2) {
      add(MoveKind::micro_batch, disturbance++, [factor](Spec& spec) {
        spec.batch.micro /= factor;
        return fmt::format("batch.micro = {}", spec.batch.micro);
      });
    }
  }

  void degrees() {
    std::int32_t more = 0;
    for (const std::int64_t factor : {2, 4, 8}) {
      const auto spreads = [&](MoveKind kind, std::int32_t disturbance, NamedAxis to) {
        add(kind, disturbance + more,
            [to, factor](Spec& spec) { return spread(spec, to, factor); });
      };
      spreads(MoveKind::pipeline, 20, kPp);
      spreads(MoveKind::tensor_parallel, 24, kTp);
      spreads(MoveKind::context_parallel, 28, kCp);
      if (spec_.model.moe) {
        add(MoveKind::expert_parallel, 18 + more,
            [factor](Spec& spec) { return more_experts_apart(spec, factor); });
      }
      more += 16;
    }
  }

  void recompute() {
    const RecomputeKind now = spec_.recompute.kind;
    const auto add_kind = [this](RecomputeKind kind, const char* name) {
      add(MoveKind::recompute, 0, [kind, name](Spec& spec) {
        spec.recompute.kind = kind;
        spec.recompute.ops.clear();
        return fmt::format("recompute.kind = {}", name);
      });
    };
    if (now == RecomputeKind::none) add_kind(RecomputeKind::selective, "selective");
    if (now != RecomputeKind::full) add_kind(RecomputeKind::full, "full");
  }

  /// Of use with tp only, which a first change may bring.
  void sequence_parallel() {
    if (spec_.parallel.sp) return;
    add(MoveKind::sequence_parallel, 1, [](Spec& spec) {
      if (spec.parallel.tp == 1) return std::string();
      spec.parallel.sp = true;
      return std::string("parallel.sp = true");
    });
  }

  const Spec& spec_;
  std::vector<Move> moves_;
};

}  // namespace

std::vector<Move> moves(const Spec& spec) { return Moves(spec).all(); }

}  // namespace orrery::workload
