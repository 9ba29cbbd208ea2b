// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "orrery/core/text.h"
#include "orrery/platform/cluster.h"
#include "orrery/platform/fabric.h"

namespace orrery::platform {

namespace {

bool power_of_two(std::int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}

bool is_one(Algorithm algorithm) {
  return algorithm == Algorithm::one_ring || algorithm == Algorithm::one_direct ||
         algorithm == Algorithm::one_halving_doubling || algorithm == Algorithm::one_in_network;
}

bool by_switches(Algorithm algorithm) {
  return algorithm == Algorithm::in_network || algorithm == Algorithm::one_in_network;
}

bool halves(Algorithm algorithm) {
  return algorithm == Algorithm::halving_doubling || algorithm == Algorithm::one_halving_doubling ||
         algorithm == Algorithm::double_binary_tree;
}

enum class Collective { all_reduce, all_gather, reduce_scatter, all_to_all };

/// What each block does well by itself. Direct with window 1 keeps an all-to-all within one switch
/// port's bandwidth.
AlgorithmSpec by_block(const Dimension& dim, Collective collective) {
  if (dim.block == Block::ring) return {Algorithm::ring};
  if (dim.block == Block::fully_connected) return {Algorithm::direct};
  if (collective == Collective::all_to_all) return {Algorithm::direct, 1};
  return {power_of_two(dim.size) ? Algorithm::halving_doubling : Algorithm::ring};
}

void check_algorithm(const AlgorithmSpec& spec, std::int64_t members, Collective collective,
                     const std::string& path, Reading& reading) {
  const std::string word = write_value(spec.algorithm).get<std::string>();
  if (halves(spec.algorithm) && !power_of_two(members)) {
    reading.fail(Errc::config_conflict, path,
                 fmt::format("{} needs a power of two, and here are {} members", word, members),
                 "use ring or direct");
  }
  if (spec.algorithm == Algorithm::double_binary_tree && collective != Collective::all_reduce) {
    reading.fail(Errc::config_conflict, path, "double_binary_tree is for all_reduce only");
  }
  if (halves(spec.algorithm) && collective == Collective::all_to_all) {
    reading.fail(Errc::config_conflict, path, word + " cannot run an all-to-all",
                 "use ring or direct");
  }
}

/// Of a dimension, or of all of them.
void check_switches(const AlgorithmSpec& spec, const Platform& platform,
                    std::optional<std::size_t> dim, const std::string& path, Reading& reading) {
  if (!by_switches(spec.algorithm)) return;
  if (platform.fabric) {
    if (!platform.fabric->reducers.empty()) return;
    return reading.fail(Errc::config_conflict, path, "no switch of the fabric says that it can",
                        "name those that do under `fabric: in_network`");
  }
  for (std::size_t d = 0; d < platform.dims.size(); ++d) {
    const bool meant = dim ? d == *dim : platform.dims[d].size > 1;
    if (!meant || platform.dims[d].in_network) continue;
    return reading.fail(Errc::config_conflict, path,
                        fmt::format("the switches of dimension {} do not say that they can", d),
                        "give that dimension `in_network: {}`, or choose another algorithm");
  }
  const auto wide = std::count_if(platform.dims.begin(), platform.dims.end(),
                                  [](const Dimension& one) { return one.size > 1; });
  if (!dim && wide > 1) {
    reading.fail(Errc::config_conflict, path, "no switch is common to several dimensions",
                 "use in_network, dimension by dimension");
  }
}

CollectivePlan make_plan(const PlanValue& value, const Platform& platform, Collective collective,
                         const std::string& path, Reading& reading) {
  CollectivePlan plan;
  plan.custom_prefix = value.custom;
  if (!value.custom.empty()) return plan;
  if (value.algorithms.empty()) {
    for (const Dimension& dim : platform.dims) plan.per_dim.push_back(by_block(dim, collective));
    return plan;
  }
  plan.per_dim = value.algorithms;
  if (is_one(plan.per_dim.front().algorithm) && plan.per_dim.size() == 1) {
    check_algorithm(plan.per_dim.front(), platform.npu_count(), collective, path, reading);
    check_switches(plan.per_dim.front(), platform, {}, path, reading);
    return plan;
  }
  if (value.for_every_dim) plan.per_dim.assign(platform.dims.size(), value.algorithms.front());
  if (plan.per_dim.size() != platform.dims.size()) {
    reading.fail(Errc::config_conflict, path,
                 fmt::format("lists {} algorithms for a network of {} dimensions",
                             plan.per_dim.size(), platform.dims.size()),
                 "give one per dimension, or a single word for all");
    return plan;
  }
  for (std::size_t d = 0; d < plan.per_dim.size(); ++d) {
    const std::string place = value.for_every_dim ? path : pointer(path, d);
    if (is_one(plan.per_dim[d].algorithm)) {
      reading.fail(Errc::config_conflict, place,
                   "a one_* algorithm joins all dimensions: it must stand alone");
    }
    if (platform.dims[d].size <= 1) continue;
    check_algorithm(plan.per_dim[d], platform.dims[d].size, collective, place, reading);
    check_switches(plan.per_dim[d], platform, d, place, reading);
  }
  return plan;
}

/// What goes with the order of dimensions where nothing else is said.
IntraDimension usual_within(InterDimension order) {
  return order == InterDimension::best ? IntraDimension::smallest_first : IntraDimension::fifo;
}

}  // namespace

void set_collectives(const ClusterSection& file, Platform& platform, Reading& reading) {
  const CollectivesSection& section = file.collectives;
  CollectiveConfig& config = platform.collectives;
  set_library(file, platform, reading);
  config.policy = section.policy;
  config.optimization = section.optimization;
  config.inter_dimension = section.order;
  config.intra_dimension = section.within.value_or(usual_within(section.order));
  config.splits = section.chunks.count;
  config.splits_by_model = section.chunks.by_model;
  config.active_chunks = section.active_chunks;
  config.queues_per_dim = section.queues_per_dim;
  config.custom_by_node = section.custom_by_node.by_id;
  config.rendezvous = section.rendezvous;
  config.endpoint_delay = file.endpoint_delay;

  // All-gather and reduce-scatter follow all_reduce where that can run them.
  const bool follow =
      section.all_reduce.custom.empty() &&
      (section.all_reduce.algorithms.empty() ||
       std::none_of(
           section.all_reduce.algorithms.begin(), section.all_reduce.algorithms.end(),
           [](const AlgorithmSpec& s) { return s.algorithm == Algorithm::double_binary_tree; }));
  const auto either = [&](const PlanValue& own) {
    return own.empty() && follow ? section.all_reduce : own;
  };
  config.all_reduce = make_plan(section.all_reduce, platform, Collective::all_reduce,
                                "/collectives/all_reduce", reading);
  config.all_gather = make_plan(either(section.all_gather), platform, Collective::all_gather,
                                "/collectives/all_gather", reading);
  config.reduce_scatter =
      make_plan(either(section.reduce_scatter), platform, Collective::reduce_scatter,
                "/collectives/reduce_scatter", reading);
  config.all_to_all = make_plan(section.all_to_all, platform, Collective::all_to_all,
                                "/collectives/all_to_all", reading);
}

bool uses_switches(const CollectiveConfig& config) {
  const std::array plans{&config.all_reduce, &config.all_gather, &config.reduce_scatter,
                         &config.all_to_all};
  const auto some = [](const std::vector<AlgorithmSpec>& algorithms) {
    return std::any_of(algorithms.begin(), algorithms.end(),
                       [](const AlgorithmSpec& one) { return by_switches(one.algorithm); });
  };
  return std::any_of(plans.begin(), plans.end(), [&](const CollectivePlan* plan) {
    return some(plan->per_dim) ||
           std::any_of(plan->chosen.begin(), plan->chosen.end(),
                       [&](const ChosenAlgorithms& one) { return some(one.per_dim); });
  });
}

Result<void> use_algorithms(Platform& platform, std::string_view words, bool tokens) {
  const std::string option = "--collective-algorithm";
  const auto refuse = [&](Error error) -> Result<void> {
    error.where = option;
    return tl::unexpected(std::move(error));
  };
  Json list = Json::array();
  for (std::size_t first = 0; first <= words.size();) {
    const std::size_t end = std::min(words.find(',', first), words.size());
    list.push_back(std::string(words.substr(first, end - first)));
    first = end + 1;
  }
  Reading reading{option};
  PlanValue value;
  read_value(list.size() == 1 ? list[0] : list, "", {}, value, reading);
  CollectiveConfig& config = platform.collectives;
  if (!reading.error)
    config.all_reduce = make_plan(value, platform, Collective::all_reduce, "", reading);
  if (reading.error) return refuse(*reading.error);
  const auto set_if_it_can = [&](CollectivePlan& plan, Collective collective) {
    Reading own{option};
    CollectivePlan made = make_plan(value, platform, collective, "", own);
    if (!own.error) plan = std::move(made);
  };
  set_if_it_can(config.all_gather, Collective::all_gather);
  set_if_it_can(config.reduce_scatter, Collective::reduce_scatter);
  // Most all-to-alls are none that switches can do.
  const auto is_by_switches = [](const auto& one) { return by_switches(one.algorithm); };
  if (tokens || std::none_of(value.algorithms.begin(), value.algorithms.end(), is_by_switches))
    set_if_it_can(config.all_to_all, Collective::all_to_all);
  config.custom_by_node.clear();
  config.library = CollectiveLibrary::ideal;
  return {};
}

Result<void> use_chunk_order(Platform& platform, std::string_view word) {
  const std::string option = "--chunk-order";
  Reading reading{option};
  InterDimension order = InterDimension::ascending;
  read_value(Json(std::string(word)), "", {}, order, reading);
  if (reading.error) {
    reading.error->where = option;
    return tl::unexpected(*std::move(reading.error));
  }
  CollectiveConfig& config = platform.collectives;
  config.inter_dimension = order;
  config.library = CollectiveLibrary::ideal;
  if (order != InterDimension::best) return {};
  config.splits_by_model = true;
  config.intra_dimension = usual_within(order);
  return {};
}

}  // namespace orrery::platform
