// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/kernels/kernel_context.h"

#include <fmt/format.h>

#include "orrery/commands/traces/recorded_traces.h"
#include "orrery/core/text/text.h"
#include "orrery/intake/job/job.h"
#include "orrery/present/kernels/kernels_context_answer.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/kernels/steps/kernel_context.h"

namespace orrery::commands {

namespace {

Result<const platform::DeviceEntry*> device_of(const KernelContextOptions& options) {
  if (options.devices.empty()) return nullptr;
  if (options.devices.size() > 1)
    return fail(Errc::usage, "--device", "takes one device, for all ranks", "give one device");
  return study::catalog_device(options.devices.front());
}

}  // namespace

int kernel_context(const KernelContextOptions& options, Context& context) {
  Findings findings;
  const auto device = device_of(options);
  if (!device) return context.fail(device.error());
  auto models = study::select_kernel_models(options.sources, options.compute, findings);
  if (!models) return context.fail(models.error(), findings);
  if (options.traces.empty())
    return context.fail({Errc::usage, "kernels context", "no recordings are given",
                         "orrery kernels context TRACE.json …"});
  RecordedTraces recorded;
  recorded.traces = options.traces;
  study::KernelContextBuilder builder(*std::move(models), *device, options.shapes);
  const auto job = read_ranks(recorded, context, findings,
                              [&](const intake::RankTrace& rank) { builder.add(rank.profile); });
  if (!job) return context.fail(job.error(), findings);
  const auto contexts = builder.contexts();
  if (contexts.empty() && builder.unknown_devices().empty())
    return context.fail({Errc::input_empty, options.traces.front(), "contains no kernels",
                         "record device activity, too (ProfilerActivity.CUDA)"},
                        findings);
  if (contexts.empty())
    return context.fail(
        {Errc::usage, options.traces.front(),
         fmt::format("{} is not in the catalog", in_quotes(*builder.unknown_devices().begin())),
         "name a similar device of the catalog with --device"},
        findings);
  return context.deliver([&](report::Answer& answer) {
    present::state_kernel_context(answer, contexts, builder.unknown_devices(), options.shapes,
                                  findings);
  });
}

}  // namespace orrery::commands
