// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/workloads/learned_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/present/workloads/generate_answer.h"

namespace orrery::present {

namespace {

std::string size_text(std::uint64_t bytes) {
  return format_bytes(Bytes(static_cast<std::int64_t>(bytes)));
}

}  // namespace

void state_learned(report::Answer& answer, const generative::LearnedTraces& learned,
                   const std::string& file, std::uint64_t bytes, const Findings& findings) {
  answer.title(fmt::format("{} → {}", plural(learned.jobs, "job"), file));
  answer.field("file", file);
  answer.row("learned", "corpus_jobs", learned.jobs,
             fmt::format("{} passes, {} of them distinct", count(learned.passes),
                         count(learned.distinct)));
  answer.field("corpus_passes", learned.passes);
  answer.row("formulas", "literal_numbers", learned.explained.literals,
             fmt::format("{} of {} numbers have none, and are stored unchanged",
                         count(learned.explained.literals), count(learned.explained.numbers)));
  answer.row("loss", "training_loss", learned.training_loss,
             learned.jobs < 10
                 ? fmt::format("{:.4f} nats per token", learned.training_loss)
                 : fmt::format("{:.4f} nats per token; {:.4f} for every tenth job, unseen",
                               learned.training_loss, learned.validation_loss));
  if (learned.jobs >= 10) answer.field("unseen_loss", learned.validation_loss);
  answer.row("written", "bytes", bytes, size_text(bytes));
  answer.findings(findings);
  answer.block(
      fmt::format("Next: orrery trace synthesize job.yaml --learned {} -o synthetic/w\n", file));
}

void state_synthesized(report::Answer& answer, const generative::Synthesized& made,
                       const study::ChakraWriteReport& report, const std::string& prefix,
                       std::uint64_t seed, const Findings& findings) {
  answer.title(fmt::format("{} → {}.*.et", parallelism_text(made.program), prefix));
  answer.field("prefix", prefix).field("ranks", report.ranks).field("seed", seed);
  answer.line("batch", batch_text(made.program.spec));
  answer.row("nodes", "nodes", report.nodes);
  answer.row("stages", "stages", made.stages,
             fmt::format("{} of {} consistent at the first sample", made.first_try, made.stages));
  answer.field("first_try_stages", made.first_try);
  answer.line("errors",
              fmt::format("nodes {:.2f} %, FLOPs {:.2f} %, bytes {:.2f} %, communication {:.2f} % "
                          "(largest of a stage, relative to 'orrery job count')",
                          100 * made.errors.nodes, 100 * made.errors.flops, 100 * made.errors.bytes,
                          100 * made.errors.traffic));
  answer.field("node_count_error", made.errors.nodes)
      .field("flop_error", made.errors.flops)
      .field("memory_traffic_error", made.errors.bytes)
      .field("communication_error", made.errors.traffic);
  for (const std::string& one : made.outside) answer.line("not learned", one);
  answer.list("outside_corpus", made.outside);
  answer.row("written", "bytes", report.bytes,
             fmt::format("{}, {} process groups in {}.json", size_text(report.bytes),
                         count(report.groups), prefix));
  answer.field("groups", report.groups).findings(findings);
  answer.block(fmt::format("Next: orrery run {} --cluster cluster.yaml\n", prefix));
}

}  // namespace orrery::present
