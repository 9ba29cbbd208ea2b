// SPDX-License-Identifier: Apache-2.0
//
// orrery memory: predicts the memory of a device over a training step, and whether it fits.
#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/core/text/suggest.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/present/workloads/memory_answer.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/memory/memory_svg.h"

namespace orrery::commands {

namespace {

struct MemoryCommand {
  study::JobDescription job;
  std::string cluster, device;
  std::optional<Bytes> capacity;
  double fragmentation = workload::MemoryOptions{}.fragmentation;
  std::string picture;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields = std::tuple{
      UndeclaredField{&MemoryCommand::job},
      QuestionField{"cluster", &MemoryCommand::cluster, "--cluster", "FILE", kAnswer, "a100-40gb:8",
                    "The cluster, for its devices' capacity"},
      QuestionField{"device", &MemoryCommand::device, "--device", "NAME", kAnswer, "a100-40gb",
                    "A device of the catalog, for its capacity"},
      QuestionField{"capacity", &MemoryCommand::capacity, "--capacity", "SIZE", kAnswer, "16 GB",
                    "Memory of one device, e.g. '80 GB'"},
      QuestionField{"fragmentation", &MemoryCommand::fragmentation, "--fragmentation", "SHARE",
                    kAnswer, "0.5",
                    "Allowance for the allocator, as a share of activations and buffers, 0 to 1"},
      QuestionGroup{"Output"},
      QuestionField{"picture", &MemoryCommand::picture, "--plot", "FILE", kNothing, "memory.svg",
                    "Plot memory over the step as SVG"}};
};

/// Memory of one device in bytes, from --capacity, --device or --cluster; 0: unknown.
Result<std::int64_t> capacity_of(const MemoryCommand& options, const platform::Platform& cluster) {
  if (options.capacity) return options.capacity->count();
  if (!options.device.empty()) {
    const platform::DeviceEntry* device = platform::find_device(options.device);
    if (device == nullptr) {
      std::vector<std::string_view> names;
      for (const platform::DeviceEntry& known : platform::devices()) names.push_back(known.name);
      const std::string near = did_you_mean(options.device, names);
      return fail(Errc::usage, "--device",
                  fmt::format("there is no device '{}' in the catalog", options.device),
                  near.empty() ? "the names are in docs/reference/catalog.md" : near);
    }
    return study::usable_memory({.entry = device->name, .memory_capacity = device->memory}).count();
  }
  return options.cluster.empty() ? 0 : study::usable_total_memory(cluster.device).count();
}

int memory(const MemoryCommand& options, Context& context) {
  Findings findings;
  if (!(options.fragmentation >= 0 && options.fragmentation <= 1))
    return context.fail({Errc::usage, "--fragmentation", "must be a share from 0 to 1", ""});
  const auto job = study::assemble_on(options.job, options.cluster, findings);
  if (!job) return context.fail(job.error(), findings);
  const auto& [program, cluster] = *job;
  present::CapacityCheck fit;
  const auto capacity = capacity_of(options, cluster);
  if (!capacity) return context.fail(capacity.error(), findings);
  fit.capacity = *capacity;
  workload::MemoryOptions how;
  how.fragmentation = options.fragmentation;
  how.device =
      study::reserved_memory(options.device.empty() ? cluster.device.entry : options.device);
  how.details = context.json || !context.output.empty() || !options.picture.empty();
  Progress progress(context);
  const Progress::Phase accounting{"account", "accounting memory", "plans"};
  progress.begin(accounting, 1);
  const auto report = workload::account_memory(program, how);
  progress.update(accounting, 1, 1);
  if (!report) return context.fail(report.error(), findings);
  const workload::RoleMemory& worst = report->roles[report->worst];
  const bool fits = fit.capacity == 0 || worst.total() <= fit.capacity;
  if (!fits) {
    auto changes = workload::find_fitting_changes(
        program.spec, fit.capacity, 3, how, [&](std::uint64_t tried, std::uint64_t of) {
          progress.update({"fit", "searching a plan that fits", "plans"}, tried, of);
        });
    if (!changes) return context.fail(changes.error(), findings);
    fit.changes = *std::move(changes);
  }
  progress.clear();
  if (!options.picture.empty()) {
    const std::string svg = workload::memory_svg(program, worst);
    if (auto written = write_output(options.picture, svg, context.force); !written)
      return context.fail(written.error(), findings);
  }
  return context.deliver(
      [&](report::Answer& answer) {
        present::state_memory(answer, job->program, *report, fit, findings);
      },
      fits ? kOk : kSaysNo);
}

}  // namespace

Action add_memory(CommandOptions& command, Context& context) {
  describe(command,
           "Prints weights, gradients, optimizer state, activations by the schedule,\n"
           "buffers; the peak, its parts, and whether it fits. If not: the nearest changes\n"
           "of the plan that fit (exit code 1).\n"
           "\n"
           "Examples:\n"
           "  orrery memory --model llama-3.1-8b --tp 4 --dp 2 --device h100-sxm\n"
           "  orrery memory job.yaml --cluster cluster.yaml --plot memory.svg\n");
  const auto options = std::make_shared<MemoryCommand>();
  add_spec_options(command, options->job, true);
  add_fields(command, *options);
  context.add_options(command);
  return [options, &context] { return memory(*options, context); };
}

}  // namespace orrery::commands
