// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/network_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "orrery/analysis/comparison/cluster_names.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/study/questions/device_price.h"
#include "orrery/study/questions/error_hints.h"
#include "orrery/study/questions/outcome/model_labels.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/changes/network_changes.h"

namespace orrery::study {

namespace {

using graph::NodeKind;
using platform::Platform;

constexpr std::string_view kNetworkExample =
    "orrery network compare h100-sxm:64 inter=25GB/s --model llama-3.1-8b --tp 4";

/// A network as typed: a cluster, and changes of its links.
struct TypedNetwork {
  std::string text, cluster;
  std::vector<std::string> bandwidths, latencies, links;
};

void add_change(const std::string& dim, const std::string& value, TypedNetwork& typed) {
  auto& list = [&]() -> std::vector<std::string>& {
    switch (link_value_in(value)) {
      case LinkValue::latency:
        return typed.latencies;
      case LinkValue::link:
        return typed.links;
      case LinkValue::bandwidth:
        break;
    }
    return typed.bandwidths;
  }();
  list.push_back(dim + "=" + value);
}

/// Parses "h100-sxm:64,inter=25GB/s,2us". A value without a dimension is of the one before.
Result<TypedNetwork> parse_network(const std::string& text) {
  TypedNetwork typed{.text = text, .cluster = {}, .bandwidths = {}, .latencies = {}, .links = {}};
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) {
    typed.cluster = text;
    return typed;
  }
  std::string dim;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const std::size_t equals = part.find('=');
    if (equals != std::string::npos) dim = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? part : part.substr(equals + 1);
    if (value.empty() || (equals == std::string::npos && dim.empty() && at > 0))
      return fail(Errc::usage, "NETWORKS", in_quotes(text) + " is not a network",
                  "a cluster, and changes of its links: h100-sxm:64,inter=25GB/s");
    if (dim.empty()) {
      typed.cluster = value;
    } else {
      add_change(dim, value, typed);
    }
    at = end + 1;
  }
  return typed;
}

/// The questions of all networks. Changes alone apply to the cluster of the first network.
Result<std::vector<Question>> network_questions(const NetworkComparisonQuestion& question) {
  std::vector<std::string> texts = question.clusters;
  texts.insert(texts.end(), question.networks.begin(), question.networks.end());
  std::vector<Question> made;
  std::string first;
  for (const std::string& text : texts) {
    auto typed = parse_network(text);
    if (!typed) return tl::unexpected(typed.error());
    if (typed->cluster.empty()) typed->cluster = first;
    if (typed->cluster.empty())
      return fail(Errc::usage, "NETWORKS",
                  in_quotes(text) + " changes a cluster, but none is given",
                  "give the cluster first: " + std::string(kNetworkExample));
    if (first.empty()) first = typed->cluster;
    Question& one = made.emplace_back(question.base);
    one.cluster = typed->cluster;
    one.network_bandwidth = std::move(typed->bandwidths);
    one.network_latency = std::move(typed->latencies);
    one.network_link = std::move(typed->links);
    one.exposed_by_group = true;
    one.work.brief_names = true;
    if (auto fine = settle(one); !fine) return tl::unexpected(fine.error());
  }
  if (made.size() >= 2) return made;
  return fail(Errc::usage, "NETWORKS",
              made.empty() ? "no network is given" : "one network is given",
              "give two or more: " + std::string(kNetworkExample));
}

analysis::ClusterTraits cluster_traits_of(const Platform& platform, const std::string& given) {
  analysis::ClusterTraits traits;
  traits.name = platform.name.empty() ? given : platform.name;
  traits.device = platform.device.name;
  for (const platform::Dimension& dim : platform.dims)
    traits.dims.push_back({std::string(name(dim.block)), dim.size, dim.bandwidth, dim.latency_ns});
  traits.network_model = name(platform.network);
  traits.config = platform::resolved_cluster(platform);
  return traits;
}

/// The names of the networks. Errc: usage if two do not differ.
Result<std::vector<std::string>> network_names(const std::vector<Question>& questions) {
  std::vector<analysis::ClusterTraits> traits;
  for (const Question& one : questions) {
    Findings ignored;  // those of the simulation count
    const auto platform = read_platform(one, ignored);
    if (!platform) return tl::unexpected(platform.error());
    traits.push_back(cluster_traits_of(*platform, one.cluster));
  }
  std::vector<std::string> names = analysis::difference_names(traits);
  for (std::size_t b = 0; b < names.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (names[a] == names[b])
        return fail(Errc::usage, "NETWORKS",
                    fmt::format("networks {} and {} do not differ: {}", a + 1, b + 1,
                                names[a].empty() ? "every figure of the two clusters is equal"
                                                 : in_quotes(names[a])),
                    "links of the catalog with equal figures, such as ib-ndr and roce-400, give "
                    "equal predictions; give a measured bandwidth or latency: inter=40GB/s");
  return names;
}

/// The members of a collective's group.
struct GroupExtent {
  std::uint64_t members = 0;
  std::optional<std::size_t> outermost;  ///< dimension; empty: a single device
};

/// Groups of one rank, by name.
class GroupExtents {
 public:
  GroupExtents(const graph::Workload& workload, const Platform& platform, std::uint32_t rank)
      : workload_(workload), platform_(platform), rank_(rank) {}

  [[nodiscard]] const GroupExtent& of(std::string_view group) {
    const auto [known, added] = by_name_.try_emplace(std::string(group));
    if (added) known->second = extent_of(members_of(group));
    return known->second;
  }
  /// The outermost dimension in which two ranks differ; empty: they are equal.
  [[nodiscard]] std::optional<std::size_t> dimension_between(std::uint32_t a,
                                                             std::uint32_t b) const {
    std::optional<std::size_t> outermost;
    std::uint64_t stride = 1;
    for (std::size_t d = 0; d < platform_.dims.size(); ++d) {
      const auto size = static_cast<std::uint64_t>(platform_.dims[d].size);
      if (a / stride % size != b / stride % size) outermost = d;
      stride *= size;
    }
    return outermost;
  }

 private:
  /// Empty: all ranks.
  [[nodiscard]] std::vector<std::uint32_t> members_of(std::string_view group) const {
    if (const auto axis = workload_.axes.find(group); axis != workload_.axes.end())
      return axis->second.has(rank_) ? axis->second.members(axis->second.first(rank_))
                                     : std::vector<std::uint32_t>{rank_};
    const auto found = workload_.groups.find(group);
    return found == workload_.groups.end() ? std::vector<std::uint32_t>{} : found->second.ranks;
  }
  [[nodiscard]] GroupExtent extent_of(const std::vector<std::uint32_t>& members) const {
    if (members.empty())
      return {workload_.rank_count(), dimension_between(0, workload_.rank_count() - 1)};
    GroupExtent made{members.size(), {}};
    for (const std::uint32_t one : members)
      made.outermost = std::max(made.outermost, dimension_between(members.front(), one));
    return made;
  }

  const graph::Workload& workload_;
  const Platform& platform_;
  std::uint32_t rank_;
  std::map<std::string, GroupExtent> by_name_;
};

/// The first rank that ends last.
std::uint32_t slowest_rank(const sim::RankResults& ranks) {
  const std::size_t last = sim::slowest({ranks.simulated().begin(), ranks.simulated().end()});
  std::uint32_t rank = 0;
  while (ranks.class_of(rank) != last) ++rank;
  return rank;
}

std::vector<DimensionTraffic> dimension_traffic(const Outcome& outcome) {
  const Platform& platform = outcome.platform();
  const graph::Workload& workload = outcome.workload();
  const std::uint32_t rank = slowest_rank(outcome.result.ranks);
  const graph::Graph& graph = workload.graph(rank);
  GroupExtents groups(workload, platform, rank);
  std::vector<double> bytes(platform.dims.size());
  for (graph::NodeId node = 0; node < graph.size(); ++node) {
    if (graph.kind(node) == NodeKind::coll) {
      const graph::Collective& collective = graph.collective(node);
      const GroupExtent& group = groups.of(graph.string(collective.group));
      if (!group.outermost) continue;
      const Bytes whole = graph::full_buffer(collective.type, collective.size, group.members);
      bytes[*group.outermost] += static_cast<double>(whole.count()) *
                                 bus_factor(collective.type, static_cast<double>(group.members));
    } else if (graph.kind(node) == NodeKind::send) {
      const graph::PointToPoint message = graph.message(node, rank);
      const auto dim = groups.dimension_between(rank, static_cast<std::uint32_t>(message.dst));
      if (dim) bytes[*dim] += static_cast<double>(message.size.count());
    }
  }
  std::vector<DimensionTraffic> traffic;
  for (std::size_t d = 0; d < bytes.size(); ++d)
    traffic.push_back(
        {d, dimension_label(platform, d), static_cast<std::uint64_t>(std::max(bytes[d], 0.0))});
  return traffic;
}

std::vector<ExposedKind> exposed_kinds(const Outcome& outcome) {
  std::vector<ExposedKind> kinds;
  for (const sim::ExposedGroup& one : outcome.result.exposed)
    if (one.time > Time{}) kinds.push_back({one.group, one.time});
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.time > b.time; });
  return kinds;
}

/// Whether errors of both steps' kernels are those of the same models.
bool have_same_models(const Outcome& a, const Outcome& b) {
  const platform::Device &one = a.platform().device, &other = b.platform().device;
  return one.entry == other.entry && one.kernel_files == other.kernel_files;
}

NetworkResult network_result(const Outcome& outcome, std::string given, std::string name) {
  NetworkResult made;
  made.given = std::move(given);
  made.name = std::move(name);
  made.digest = digest(outcome);
  made.exposed = exposed_kinds(outcome);
  made.traffic = dimension_traffic(outcome);
  return made;
}

/// "h100-sxm:64 --network-bandwidth inter=25GB/s"
std::string given_text(const Question& question) {
  std::string text = question.cluster;
  const auto append = [&](std::string_view option, const std::vector<std::string>& values) {
    for (const std::string& value : values) text += fmt::format(" {} {}", option, value);
  };
  append("--network-link", question.network_link);
  append("--network-bandwidth", question.network_bandwidth);
  append("--network-latency", question.network_latency);
  return text;
}

/// Prices by network; empty: none is given.
Result<std::vector<DevicePrice>> network_prices(const std::vector<std::string>& texts,
                                                std::size_t networks) {
  std::vector<DevicePrice> prices;
  for (const std::string& text : texts) {
    auto price = parse_device_price(text);
    if (!price) return tl::unexpected(price.error());
    prices.push_back(*std::move(price));
  }
  if (prices.size() == 1) prices.resize(networks, prices.front());
  if (prices.empty() || prices.size() == networks) return prices;
  return fail(Errc::usage, "--price",
              fmt::format("{} prices are given for {} networks", prices.size(), networks),
              "give one for all, or one for each");
}

}  // namespace

std::optional<double> NetworkResult::cost() const {
  if (!device_price) return std::nullopt;
  return *device_price * digest.ranks * seconds(digest.step.step) / 3600;
}

Result<NetworkComparison> compare_networks(const NetworkComparisonQuestion& question) {
  const auto questions = network_questions(question);
  if (!questions) return tl::unexpected(questions.error());
  const auto prices = network_prices(question.prices, questions->size());
  if (!prices) return tl::unexpected(prices.error());
  const auto names = network_names(*questions);
  if (!names) return tl::unexpected(names.error());
  NetworkComparison made;
  const std::vector<Result<Answer>> answers = simulate_all(*questions);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string given = given_text((*questions)[i]);
    if (!answers[i]) return tl::unexpected(answers[i].error());
    if (answers[i]->stalled())
      return fail(Errc::stall, given, "the simulation cannot finish",
                  "orrery run with this cluster reports what the ranks wait for");
    const Outcome& outcome = answers[i]->outcome();
    NetworkResult one = network_result(outcome, given, (*names)[i]);
    if (i > 0) {
      const analysis::Digest& first = made.networks.front().digest;
      one.difference = analysis::step_difference(
          {first.step.step, first.errors}, {one.digest.step.step, one.digest.errors},
          have_same_models(answers.front()->outcome(), outcome));
    }
    if (!prices->empty()) {
      const auto price = price_of((*prices)[i], outcome.platform().device.entry);
      if (!price) return tl::unexpected(price.error());
      one.device_price = *price;
    }
    made.findings.merge_maximum(outcome.findings);
    made.networks.push_back(std::move(one));
  }
  made.workload = answers.front()->outcome().workload_name;
  made.ranks = made.networks.front().digest.ranks;
  return made;
}

}  // namespace orrery::study
