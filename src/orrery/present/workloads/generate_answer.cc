// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/workloads/generate_answer.h"

#include <fmt/format.h>

#include "orrery/config/parameters.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::present {

std::string parallelism_text(const workload::Program& program) {
  const workload::Parallel& plan = program.spec.parallel;
  std::string text = plural(program.mesh.world(), "rank");
  std::string_view between = ": ";
  const auto part = [&](std::string_view name, std::int64_t size, std::string_view note = "") {
    if (size <= 1) return;
    text += fmt::format("{}{} {}{}", between, name, format_count(size), note);
    between = ", ";
  };
  part("tp", plan.tp, plan.sp ? " (sp)" : "");
  part("cp", plan.cp);
  part("ep", plan.ep);
  part("pp", plan.pp);
  part("dp", plan.dp);
  return text;
}

std::string batch_text(const workload::Spec& spec) {
  const auto schedule = config::write_value(spec.schedule.kind);
  std::string text = fmt::format("{} x {} per rank, {} in total", format_count(spec.microbatches()),
                                 format_count(spec.batch.micro), format_count(spec.global_batch()));
  if (workload::has_tokens(spec))
    text += fmt::format(", {} tokens each", format_count(spec.batch.seq));
  if (spec.parallel.pp > 1) text += fmt::format("; {}", schedule.get<std::string>());
  return text;
}

void state_generate(report::Answer& answer, const workload::Program& program,
                    const study::ChakraWriteReport& report, const std::string& prefix,
                    const Findings& findings) {
  answer.title(fmt::format("{} → {}.*.et", parallelism_text(program), prefix));
  answer.field("prefix", prefix).field("ranks", report.ranks);
  answer.line("model", program.spec.model.name).line("batch", batch_text(program.spec));
  answer.row("nodes", "nodes", report.nodes,
             fmt::format("{} in {} distinct programs", count(report.nodes), program.roles.size()));
  answer.field("role_count", program.roles.size());
  answer.row("written", "bytes", report.bytes,
             fmt::format("{}, {} process groups in {}.json",
                         format_bytes(Bytes(static_cast<std::int64_t>(report.bytes))),
                         count(report.groups), prefix));
  answer.field("groups", report.groups).findings(findings);
  answer.block(fmt::format(
      "Next: orrery run {0} --cluster cluster.yaml\n      orrery trace info {0}\n", prefix));
}

}  // namespace orrery::present
