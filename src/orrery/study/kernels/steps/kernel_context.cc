// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/steps/kernel_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "orrery/core/statistics/statistics.h"
#include "orrery/intake/convert/recorded_kernels.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/profile/host/host_overheads.h"
#include "orrery/study/recordings/recorded_communication.h"

namespace orrery::study {
namespace {

using profile::EventId;
using profile::Profile;

PercentileSpread spread_of(std::vector<double>& values) {
  return {quantile_nearest(values, 0.1), quantile_nearest(values, 0.5),
          quantile_nearest(values, 0.9)};
}

std::string row_name(const graph::Kernel& kernel, bool shapes) {
  if (!shapes)
    return fmt::format("{} {} {}", name(kernel.operation), name(kernel.pass), name(kernel.a));
  return graph::to_text(kernel);
}

}  // namespace

double StepKernelTimes::factor() const {
  return alone == Time{}
             ? 0
             : static_cast<double>(recorded.count()) / static_cast<double>(alone.count());
}

struct KernelContextBuilder::Gathered {
  /// Sums over kernels, and the ratio of each.
  struct Ratios {
    StepKernelTimes sums{};
    std::vector<double> each;

    void add(Time recorded, Time alone) {
      ++sums.kernels;
      sums.recorded += recorded;
      sums.alone += alone;
      each.push_back(static_cast<double>(recorded.count()) / static_cast<double>(alone.count()));
    }
    [[nodiscard]] StepKernelTimes summed() const {
      StepKernelTimes made = sums;
      std::vector<double> sorted = each;
      made.ratio = spread_of(sorted);
      return made;
    }
  };

  struct Row {
    graph::Kernel kernel{};
    std::vector<std::string_view> models;
    Ratios all, overlapped;
  };
  struct Alone {
    Time time{};
    std::string_view model;
    Row* row = nullptr;
  };
  DeviceKernelContext sums;
  std::vector<double> gaps;
  std::map<std::string, Row> rows;

  /// The isolated time of a kernel and its row; empty if no model predicts it.
  std::optional<Alone> alone(const graph::Kernel& kernel, bool shapes,
                             std::span<const model::NamedKernelModel> models) {
    const auto taken = model::choose_time(models, kernel, sums.silicon);
    if (!taken) return std::nullopt;
    const auto time = static_cast<std::int64_t>(taken->time.seconds * 1e12);
    if (time <= 0) return std::nullopt;
    Row& row = rows.try_emplace(row_name(kernel, shapes), Row{kernel, {}, {}, {}}).first->second;
    const std::string_view model = name(models[taken->model].source);
    if (std::find(row.models.begin(), row.models.end(), model) == row.models.end())
      row.models.push_back(model);
    return Alone{Time(time), model, &row};
  }

  void add_lane(const Profile& profile, std::uint32_t lane, const intake::RecordedKernels& recorded,
                const CommunicationTimes& communication,
                const std::vector<std::optional<Alone>>& by_kernel);
  [[nodiscard]] DeviceKernelContext summed() const;
};

void KernelContextBuilder::Gathered::add_lane(const Profile& profile, std::uint32_t lane,
                                              const intake::RecordedKernels& recorded,
                                              const CommunicationTimes& communication,
                                              const std::vector<std::optional<Alone>>& by_kernel) {
  for (const double gap : profile::queue_gaps(profile, lane)) gaps.push_back(gap);
  for (const EventId e : profile.in_order(lane)) {
    const profile::Event& event = profile.events[e];
    const bool computes = event.kind == profile::Kind::kernel && event.timed() &&
                          !profile::is_comm_kernel(profile.name(e));
    if (!computes) continue;
    ++sums.kernels;
    sums.time += event.duration;
    const graph::KernelId kernel = recorded.of(event.detail);
    if (kernel == graph::kNoKernel) continue;
    ++sums.known;
    sums.known_kernel_time += event.duration;
    if (!by_kernel[kernel] || event.duration == Time{}) continue;
    const Alone& alone = *by_kernel[kernel];
    alone.row->all.add(event.duration, alone.time);
    if (2 * communication.within(event.start, event.end()) >= event.duration)
      alone.row->overlapped.add(event.duration, alone.time);
  }
}

DeviceKernelContext KernelContextBuilder::Gathered::summed() const {
  DeviceKernelContext made = sums;
  std::vector<double> sorted = gaps;
  made.gap = spread_of(sorted);
  made.gaps = gaps.size();
  for (const auto& [unused, row] : rows) {
    if (row.all.sums.kernels == 0) continue;
    std::string models;
    for (const std::string_view model : row.models)
      models += (models.empty() ? "" : ", ") + std::string(model);
    made.rows.push_back({row.kernel, models, row.all.summed(), row.overlapped.summed()});
  }
  std::stable_sort(made.rows.begin(), made.rows.end(),
                   [](const KernelContextRow& a, const KernelContextRow& b) {
                     return a.all.recorded > b.all.recorded;
                   });
  return made;
}

KernelContextBuilder::KernelContextBuilder(std::vector<model::NamedKernelModel> models,
                                           const platform::DeviceEntry* device, bool shapes)
    : models_(std::move(models)), device_(device), shapes_(shapes) {}

KernelContextBuilder::~KernelContextBuilder() = default;

KernelContextBuilder::Gathered* KernelContextBuilder::of_device(std::string_view recorded_as) {
  const platform::DeviceEntry* entry =
      device_ ? device_ : platform::find_device_by_driver(recorded_as);
  if (entry == nullptr) return nullptr;
  std::unique_ptr<Gathered>& into = by_device_[std::string(recorded_as)];
  if (!into) {
    into = std::make_unique<Gathered>();
    into->sums.recorded_as = recorded_as;
    into->sums.silicon = model::silicon_of(*entry);
  }
  return into.get();
}

void KernelContextBuilder::add(const Profile& profile) {
  const intake::RecordedKernels recorded(profile);
  const CommunicationTimes communication(profile);
  std::map<Gathered*, std::vector<std::optional<Gathered::Alone>>> alone;
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
    if (!profile.lanes[lane].device) continue;
    const std::string_view recorded_as = driver_name(profile, lane);
    Gathered* const into = of_device(recorded_as);
    if (into == nullptr) {
      unknown_devices_.emplace(recorded_as);
      continue;
    }
    const auto [at, added] = alone.try_emplace(into);
    if (added) {
      ++into->sums.ranks;
      for (graph::KernelId id = 0; id < recorded.table().size(); ++id)
        at->second.push_back(into->alone(recorded.table()[id], shapes_, models_));
    }
    into->add_lane(profile, lane, recorded, communication, at->second);
  }
}

std::vector<DeviceKernelContext> KernelContextBuilder::contexts() const {
  std::vector<DeviceKernelContext> all;
  for (const auto& [unused, gathered] : by_device_)
    if (gathered->sums.kernels > 0) all.push_back(gathered->summed());
  return all;
}

}  // namespace orrery::study
