// SPDX-License-Identifier: Apache-2.0
//
// orrery trace info --view: tables of recordings.
#include "orrery/commands/traces/trace_info_views.h"

#include "orrery/commands/traces/recorded_traces.h"
#include "orrery/present/traces/views_answer.h"
#include "orrery/present/traces/views_page.h"
#include "orrery/study/recordings/views/view_builder.h"

namespace orrery::commands {

namespace {

Result<void> write_page(const std::vector<study::View>& views, const intake::Job& job,
                        const Findings& findings, PageFile& page, const Context& context) {
  const auto filled = [&](std::string_view empty) {
    return report::write_views_html(present::views_page(views, job), findings, empty);
  };
  if (auto written = page.write(filled, context); !written) return tl::unexpected(written.error());
  return {};
}

}  // namespace

int show_views(const RecordedTraces& options, std::vector<std::string> names,
               const PageOptions& page_options, Context& context) {
  PageFile page(page_options);
  if (page_options.path == "-" && context.json)
    return context.fail({Errc::usage, "", "only one thing can go to stdout", ""});
  if (auto fine = page.check(context.force); !fine) return context.fail(fine.error());
  if (names.empty()) names.emplace_back(study::kAllViews);
  const auto builders = study::view_builders(names);
  Findings findings;
  const auto job = read_ranks(options, context, findings, [&](const intake::RankTrace& rank) {
    for (const auto& builder : builders) builder->add(rank);
  });
  if (!job) return context.fail(job.error(), findings);
  std::vector<study::View> views;
  for (const auto& builder : builders) views.push_back(builder->view(*job, findings));
  if (auto done = write_page(views, *job, findings, page, context); !done)
    return context.fail(done.error(), findings);
  int code = kOk;
  if (page_options.path != "-")
    code = context.deliver(
        [&](report::Answer& answer) { present::state_views(answer, views, *job, findings); });
  page.show(context);
  return code;
}

}  // namespace orrery::commands
