// SPDX-License-Identifier: Apache-2.0
//
// orrery collective: one collective in every way, beside its lower bound.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "commands.h"
#include "orrery/core/network_choices.h"
#include "orrery/core/units.h"
#include "orrery/present/collective_ways_text.h"
#include "orrery/study/collective_ways.h"
#include "rank_list.h"

namespace orrery::app {

namespace {

struct CollectiveOptions {
  study::WaysQuestion question;
  std::string size, ranks;
};

int collective(CollectiveOptions& options, Session& session) {
  if (!options.size.empty()) {
    const auto size = parse_bytes(options.size, "--size");
    if (!size) return session.fail(size.error());
    options.question.size = *size;
  }
  if (!options.ranks.empty()) {
    auto ranks = listed_ranks(options.ranks);
    if (!ranks) return session.fail(ranks.error());
    options.question.ranks = *std::move(ranks);
  }
  Findings findings;
  const auto answer = study::compare_ways(options.question, findings);
  if (!answer) return session.fail(answer.error(), findings);
  return session.deliver(present::collective_ways_text(*answer, findings, session.out_style()),
                         [&] { return present::collective_ways_json(*answer, findings); });
}

}  // namespace

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
  command
      .add_option("COLLECTIVE", options->question.collective,
                  "all-reduce, all-gather, reduce-scatter, all-to-all, or, of tokens to experts "
                  "and back, dispatch or combine")
      ->type_name("")
      ->required();
  command.add_option("--cluster", options->question.cluster, "A file, or a name of the catalogue")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--size", options->size,
                  "Of the whole buffer: what a rank puts in or gets, whichever is more (1GB)")
      ->type_name("SIZE");
  command.add_option("--ranks", options->ranks, "Who takes part: 0-7,16 (all)")->type_name("RANKS");
  command
      .add_option("--experts", options->question.experts,
                  "Of dispatch and combine: how many all ranks have together")
      ->type_name("N");
  command
      .add_option("--top-k", options->question.top_k,
                  "Of dispatch and combine: to how many experts a token goes")
      ->type_name("N");
  command
      .add_option("--dtype", options->question.dtype,
                  "Of its numbers, which switches may be unable to add: fp32, bf16 … (any)")
      ->type_name("FORMAT");
  command.add_option("--network", options->question.network, network_choices())->type_name("MODEL");
  command
      .add_option("--chunk-order", options->question.chunk_order,
                  "In which order pieces visit the dimensions, instead of as the cluster's file "
                  "says; best: the quickest that is found, in as many pieces as are the quickest")
      ->type_name("ORDER");
  session.add_options(command);
  return [options, &session] { return collective(*options, session); };
}

}  // namespace orrery::app
