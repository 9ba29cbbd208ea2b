// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/plans/cluster_search.h"

#include <algorithm>
#include <utility>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/catalog/aliases.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::explore {

std::string_view device_of(std::string_view cluster) {
  const std::string_view known = platform::name_of_alias(platform::cluster_aliases(), cluster);
  if (!known.empty()) cluster = known;
  const std::string_view typed = cluster.substr(0, cluster.find(':'));
  const platform::DeviceEntry* const entry = platform::find_device(typed);
  return entry == nullptr ? typed : std::string_view(entry->name);
}

namespace {

Result<void> check_prices(const ClusterQuestion& question) {
  std::vector<std::string_view> names;
  for (const std::string& cluster : question.clusters) names.push_back(device_of(cluster));
  for (const auto& [name, price] : question.prices) {
    if (!(price >= 0))
      return fail(Errc::usage, "--price", "the price of " + in_quotes(name) + " is below 0",
                  "give NAME=PRICE, such as h100-sxm=2.5");
    if (std::find(names.begin(), names.end(), name) == names.end())
      return fail(Errc::usage, "--price", "no cluster has the device " + in_quotes(name),
                  did_you_mean(name, names).empty() ? "prices are given by device: h100-sxm=2.5"
                                                    : did_you_mean(name, names));
  }
  for (const std::string_view name : names)
    if (!question.prices.empty() && !question.prices.contains(std::string(name)))
      return fail(Errc::usage, "--price", "there is no price of " + in_quotes(name),
                  "give a price for each device, or for none");
  return {};
}

void mark_front(std::vector<ClusterAnswer>& answers) {
  const auto beats = [](const ClusterAnswer& a, const ClusterAnswer& b) {
    const Time as = a.search.best.front().step(), bs = b.search.best.front().step();
    return as <= bs && a.cost() <= b.cost() && (as < bs || a.cost() < b.cost());
  };
  for (ClusterAnswer& one : answers)
    one.front = one.fits() && std::none_of(answers.begin(), answers.end(), [&](const auto& other) {
                  return other.fits() && beats(other, one);
                });
}

}  // namespace

double ClusterAnswer::cost() const {
  return static_cast<double>(search.best.front().step().count()) * 1e-12 / 3600 *
         static_cast<double>(search.devices) * price;
}

std::optional<double> ClusterAnswer::budget_cost() const {
  if (!fits() || !search.best.front().budget) return std::nullopt;
  return search.best.front().budget->elapsed / 3600 * static_cast<double>(search.devices) * price;
}

double ClusterAnswer::rate() const {
  const auto done = static_cast<double>(search.tokens > 0 ? search.tokens : search.samples);
  return done / (static_cast<double>(search.best.front().step().count()) * 1e-12);
}

Result<std::vector<ClusterAnswer>> search_clusters(const ClusterQuestion& question,
                                                   const PlanProgress& progress) {
  if (auto fine = check_prices(question); !fine) return tl::unexpected(fine.error());
  PlanQuestion asked = question.plans;
  struct Read {
    std::shared_ptr<const study::Cluster> cluster;
    Findings findings;
  };
  std::vector<Read> read(question.clusters.size());
  std::vector<std::size_t> order(read.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    study::Question one;
    one.cluster = question.clusters[i];
    one.network_bandwidth = question.plans.network_bandwidth;
    auto cluster = study::read_cluster(one, read[i].findings);
    if (!cluster) return tl::unexpected(cluster.error());
    read[i].cluster = std::make_shared<const study::Cluster>(*std::move(cluster));
  }
  // The largest first: it sets the global batch, if none is given.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return read[a].cluster->ranks > read[b].cluster->ranks;
  });
  std::vector<ClusterAnswer> answers(order.size());
  for (const std::size_t i : order) {
    asked.cluster = question.clusters[i];
    auto found =
        search_plans(asked, std::move(read[i].cluster), std::move(read[i].findings), progress);
    if (!found) return tl::unexpected(found.error());
    if (asked.job.global_batch.empty()) asked.job.global_batch = std::to_string(found->samples);
    const auto price = question.prices.find(std::string(device_of(question.clusters[i])));
    answers[i] = {*std::move(found), price == question.prices.end() ? 1 : price->second, false};
  }
  mark_front(answers);
  return answers;
}

}  // namespace orrery::explore
