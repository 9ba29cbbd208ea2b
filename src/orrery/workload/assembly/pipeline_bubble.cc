// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/pipeline_bubble.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "orrery/core/text/units.h"

namespace orrery::workload {
namespace {

/// A forward pass costs as much as each half of the backward pass.
constexpr PassCost kCost{};

/// The share in closed form; empty if there is none.
std::optional<double> formula_share(const Spec& spec) {
  const auto bubble =
      bubble_formula(spec.schedule.kind, static_cast<std::uint32_t>(spec.parallel.pp),
                     static_cast<std::uint32_t>(spec.microbatches()),
                     static_cast<std::uint32_t>(spec.schedule.chunks), kCost);
  if (!bubble) return std::nullopt;
  // With pipes in both directions a microbatch passes one chunk of a rank, else all of them.
  const bool both = find_schedule(spec.schedule.kind)->placement == Placement::bidirectional;
  const std::int64_t chunks = both ? 1 : spec.schedule.chunks;
  const std::int64_t busy =
      spec.microbatches() * chunks * (kCost.forward + kCost.input_grad + kCost.weight_grad);
  return static_cast<double>(*bubble) / static_cast<double>(*bubble + busy);
}

std::string percent_text(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// Collects changes of a plan with the bubble of each.
class Remedies {
 public:
  Remedies(const Spec& spec, double now) : spec_(spec), now_(now) {
    spec_.batch.global = spec.global_batch();
  }

  std::string text() {
    more_microbatches();
    interleaved();
    zero_bubble();
    fewer_stages();
    return text_;
  }

 private:
  /// The share with this plan; empty unless it is legal and better.
  [[nodiscard]] std::optional<double> better(const Spec& changed) const {
    if (!check_spec(changed)) return std::nullopt;
    const auto share = formula_share(changed);
    return share && *share < now_ - 0.005 ? share : std::nullopt;
  }

  void say(double share, const std::string& how) {
    text_ += fmt::format("; {} with {}", percent_text(share), how);
  }

  /// Tries 2, 4, … times as many microbatches, until the bubble is at most a tenth of the step.
  void more_microbatches() {
    constexpr double kGood = 0.1;
    Spec changed = spec_;
    std::optional<double> last;
    for (int twice = 0; twice < 8 && (!last || *last > kGood); ++twice) {
      Spec next = changed;
      next.batch.global *= 2;
      const auto share = better(next);
      if (!share) break;
      changed = std::move(next);
      last = share;
    }
    if (last) say(*last, fmt::format("batch.global = {}", format_count(changed.batch.global)));
  }

  void interleaved() {
    if (spec_.schedule.kind == ScheduleKind::interleaved) return;
    Spec changed = spec_;
    changed.schedule.kind = ScheduleKind::interleaved;
    changed.schedule.stage_layers.clear();
    for (const std::int64_t chunks : {8, 4, 2}) {
      changed.schedule.chunks = chunks;
      const auto share = better(changed);
      if (!share) continue;
      say(*share, fmt::format("schedule.kind = interleaved, schedule.chunks = {}", chunks));
      return;
    }
  }

  void zero_bubble() {
    if (spec_.schedule.kind == ScheduleKind::zb_h1) return;
    Spec changed = spec_;
    changed.schedule.kind = ScheduleKind::zb_h1;
    changed.schedule.chunks = 1;
    changed.schedule.stage_layers.clear();
    if (const auto share = better(changed)) say(*share, "schedule.kind = zb_h1");
  }

  /// Halves the number of stages and doubles tp.
  void fewer_stages() {
    if (spec_.parallel.pp % 2 != 0) return;
    Spec changed = spec_;
    changed.parallel.pp /= 2;
    changed.parallel.tp *= 2;
    changed.schedule.stage_layers.clear();
    if (const auto share = better(changed))
      say(*share, fmt::format("parallel.pp = {}, parallel.tp = {}", changed.parallel.pp,
                              changed.parallel.tp));
  }

  Spec spec_;
  double now_;
  std::string text_;
};

}  // namespace

double bubble_share(const Spec& spec, const PipelineOrder& order) {
  if (const auto share = formula_share(spec)) return *share;
  const PipelineTimeline timeline = pipeline_timeline(order, kCost);
  if (timeline.end == 0) return 0;
  return static_cast<double>(timeline.bubble()) / static_cast<double>(timeline.end);
}

void report_bubble(const Spec& spec, const PipelineOrder& order, Findings& findings) {
  if (order.stages < 2) return;
  const double share = bubble_share(spec, order);
  if (share <= kLargeBubble) return;
  const std::string now =
      fmt::format("{} with {}, {} microbatch{} and {} stages", percent_text(share),
                  name(spec.schedule.kind), format_count(order.microbatches),
                  order.microbatches == 1 ? "" : "es", format_count(order.stages));
  findings.add(FindingCode::pipeline_bubble, now + Remedies(spec, share).text());
}

}  // namespace orrery::workload
