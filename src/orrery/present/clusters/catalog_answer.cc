// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/catalog_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <string>

#include "orrery/core/collective_type.h"
#include "orrery/platform/catalog/aliases.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/collective_algorithm_names.h"
#include "orrery/study/collectives/collective_comparison.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::present {

namespace {

using platform::DeviceEntry;
using platform::LinkEntry;
using report::Answer;
using report::Columns;
using workload::ModelEntry;

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

/// Whether one of the texts contains the filter.
class Filter {
 public:
  explicit Filter(std::string_view text) : text_(lower(text)) {}
  [[nodiscard]] bool accepts(std::initializer_list<std::string_view> texts) const {
    return std::any_of(texts.begin(), texts.end(), [&](std::string_view text) {
      return lower(text).find(text_) != std::string::npos;
    });
  }

 private:
  std::string text_;
};

template <class Row>
bool state_rows(Answer& answer, const std::vector<Row>& rows, const Columns<Row>& columns) {
  answer.table("entries", rows, columns);
  return !rows.empty();
}

/// "8.03 B"
std::string parameter_text(std::int64_t count) {
  return count >= 1'000'000'000 ? fmt::format("{:.3g} B", static_cast<double>(count) / 1e9)
                                : fmt::format("{:.3g} M", static_cast<double>(count) / 1e6);
}

bool state_models(Answer& answer, const Filter& filter) {
  std::vector<ModelEntry> rows;
  for (const ModelEntry& each : workload::models())
    if (filter.accepts({each.name, each.title})) rows.push_back(each);
  Columns<ModelEntry> columns;
  const auto parameters = [](const ModelEntry& row) {
    return workload::count_parameters(row.model).total;
  };
  const auto active = [](const ModelEntry& row) {
    return workload::count_parameters(row.model).active;
  };
  columns.add("model", "name", [](const auto& row) { return row.name; })
      .add("title", "title", [](const auto& row) { return row.title; })
      .add(
          "parameters", "total_parameters", [=](const auto& row) { return parameters(row); },
          [=](const auto& row) { return parameter_text(parameters(row)); })
      .align(report::Align::right)
      .add(
          "per token", "active_parameters", [=](const auto& row) { return active(row); },
          [=](const auto& row) { return parameter_text(active(row)); })
      .align(report::Align::right);
  return state_rows(answer, rows, columns);
}

std::optional<FlopRate> peak_of(const DeviceEntry& device, std::string_view precision) {
  const platform::Peak* const peak = device.peak(precision);
  return peak == nullptr ? std::nullopt : std::optional(peak->rate);
}

bool state_devices(Answer& answer, const Filter& filter) {
  const auto aliases = [](const DeviceEntry& row) {
    return platform::aliases_of(platform::device_aliases(), row.name);
  };
  std::vector<DeviceEntry> rows;
  for (const DeviceEntry& each : platform::devices())
    if (filter.accepts({each.name, each.title, aliases(each)})) rows.push_back(each);
  Columns<DeviceEntry> columns;
  columns.add("device", "name", [](const auto& row) { return row.name; })
      .add("other names", "aliases", aliases)
      .add("memory", "memory_bytes", [](const auto& row) { return row.memory; })
      .add("bandwidth", "memory_bytes_per_s", [](const auto& row) { return row.memory_bandwidth; })
      .add("bf16", "bf16_flop_per_s", [](const auto& row) { return peak_of(row, "bf16"); })
      .add("fp8", "fp8_flop_per_s", [](const auto& row) { return peak_of(row, "fp8"); })
      .field("title", [](const auto& row) { return row.title; });
  return state_rows(answer, rows, columns);
}

bool state_links(Answer& answer, const Filter& filter) {
  std::vector<LinkEntry> rows;
  for (const LinkEntry& each : platform::links())
    if (filter.accepts({each.name, each.title})) rows.push_back(each);
  Columns<LinkEntry> columns;
  columns.add("link", "name", [](const auto& row) { return row.name; })
      .add("bandwidth", "bandwidth_bytes_per_s", [](const auto& row) { return row.bandwidth; })
      .add("latency", "latency_ns", [](const auto& row) { return row.latency; })
      .add("title", "title", [](const auto& row) { return row.title; });
  return state_rows(answer, rows, columns);
}

/// A cluster that needs no file: islands of a device.
struct ClusterRow {
  std::string name, aliases, links, title;
};

bool state_clusters(Answer& answer, const Filter& filter) {
  std::vector<ClusterRow> rows;
  for (const DeviceEntry& each : platform::devices()) {
    const platform::SystemDesign& build = each.build;
    if (build.island == 0) continue;
    ClusterRow row{fmt::format("{}:{}", each.name, build.island), {}, {}, each.title};
    row.aliases = platform::aliases_of(platform::cluster_aliases(), row.name);
    row.links = build.scale_out.empty() ? fmt::format("{}; no larger machine", build.scale_up)
                                        : fmt::format("{}, {}", build.scale_up, build.scale_out);
    if (filter.accepts({row.name, row.aliases, row.title, row.links}))
      rows.push_back(std::move(row));
  }
  Columns<ClusterRow> columns;
  columns.add("cluster", "name", [](const auto& row) { return row.name; })
      .add("other names", "aliases", [](const auto& row) { return row.aliases; })
      .add("links: in an island, between islands", "link_names",
           [](const auto& row) { return row.links; })
      .field("title", [](const auto& row) { return row.title; });
  const bool found = state_rows(answer, rows, columns);
  if (found) answer.note("any multiple of the number of devices is a cluster, too: h100-sxm:64");
  return found;
}

/// The type of "all-reduce"; dispatch and combine are kinds of all-to-all.
CollectiveType type_of(std::string_view name) {
  std::string spelled(name);
  std::replace(spelled.begin(), spelled.end(), '-', '_');
  return collective_type(spelled).value_or(CollectiveType::all_to_all);
}

struct CollectiveRow {
  std::string name, algorithms;
};

bool state_collectives(Answer& answer, const Filter& filter) {
  std::vector<CollectiveRow> rows;
  for (const std::string_view name : study::comparable_collectives()) {
    std::vector<std::string_view> algorithms;
    const CollectiveType type = type_of(name);
    for (const platform::AlgorithmEntry& one : platform::kAlgorithms)
      if (platform::can_run(one, type)) algorithms.push_back(one.name);
    CollectiveRow row{std::string(name), fmt::format("{}", fmt::join(algorithms, ", "))};
    if (filter.accepts({row.name, row.algorithms})) rows.push_back(std::move(row));
  }
  Columns<CollectiveRow> columns;
  columns.add("collective", "name", [](const auto& row) { return row.name; })
      .add("algorithms of a cluster file", "algorithm_names",
           [](const auto& row) { return row.algorithms; });
  return state_rows(answer, rows, columns);
}

struct List {
  std::string_view name;
  bool (*state)(Answer&, const Filter&);
};
constexpr List kLists[] = {{"models", state_models},
                           {"devices", state_devices},
                           {"links", state_links},
                           {"clusters", state_clusters},
                           {"collectives", state_collectives}};

}  // namespace

std::vector<std::string_view> catalog_lists() {
  std::vector<std::string_view> names;
  for (const List& list : kLists) names.push_back(list.name);
  return names;
}

bool state_catalog(Answer& answer, std::string_view list, std::string_view filter) {
  for (const List& each : kLists)
    if (each.name == list) return each.state(answer, Filter(filter));
  return false;
}

}  // namespace orrery::present
