// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/outcome/builtin_case.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "orrery/core/text/units.h"
#include "orrery/graph/builder.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/simulate.h"

namespace orrery::study {

namespace {

constexpr std::int64_t kTemplateCycles = 117'780;

platform::Platform template_platform() {
  platform::Platform platform;
  platform.rules = platform::Rules::astra;
  platform.dims = {{platform::Block::ring, 8, Bandwidth(50.0 * 1024 * 1024 * 1024), 500}};
  platform.collectives.splits = 4;
  platform.collectives.endpoint_delay = ns(10);
  platform.collectives.all_reduce.per_dim = {{platform::Algorithm::ring}};
  platform.device.memory = Bandwidth(50e9);
  return platform;
}

Result<Time> simulate_template() {
  graph::GraphBuilder builder("self-test", std::make_shared<StringPool>(), graph::Repair::refuse);
  graph::NodeSpec node;
  node.id = 1;
  node.kind = graph::NodeKind::coll;
  node.flags = graph::kHasCommType | graph::kHasCommSize;
  node.collective.type = graph::CollectiveType::all_reduce;
  node.collective.size = Bytes(1 << 20);
  builder.add(node);
  Findings findings;
  auto built = std::move(builder).finish(findings);
  if (!built) return tl::unexpected(built.error());
  graph::Workload workload;
  workload.graphs = {std::make_shared<const graph::Graph>(*std::move(built))};
  workload.graph_of_rank.assign(8, 0);
  workload.files.assign(8, "self-test");
  const auto result = sim::simulate(workload, template_platform());
  if (!result) return tl::unexpected(result.error());
  return result->end;
}

}  // namespace

BuiltinCase run_builtin_case() {
  const auto end = simulate_template();
  if (!end) return {false, to_string(end.error())};
  return {*end == ns(kTemplateCycles),
          fmt::format("8-rank ring all-reduce of 1 MiB: {} cycles, expected {}",
                      format_count(end->count() / kPsPerNs), format_count(kTemplateCycles))};
}

}  // namespace orrery::study
