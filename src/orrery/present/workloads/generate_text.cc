// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/workloads/generate_text.h"

#include <fmt/format.h>

#include "orrery/config/parameters.h"
#include "orrery/core/text/units.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

std::string parallelism_text(const workload::Program& program) {
  const workload::Parallel& plan = program.spec.parallel;
  std::string text =
      fmt::format("{} rank{}", format_count(static_cast<std::int64_t>(program.mesh.world())),
                  program.mesh.world() == 1 ? "" : "s");
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
  const bool tokens = spec.model.kind == workload::ModelKind::decoder ||
                      spec.model.kind == workload::ModelKind::encoder ||
                      spec.model.kind == workload::ModelKind::encoder_decoder;
  std::string text = fmt::format("{} x {} per rank, {} in all", format_count(spec.microbatches()),
                                 format_count(spec.batch.micro), format_count(spec.global_batch()));
  if (tokens) text += fmt::format(", {} tokens each", format_count(spec.batch.seq));
  if (spec.parallel.pp > 1) text += fmt::format("; {}", schedule.get<std::string>());
  return text;
}

std::string generate_text(const workload::Program& program, const study::ChakraWriteReport& report,
                          const std::string& prefix, const Findings& findings,
                          report::Style style) {
  std::string text = fmt::format(
      "{}\n", style.strong(fmt::format("{} → {}.*.et", parallelism_text(program), prefix)));
  report::Sheet sheet(style);
  sheet.add("model", program.spec.model.name);
  sheet.add("batch", batch_text(program.spec));
  sheet.add("nodes", fmt::format("{} in {} distinct programs",
                                 format_count(static_cast<std::int64_t>(report.nodes)),
                                 program.roles.size()));
  sheet.add("written", fmt::format("{}, {} process groups in {}.json",
                                   format_bytes(Bytes(static_cast<std::int64_t>(report.bytes))),
                                   format_count(static_cast<std::int64_t>(report.groups)), prefix));
  report::add_findings(sheet, findings, style);
  return text + sheet.text() +
         fmt::format("\nNext: orrery run {0} --cluster cluster.yaml\n      orrery inspect {0}\n",
                     prefix);
}

std::string generate_json(const workload::Program& program, const study::ChakraWriteReport& report,
                          const std::string& prefix, const Findings& findings) {
  return report::envelope("generate", findings, [&](report::JsonWriter& json) {
    json.begin_object().field("prefix", prefix).field("ranks", report.ranks);
    json.field("role_count", program.roles.size()).field("nodes", report.nodes);
    json.field("bytes", report.bytes).field("groups", report.groups).end_object();
  });
}

}  // namespace orrery::present
