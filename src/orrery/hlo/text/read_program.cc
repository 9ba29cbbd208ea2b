// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/text/read_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/limits.h"
#include "orrery/hlo/text/cursor.h"

namespace orrery::hlo {

namespace {

/// Counts the devices of a program that does not state them, from the ids in its groups.
void count_devices(Program& program) {
  std::int64_t replicas = 0, partitions = 0;
  for (const Computation& computation : program.computations) {
    for (const Instruction& op : computation.operations) {
      if (!op.groups) continue;
      std::int64_t& most = op.groups->ids == GroupIds::partitions ? partitions : replicas;
      for (const auto& group : op.groups->groups)
        for (const std::int64_t id : group) most = std::max(most, id);
      for (const auto& [from, to] : op.groups->pairs) most = std::max({most, from, to});
    }
  }
  program.replicas = std::min(replicas, std::int64_t{limits::kRanks}) + 1;
  program.partitions = std::min(partitions, std::int64_t{limits::kRanks}) + 1;
}

Result<Program> settled(Result<Program> program, const std::string& where) {
  if (!program) return program;
  if (!program->states_devices) count_devices(*program);
  if (program->devices() > static_cast<std::int64_t>(limits::kRanks))
    return fail(Errc::limit_exceeded, where,
                fmt::format("is for {} × {} devices, but the limit is {}", program->replicas,
                            program->partitions, limits::kRanks));
  return program;
}

}  // namespace

TextForm text_form(std::string_view head) {
  Cursor cursor(head.substr(0, std::size_t{64} << 10));
  // Aliases of attributes and types may come first.
  while (cursor.peek() == '#' || cursor.peek() == '!') cursor.skip_line();
  const std::string_view word = cursor.peek() == '"' ? cursor.quoted() : cursor.word();
  if (word == "HloModule") return TextForm::hlo;
  const bool begins = word == "module" || word == "builtin.module" || word == "func.func" ||
                      word == "func" || word == "sdy.mesh";
  if (!begins) return TextForm::none;
  const bool named = head.find("stablehlo.") != head.npos || head.find("mhlo.") != head.npos ||
                     head.find("func.func") != head.npos || head.find("func @") != head.npos;
  return named ? TextForm::stablehlo : TextForm::none;
}

Result<Program> read_program(std::string_view text, const std::string& where, Findings& findings) {
  switch (text_form(text)) {
    case TextForm::stablehlo:
      return settled(read_stablehlo(text, where, findings), where);
    case TextForm::hlo:
      return settled(read_hlo_text(text, where, findings), where);
    case TextForm::none:
      break;
  }
  return fail(Errc::input_unsupported, where, "is not the text of a StableHLO or HLO program",
              "write the program with jax.jit(f).lower(…).as_text(), or compiled.as_text()");
}

}  // namespace orrery::hlo
