// SPDX-License-Identifier: Apache-2.0
//
// orrery collective: one collective in every way, beside its lower bound.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "command.h"
#include "options/rank_list.h"
#include "orrery/present/collectives/collective_text.h"
#include "orrery/study/collectives/collective_comparison.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct CollectiveOptions {
  study::CollectiveComparisonQuestion question;
  std::string ranks;

  static constexpr auto fields =
      std::tuple{QuestionStruct{"question", &CollectiveOptions::question},
                 QuestionField{"ranks", &CollectiveOptions::ranks, "--ranks", "RANKS", kAnswer,
                               "0-3", "Who takes part: 0-7,16 (all)"}};
};

int collective(CollectiveOptions& options, Session& session) {
  if (!options.ranks.empty()) {
    auto ranks = listed_ranks(options.ranks);
    if (!ranks) return session.fail(ranks.error());
    options.question.ranks = *std::move(ranks);
  }
  Findings findings;
  const auto answer = study::compare_collective(options.question, findings);
  if (!answer) return session.fail(answer.error(), findings);
  return session.deliver(present::collective_text(*answer, findings, session.out_style()),
                         [&] { return present::collective_json(*answer, findings); });
}

}  // namespace

std::vector<std::string_view> collective_words() { return study::comparable_collectives(); }

Action add_collective(CLI::App& command, Session& session) {
  describe(
      command,
      "Compares the cluster's own algorithm, algorithms dimension by dimension and over\n"
      "all ranks, reduction in switches, and plans (trees, PAT, Bruck, hosts first).\n"
      "Shows which cut of the network sets the bound, and why the first is first.\n"
      "\n"
      "Examples:\n"
      "  orrery collective all-reduce --cluster h100-sxm:64 --size 1GB\n"
      "  orrery collective all-to-all --cluster fabric.yaml --ranks 0-7 --size 64MB --json\n"
      "  orrery collective dispatch --cluster fabric.yaml --experts 256 --top-k 8 --size 64MB\n");
  const auto options = std::make_shared<CollectiveOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return collective(*options, session); };
}

}  // namespace orrery::app
