// SPDX-License-Identifier: Apache-2.0
//
// orrery collective synthesize: synthesizes a collective for a fabric.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output/report_files.h"
#include "orrery/commands/output_file.h"
#include "orrery/present/collectives/synthesize_answer.h"
#include "orrery/present/collectives/synthesize_page.h"
#include "orrery/report/html/schedule_page.h"
#include "orrery/study/collectives/algorithms/custom_algorithms.h"
#include "orrery/study/collectives/collective_synthesis.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/synthesis/formats/msccl.h"

namespace orrery::commands {

namespace {

struct SynthesizeOptions {
  study::CollectiveSynthesisQuestion question;
  std::string plot;
  PageOptions page;

  static constexpr auto fields = std::tuple{
      QuestionStruct{"question", &SynthesizeOptions::question},
      QuestionField{"plot", &SynthesizeOptions::plot, "--plot", "FILE", kNothing, "links.svg",
                    "Plot the use of links over time as SVG"},
      QuestionStruct{"page", &SynthesizeOptions::page,
                     SelectedRow{"path", "Write the schedule as one self-contained web page"},
                     SelectedRow{"page"}, SelectedRow{"open"}}};
};

/// An XML file for each group, or a folder of traces: "a.xml" and "a/plan.0.et", of several groups
/// "a-1.xml", "a-2.xml" and "a/plan-1.0.et". Writes all files or none.
Result<void> write_plans(const study::CollectiveSynthesisAnswer& answer, const std::string& path,
                         bool force, Findings& findings) {
  const auto plans = study::collective_plans(answer);
  if (!plans) return tl::unexpected(plans.error());
  const bool xml = path == "-" || path.ends_with(".xml");
  const bool several = plans->size() > 1;
  if (several && path == "-")
    return fail(Errc::usage, "--output", "stdout takes one plan, and several groups have several",
                "-o FILE.xml, or a folder");
  const std::string stem = xml ? path.substr(0, path.rfind(".xml")) : path + "/plan";
  std::vector<std::string> names, texts;
  for (std::size_t g = 0; g < plans->size(); ++g) {
    names.push_back(several ? fmt::format("{}-{}{}", stem, g + 1, xml ? ".xml" : "")
                    : xml   ? path
                            : stem);
    if (!xml) continue;
    auto text = synthesis::write_msccl((*plans)[g]);
    if (!text) return tl::unexpected(text.error());
    texts.push_back(*std::move(text));
    if (auto fine = check_absent(names.back(), force); !fine) return fine;
  }
  for (std::size_t g = 0; g < plans->size(); ++g) {
    auto done = xml ? write_output(names[g], texts[g], force)
                    : study::write_plan_traces((*plans)[g], names[g], force, findings);
    if (done) continue;
    std::error_code ignored;
    for (std::size_t before = 0; before < g; ++before) {
      if (xml) std::filesystem::remove(names[before], ignored);
      for (std::size_t rank = 0; !xml && rank < (*plans)[before].ranks.size(); ++rank)
        std::filesystem::remove(fmt::format("{}.{}.et", names[before], rank), ignored);
    }
    return done;
  }
  return {};
}

Result<void> write_page(const study::CollectiveSynthesisAnswer& answer, PageFile& page,
                        const Findings& findings, const Context& context) {
  const auto filled = [&](std::string_view empty) {
    return report::write_schedule_html(present::synthesis_page(answer), findings, empty);
  };
  if (auto written = page.write(filled, context); !written) return tl::unexpected(written.error());
  return {};
}

int synthesize(SynthesizeOptions& options, Context& context) {
  const std::string path = std::exchange(context.output, {});
  int to_stdout = 0;
  for (const std::string& file : {options.plot, options.page.path, path})
    to_stdout += file == "-" ? 1 : 0;
  if (to_stdout + (context.json ? 1 : 0) > 1)
    return context.fail({Errc::usage, "", "only one thing can go to stdout", ""});
  PageFile page(options.page);
  if (auto fine = page.check(context.force); !fine) return context.fail(fine.error());
  // Plans contain only ranks.
  options.question.relays = path.empty();
  options.question.streams = path.empty();  // a plan has no rates
  Findings findings;
  const auto synthesis = study::synthesize(options.question, findings);
  if (!synthesis) return context.fail(synthesis.error(), findings);
  if (!options.plot.empty())
    if (auto done = write_output(options.plot, present::synthesis_svg(*synthesis), context.force);
        !done)
      return context.fail(done.error());
  if (!path.empty())
    if (auto done = write_plans(*synthesis, path, context.force, findings); !done)
      return context.fail(done.error(), findings);
  if (auto done = write_page(*synthesis, page, findings, context); !done)
    return context.fail(done.error(), findings);
  int code = kOk;
  if (to_stdout == 0)
    code = context.deliver(
        [&](report::Answer& answer) { present::state_synthesis(answer, *synthesis, findings); });
  if (code == kOk) page.show(context);
  return code;
}

}  // namespace

std::vector<std::string_view> synthesis_words() { return study::synthesizable_collectives(); }

Action add_collective_synthesize(CommandOptions& command, Context& context) {
  describe(command,
           "Shows which link carries which piece when, the time of the collective, and a\n"
           "lower bound of that time. Reads the fabrics that 'orrery network show' reads, and\n"
           "routes around links that are down.\n"
           "\n"
           "Examples:\n"
           "  orrery collective synthesize all-gather --fabric examples/fabrics/torus-64.yaml\n"
           "  orrery collective synthesize all-gather --fabric examples/fabrics/wafer-64.yaml "
           "--html wafer.html\n"
           "  orrery collective synthesize all-reduce --fabric fabric.yaml --size 64MiB -o "
           "all-reduce.xml\n");
  return action_with_options(command, context, synthesize);
}

}  // namespace orrery::commands
