// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel_context.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/intake/job/job.h"
#include "orrery/present/kernels/kernels_context_text.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/kernels/steps/kernel_context.h"
#include "progress.h"
#include "traces/recorded_traces.h"

namespace orrery::app {

namespace {

Result<const platform::DeviceEntry*> device_of(const KernelContextOptions& options) {
  if (options.devices.empty()) return nullptr;
  if (options.devices.size() > 1)
    return fail(Errc::usage, "--device", "all ranks are taken for one device", "name one");
  const platform::DeviceEntry* entry = platform::find_device(options.devices.front());
  if (entry == nullptr) {
    auto unknown = study::unknown_device(options.devices.front());
    return tl::unexpected(std::move(unknown));
  }
  return entry;
}

}  // namespace

int kernel_context(const KernelContextOptions& options, Session& session) {
  Findings findings;
  const auto device = device_of(options);
  if (!device) return session.fail(device.error());
  auto models = study::select_kernel_models(options.sources, options.compute, findings);
  if (!models) return session.fail(models.error(), findings);
  if (options.traces.empty())
    return session.fail({Errc::usage, "kernels context", "which recordings?",
                         "orrery kernels context TRACE.json …"});
  RecordedTraces recorded;
  recorded.traces = options.traces;
  auto job = study::job_options(recorded);
  if (!job) return session.fail(job.error());
  Progress progress(session);
  job->progress = [&](std::uint32_t done, std::uint32_t of) { progress.reading(done, of); };
  study::KernelContextBuilder builder(*std::move(models), *device, options.shapes);
  const auto done = intake::for_each_rank(
      *job, [&](const intake::Job&, std::size_t, intake::RankTrace& rank) -> Result<void> {
        builder.add(rank.profile);
        findings.merge(rank.findings);
        return {};
      });
  progress.clear();
  if (!done) return session.fail(done.error(), findings);
  findings.merge(done->findings);
  const auto contexts = builder.contexts();
  if (contexts.empty() && builder.unknown_devices().empty())
    return session.fail({Errc::input_empty, options.traces.front(), "no kernels of a device",
                         "record device activity, too (ProfilerActivity.CUDA)"},
                        findings);
  if (contexts.empty())
    return session.fail(
        {Errc::usage, options.traces.front(),
         fmt::format("{} is not in the catalogue", in_quotes(*builder.unknown_devices().begin())),
         "--device says what it is like"},
        findings);
  return session.deliver(
      present::kernels_context_text(contexts, builder.unknown_devices(), options.shapes, findings,
                                    session.out_style()),
      [&] {
        return present::kernels_context_json(contexts, builder.unknown_devices(), options.shapes,
                                             findings);
      });
}

}  // namespace orrery::app
