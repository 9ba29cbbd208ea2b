// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/network_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "orrery/core/system/module_file.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/duration.h"
#include "orrery/network/ns3/ns3_plugin.h"
#include "orrery/network/ns3_network.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/topology/routing/adapter_routes.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study {

namespace {

/// The cluster with this network model. Collectives are message by message on every one.
Result<Cluster> cluster_with(const NetworkModelEntry& model, Question question,
                             Findings& findings) {
  question.network = model.name;
  auto cluster = read_cluster(question, findings);
  if (!cluster) return cluster;
  cluster->platform.collectives.library = platform::CollectiveLibrary::ideal;
  cluster->library = nullptr;
  return cluster;
}

CheckedNetwork checked_network(NetworkModelKind kind, const Outcome& outcome) {
  CheckedNetwork made;
  made.kind = kind;
  const analysis::Digest found = digest(outcome);
  made.step = found.step.step;
  made.communication = found.step.comm_only;
  made.messages = outcome.result.estimate.work.messages;
  made.cpu_seconds = outcome.result.estimate.cpu_seconds;
  return made;
}

double relative_error(Time value, Time reference) {
  return (static_cast<double>(value.count()) - static_cast<double>(reference.count())) /
         static_cast<double>(reference.count());
}

bool is_close(const CheckedNetwork& one) {
  const auto fine = [](const std::optional<double>& error) {
    return !error || std::abs(*error) <= NetworkCheck::kClose;
  };
  return fine(one.step_error) && fine(one.communication_error);
}

/// Compares all with the last one that was simulated. ns-3 simulates the same packets as `packet`,
/// at a higher cost: it is that one only if no other has packets.
void set_errors(NetworkCheck& check) {
  bool has_packets = false;
  for (std::size_t i = 0; i < check.networks.size(); ++i) {
    const CheckedNetwork& one = check.networks[i];
    if (one.error || (one.kind == NetworkModelKind::ns3 && has_packets)) continue;
    check.reference = i;
    has_packets |= one.kind == NetworkModelKind::packet;
  }
  if (!check.reference) return;
  const CheckedNetwork& reference = check.networks[*check.reference];
  for (std::size_t i = 0; i < check.networks.size(); ++i) {
    CheckedNetwork& one = check.networks[i];
    if (one.error || i == *check.reference) continue;
    if (reference.step > Time{}) one.step_error = relative_error(one.step, reference.step);
    if (reference.communication > Time{})
      one.communication_error = relative_error(one.communication, reference.communication);
    if (one.kind == NetworkModelKind::ns3) continue;  // the most expensive
    const bool cheaper =
        !check.recommended || one.cpu_seconds < check.networks[*check.recommended].cpu_seconds;
    if (is_close(one) && cheaper) check.recommended = i;
  }
}

/// Whether the network model uses one of several adapters, unlike `flow` and `analytical`.
bool uses_one_adapter(NetworkModelKind model, const platform::Platform& platform) {
  return platform.fabric != nullptr && model != NetworkModelKind::analytical &&
         model != NetworkModelKind::flow &&
         platform::may_use_all_adapters(platform.fabric->routing) &&
         platform::has_several_adapters(platform.fabric->topology);
}

/// Simulates the job on one network model; errors that every model has end the check.
class NetworkChecker {
 public:
  NetworkChecker(Question question, double limit, Watch& watch)
      : question_(std::move(question)), limit_(limit), watch_(watch) {}

  /// The models that fit the cluster: flits if it describes its routers, ns-3 if the plug-in was
  /// built and models its settings. Whether flits can run there is not asked: if not, the row has
  /// the reason.
  [[nodiscard]] std::vector<NetworkModelEntry> fitting_models() const {
    std::vector<NetworkModelEntry> models;
    bool describes_routers = false;
    bool fits_ns3 = !module_file(model::kNs3PluginFile).empty();
    for (const NetworkModelEntry& model : kNetworkModels) {
      const bool flits = model.kind == NetworkModelKind::noc;
      const bool ns3 = model.kind == NetworkModelKind::ns3;
      if ((flits && !describes_routers) || (ns3 && !fits_ns3)) continue;
      models.push_back(model);
      if (flits || ns3) continue;
      Findings ignored_findings;
      const auto cluster = cluster_with(model, question_, ignored_findings);
      if (!cluster) continue;
      describes_routers = cluster->platform.noc != nullptr;
      fits_ns3 &= model::check_ns3(cluster->platform, "").has_value();
    }
    return models;
  }

  Result<CheckedNetwork> simulate_on(const NetworkModelEntry& model, NetworkCheck& check) {
    const auto skipped = [&](const Error& error) {
      CheckedNetwork none;
      none.kind = model.kind;
      none.error = error;
      return none;
    };
    Findings findings;
    auto cluster = cluster_with(model, question_, findings);
    if (!cluster) return skipped(cluster.error());
    if (load_ == nullptr) {
      auto load = read_load(question_, *cluster, watch_, load_findings_);
      if (!load) return tl::unexpected(load.error());
      load_ = std::make_shared<const Load>(*std::move(load));
    }
    Question one = question_;
    one.network = model.name;
    const bool one_adapter = uses_one_adapter(model.kind, cluster->platform);
    Inputs inputs{std::make_shared<const Cluster>(*std::move(cluster)), load_};
    auto outcome = simulate(one, std::move(inputs), watch_, findings, {}, limit_);
    if (!outcome) return skipped(outcome.error());
    if (outcome->result.stall)
      return fail(Errc::stall, outcome->workload_name, "the simulation cannot finish",
                  "orrery run reports what the ranks wait for");
    // Those of the most detailed model: settings of packets have an effect there.
    check.findings = load_findings_;
    check.findings.merge_maximum(outcome->findings);
    check.workload = outcome->workload_name;
    check.cluster = outcome->cluster_name;
    check.ranks = outcome->workload().rank_count();
    check.adapters_differ = one_adapter;
    return checked_network(model.kind, *outcome);
  }

 private:
  Question question_;
  double limit_;
  Watch& watch_;
  std::shared_ptr<const Load> load_;
  Findings load_findings_;
};

std::string csv_number(const std::optional<double>& number) {
  return number ? fmt::format("{:.6g}", *number) : std::string();
}

}  // namespace

Result<NetworkCheck> check_networks(const NetworkCheckQuestion& question, Watch& watch) {
  const auto limit = parse_duration(question.limit, "--limit");
  if (!limit) return tl::unexpected(limit.error());
  if (limit->seconds <= 0) return fail(Errc::usage, "--limit", "must be above 0");
  Question base = question.base;
  base.work.brief_names = true;
  if (auto fine = settle(base); !fine) return tl::unexpected(fine.error());
  NetworkCheck made;
  NetworkChecker checker(std::move(base), limit->seconds, watch);
  const std::vector<NetworkModelEntry> models = checker.fitting_models();
  watch.simulations(static_cast<std::uint32_t>(models.size()));
  for (const NetworkModelEntry& model : models) {
    auto one = checker.simulate_on(model, made);
    if (!one) return tl::unexpected(one.error());
    made.networks.push_back(*std::move(one));
  }
  set_errors(made);
  if (!made.reference) return tl::unexpected(*made.networks.front().error);
  return made;
}

std::string network_check_csv(const NetworkCheck& check) {
  std::string text =
      "network,step_ns,step_error,exposed_comm_ns,exposed_comm_error,messages,estimated_cpu_s,"
      "not_simulated\n";
  for (const CheckedNetwork& one : check.networks) {
    const std::string_view model = network_model(one.kind).name;
    if (one.error) {
      text += fmt::format("{},,,,,,,{}\n", model, csv_cell(to_string(*one.error)));
      continue;
    }
    text += fmt::format(
        "{},{},{},{},{},{},{:.6g},\n", model, static_cast<double>(one.step.count()) / kPsPerNs,
        csv_number(one.step_error), static_cast<double>(one.communication.count()) / kPsPerNs,
        csv_number(one.communication_error), one.messages, one.cpu_seconds);
  }
  return text;
}

}  // namespace orrery::study
