// SPDX-License-Identifier: Apache-2.0
//
// Who told how long the collectives take that a library runs.
#include <algorithm>

#include "orrery/model/collective/library/library_times.h"
#include "orrery/sim/planner.h"

namespace orrery::sim {

namespace {

Footing footing_of(const model::LibraryAnswer& answer) {
  if (answer.source == model::LibrarySource::cost_model) return Footing::formula;
  if (answer.beyond) return Footing::extrapolated;
  return answer.source == model::LibrarySource::measured ? Footing::interpolated : Footing::scaled;
}

}  // namespace

void sort_told(std::vector<ToldCollective>& all) {
  std::sort(all.begin(), all.end(),
            [](const ToldCollective& a, const ToldCollective& b) { return a.key() < b.key(); });
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

ToldCollective Planner::told(const model::PhaseRequest& request) const {
  const model::LibraryAnswer answer = factory_.told(request);
  ToldCollective made;
  made.type = graph::name(request.type);
  made.bytes = Bytes(model::PhaseFactory::whole_buffer(request));
  made.ranks = request.ring.size;
  made.nodes = request.library.nodes;
  made.time = answer.time;
  made.source = name(answer.source);
  if (answer.choice) {
    made.algorithm = name(answer.choice->algorithm);
    made.algorithm += ", ";
    made.algorithm += name(answer.choice->protocol);
  } else if (request.exchange) {
    made.algorithm = name(request.exchange.way());
    made.algorithm += request.exchange.combine() ? ", combine" : ", dispatch";
  }
  if (answer.band) made.off = Off{answer.band->least, answer.band->most};
  made.footing = footing_of(answer);
  return made;
}

ToldCollective Planner::told(std::uint32_t spec) const { return told(specs_[spec].request); }

std::vector<ToldCollective> Planner::told() const {
  std::vector<ToldCollective> all;
  for (const model::PhaseSpec& spec : specs_)
    if (spec.request.library.nodes > 0) all.push_back(told(spec.request));
  sort_told(all);
  return all;
}

std::vector<ToldCollective> Planner::told(const ChunkRequest& request) {
  std::vector<ToldCollective> phases;
  const model::LogicalTopology& topology = topologies_[request.topology];
  for (const ChunkPlan::Choice& choice : plan(request)->choices) {
    if (topology.dims[choice.phase.logical_dim].library.nodes == 0) return {};
    phases.push_back(told(request_of(choice, topology)));
  }
  return phases;
}

}  // namespace orrery::sim
