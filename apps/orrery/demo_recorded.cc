// SPDX-License-Identifier: Apache-2.0
#include "demo_recorded.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/intake/job/job.h"
#include "orrery/study/recorded.h"
#include "progress.h"

namespace orrery::app {

Result<RecordedDemo> run_recorded_demo(const std::string& folder, Session& session) {
  RecordedDemo demo;
  study::Question question;
  question.recorded.traces = {folder + "/demo/ddp_transformer/*.json.gz"};
  question.cluster = folder + "/demo/ddp_transformer/two-hosts.yaml";
  auto job = study::job_options(question.recorded);
  if (!job) return tl::unexpected(job.error());
  const auto ranks = intake::for_each_rank(
      *job, [&](const intake::Job&, std::size_t, intake::RankTrace& rank) -> Result<void> {
        if (rank.link) {
          demo.nodes += rank.link->nodes;
          demo.linked += rank.link->linked();
        }
        Time first = kTimeMax, last{};
        for (profile::EventId e = 0; e < rank.profile.events.size(); ++e) {
          const profile::Event& event = rank.profile.events[e];
          if (!event.timed()) continue;
          first = std::min(first, event.start);
          last = std::max(last, event.end());
        }
        if (first < last) demo.recorded = std::max(demo.recorded, last - first);
        return {};
      });
  if (!ranks) return tl::unexpected(ranks.error());
  demo.matched = ranks->matched;
  for (const auto& uses : ranks->comms) demo.communications += uses.size();
  Findings findings;
  ShownWatch watch(session);
  auto outcome = study::answer(question, watch, findings);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->result.stall)
    return fail(Errc::stall, question.workload_name(), "the demo does not finish",
                "please report this");
  demo.outcome = *std::move(outcome);
  demo.outcome.workload_name = "ddp_transformer";
  demo.outcome.cluster_name = demo.outcome.platform().name;
  return demo;
}

std::string recorded_demo_text(const RecordedDemo& demo, const std::string& shown,
                               const std::string& program) {
  const auto count = [](std::uint64_t n) { return format_count(static_cast<std::int64_t>(n)); };
  return fmt::format(
      "Two steps of a small transformer on two ranks, recorded with PyTorch (DDP over\n"
      "gloo, on the CPU): {} of {} operators linked with the execution traces,\n"
      "{} collectives matched across the ranks.\n\n"
      "recorded       {}\n"
      "simulated      {} on two hosts with 10 Gb/s between them; operators\n"
      "               take their recorded times\n\n"
      "Your own traces go the same way:\n"
      "  {} inspect {}\n"
      "  {} convert --traces {} -o ddp\n",
      count(demo.linked), count(demo.nodes), count(demo.matched), format_time(demo.recorded),
      format_time(demo.outcome.result.end), program, shell_word(shown + "/rank0.kineto.json.gz"),
      program, shell_word(shown + "/*.json.gz"));
}

}  // namespace orrery::app
