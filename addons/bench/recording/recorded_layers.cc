// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/recorded_layers.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "addons/bench/recording/training_pass.h"
#include "orrery/core/findings.h"
#include "orrery/graph/builder.h"
#include "orrery/graph/structure/loops.h"
#include "orrery/graph/structure/repeat_folding.h"
#include "orrery/graph/structure/spine.h"

namespace orrery::bench {
namespace {

using profile::EventId;
using profile::Profile;

/// A name that distinguishes operators without digits, because symbols of works ignore digits.
std::string work_name(const Profile& profile, EventId event, TrainingPass pass) {
  const profile::Node& node = *profile.node(event);
  std::string name = pass == TrainingPass::backward ? "backward " : "";
  for (const std::string_view part :
       {profile.name(event), profile.string(node.input_shapes), profile.string(node.input_types)}) {
    for (const char c : part) name += c >= '0' && c <= '9' ? static_cast<char>('A' + (c - '0')) : c;
    name += ' ';
  }
  return name;
}

}  // namespace

Result<Layers> layers_of(const Profile& profile, const std::vector<EventId>& operators) {
  graph::GraphBuilder builder(profile.where, std::make_shared<StringPool>(), graph::Repair::refuse);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const TrainingPass pass = pass_of(profile, operators[i]);
    if (pass == TrainingPass::optimizer) continue;
    graph::NodeSpec node;
    node.id = i;
    node.kind = graph::NodeKind::comp;
    node.duration = profile.events[operators[i]].duration;
    node.name = builder.strings().intern(work_name(profile, operators[i], pass));
    builder.add(node);
  }
  Findings findings;
  const auto graph = std::move(builder).finish(findings);
  if (!graph) return tl::unexpected(graph.error());
  graph::NodeClasses symbols(*graph);
  const graph::Spine spine = graph::spine(*graph, symbols);
  const graph::Loops loops = graph::find_loops(*graph, spine, graph::fold_repeats(spine.symbols));
  Layers layers;
  layers.count = loops.layer_count;
  layers.of.assign(operators.size(), kNoLayer);
  for (const graph::Loop& loop : loops.layers) {
    for (std::size_t at = loop.first; at < loop.end(); ++at) {
      const auto period = static_cast<std::uint32_t>((at - loop.first) / loop.period);
      layers.of[graph->id(spine.works[at])] =
          loop.passes.backward ? loop.times - 1 - period : period;
    }
  }
  return layers;
}

}  // namespace orrery::bench
