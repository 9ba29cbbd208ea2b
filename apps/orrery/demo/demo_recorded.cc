// SPDX-License-Identifier: Apache-2.0
#include "demo/demo_recorded.h"

#include <algorithm>

#include "orrery/commands/progress.h"
#include "orrery/intake/job/job.h"
#include "orrery/present/simulate/demo_answer.h"
#include "orrery/study/questions/inputs/recorded_traces.h"

namespace orrery::app {

Result<present::RecordedDemo> run_recorded_demo(const std::string& folder, Context& context) {
  present::RecordedDemo demo;
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
  ShownWatch watch(context);
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

}  // namespace orrery::app
