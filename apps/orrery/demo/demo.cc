// SPDX-License-Identifier: Apache-2.0
//
// orrery demo: compares one training step on two clusters, as text and as a web page.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "demo/demo_page.h"
#include "demo/demo_recorded.h"
#include "orrery/commands/progress.h"
#include "orrery/core/models/network_help.h"
#include "orrery/core/text/text.h"
#include "orrery/present/simulate/demo_answer.h"
#include "orrery/report/html/run_page.h"
#include "orrery/study/questions/outcome/outcome_answer.h"
#include "orrery/study/questions/run_options.h"
#include "program_commands.h"
#include "resources/data_folder.h"
#include "session.h"

namespace orrery::app {

namespace {

struct DemoOptions {
  std::string data, network;
  PageOptions page;

  static constexpr auto fields = std::tuple{
      QuestionField{"data", &DemoOptions::data, "--data", "FOLDER", kAnswer, "data",
                    "Data folder of the program, if it is not found automatically"},
      study::network_field(&DemoOptions::network),
      QuestionStruct{"page", &DemoOptions::page, SelectedRow{"page"}, SelectedRow{"open"}}};
};

/// A step on one of the clusters, with its run if a page is requested.
struct Step {
  study::Outcome outcome;
  std::optional<result::Run> run;
};

Result<Step> run_on(const std::string& folder, const std::string& cluster, const DemoOptions& demo,
                    Context& context) {
  study::Question question;
  question.workload = folder + "/demo/llama";
  question.cluster = folder + "/demo/" + cluster;
  question.network = demo.network;
  question.record = demo.page.wanted();
  Findings findings;
  ShownWatch watch(context);
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

/// The next commands to try. `shown`: the folder of the demo's files.
std::string next_commands(const std::string& shown, const std::string& program) {
  std::string text = fmt::format(
      "To print the full summary of one of them, and store its run in a file:\n"
      "  {0} run {1} --cluster {2} -o step.orrery\n"
      "  {0} critical-path step.orrery\n",
      program, shell_word(shown + "/llama"), shell_word(shown + "/two-nodes.yaml"));
  if (!report::built_in_page().empty())
    text += fmt::format("  {} report step.orrery --open\n", program);
  return text;
}

/// Programs get the results of all three runs.
void state_runs(report::Answer& answer, const study::Outcome& one, const study::Outcome& two,
                const study::Outcome& recorded) {
  Findings findings = one.findings;
  findings.merge(two.findings);
  if (answer.is_json()) {
    const auto outcomes = {&one, &two, &recorded};
    answer.each("runs", outcomes, [](report::Answer& run, const study::Outcome* outcome) {
      study::state_run(run, *outcome);
    });
    findings.merge(recorded.findings);
  }
  answer.findings(findings);
}

int demo(DemoOptions& options, Context& context) {
  const auto folder = data_folder(options.data);
  if (!folder) return context.fail(folder.error());
  auto page = DemoPage::choose(options.page, context);
  if (!page) return context.fail(page.error());
  const auto one = run_on(*folder, "one-node.yaml", options, context);
  if (!one) return context.fail(one.error());
  const auto two = run_on(*folder, "two-nodes.yaml", options, context);
  if (!two) return context.fail(two.error());
  const auto recorded = run_recorded_demo(*folder, context);
  if (!recorded) return context.fail(recorded.error());
  std::string picture = no_page_text(*folder);
  if (one->run && two->run) {
    auto written = page->write({&*one->run, &*two->run}, context);
    if (!written) return context.fail(written.error());
    picture = *std::move(written);
  }

  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(*folder, ignored);
  const std::string shown = near_path(real / "demo");
  const std::string program = shell_word(context.program);
  const int code = context.deliver([&](report::Answer& answer) {
    present::state_demo(answer, one->outcome, two->outcome);
    state_runs(answer, one->outcome, two->outcome, recorded->outcome);
    answer.block(next_commands(shown, program));
    present::state_recorded_demo(answer, *recorded, shown + "/ddp_transformer", program);
    answer.block(picture);
  });
  page->show(context);
  return code;
}

}  // namespace

Action add_demo(CommandOptions& command, Context& context) {
  describe(command,
           "Shows the differences and their causes; then simulates two steps that were\n"
           "recorded with PyTorch. The data comes with the program. A web page shows both\n"
           "runs of the step: orrery-demo.html in this folder.\n"
           "\n"
           "Examples:\n"
           "  orrery demo\n"
           "  orrery demo --open\n"
           "  orrery demo --network message\n");
  return action_with_options(command, context, demo);
}

}  // namespace orrery::app
