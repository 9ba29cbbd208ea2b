// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/calibrate/recorded_kernel_rows.h"

#include "orrery/core/statistics/statistics.h"
#include "orrery/intake/convert/recorded_kernels.h"
#include "orrery/study/recordings/recorded_communication.h"

namespace orrery::study {

using profile::EventId;
using profile::Profile;

void RecordedKernelRows::add(const Profile& profile) {
  const intake::RecordedKernels recorded(profile);
  const CommunicationTimes communication(profile);
  std::vector<std::string> texts;
  for (graph::KernelId id = 0; id < recorded.table().size(); ++id) {
    graph::Kernel kernel = recorded.table()[id];
    kernel.flops = kernel.bytes = 0;
    texts.push_back(graph::to_text(kernel));
  }
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
    if (!profile.lanes[lane].device) continue;
    const std::string_view recorded_as = driver_name(profile, lane);
    const auto* entry = device_ != nullptr ? device_ : platform::find_device_by_driver(recorded_as);
    for (const EventId e : profile.in_order(lane)) {
      const profile::Event& event = profile.events[e];
      if (event.kind != profile::Kind::kernel || !event.timed() || event.duration == Time{} ||
          profile::is_comm_kernel(profile.name(e)))
        continue;
      ++kernels_;
      if (entry == nullptr) {
        unknown_devices_.emplace(recorded_as);
        continue;
      }
      const graph::KernelId kernel = recorded.of(event.detail);
      if (kernel == graph::kNoKernel) continue;
      ++known_;
      if (2 * communication.within(event.start, event.end()) >= event.duration) {
        ++overlapped_;
        continue;
      }
      times_[{entry->name, texts[kernel]}].push_back(static_cast<double>(event.duration.count()) *
                                                     1e-12);
    }
  }
}

model::MeasuredRows RecordedKernelRows::rows() const {
  model::MeasuredRows made;
  for (const auto& [key, times] : times_) {
    const auto kernel = graph::parse_kernel(key.second);
    if (!kernel) continue;  // a size that text cannot express
    if (made.devices.empty() || made.devices.back() != key.first) made.devices.push_back(key.first);
    model::MeasuredKernel& row = made.rows.emplace_back();
    row.device = static_cast<std::uint32_t>(made.devices.size() - 1);
    row.kernel = *kernel;
    row.seconds = median(times);
    row.line = static_cast<std::uint32_t>(made.rows.size());
  }
  return made;
}

}  // namespace orrery::study
