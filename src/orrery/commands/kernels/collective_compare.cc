// SPDX-License-Identifier: Apache-2.0
//
// orrery collective compare: compares the algorithms for a collective with its lower bound.
#include <string>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/rank_list.h"
#include "orrery/commands/progress.h"
#include "orrery/present/collectives/collective_answer.h"
#include "orrery/study/collectives/collective_comparison.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

namespace {

struct CollectiveOptions {
  study::CollectiveComparisonQuestion question;
  std::string ranks;

  static constexpr auto fields =
      std::tuple{QuestionStruct{"question", &CollectiveOptions::question},
                 QuestionField{"ranks", &CollectiveOptions::ranks, "--ranks", "RANKS", kAnswer,
                               "0-3", "Ranks that take part: 0-7,16; by default all"}};
};

int collective(CollectiveOptions& options, Context& context) {
  if (!options.ranks.empty()) {
    auto ranks = listed_ranks(options.ranks);
    if (!ranks) return context.fail(ranks.error());
    options.question.ranks = *std::move(ranks);
  }
  Findings findings;
  ShownWatch watch(context);
  const auto comparison = study::compare_collective(options.question, watch, findings);
  if (!comparison) return context.fail(comparison.error(), findings);
  return context.deliver(
      [&](report::Answer& answer) { present::state_collective(answer, *comparison, findings); });
}

}  // namespace

std::vector<std::string_view> collective_words() { return study::comparable_collectives(); }

Action add_collective_compare(CommandOptions& command, Context& context) {
  describe(command,
           "Compares the cluster's own algorithm, algorithms dimension by dimension and over\n"
           "all ranks, reduction in switches, and plans (trees, PAT, Bruck, hosts first).\n"
           "Shows which cut of the network sets the bound, and why the fastest is fastest.\n"
           "\n"
           "Examples:\n"
           "  orrery collective compare all-reduce --cluster h100-sxm:64 --size 1GB\n"
           "  orrery collective compare all-to-all --cluster fabric.yaml --ranks 0-7 --size 64MB "
           "--json\n"
           "  orrery collective compare dispatch --cluster fabric.yaml --experts 256 --top-k 8 "
           "--size 64MB\n");
  return action_with_options(command, context, collective);
}

}  // namespace orrery::commands
