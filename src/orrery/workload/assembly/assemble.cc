// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/assemble.h"

#include <fmt/format.h>

#include "orrery/core/units.h"
#include "orrery/workload/assembly/partition.h"
#include "orrery/workload/layers/lower.h"
#include "orrery/workload/program/bubble.h"
#include "orrery/workload/spec/legal_internal.h"
#include "orrery/workload/spec/spec.h"
#include "orrery/workload/stage_compat/stage_compat.h"

namespace orrery::workload {

namespace {

/// "7, 14 x 8, 7"
std::string runs_text(const std::vector<std::int64_t>& layers) {
  std::string text;
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t end = i;
    while (end < layers.size() && layers[end] == layers[i]) ++end;
    text += text.empty() ? "" : ", ";
    text +=
        end - i == 1 ? fmt::format("{}", layers[i]) : fmt::format("{} x {}", end - i, layers[i]);
    i = end;
  }
  return text;
}

/// Says how layers went into stages that nobody dealt them out to.
void note_uneven(const Spec& spec, std::size_t stages, Findings& findings) {
  if (!has_attention(spec.model) || !spec.schedule.stage_layers.empty()) return;
  const std::int64_t layers = all_layers(spec.model);
  if (layers % static_cast<std::int64_t>(stages) == 0) return;
  findings.add(FindingCode::layers_uneven, fmt::format("{} layers in {} stages: {}", layers, stages,
                                                       runs_text(even_layers(layers, stages))));
}

}  // namespace

Spec with_padded_vocabulary(const Spec& spec, Findings& findings) {
  Spec padded = spec;
  std::int64_t& vocab = padded.model.vocab;
  if (!reads_text(spec.model) || vocab % spec.parallel.tp == 0) return padded;
  const std::int64_t multiple = 128 * spec.parallel.tp;
  vocab = (vocab + multiple - 1) / multiple * multiple;
  findings.add(FindingCode::vocabulary_padded,
               fmt::format("from {} to {}", format_count(spec.model.vocab), format_count(vocab)));
  return padded;
}

Result<Program> assemble(const Spec& whole, Findings& findings) {
  if (auto allowed = legal(whole); !allowed) return tl::unexpected(allowed.error());
  if (whole.compat == Compat::stage) return assemble_stage(whole);
  const Spec spec = with_padded_vocabulary(whole, findings);
  auto order = order_of(spec);
  if (!order) return tl::unexpected(order.error());
  const std::size_t given = spec.schedule.stage_layers.size(), due = order->pipes.front().size();
  if (given != 0 && given != due) {  // how many a file has is known only now
    return tl::unexpected(Error{Errc::config_conflict, "/schedule/stage_layers",
                                fmt::format("lists {} stages, but the schedule has {}", given, due),
                                "give the layers of every virtual stage, in the model's order"});
  }
  note_uneven(spec, due, findings);
  note_bubble(spec, *order, findings);
  return assemble_with(spec, *order, lower);
}

}  // namespace orrery::workload
