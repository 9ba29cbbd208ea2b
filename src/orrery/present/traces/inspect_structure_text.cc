// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/inspect_structure_text.h"

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
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using analysis::Block;
using analysis::BlockRole;
using report::JsonWriter;

namespace {

constexpr std::size_t kNameLength = 40;
constexpr std::size_t kShownParts = 40;  // of one body; a tree for people ends somewhere

std::string brief(std::string_view name) {
  const std::string shown = printable(name);
  return shown.size() <= kNameLength ? shown : shown.substr(0, kNameLength - 1) + "…";
}

std::string what(const Block& block) {
  if (block.role == BlockRole::works)
    return block.works == 1 ? brief(block.begins)
                            : fmt::format("{} … {}", brief(block.begins), brief(block.ends));
  const bool layers = block.role == BlockRole::forward || block.role == BlockRole::backward;
  return fmt::format("{}{} x {}", analysis::name(block.role), layers ? " layers" : "", block.times);
}

void add_rows(const std::vector<Block>& parts, std::size_t depth, report::Table& table) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == kShownParts) {
      table.row({fmt::format("{:{}}and {} more", "", 2 * depth, parts.size() - i), "", "", ""});
      return;
    }
    const Block& block = parts[i];
    const Time each(block.time.count() / static_cast<std::int64_t>(block.times));
    table.row({fmt::format("{:{}}{}", "", 2 * depth, what(block)), count(block.works),
               block.time > Time{} ? format_time(each) : "-",
               block.time > Time{} ? format_time(block.time) : "-"});
    // What a layer is made of is told when nothing repeats in it.
    const bool deeper =
        block.parts.size() > 1 || (block.parts.size() == 1 && block.parts[0].times > 1);
    if (deeper) add_rows(block.parts, depth + 1, table);
  }
}

/// Names of groups that are no more than numbers differ from rank to rank.
std::string process_group_text(const std::string& name) {
  const bool number =
      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number ? "a group" : "group " + printable(name);
}

/// "a group of 2 ranks, 1 apart: 1,040 collectives a step, in every layer"
std::string partners_text(const analysis::Parallelism& partners) {
  std::string text;
  if (partners.stages > 1)
    text += fmt::format("{} that messages connect: stages of a pipeline\n",
                        plural(partners.stages, "rank"));
  if (partners.context > 1)
    text += fmt::format("{} that messages in layers connect: context parallel\n",
                        plural(partners.context, "rank"));
  for (const analysis::GroupUse& use : partners.groups) {
    const std::string stride = use.stride > 0 ? fmt::format(", {} apart", use.stride) : "";
    text += fmt::format(
        "{} of {}{}: {} a step{}{}\n", process_group_text(use.group), plural(use.ranks, "rank"),
        stride, plural(use.collectives, "collective"), use.every_layer ? ", in every layer" : "",
        use.axis == analysis::Axis::unsaid ? "" : fmt::format("; {}", analysis::name(use.axis)));
  }
  return text;
}

/// "\na step: forward 1.2 ms, backward 2.4 ms"
std::string phases_text(const analysis::RankStructure& found) {
  std::string text;
  std::size_t predicted = 0;
  for (std::size_t place = 1; place <= found.phases.size(); ++place) {
    const std::size_t i = place % found.phases.size();  // what has none comes last
    const analysis::PhaseShare& share = found.phases[i];
    if (share.time == Time{}) continue;
    predicted += i > 0 ? 1 : 0;
    const std::string of =
        share.phase == StepPhase::unsaid ? "no phase" : std::string(name(share.phase));
    const Time each(share.time.count() / static_cast<std::int64_t>(found.steps));
    text += (text.empty() ? "" : ", ") + of + " " + format_time(each);
  }
  return predicted < 2 ? std::string() : "\nworks of a step: " + text;
}

/// A rank's structure in words, but for whose it is.
std::string tree_text(const analysis::RankStructure& found, const analysis::Parallelism& partners,
                      report::Style style) {
  std::string text = fmt::format("{} works{}", count(found.works),
                                 found.lane.empty() ? "" : " on " + printable(found.lane));
  if (found.layers > 0)
    text += fmt::format("; {}{}, forward {} a step", plural(found.layers, "layer"),
                        found.named ? ", as they are named" : " one after another",
                        found.forwards == 1 ? "once" : fmt::format("{} times", found.forwards));
  if (found.steps > 1) text += fmt::format("; {} steps", found.steps);
  text += phases_text(found);
  report::Table table({{"what"}, {"works", true}, {"each", true}, {"in all", true}});
  add_rows(found.parts, 0, table);
  return text + "\n" + partners_text(partners) + table.text(style);
}

/// Ranks that share each graph, in the order of graphs.
std::vector<std::vector<std::uint32_t>> ranks_by_graph(const graph::Workload& workload) {
  std::vector<std::vector<std::uint32_t>> made(workload.graphs.size());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    made[workload.graph_of_rank[rank]].push_back(rank);
  return made;
}

void write_blocks(JsonWriter& json, const std::vector<Block>& parts) {
  json.key("structure_blocks").begin_array();
  for (const Block& block : parts) {
    json.begin_object().field("role", analysis::name(block.role)).field("repeats", block.times);
    json.field("operations", block.works).nanoseconds("time", block.time);
    json.field("first_node", std::string_view(block.begins));
    json.field("last_node", std::string_view(block.ends));
    if (block.role != BlockRole::works) write_blocks(json, block.parts);
    json.end_object();
  }
  json.end_array();
}

void write_phases(JsonWriter& json, const analysis::RankStructure& found) {
  json.key("phases").begin_array();
  for (std::size_t i = 0; i < found.phases.size(); ++i) {
    if (found.phases[i].works == 0) continue;
    const std::string_view of = name(static_cast<StepPhase>(i));
    json.begin_object().field("phase", of.empty() ? "unsaid" : of);
    json.field("operations", found.phases[i].works).nanoseconds("time", found.phases[i].time);
    json.end_object();
  }
  json.end_array();
}

void write_partners(JsonWriter& json, const analysis::Parallelism& partners) {
  json.field("stages", partners.stages)
      .field("context_parallel", partners.context)
      .key("process_groups")
      .begin_array();
  for (const analysis::GroupUse& use : partners.groups) {
    json.begin_object().field("name", std::string_view(use.group)).field("ranks", use.ranks);
    json.field("stride", use.stride).field("collective_count", use.collectives);
    json.field("in_every_layer", use.every_layer);
    json.field("axis", analysis::name(use.axis)).end_object();
  }
  json.end_array();
}

std::vector<analysis::RankStructure> structures(const graph::Workload& workload) {
  std::vector<analysis::RankStructure> made;
  for (const graph::GraphRef& graph : workload.graphs) made.push_back(analysis::structure(*graph));
  return made;
}

}  // namespace

std::string structure_text(const std::string& name, const graph::Workload& workload,
                           report::Style style) {
  // Ranks whose words are the same are told together.
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> trees;
  const auto ranks = ranks_by_graph(workload);
  const auto found = structures(workload);
  const auto partners = analysis::parallelism(workload, found);
  for (std::size_t i = 0; i < workload.graphs.size(); ++i) {
    std::string tree = tree_text(found[i], partners[i], style);
    const auto known = std::find_if(trees.begin(), trees.end(),
                                    [&](const auto& other) { return other.first == tree; });
    if (known == trees.end()) {
      trees.emplace_back(std::move(tree), ranks[i]);
    } else {
      known->second.insert(known->second.end(), ranks[i].begin(), ranks[i].end());
    }
  }
  std::string text = style.strong(printable(name)) + "\n";
  for (const auto& [tree, whose] : trees)
    text += fmt::format("\n{}: {}", format_ranks(whose), tree);
  return text;
}

std::string structure_json(const std::string& name, const graph::Workload& workload) {
  return report::envelope("inspect", workload.findings, [&](JsonWriter& json) {
    json.begin_object().field("name", std::string_view(name)).key("structures").begin_array();
    const auto ranks = ranks_by_graph(workload);
    const auto all = structures(workload);
    const auto partners = analysis::parallelism(workload, all);
    for (std::size_t i = 0; i < workload.graphs.size(); ++i) {
      const analysis::RankStructure& found = all[i];
      json.begin_object().key("rank_numbers").begin_array();
      for (const std::uint32_t rank : ranks[i]) json.value(rank);
      json.end_array().field("operations", found.works).field("lane", std::string_view(found.lane));
      json.field("layers", found.layers).field("forward_passes", found.forwards);
      json.field("named_layers", found.named).field("steps", found.steps);
      write_phases(json, found);
      write_partners(json, partners[i]);
      write_blocks(json, found.parts);
      json.end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
