// SPDX-License-Identifier: Apache-2.0
//
// orrery memory: what lies in a device's memory over a training step, and whether it fits.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "command.h"
#include "options/input_options.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/catalogue/catalogue.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/present/workloads/memory_text.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/study/questions/error_hints.h"
#include "orrery/workload/memory/memory_fit.h"
#include "orrery/workload/memory/memory_svg.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct MemoryCommand {
  study::JobDescription job;
  std::string cluster, device;
  std::optional<Bytes> capacity;
  double fragmentation = workload::MemoryOptions{}.fragmentation;
  std::string picture;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields =
      std::tuple{UndeclaredField{&MemoryCommand::job},
                 QuestionField{"cluster", &MemoryCommand::cluster, "--cluster", "FILE", kAnswer,
                               "a100-40gb:8", "The cluster, for its devices' capacity"},
                 QuestionField{"device", &MemoryCommand::device, "--device", "NAME", kAnswer,
                               "a100-40gb", "A device of the catalogue, for its capacity"},
                 QuestionField{"capacity", &MemoryCommand::capacity, "--capacity", "SIZE", kAnswer,
                               "16 GB", "One device's memory, e.g. \"80 GB\""},
                 QuestionField{"fragmentation", &MemoryCommand::fragmentation, "--fragmentation",
                               "SHARE", kAnswer, "0.5",
                               "What the allocator holds beside activations and buffers, 0 to 1"},
                 QuestionGroup{"Output"},
                 QuestionField{"picture", &MemoryCommand::picture, "--picture", "FILE", kNothing,
                               "memory.svg", "Draw memory over the step into an SVG"}};
};

/// Bytes of one device, by whichever option says so; 0 = not known.
Result<std::int64_t> capacity_of(const MemoryCommand& options, const platform::Platform& cluster) {
  if (options.capacity) return options.capacity->count();
  if (!options.device.empty()) {
    const platform::DeviceEntry* device = platform::find_device(options.device);
    if (device == nullptr) {
      std::vector<std::string_view> names;
      for (const platform::DeviceEntry& known : platform::devices()) names.push_back(known.name);
      const std::string near = did_you_mean(options.device, names);
      return fail(Errc::usage, "--device", fmt::format("no device is called '{}'", options.device),
                  near.empty() ? "the names are in docs/reference/catalogue.md" : near);
    }
    return study::usable_memory({.entry = device->name, .memory_capacity = device->memory}).count();
  }
  return options.cluster.empty() ? 0 : study::usable_total_memory(cluster.device).count();
}

int memory(const MemoryCommand& options, Session& session) {
  Findings findings;
  if (!(options.fragmentation >= 0 && options.fragmentation <= 1))
    return session.fail({Errc::usage, "--fragmentation", "give a share from 0 to 1", ""});
  platform::Platform cluster;
  study::ClusterSize size;
  if (!options.cluster.empty()) {
    auto read = platform::read_cluster(options.cluster, findings);
    if (!read)
      return session.fail(study::add_cluster_hint(read.error(), options.cluster), findings);
    cluster = *std::move(read);
    size = {cluster.npu_count(), options.cluster};
  }
  const auto program = study::assemble(options.job, size, findings);
  if (!program) return session.fail(program.error(), findings);
  if (size.devices > 0) {
    if (auto fine = study::check_device_count(*program, cluster, options.cluster); !fine)
      return session.fail(fine.error(), findings);
  }
  present::CapacityCheck fit;
  const auto capacity = capacity_of(options, cluster);
  if (!capacity) return session.fail(capacity.error(), findings);
  fit.capacity = *capacity;
  workload::MemoryOptions how;
  how.fragmentation = options.fragmentation;
  how.device =
      study::reserved_memory(options.device.empty() ? cluster.device.entry : options.device);
  how.details = session.json || !session.output.empty() || !options.picture.empty();
  Progress progress(session);
  const Progress::Phase accounting{"account", "accounting memory", "plans"};
  progress.begin(accounting, 1);
  const auto report = workload::account_memory(*program, how);
  progress.tell(accounting, 1, 1);
  if (!report) return session.fail(report.error(), findings);
  const workload::RoleMemory& worst = report->roles[report->worst];
  const bool fits = fit.capacity == 0 || worst.total() <= fit.capacity;
  if (!fits) {
    auto changes = workload::find_fitting_changes(
        program->spec, fit.capacity, 3, how, [&](std::uint64_t tried, std::uint64_t of) {
          progress.tell({"fit", "looking for a plan that fits", "plans"}, tried, of);
        });
    if (!changes) return session.fail(changes.error(), findings);
    fit.changes = *std::move(changes);
  }
  progress.clear();
  if (!options.picture.empty()) {
    const std::string svg = workload::memory_svg(*program, worst);
    if (auto written = write_output(options.picture, svg, session.force); !written)
      return session.fail(written.error(), findings);
  }
  return session.deliver(
      present::memory_text(*program, *report, fit, findings, session.out_style()),
      [&] { return present::memory_json(*program, *report, fit, findings); }, fits ? kOk : kSaysNo);
}

}  // namespace

Action add_memory(CLI::App& command, Session& session) {
  describe(command,
           "Weights, gradients, optimizer, activations by the schedule, buffers; the peak, its\n"
           "parts, and whether it fits. If not: the nearest changes of the plan that fit (exit\n"
           "code 1).\n"
           "\n"
           "Examples:\n"
           "  orrery memory --model llama-3.1-8b --tp 4 --dp 2 --device h100-sxm\n"
           "  orrery memory job.yaml --cluster cluster.yaml --picture memory.svg\n");
  const auto options = std::make_shared<MemoryCommand>();
  add_spec_options(command, options->job, true);
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return memory(*options, session); };
}

}  // namespace orrery::app
