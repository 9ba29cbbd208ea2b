// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/placement/node_dimensions.h"
#include "orrery/study/goodput/goodput.h"

namespace orrery::study {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Llama 3's storage sustained 2 TB/s for 2,048 nodes (arXiv:2407.21783, section 3.3.1).
constexpr double kBandwidthPerNode = 2e12 / 2048;
constexpr const char* kBandwidthSource = "published: Llama 3, 2 TB/s for 2,048 nodes";

/// Errc: usage, where times of the question exclude each other or are 0.
Result<void> check_times(const FailureQuestion& question) {
  if (!question.failure_rates.empty() && (question.device_mtbf || question.node_mtbf))
    return fail(Errc::usage, "--failure-rates", "excludes --device-mtbf and --node-mtbf",
                "give published rates, or times");
  for (const auto& [option, time] :
       {std::pair{"--device-mtbf", question.device_mtbf},
        std::pair{"--node-mtbf", question.node_mtbf},
        std::pair{"--checkpoint-interval", question.checkpoint_interval}})
    if (time && !(time->seconds > 0)) return fail(Errc::usage, option, "must be above 0", "1 h");
  if (question.checkpoint_bandwidth && !(question.checkpoint_bandwidth->count() > 0))
    return fail(Errc::usage, "--checkpoint-bandwidth", "must be above 0", "100 GB/s");
  if (question.spare_nodes && !question.repair_time)
    return fail(Errc::usage, "--repair-time", "is missing",
                "the time until a failed node returns: --spare-nodes 4 --repair-time 24h");
  if (question.repair_time && !question.spare_nodes)
    return fail(Errc::usage, "--repair-time", "is for --spare-nodes, which is not given",
                "--spare-nodes 4 --repair-time 24h");
  return {};
}

void set_rates(const FailureQuestion& question, FailureModel& made) {
  if (question.device_mtbf || question.node_mtbf) {
    const auto given = [](const std::optional<Duration>& time) {
      return SourcedValue{time ? time->seconds : kNever, "configured"};
    };
    made.device_mtbf = given(question.device_mtbf);
    made.node_mtbf = given(question.node_mtbf);
    made.rates = "configured";
    return;
  }
  const model::PublishedFailures* published =
      model::find_published_failures(question.failure_rates);
  if (published == nullptr) published = &model::published_failures().front();
  made.rates = fmt::format("{}: {}", published->name, published->about);
  const std::string source = fmt::format("published: {}", published->source);
  made.device_mtbf = {published->device_mtbf(), source};
  made.node_mtbf = {published->node_mtbf(), source};
}

double job_mtbf(const FailureModel& made) {
  const double rate = static_cast<double>(made.devices) / made.device_mtbf.value +
                      static_cast<double>(made.nodes) / made.node_mtbf.value;
  return rate > 0 ? 1 / rate : kNever;
}

}  // namespace

std::int64_t devices_per_node(const platform::Platform& platform, std::int64_t devices) {
  std::int64_t size = 1;
  if (platform.fabric == nullptr) {
    for (std::size_t i = 0, count = platform::node_dimensions(platform); i < count; ++i)
      size *= platform.dims[i].size;
  } else {
    const platform::DeviceEntry* entry = platform::find_device(platform.device.entry);
    size = entry != nullptr && entry->build.island > 0 ? entry->build.island : 8;
  }
  return std::clamp<std::int64_t>(size, 1, std::max<std::int64_t>(devices, 1));
}

Result<FailureModel> failure_model(const FailureQuestion& question,
                                   const platform::Platform& platform, std::int64_t devices,
                                   SourcedValue checkpoint, double step) {
  if (auto fine = check_times(question); !fine) return tl::unexpected(fine.error());
  FailureModel made;
  made.devices = devices;
  made.devices_per_node = question.devices_per_node > 0 ? question.devices_per_node
                                                        : devices_per_node(platform, devices);
  made.nodes = (devices + made.devices_per_node - 1) / made.devices_per_node;
  set_rates(question, made);
  made.bandwidth =
      question.checkpoint_bandwidth
          ? SourcedValue{question.checkpoint_bandwidth->count(), "configured"}
          : SourcedValue{kBandwidthPerNode * static_cast<double>(made.nodes), kBandwidthSource};
  made.read = checkpoint.value / made.bandwidth.value;
  made.restart = question.restart_time.seconds;
  made.reshard = question.reshard_time.seconds;
  model::CheckpointedJob& job = made.job;
  job.mtbf = job_mtbf(made);
  job.write = question.checkpoint_time ? question.checkpoint_time->seconds : made.read;
  job.restart = made.restart + made.read + made.reshard;
  made.checkpoint = std::move(checkpoint);
  made.young = model::young_interval(job.write, job.mtbf);
  made.daly = model::daly_interval(job.write, job.mtbf);
  made.best = model::best_interval(job.write, job.mtbf);
  job.interval = question.checkpoint_interval ? question.checkpoint_interval->seconds
                                              : std::max(made.best, step);
  made.interval_source = question.checkpoint_interval ? "configured"
                         : made.best < step           ? "every step"
                                                      : "the optimum";
  if (question.spare_nodes)
    made.nodes_to_spare = {.always_free = false,
                           .spares = *question.spare_nodes,
                           .repair = question.repair_time->seconds};
  made.shares = model::time_shares(job, made.nodes_to_spare);
  if (!(made.shares.training > 1e-9))
    return fail(Errc::usage, "--checkpoint-interval",
                fmt::format("the job makes no progress: it fails every {}, and {} pass between "
                            "two checkpoints",
                            format_duration(job.mtbf), format_duration(job.interval + job.write)),
                "checkpoint more often, or restart faster");
  return made;
}

}  // namespace orrery::study
