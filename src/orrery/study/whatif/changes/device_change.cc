// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/changes/device_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/transform/durations.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/study/kernels/kernel_estimates.h"

namespace orrery::study {
namespace {

using graph::Graph;
using graph::NodeId;
using platform::DeviceEntry;

/// Whether a kernel name is that of a matrix product: cuBLAS, CUTLASS, cuDNN, hipBLASLt, Triton.
bool multiplies(std::string_view name) {
  constexpr std::array<std::string_view, 9> kOfProducts = {
      "gemm", "GEMM", "conv", "cutlass", "fmha", "flash", "mma", "MT", "attention"};
  return std::any_of(kOfProducts.begin(), kOfProducts.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

/// Factor on the time of a kernel, and its error.
struct Move {
  double factor = 0;   ///< 0: no prediction for one of the devices
  double seconds = 0;  ///< measured time on the target, instead of a factor; 0: none
  graph::NodeProvenance stand;
};

/// Errors of times that no model of the kernel predicts: 80 % intervals of true / predicted, from
/// the root mean square of its logarithm. Source: the same inference steps of a ViT, BERT and a
/// TimeSformer recorded on H100 and MI300X (github.com/AMD-AGI/TraceLens, tests/traces), by
/// operator and shape: 52 operators scaled by memory bandwidth (0.74), 19 products scaled by peak
/// (1.03). The hosts of both machines differ by 9 % (BERT) and 5 % (ViT); with two values, the
/// interval is that of Student's distribution with 2 degrees of freedom.
constexpr float kBandwidthError = 0.95F, kPeakError = 1.32F, kHostError = 0.136F;

graph::NodeProvenance wide(TimeProvenance provenance, float error) {
  return {provenance, true, std::expm1(-error), std::expm1(error)};
}

/// Sets the error band of the ratio (1 + e) / (1 + f) of true to predicted times of both devices.
/// The errors are independent, so the squares of their logarithms add.
void set_band(const model::ErrorBand& to, const model::ErrorBand& from,
              graph::NodeProvenance& stand) {
  const auto side = [](double a, double b) { return std::sqrt(a * a + b * b); };
  stand.lower = static_cast<float>(std::expm1(
      -side(std::log1p(std::min(to.lower, 0.0)), std::log1p(std::max(from.upper, 0.0)))));
  stand.upper = static_cast<float>(
      std::expm1(side(std::log1p(std::max(to.upper, 0.0)), std::log1p(std::min(from.lower, 0.0)))));
}

/// Converts kernel times from one device to another.
class Mover {
 public:
  Mover(const DeviceEntry& from, const DeviceEntry& to, const model::SuppliedModels& measured)
      : same_(from.name == to.name),
        from_(model::silicon_of(from)),
        to_(model::silicon_of(to)),
        bandwidth_(from.memory_bandwidth.count() / to.memory_bandwidth.count()),
        peak_(from.peaks.front().rate.count() / to.peaks.front().rate.count()),
        models_(model::kernel_models({.given = measured})),
        measured_(measured) {}

  [[nodiscard]] graph::GraphRef moved(const Graph& graph, DeviceChange& made) {
    std::vector<Time> durations = graph::durations_of(graph);
    std::vector<graph::NodeProvenance> stands(graph.size());
    for (NodeId n = 0; n < graph.size(); ++n) {
      const auto kind = graph::work_kind(graph, n);
      if (kind == graph::WorkKind::host && !same_)
        stands[n] = wide(TimeProvenance::recorded, kHostError);
      if (kind != graph::WorkKind::kernels || durations[n] <= Time{}) continue;
      const Time was = durations[n];
      const Move move = move_of(graph, n, was, made);
      durations[n] = std::max(graph::kMinimumDuration, move.seconds > 0
                                                           ? Time(std::llround(move.seconds * 1e12))
                                                           : graph::scale_time(was, move.factor));
      stands[n] = move.stand;
    }
    auto other = graph::with_durations(graph, durations);
    provenance_.nodes.emplace(
        other.get(), std::make_shared<const std::vector<graph::NodeProvenance>>(std::move(stands)));
    return other;
  }

  /// Provenance of the converted times.
  [[nodiscard]] graph::WorkloadProvenance stands() && { return std::move(provenance_); }

 private:
  Move move_of(const Graph& graph, NodeId n, Time was, DeviceChange& made) {
    if (const graph::KernelId id = graph.kernel(n); id != graph::kNoKernel) {
      Move known = by_model((*graph.kernels())[id]);
      if (known.seconds > 0) {
        made.by_table += was;
        return known;
      }
      if (known.factor > 0) {
        if (same_) known.stand = {};  // errors of equal predictions cancel
        made.by_model += was;
        return known;
      }
    }
    const bool products = multiplies(graph.name(n));
    (products ? made.by_peak : made.by_bandwidth) += was;
    if (same_) return {1, 0, {TimeProvenance::scaled, true}};
    return {products ? peak_ : bandwidth_, 0,
            wide(TimeProvenance::scaled, products ? kPeakError : kBandwidthError)};
  }

  Move by_model(const graph::Kernel& kernel) {
    const auto [known, added] = moves_.try_emplace(graph::to_text(kernel));
    if (!added) return known->second;
    const auto there = model::choose_time(models_, kernel, to_);
    if (there && !there->time.extrapolated && measured_.contains(models_[there->model].source)) {
      known->second.seconds = there->time.seconds;
      known->second.stand = {TimeProvenance::interpolated, true,
                             static_cast<float>(there->time.band.lower),
                             static_cast<float>(there->time.band.upper)};
      return known->second;
    }
    const auto here = model::choose_time(models_, kernel, from_);
    if (!there || !here || here->time.seconds <= 0) return known->second;
    const model::KernelTime &to = there->time, &from = here->time;
    Move& move = known->second;
    move.factor = to.seconds / from.seconds;
    move.stand.provenance = to.extrapolated || from.extrapolated ? TimeProvenance::extrapolated
                                                                 : TimeProvenance::interpolated;
    move.stand.has_interval = to.band != model::ErrorBand{} && from.band != model::ErrorBand{};
    if (move.stand.has_interval)
      set_band(to.band, from.band, move.stand);
    else
      move.stand.provenance = TimeProvenance::formula;
    return move;
  }

  bool same_;
  model::Silicon from_, to_;
  double bandwidth_, peak_;
  std::vector<model::NamedKernelModel> models_;
  const model::SuppliedModels& measured_;
  std::unordered_map<std::string, Move> moves_;  // by kernel
  graph::WorkloadProvenance provenance_;
};

}  // namespace

std::string DeviceChange::description() const {
  const Time all = by_table + by_model + by_bandwidth + by_peak;
  const auto share = [&](Time part) {
    return all > Time{}
               ? 100.0 * static_cast<double>(part.count()) / static_cast<double>(all.count())
               : 0.0;
  };
  const std::string table =
      by_table > Time{} ? fmt::format("{:.0f} % of their time as measured on it, ", share(by_table))
                        : "";
  return fmt::format(
      "kernels from {} to {}: {}{:.0f} % of their time scaled with kernel models, {:.0f} % with "
      "memory bandwidth, {:.0f} % with peak; hosts, copies and communication as recorded",
      from, to, table, share(by_model), share(by_bandwidth), share(by_peak));
}

Result<DeviceChange> change_device(const graph::Workload& workload, const std::string& recorded_on,
                                   const std::string& to, const model::SuppliedModels& measured) {
  const DeviceEntry* target = platform::find_device(to);
  if (target == nullptr) {
    Error error = unknown_device(to);
    error.where = "--change gpu=" + to;
    return tl::unexpected(std::move(error));
  }
  const DeviceEntry* source = recorded_on.empty()
                                  ? platform::find_device_by_driver(workload.recorded_device)
                                  : platform::find_device(recorded_on);
  if (source == nullptr && !recorded_on.empty()) return tl::unexpected(unknown_device(recorded_on));
  if (source == nullptr)
    return fail(
        Errc::usage, "--recorded-device",
        workload.recorded_device.empty()
            ? fmt::format("kernels move to {}, but the recording does not state its own device",
                          target->name)
            : fmt::format("kernels move to {}, but the device of the recording, {}, is not in the "
                          "catalog",
                          target->name, in_quotes(workload.recorded_device)),
        "give the device with --recorded-device NAME; 'orrery kernels' lists names");
  DeviceChange made;
  made.from = source->name;
  made.to = target->name;
  Mover mover(*source, *target, measured);
  made.workload =
      graph::with_graphs(workload, [&](const Graph& graph) { return mover.moved(graph, made); });
  made.workload.provenance = std::move(mover).stands();
  return made;
}

void count_other_device(const graph::Workload& workload, const std::string& recorded_on,
                        const platform::Device& device, Findings& findings) {
  const bool recorded =
      device.compute == TimeSource::automatic || device.compute == TimeSource::recorded;
  const std::string& driver = workload.recorded_device;
  if (!recorded || device.entry.empty() || (driver.empty() && recorded_on.empty())) return;
  const DeviceEntry* source = recorded_on.empty() ? platform::find_device_by_driver(driver)
                                                  : platform::find_device(recorded_on);
  if (source != nullptr && source->name == device.entry) return;
  const std::string change = fmt::format("the cluster has {}; 'orrery whatif' with --change gpu={}",
                                         device.entry, device.entry);
  findings.add(
      FindingCode::recorded_on_other_device,
      source != nullptr
          ? fmt::format("recorded on {}, {} converts kernel times", source->name, change)
          : fmt::format("recorded on {}, which is not in the catalog; {} and --recorded-device "
                        "NAME converts kernel times",
                        in_quotes(driver), change));
}

}  // namespace orrery::study
