// SPDX-License-Identifier: Apache-2.0
//
// orrery plan: a collective's own plan looked at.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "options/rank_list.h"
#include "orrery/present/collectives/collective_plan_text.h"
#include "orrery/study/collectives/algorithms/custom_algorithms.h"
#include "orrery/study/collectives/collective_plan.h"
#include "orrery/synthesis/formats/msccl.h"
#include "output_file.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct PlanOptions {
  std::vector<std::string> files;
  study::CollectivePlanQuestion question;  ///< of each
  std::vector<std::string> ranks;

  static constexpr auto fields = std::tuple{
      QuestionField{"files", &PlanOptions::files, "FILE", "", kAnswer, "plan.xml",
                    "A plan: MSCCL's XML, MSCCL++'s JSON, or the prefix of Chakra traces; several "
                    "run at once"}
          .required(),
      QuestionStruct{"question", &PlanOptions::question},
      QuestionField{"ranks", &PlanOptions::ranks, "--ranks", "LIST", kAnswer, "4-7",
                    "Which of the cluster's ranks are its GPUs: 0-7,16 (the first); once for each "
                    "FILE"}};
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

/// A question for each file.
Result<std::vector<study::CollectivePlanQuestion>> plan_questions(const PlanOptions& options) {
  if (!options.ranks.empty() && options.ranks.size() != options.files.size())
    return fail(Errc::usage, "--ranks", "has to be given once for each plan, or not at all",
                "the GPUs of the first plan, then those of the second, …");
  if (!options.ranks.empty() && options.question.cluster.empty())
    return fail(Errc::usage, "--ranks", "are those of a cluster", "name it with --cluster");
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

int several_plans(const std::vector<study::CollectivePlanQuestion>& questions, Session& session) {
  if (!session.output.empty())
    return session.fail({Errc::usage, "--output", "one plan at a time is written", ""});
  Findings findings;
  const auto answer = study::check_collective_plans(questions, findings);
  if (!answer) return session.fail(answer.error(), findings);
  const bool is_valid = std::all_of(answer->plans.begin(), answer->plans.end(),
                                    [](const auto& one) { return one.check.is_valid(); });
  return session.deliver(
      present::collective_plans_text(*answer, findings, session.out_style()),
      [&] { return present::collective_plans_json(*answer, findings); }, is_valid ? kOk : kSaysNo);
}

int plan(PlanOptions& options, Session& session) {
  const auto questions = plan_questions(options);
  if (!questions) return session.fail(questions.error());
  if (questions->size() > 1) return several_plans(*questions, session);
  Findings findings;
  const auto answer = study::check_collective_plan(questions->front(), findings);
  if (!answer) return session.fail(answer.error(), findings);
  const std::string path = std::exchange(session.output, {});
  if (!path.empty()) {
    if (auto done = write_plan(answer->plan, path, session.force, findings); !done)
      return session.fail(done.error(), findings);
    if (path == "-") return answer->check.is_valid() ? kOk : kSaysNo;
  }
  return session.deliver(
      present::collective_plan_text(*answer, findings, session.out_style()),
      [&] { return present::collective_plan_json(*answer, findings); },
      answer->check.is_valid() ? kOk : kSaysNo);
}

}  // namespace

Action add_plan(CLI::App& command, Session& session) {
  describe(command,
           "Follows every chunk through every step, and with a cluster simulates the\n"
           "collective there.\n"
           "Exit code: 0 right, 1 wrong, 3 no plan, 5 a limit was hit.\n"
           "\n"
           "Examples:\n"
           "  orrery plan ring.xml\n"
           "  orrery plan ring.xml --cluster h100-sxm:8 --size 1GB\n"
           "  orrery plan a.xml b.xml --ranks 0-3 --ranks 4-7 --cluster h100-sxm:8\n");
  const auto options = std::make_shared<PlanOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return plan(*options, session); };
}

}  // namespace orrery::app
