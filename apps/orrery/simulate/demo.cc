// SPDX-License-Identifier: Apache-2.0
//
// orrery demo: one training step on two clusters, side by side, in words and as a web page.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "command.h"
#include "orrery/core/models/network_help.h"
#include "orrery/core/text/text.h"
#include "orrery/present/simulate/demo_text.h"
#include "orrery/present/traces/inspect_recorded_text.h"
#include "orrery/report/html/run_page.h"
#include "orrery/report/json/envelope.h"
#include "progress.h"
#include "question_options.h"
#include "resources/data_folder.h"
#include "simulate/demo_page.h"
#include "simulate/demo_recorded.h"

namespace orrery::app {

namespace {

struct DemoOptions {
  std::string data, network;
  PageOptions page;

  static constexpr auto fields = std::tuple{
      QuestionField{"data", &DemoOptions::data, "--data", "FOLDER", kAnswer, "data",
                    "The program's data folder, if it is not found"},
      study::network_field(&DemoOptions::network),
      QuestionStruct{"page", &DemoOptions::page, SelectedRow{"page"}, SelectedRow{"open"}}};
};

/// A step on one of the clusters; the run where there is to be a page.
struct Step {
  study::Outcome outcome;
  std::optional<result::Run> run;
};

Result<Step> run_on(const std::string& folder, const std::string& cluster, const DemoOptions& demo,
                    Session& session) {
  study::Question question;
  question.workload = folder + "/demo/llama";
  question.cluster = folder + "/demo/" + cluster;
  question.network = demo.network;
  question.record = demo.page.wanted();
  Findings findings;
  ShownWatch watch(session);
  auto outcome = study::answer(question, watch, findings);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->result.stall)
    return fail(Errc::stall, cluster, "the demo does not finish", "please report this");
  outcome->workload_name = "llama";
  outcome->cluster_name = outcome->platform().name;
  Step step{*std::move(outcome), {}};
  if (question.record) step.run = study::make_run(step.outcome);
  return step;
}

/// What to type next. `shown`: the folder of the demo's files.
std::string next_commands(const std::string& shown, const std::string& program) {
  std::string text = fmt::format(
      "The whole summary of one of them, and a file to look into it with:\n"
      "  {0} run {1} --cluster {2} -o step.orrery\n"
      "  {0} critical-path step.orrery\n",
      program, shell_word(shown + "/llama"), shell_word(shown + "/two-nodes.yaml"));
  if (!report::built_in_page().empty())
    text += fmt::format("  {} report step.orrery --open\n", program);
  return text;
}

std::string demo_json(const Step& one, const Step& two, const present::RecordedDemo& recorded) {
  std::string out;
  report::JsonWriter json(out);
  Findings findings = one.outcome.findings;
  findings.merge(two.outcome.findings);
  findings.merge(recorded.outcome.findings);
  report::begin_envelope(json, "demo");
  json.begin_object().key("runs").begin_array();
  for (const study::Outcome* outcome : {&one.outcome, &two.outcome, &recorded.outcome})
    study::write_result(json, *outcome);
  json.end_array().end_object();
  report::end_envelope(json, findings);
  return out + '\n';
}

int demo(DemoOptions& options, Session& session) {
  const auto folder = data_folder(options.data);
  if (!folder) return session.fail(folder.error());
  auto page = DemoPage::choose(options.page, session);
  if (!page) return session.fail(page.error());
  const auto one = run_on(*folder, "one-node.yaml", options, session);
  if (!one) return session.fail(one.error());
  const auto two = run_on(*folder, "two-nodes.yaml", options, session);
  if (!two) return session.fail(two.error());
  const auto recorded = run_recorded_demo(*folder, session);
  if (!recorded) return session.fail(recorded.error());
  std::string picture = no_page_text(*folder);
  if (one->run && two->run) {
    auto written = page->write({&*one->run, &*two->run}, session);
    if (!written) return session.fail(written.error());
    picture = *std::move(written);
  }

  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(*folder, ignored);
  const std::string shown = near_path(real / "demo");
  const std::string program = shell_word(session.program);
  const std::string text = fmt::format(
      "A training step of a Llama-like model, 8 layers, on 8 ranks (data parallel 2,\n"
      "tensor parallel 2, pipeline parallel 2): the same trace on two modelled clusters.\n\n"
      "{}\n{}\n{}{}{}",
      present::demo_text(one->outcome, two->outcome, session.out_style()),
      next_commands(shown, program),
      present::recorded_demo_text(*recorded, shown + "/ddp_transformer", program),
      picture.empty() ? "" : "\n", picture);
  const int code = session.deliver(text, [&] { return demo_json(*one, *two, *recorded); });
  page->show(session);
  return code;
}

}  // namespace

Action add_demo(CLI::App& command, Session& session) {
  describe(command,
           "Shows what differs and why; then simulates two steps that were recorded with\n"
           "PyTorch. Its data comes with the program. Both runs of the step are on a web page,\n"
           "orrery-demo.html in this folder.\n"
           "\n"
           "Examples:\n"
           "  orrery demo\n"
           "  orrery demo --open\n"
           "  orrery demo --network message\n");
  const auto options = std::make_shared<DemoOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return demo(*options, session); };
}

}  // namespace orrery::app
