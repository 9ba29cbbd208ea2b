// SPDX-License-Identifier: Apache-2.0
//
// orrery synthesise: a collective made for a fabric.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "command.h"
#include "orrery/present/collectives/synthesise_page.h"
#include "orrery/present/collectives/synthesise_text.h"
#include "orrery/report/html/schedule_page.h"
#include "orrery/study/collectives/algorithms/custom_algorithms.h"
#include "orrery/study/collectives/collective_synthesis.h"
#include "orrery/synthesis/formats/msccl.h"
#include "output/report_files.h"
#include "output_file.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct SynthesiseOptions {
  study::CollectiveSynthesisQuestion question;
  std::string plot;
  PageOptions page;

  static constexpr auto fields =
      std::tuple{QuestionStruct{"question", &SynthesiseOptions::question},
                 QuestionField{"plot", &SynthesiseOptions::plot, "--plot", "FILE", kNothing,
                               "links.svg", "Draw links against time into an SVG"},
                 QuestionStruct{"page", &SynthesiseOptions::page,
                                SelectedRow{"path", "Write it as one self-contained web page"},
                                SelectedRow{"page"}, SelectedRow{"open"}}};
};

/// An XML file for each group, or a folder of traces: "a.xml" and "a/plan.0.et", of several groups
/// "a-1.xml", "a-2.xml" and "a/plan-1.0.et". Nothing is left of what could not all be written.
Result<void> write_made(const study::CollectiveSynthesisAnswer& answer, const std::string& path,
                        bool force, Findings& findings) {
  const auto plans = study::collective_plans(answer);
  if (!plans) return tl::unexpected(plans.error());
  const bool xml = path == "-" || path.ends_with(".xml");
  const bool several = plans->size() > 1;
  if (several && path == "-")
    return fail(Errc::usage, "--output", "several groups are several plans",
                "a file's name that ends in .xml, or a folder's");
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
                        const Findings& findings, const Session& session) {
  const auto filled = [&](std::string_view empty) {
    return report::write_schedule_html(present::synthesis_page(answer), findings, empty);
  };
  if (auto written = page.write(filled, session); !written) return tl::unexpected(written.error());
  return {};
}

int synthesise(SynthesiseOptions& options, Session& session) {
  const std::string path = std::exchange(session.output, {});
  int to_stdout = 0;
  for (const std::string& file : {options.plot, options.page.path, path})
    to_stdout += file == "-" ? 1 : 0;
  if (to_stdout + (session.json ? 1 : 0) > 1)
    return session.fail({Errc::usage, "", "only one thing can go to stdout", ""});
  PageFile page(options.page);
  if (auto fine = page.check(session.force); !fine) return session.fail(fine.error());
  // Plans are of ranks alone.
  options.question.relays = path.empty();
  options.question.streams = path.empty();  // a plan has no rates
  Findings findings;
  const auto answer = study::synthesise(options.question, findings);
  if (!answer) return session.fail(answer.error(), findings);
  if (!options.plot.empty())
    if (auto done = write_output(options.plot, present::synthesis_svg(*answer), session.force);
        !done)
      return session.fail(done.error());
  if (!path.empty())
    if (auto done = write_made(*answer, path, session.force, findings); !done)
      return session.fail(done.error(), findings);
  if (auto done = write_page(*answer, page, findings, session); !done)
    return session.fail(done.error(), findings);
  int code = kOk;
  if (to_stdout == 0)
    code = session.deliver(present::synthesis_text(*answer, findings, session.out_style()),
                           [&] { return present::synthesis_json(*answer, findings); });
  if (code == kOk) page.show(session);
  return code;
}

}  // namespace

std::vector<std::string_view> synthesis_words() { return study::synthesisable_collectives(); }

Action add_synthesise(CLI::App& command, Session& session) {
  describe(
      command,
      "Which link carries which piece when, how long that takes, and a time that no\n"
      "schedule can beat. Reads the fabrics that 'orrery topology' reads, and routes\n"
      "around links that are down.\n"
      "\n"
      "Examples:\n"
      "  orrery synthesise all-gather --fabric examples/fabrics/torus-64.yaml\n"
      "  orrery synthesise all-gather --fabric examples/fabrics/wafer-64.yaml --html wafer.html\n"
      "  orrery synthesise all-reduce --fabric fabric.yaml --size 64MiB -o all-reduce.xml\n");
  const auto options = std::make_shared<SynthesiseOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return synthesise(*options, session); };
}

}  // namespace orrery::app
