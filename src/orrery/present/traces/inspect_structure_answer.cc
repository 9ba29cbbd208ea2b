// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/inspect_structure_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/analysis/workload/parallelism.h"
#include "orrery/analysis/workload/rank_structure.h"
#include "orrery/core/text/rank_list.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/answer_parts.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using analysis::Block;
using analysis::BlockRole;
using analysis::GroupUse;
using analysis::Parallelism;
using analysis::PhaseShare;
using analysis::RankStructure;
using report::Answer;
using report::Columns;
using report::JsonWriter;

namespace {

constexpr std::size_t kNameLength = 40;
constexpr std::size_t kShownParts = 40;  // of one block

std::string brief(std::string_view name) { return report::fit(printable(name), kNameLength); }

std::string block_title(const Block& block) {
  if (block.role == BlockRole::sequence)
    return block.operations == 1 ? brief(block.begins)
                                 : fmt::format("{} … {}", brief(block.begins), brief(block.ends));
  const bool layers = block.role == BlockRole::forward || block.role == BlockRole::backward;
  return fmt::format("{}{} x {}", analysis::name(block.role), layers ? " layers" : "", block.times);
}

Columns<Block> block_columns() {
  const auto time_text = [](const Block& block, std::int64_t parts) {
    return block.time > Time{} ? format_time(Time(block.time.count() / parts)) : "-";
  };
  Columns<Block> columns;
  columns.field("role", [](const auto& block) { return analysis::name(block.role); })
      .field("repeats", &Block::times)
      .add("operations", "operations", &Block::operations)
      .show("each", [=](const auto& block) { return time_text(block, block.times); })
      .add("total", "time_ns", &Block::time, [=](const auto& block) { return time_text(block, 1); })
      .field("first_node", &Block::begins)
      .field("last_node", &Block::ends)
      .members([](JsonWriter& json, const Block& block) {
        if (block.role != BlockRole::sequence)
          write_rows(json.key("structure_blocks"), block.parts, block_columns());
      });
  return columns;
}

/// A title and its block; no block: "and 3 more".
using TreeRow = std::pair<std::string, const Block*>;

void add_rows(const std::vector<Block>& parts, std::size_t depth, std::vector<TreeRow>& rows) {
  const std::string indent(2 * depth, ' ');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == kShownParts) {
      rows.emplace_back(fmt::format("{}and {} more", indent, parts.size() - i), nullptr);
      return;
    }
    const Block& block = parts[i];
    rows.emplace_back(indent + block_title(block), &block);
    // The contents of a layer are listed when nothing repeats in it.
    const bool deeper =
        block.parts.size() > 1 || (block.parts.size() == 1 && block.parts[0].times > 1);
    if (deeper) add_rows(block.parts, depth + 1, rows);
  }
}

/// Names of groups that are only numbers differ from rank to rank.
std::string process_group_text(const std::string& name) {
  const bool number =
      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number ? "a group" : "group " + printable(name);
}

/// "\na group of 2 ranks, stride 1: 1,040 collectives per step, in every layer"
std::string partners_text(const Parallelism& partners) {
  std::string text;
  if (partners.stages > 1)
    text +=
        fmt::format("\n{} connected by messages: pipeline stages", plural(partners.stages, "rank"));
  if (partners.context > 1)
    text += fmt::format("\n{} connected by messages within layers: context parallelism",
                        plural(partners.context, "rank"));
  for (const GroupUse& use : partners.groups) {
    const std::string stride = use.stride > 0 ? fmt::format(", stride {}", use.stride) : "";
    text += fmt::format(
        "\n{} of {}{}: {} per step{}{}", process_group_text(use.group), plural(use.ranks, "rank"),
        stride, plural(use.collectives, "collective"), use.every_layer ? ", in every layer" : "",
        use.axis == analysis::RankAxisKind::unsaid ? ""
                                                   : fmt::format("; {}", analysis::name(use.axis)));
  }
  return text;
}

std::string phase_name(StepPhase phase, std::string_view unknown) {
  return std::string(phase == StepPhase::unsaid ? unknown : name(phase));
}

/// "\ntime per step: forward 1.2 ms, backward 2.4 ms"; empty with less than two phases.
std::string phases_text(const RankStructure& structure) {
  std::string text;
  std::size_t known = 0;
  for (std::size_t place = 1; place <= structure.phases.size(); ++place) {
    const std::size_t i = place % structure.phases.size();  // time without a phase comes last
    const PhaseShare& share = structure.phases[i];
    if (share.time == Time{}) continue;
    known += i > 0 ? 1 : 0;
    const Time each(share.time.count() / static_cast<std::int64_t>(structure.steps));
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", phase_name(share.phase, "no phase"),
                        format_time(each));
  }
  return known < 2 ? std::string() : "\ntime per step: " + text;
}

/// "120 operations on stream 7; 8 layers by name, forward once per step", phases and groups.
std::string structure_text(const RankStructure& rank, const Parallelism& partners) {
  std::string text = fmt::format("{} operations{}", count(rank.operations),
                                 rank.lane.empty() ? "" : " on " + printable(rank.lane));
  if (rank.layers > 0)
    text += fmt::format("; {}{}, forward {} per step", plural(rank.layers, "layer"),
                        rank.named ? " by name" : " in sequence",
                        rank.forwards == 1 ? "once" : fmt::format("{} times", rank.forwards));
  if (rank.steps > 1) text += fmt::format("; {} steps", rank.steps);
  return text + phases_text(rank) + partners_text(partners);
}

void state_phases(Answer& answer, const RankStructure& structure) {
  std::vector<PhaseShare> phases;
  for (const PhaseShare& share : structure.phases)
    if (share.operations > 0) phases.push_back(share);
  Columns<PhaseShare> columns;
  columns.field("phase", [](const auto& share) { return phase_name(share.phase, "unsaid"); })
      .field("operations", &PhaseShare::operations)
      .field("time_ns", &PhaseShare::time);
  answer.table("phases", phases, columns);
}

void state_partners(Answer& answer, const Parallelism& partners) {
  answer.field("stages", partners.stages).field("context_parallel", partners.context);
  Columns<GroupUse> columns;
  columns.field("name", &GroupUse::group)
      .field("ranks", &GroupUse::ranks)
      .field("stride", &GroupUse::stride)
      .field("collective_count", &GroupUse::collectives)
      .field("in_every_layer", &GroupUse::every_layer)
      .field("axis", [](const auto& use) { return analysis::name(use.axis); });
  answer.table("process_groups", partners.groups, columns);
}

/// A distinct graph.
struct GraphStructure {
  std::vector<std::uint32_t> ranks;
  RankStructure structure;
  Parallelism partners;
};

std::vector<GraphStructure> graph_structures(const graph::Workload& workload) {
  std::vector<RankStructure> structures;
  for (const graph::GraphRef& graph : workload.graphs)
    structures.push_back(analysis::structure(*graph));
  std::vector<Parallelism> partners = analysis::parallelism(workload, structures);
  std::vector<GraphStructure> graphs;
  for (std::size_t i = 0; i < structures.size(); ++i)
    graphs.push_back({{}, std::move(structures[i]), std::move(partners[i])});
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    graphs[workload.graph_of_rank[rank]].ranks.push_back(rank);
  return graphs;
}

void state_graph_structure(Answer& answer, const GraphStructure& graph) {
  const RankStructure& rank = graph.structure;
  answer.heading(structure_text(rank, graph.partners));
  answer.list("rank_numbers", graph.ranks);
  answer.field("operations", rank.operations).field("lane", rank.lane);
  answer.field("layers", rank.layers).field("forward_passes", rank.forwards);
  answer.field("named_layers", rank.named).field("steps", rank.steps);
  state_phases(answer, rank);
  state_partners(answer, graph.partners);
  const auto blocks = block_columns();
  answer.rows("structure_blocks", rank.parts, blocks);
  std::vector<TreeRow> rows;
  add_rows(rank.parts, 0, rows);
  Columns<TreeRow> columns;
  columns.show("block", &TreeRow::first);
  show_part(columns, blocks, &TreeRow::second, "");
  answer.table("", rows, columns);
}

/// For people: ranks with identical text share an entry.
void state_trees(Answer& answer, const std::vector<GraphStructure>& graphs) {
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> trees;
  for (const GraphStructure& graph : graphs) {
    std::string tree = report::answer_text([&](Answer& one) { state_graph_structure(one, graph); },
                                           answer.style());
    const auto known = std::find_if(trees.begin(), trees.end(),
                                    [&](const auto& other) { return other.first == tree; });
    if (known == trees.end())
      trees.emplace_back(std::move(tree), graph.ranks);
    else
      known->second.insert(known->second.end(), graph.ranks.begin(), graph.ranks.end());
  }
  for (const auto& [tree, ranks] : trees)
    answer.block(fmt::format("{}: {}", format_ranks(ranks), tree));
}

}  // namespace

void state_structure(Answer& answer, const std::string& name, const graph::Workload& workload) {
  const auto graphs = graph_structures(workload);
  answer.title(printable(name)).field("name", name);
  if (answer.is_json()) {
    answer.each("structures", graphs, state_graph_structure);
  } else {
    state_trees(answer, graphs);
  }
  answer.findings(workload.findings);
}

}  // namespace orrery::present
