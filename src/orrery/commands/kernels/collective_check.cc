// SPDX-License-Identifier: Apache-2.0
//
// orrery collective check: checks a plan of a collective, and simulates it.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/rank_list.h"
#include "orrery/commands/output_file.h"
#include "orrery/present/collectives/collective_plan_answer.h"
#include "orrery/study/collectives/algorithms/custom_algorithms.h"
#include "orrery/study/collectives/collective_plan.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/synthesis/formats/msccl.h"

namespace orrery::commands {

namespace {

struct PlanOptions {
  std::vector<std::string> files;
  study::CollectivePlanQuestion question;  ///< of each
  std::vector<std::string> ranks;

  static constexpr auto fields = std::tuple{
      QuestionField{"files", &PlanOptions::files, "FILE", "", kAnswer, "plan.xml",
                    "A plan: MSCCL XML, MSCCL++ JSON, or the prefix of Chakra traces; several run "
                    "concurrently"}
          .required(),
      QuestionStruct{"question", &PlanOptions::question},
      QuestionField{
          "ranks", &PlanOptions::ranks, "--ranks", "LIST", kAnswer, "4-7",
          "Ranks of the cluster that run the plan: 0-7,16; by default the first; once per FILE"}};
};

/// An XML file, or a folder of traces.
Result<void> write_plan(const synthesis::Plan& plan, const std::string& path, bool force,
                        Findings& findings) {
  if (path != "-" && !path.ends_with(".xml"))
    return study::write_plan_traces(plan, path + "/plan", force, findings);
  const auto text = synthesis::write_msccl(plan);
  if (!text) return tl::unexpected(text.error());
  return write_output(path, *text, force);
}

/// One question per file.
Result<std::vector<study::CollectivePlanQuestion>> plan_questions(const PlanOptions& options) {
  if (!options.ranks.empty() && options.ranks.size() != options.files.size())
    return fail(Errc::usage, "--ranks", "must be given once per plan, or not at all",
                "the ranks of the first plan, then those of the second, …");
  if (!options.ranks.empty() && options.question.cluster.empty())
    return fail(Errc::usage, "--ranks", "needs a cluster", "--cluster FILE");
  std::vector<study::CollectivePlanQuestion> questions;
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    study::CollectivePlanQuestion& one = questions.emplace_back(options.question);
    one.file = options.files[i];
    if (options.ranks.empty()) continue;
    auto ranks = listed_ranks(options.ranks[i]);
    if (!ranks) return tl::unexpected(ranks.error());
    one.ranks = *std::move(ranks);
  }
  return questions;
}

int several_plans(const std::vector<study::CollectivePlanQuestion>& questions, Context& context) {
  if (!context.output.empty())
    return context.fail({Errc::usage, "--output", "writes one plan only", ""});
  Findings findings;
  const auto plans = study::check_collective_plans(questions, findings);
  if (!plans) return context.fail(plans.error(), findings);
  const bool is_valid = std::all_of(plans->plans.begin(), plans->plans.end(),
                                    [](const auto& one) { return one.check.is_valid(); });
  return context.deliver(
      [&](report::Answer& answer) { present::state_collective_plans(answer, *plans, findings); },
      is_valid ? kOk : kSaysNo);
}

int plan(PlanOptions& options, Context& context) {
  const auto questions = plan_questions(options);
  if (!questions) return context.fail(questions.error());
  if (questions->size() > 1) return several_plans(*questions, context);
  Findings findings;
  const auto checked = study::check_collective_plan(questions->front(), findings);
  if (!checked) return context.fail(checked.error(), findings);
  const int code = checked->check.is_valid() ? kOk : kSaysNo;
  const std::string path = std::exchange(context.output, {});
  if (!path.empty()) {
    if (auto done = write_plan(checked->plan, path, context.force, findings); !done)
      return context.fail(done.error(), findings);
    if (path == "-") return code;
  }
  return context.deliver(
      [&](report::Answer& answer) { present::state_collective_plan(answer, *checked, findings); },
      code);
}

}  // namespace

Action add_collective_check(CommandOptions& command, Context& context) {
  describe(command,
           "Follows every chunk through every step; with --cluster it also simulates the\n"
           "collective.\n"
           "Exit code: 0 correct, 1 incorrect, 3 not a plan, 5 a limit was exceeded.\n"
           "\n"
           "Examples:\n"
           "  orrery collective check ring.xml\n"
           "  orrery collective check ring.xml --cluster h100-sxm:8 --size 1GB\n"
           "  orrery collective check a.xml b.xml --ranks 0-3 --ranks 4-7 --cluster h100-sxm:8\n");
  return action_with_options(command, context, plan);
}

}  // namespace orrery::commands
