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

#include "orrery/config/document.h"
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
constexpr double kBandwidthError = 0.95, kPeakError = 1.32, kHostError = 0.136;
/// Half of an 80 % interval of a normal distribution, in standard deviations.
constexpr double kNormal80 = 1.2816;

graph::NodeProvenance with_error(TimeProvenance provenance, double error) {
  return {provenance, true, static_cast<float>(std::expm1(-error)),
          static_cast<float>(std::expm1(error))};
}

/// Standard deviation of the logarithm that has the width of the band.
double deviation_of(const model::ErrorBand& band) {
  return (std::log1p(std::max(band.upper, 0.0)) - std::log1p(std::min(band.lower, 0.0))) / 2 /
         kNormal80;
}

/// Time of the kernels of one name, as recorded and as converted, and the widest error.
struct NameTotal {
  double recorded = 0, converted = 0;
  double error = 0;
};

/// Converts kernel and host times from one device to another.
class Mover {
 public:
  Mover(const DeviceEntry& from, const DeviceEntry& to, const model::SuppliedModels& measured,
        const model::DeviceRatios& ratios)
      : from_(model::silicon_of(from)),
        to_(model::silicon_of(to)),
        same_(from.name == to.name),
        bandwidth_(from.memory_bandwidth.count() / to.memory_bandwidth.count()),
        peak_(from.peaks.front().rate.count() / to.peaks.front().rate.count()),
        models_(model::kernel_models({.given = measured})),
        measured_(measured),
        ratios_(ratios) {}

  [[nodiscard]] graph::GraphRef moved(const Graph& graph, DeviceChange& made) {
    std::vector<Time> durations = graph::durations_of(graph);
    std::vector<graph::NodeProvenance> stands(graph.size());
    std::vector<NodeId> unidentified;
    names_.clear();
    for (NodeId n = 0; n < graph.size(); ++n) {
      const auto kind = graph::work_kind(graph, n);
      if (durations[n] <= Time{}) continue;
      if (kind == graph::WorkKind::host && !same_)
        durations[n] = host_time(graph.name(n), durations[n], stands[n], made);
      else if (kind == graph::WorkKind::kernels &&
               !move_identified(graph, n, durations[n], stands[n], made))
        unidentified.push_back(n);
    }
    for (const NodeId n : unidentified) move_by_name(graph.name(n), durations[n], stands[n], made);
    auto other = graph::with_durations(graph, durations);
    provenance_.nodes.emplace(
        other.get(), std::make_shared<const std::vector<graph::NodeProvenance>>(std::move(stands)));
    return other;
  }

  /// Provenance of the converted times.
  [[nodiscard]] graph::WorkloadProvenance stands() && { return std::move(provenance_); }

 private:
  static Time scaled(Time time, double factor) {
    return std::max(graph::kMinimumDuration, graph::scale_time(time, factor));
  }

  /// Hosts come with their devices: the ratio of hosts that recordings with both devices show.
  Time host_time(std::string_view name, Time was, graph::NodeProvenance& stand,
                 DeviceChange& made) {
    const std::string_view of = ratios_.host_class(name, static_cast<double>(was.count()) * 1e-12);
    const auto ratio = ratios_.between(of, from_.name, to_.name);
    if (!ratio) {
      const double error = kNormal80 * ratios_.unknown_error(of);
      stand = with_error(TimeProvenance::recorded, std::max(kHostError, error));
      return was;
    }
    stand = with_error(TimeProvenance::scaled, kNormal80 * ratio->error);
    const Time time = scaled(was, ratio->ratio);
    made.host_before += was;
    made.host_after += time;
    return time;
  }

  /// False: no model predicts the kernel on both devices.
  bool move_identified(const Graph& graph, NodeId n, Time& time, graph::NodeProvenance& stand,
                       DeviceChange& made) {
    const graph::KernelId id = graph.kernel(n);
    if (id == graph::kNoKernel) return false;
    const Move& move = by_model((*graph.kernels())[id]);
    const Time was = time;
    if (move.seconds > 0) {
      time = std::max(graph::kMinimumDuration, Time(std::llround(move.seconds * 1e12)));
      made.by_table += was;
    } else if (move.factor > 0) {
      time = scaled(was, move.factor);
      made.by_model += was;
    } else {
      return false;
    }
    stand = move.stand;
    NameTotal& total = names_[std::string(graph.name(n))];
    total.recorded += static_cast<double>(was.count());
    total.converted += static_cast<double>(time.count());
    total.error = std::max(total.error, std::log1p(static_cast<double>(stand.upper)));
    return true;
  }

  /// Converts a kernel without identified operator: as the identified kernels of its name, else by
  /// memory bandwidth or peak.
  void move_by_name(std::string_view name, Time& time, graph::NodeProvenance& stand,
                    DeviceChange& made) {
    const Time was = time;
    if (const auto alike = names_.find(std::string(name)); !same_ && alike != names_.end()) {
      const NameTotal& total = alike->second;
      time = scaled(was, total.converted / total.recorded);
      made.by_name += was;
      const double error = std::hypot(total.error, kNormal80 * ratios_.kernel_error());
      stand = with_error(TimeProvenance::scaled, error);
      return;
    }
    const bool products = multiplies(name);
    (products ? made.by_peak : made.by_bandwidth) += was;
    stand = same_ ? graph::NodeProvenance{TimeProvenance::scaled, true}
                  : with_error(TimeProvenance::scaled, products ? kPeakError : kBandwidthError);
    if (!same_) time = scaled(was, products ? peak_ : bandwidth_);
  }

  const Move& by_model(const graph::Kernel& kernel) {
    const auto [known, added] = moves_.try_emplace(graph::to_text(kernel));
    Move& move = known->second;
    if (!added) return move;
    const auto there = model::choose_time(models_, kernel, to_);
    if (there && !there->time.extrapolated && measured_.contains(models_[there->model].source)) {
      move.seconds = there->time.seconds;
      move.stand = {TimeProvenance::interpolated, true, static_cast<float>(there->time.band.lower),
                    static_cast<float>(there->time.band.upper)};
      return move;
    }
    const auto here = model::choose_time(models_, kernel, from_);
    if (!there || !here || here->time.seconds <= 0) return move;
    set_ratio(kernel, here->time, there->time, move);
    return move;
  }

  /// The ratio of both predictions, corrected by the recorded / predicted times of the kernel's
  /// class on both devices.
  void set_ratio(const graph::Kernel& kernel, const model::KernelTime& from,
                 const model::KernelTime& to, Move& move) const {
    move.factor = to.seconds / from.seconds;
    if (same_) {  // the errors of equal predictions cancel
      move.stand = {};
      return;
    }
    const bool beyond = to.extrapolated || from.extrapolated;
    const bool banded = to.band != model::ErrorBand{} && from.band != model::ErrorBand{};
    move.stand.provenance = !banded  ? TimeProvenance::formula
                            : beyond ? TimeProvenance::extrapolated
                                     : TimeProvenance::interpolated;
    const std::string of = model::ratio_class(kernel);
    if (const auto ratio = ratios_.between(of, from_.name, to_.name)) move.factor *= ratio->ratio;
    const double error =
        std::hypot(error_on(from_, of, from), error_on(to_, of, to), ratios_.kernel_error());
    move.stand.has_interval = error > 0;
    if (error > 0) move.stand = with_error(move.stand.provenance, kNormal80 * error);
  }

  /// Standard deviation of log(recorded / predicted) of a class on one device: the learned one;
  /// that of the model, which was measured there; or that of an unknown device.
  [[nodiscard]] double error_on(const model::Silicon& device, std::string_view of,
                                const model::KernelTime& time) const {
    if (const auto row = ratios_.find(of, device.name)) return row->error;
    const double banded = deviation_of(time.band);
    return time.extrapolated ? std::max(banded, ratios_.unknown_error(of)) : banded;
  }

  model::Silicon from_, to_;
  bool same_;
  double bandwidth_, peak_;
  std::vector<model::NamedKernelModel> models_;
  const model::SuppliedModels& measured_;
  const model::DeviceRatios& ratios_;
  std::unordered_map<std::string, Move> moves_;       // by kernel
  std::unordered_map<std::string, NameTotal> names_;  // identified kernels of the current graph
  graph::WorkloadProvenance provenance_;
};

}  // namespace

std::string DeviceChange::description() const {
  const Time all = by_table + by_model + by_name + by_bandwidth + by_peak;
  const auto share = [&](Time part) {
    return all > Time{}
               ? 100.0 * static_cast<double>(part.count()) / static_cast<double>(all.count())
               : 0.0;
  };
  const auto part = [&](Time time, std::string_view how) {
    return time > Time{} ? fmt::format("{:.0f} % of their time {}, ", share(time), how) : "";
  };
  const std::string hosts =
      host_before > Time{} ? fmt::format("hosts x {:.2f} as recorded with both devices, copies",
                                         static_cast<double>(host_after.count()) /
                                             static_cast<double>(host_before.count()))
                           : "hosts, copies";
  return fmt::format(
      "kernels from {} to {}: {}{:.0f} % of their time scaled with kernel models, {}{:.0f} % with "
      "memory bandwidth, {:.0f} % with peak; {} and communication as recorded",
      from, to, part(by_table, "as measured on it"), share(by_model),
      part(by_name, "as others of their name"), share(by_bandwidth), share(by_peak), hosts);
}

Result<model::DeviceRatios> read_device_ratios(const std::string& path) {
  if (path.empty()) return model::DeviceRatios::built_in();
  if (path == "none") return model::DeviceRatios{};
  const auto text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return model::DeviceRatios::parse(*text, path);
}

Result<DeviceChange> change_device(const graph::Workload& workload, const std::string& recorded_on,
                                   const std::string& to, const model::SuppliedModels& measured,
                                   const model::DeviceRatios& ratios) {
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
  Mover mover(*source, *target, measured, ratios);
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
