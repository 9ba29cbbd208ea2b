// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster/cluster_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/cluster/fabric/fabric_hosts.h"

namespace orrery::platform {

namespace {

bool power_of_two(std::int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}

bool by_switches(const AlgorithmSpec& spec) { return entry(spec.algorithm).by_switches; }

/// The default of each block. Direct with window 1 keeps an all-to-all within one switch
/// port's bandwidth.
AlgorithmSpec default_algorithm(const Dimension& dim, CollectiveType collective) {
  if (dim.block == Block::ring) return {Algorithm::ring};
  if (dim.block == Block::fully_connected) return {Algorithm::direct};
  if (collective == CollectiveType::all_to_all) return {Algorithm::direct, 1};
  return {power_of_two(dim.size) ? Algorithm::halving_doubling : Algorithm::ring};
}

void check_algorithm(const AlgorithmSpec& spec, std::int64_t members, CollectiveType collective,
                     const std::string& path, Reading& reading) {
  const AlgorithmEntry& algorithm = entry(spec.algorithm);
  const std::string word = write_algorithm({spec.algorithm, -1, spec.joined});
  if (algorithm.power_of_two && !power_of_two(members)) {
    reading.fail(Errc::config_conflict, path,
                 fmt::format("{} needs a power of two, but there are {} members", word, members),
                 "use ring or direct");
  }
  if (algorithm.all_reduce_only && collective != CollectiveType::all_reduce)
    reading.fail(Errc::config_conflict, path, word + " supports only all_reduce");
  if (collective == CollectiveType::all_to_all && !algorithm.all_to_all) {
    reading.fail(Errc::config_conflict, path, word + " cannot run an all-to-all",
                 "use ring or direct");
  }
}

/// The switches of a dimension, or of all dimensions, support the algorithm.
void check_switches(const AlgorithmSpec& spec, const Platform& platform,
                    std::optional<std::size_t> dim, const std::string& path, Reading& reading) {
  if (!by_switches(spec)) return;
  if (platform.fabric) {
    if (!platform.fabric->reducers.empty()) return;
    return reading.fail(Errc::config_conflict, path, "no switch of the fabric supports it",
                        "list the supporting switches under `fabric: in_network`");
  }
  for (std::size_t d = 0; d < platform.dims.size(); ++d) {
    const bool is_used = dim ? d == *dim : platform.dims[d].size > 1;
    if (!is_used || platform.dims[d].in_network) continue;
    return reading.fail(Errc::config_conflict, path,
                        fmt::format("the switches of dimension {} do not support it", d),
                        "give that dimension `in_network: {}`, or choose another algorithm");
  }
  const auto wide = std::count_if(platform.dims.begin(), platform.dims.end(),
                                  [](const Dimension& one) { return one.size > 1; });
  if (!dim && wide > 1) {
    reading.fail(Errc::config_conflict, path, "no switch spans several dimensions",
                 "use in_network, dimension by dimension");
  }
}

CollectivePlan make_plan(const PlanValue& value, const Platform& platform,
                         CollectiveType collective, const std::string& path, Reading& reading) {
  CollectivePlan plan;
  plan.custom_prefix = value.custom;
  if (value.custom == kRings && collective == CollectiveType::all_to_all)
    reading.fail(Errc::config_conflict, path, "rings do not run all-to-alls",
                 "leave it out, or give an algorithm or a plan");
  if (!value.custom.empty() && value.custom != kRings) return plan;
  if (value.algorithms.empty()) {
    for (const Dimension& dim : platform.dims)
      plan.per_dim.push_back(default_algorithm(dim, collective));
    return plan;
  }
  plan.per_dim = value.algorithms;
  if (plan.per_dim.front().joined && plan.per_dim.size() == 1) {
    check_algorithm(plan.per_dim.front(), platform.npu_count(), collective, path, reading);
    check_switches(plan.per_dim.front(), platform, {}, path, reading);
    return plan;
  }
  if (value.for_every_dim) plan.per_dim.assign(platform.dims.size(), value.algorithms.front());
  if (plan.per_dim.size() != platform.dims.size()) {
    reading.fail(Errc::config_conflict, path,
                 fmt::format("lists {} algorithms for a network of {} dimensions",
                             plan.per_dim.size(), platform.dims.size()),
                 "give one per dimension, or a single one for all");
    return plan;
  }
  for (std::size_t d = 0; d < plan.per_dim.size(); ++d) {
    const std::string place = value.for_every_dim ? path : pointer(path, d);
    if (plan.per_dim[d].joined) {
      reading.fail(Errc::config_conflict, place,
                   "a one_* algorithm joins all dimensions: it must be the only one");
    }
    if (platform.dims[d].size <= 1) continue;
    check_algorithm(plan.per_dim[d], platform.dims[d].size, collective, place, reading);
    check_switches(plan.per_dim[d], platform, d, place, reading);
  }
  return plan;
}

/// Whether the file leaves chunks, order and algorithms at their defaults.
bool is_default(const CollectivesSection& section) {
  const CollectivesSection usual;
  return section.chunks == usual.chunks && section.active_chunks == usual.active_chunks &&
         section.queues_per_dim == usual.queues_per_dim &&
         section.optimization == usual.optimization && section.order == usual.order &&
         section.within.value_or(IntraDimension::fifo) == IntraDimension::fifo &&
         section.rendezvous == usual.rendezvous && section.all_reduce.empty() &&
         section.all_gather.empty() && section.reduce_scatter.empty() && section.all_to_all.empty();
}

/// Rings over the adapters of several ranks, where the default is one ring of all ranks.
void use_rings(Platform& platform) {
  CollectiveConfig& config = platform.collectives;
  for (CollectivePlan* plan : {&config.all_reduce, &config.all_gather, &config.reduce_scatter})
    if (plan->per_dim.size() == 1 && plan->per_dim.front() == AlgorithmSpec{Algorithm::ring})
      plan->custom_prefix = kRings;
}

/// The default order of waiting chunks.
IntraDimension default_within(InterDimension order) {
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
  config.intra_dimension = section.within.value_or(default_within(section.order));
  config.splits = section.chunks.count;
  config.splits_by_model = section.chunks.by_model;
  config.active_chunks = section.active_chunks;
  config.queues_per_dim = section.queues_per_dim;
  config.custom_by_node = section.custom_by_node.by_id;
  config.rendezvous = section.rendezvous;
  config.endpoint_delay = file.endpoint_delay;

  // All-gather and reduce-scatter use the algorithms of all_reduce, if these support them.
  const std::vector<AlgorithmSpec>& listed = section.all_reduce.algorithms;
  const bool follow = section.all_reduce.custom.empty() &&
                      std::none_of(listed.begin(), listed.end(), [](const AlgorithmSpec& one) {
                        return entry(one.algorithm).all_reduce_only;
                      });
  const auto either = [&](const PlanValue& own) {
    return own.empty() && follow ? section.all_reduce : own;
  };
  const std::array values{section.all_reduce, either(section.all_gather),
                          either(section.reduce_scatter), section.all_to_all};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const CollectiveType type = kPlannedTypes[i];
    *config.plan(type) =
        make_plan(values[i], platform, type, fmt::format("/collectives/{}", name(type)), reading);
  }
  if (is_default(section) && config.library == CollectiveLibrary::ideal &&
      has_unequal_hosts(platform))
    use_rings(platform);
}

bool uses_switches(const CollectiveConfig& config) {
  const auto some = [](const std::vector<AlgorithmSpec>& algorithms) {
    return std::any_of(algorithms.begin(), algorithms.end(), by_switches);
  };
  const auto plans = config.plans();
  return std::any_of(plans.begin(), plans.end(), [&](const CollectivePlan* plan) {
    return some(plan->per_dim) ||
           std::any_of(plan->chosen.begin(), plan->chosen.end(),
                       [&](const AlgorithmOverride& one) { return some(one.per_dim); });
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
    config.all_reduce = make_plan(value, platform, CollectiveType::all_reduce, "", reading);
  if (reading.error) return refuse(*reading.error);
  // Switches support all-to-alls only for tokens.
  const bool all_to_all =
      tokens || std::none_of(value.algorithms.begin(), value.algorithms.end(), by_switches);
  for (const CollectiveType type : kPlannedTypes) {
    if (type == CollectiveType::all_reduce || (type == CollectiveType::all_to_all && !all_to_all))
      continue;
    Reading own{option};
    CollectivePlan made = make_plan(value, platform, type, "", own);
    if (!own.error) *config.plan(type) = std::move(made);
  }
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
  config.intra_dimension = default_within(order);
  return {};
}

namespace {

/// Whether NCCL or RCCL supports the device.
bool is_gpu(const Device& device) {
  const DeviceEntry* entry = find_device(device.entry);
  if (entry == nullptr) return false;
  switch (entry->architecture) {
    case Architecture::volta:
    case Architecture::turing:
    case Architecture::ampere:
    case Architecture::ada:
    case Architecture::hopper:
    case Architecture::blackwell:
    case Architecture::blackwell_ultra:
    case Architecture::rtx_blackwell:
    case Architecture::cdna2:
    case Architecture::cdna3:
    case Architecture::cdna4:
      return true;
    case Architecture::unknown:
    case Architecture::xe2:
    case Architecture::tpu:
    case Architecture::gaudi:
    case Architecture::trainium:
      break;
  }
  return false;
}

}  // namespace

void set_library(const ClusterSection& file, Platform& platform, Reading& reading) {
  const CollectivesSection& section = file.collectives;
  CollectiveConfig& config = platform.collectives;
  const bool free = is_default(section) && platform.network == NetworkModelKind::analytical &&
                    !platform.fabric && !file.shared_bus && file.endpoint_delay.count() == 0;
  config.library = section.library.value_or(
      free && is_gpu(platform.device) ? CollectiveLibrary::nccl : CollectiveLibrary::ideal);
  const bool ideal = config.library == CollectiveLibrary::ideal;
  if (ideal && (section.settings || section.curves))
    return reading.fail(Errc::config_conflict,
                        section.settings ? "/collectives/settings" : "/collectives/curves",
                        "is given, but no library runs the collectives", "add library: nccl");
  if (ideal && platform.device.in_step.collectives)
    return reading.fail(Errc::config_conflict, "/device/in_step/collectives",
                        "is given, but no library runs the collectives",
                        "use it with collectives: nccl");
  if (!ideal && !(section.all_reduce.empty() && section.all_gather.empty() &&
                  section.reduce_scatter.empty() && section.all_to_all.empty()))
    return reading.fail(Errc::config_conflict, "/collectives/library",
                        "nccl chooses algorithms itself, but the file gives some",
                        "remove them, or use library: ideal");
  if (!ideal && !is_gpu(platform.device))
    return reading.fail(Errc::config_conflict, "/collectives/library",
                        "nccl needs a GPU of the catalog, but the device is not one",
                        "name a GPU with device: {is: …}, or use library: ideal");
  config.settings = section.settings.value_or(LibrarySettings{});
  config.settings.curves = section.curves.value_or("");
}

}  // namespace orrery::platform
