// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/collectives/collective_plan_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using study::CollectivePlanAnswer;
using study::PlanRun;
using synthesis::Plan;
using synthesis::PlanCheck;
using synthesis::PlanError;

namespace {

/// The least and the most of a number over all ranks.
struct RankCounts {
  std::uint64_t least = ~0ull, most = 0;

  [[nodiscard]] std::string text(const std::string& what) const {
    return least == most ? fmt::format("{} {}", least, what)
                         : fmt::format("{} to {} {}", least, most, what);
  }
};
template <class Number>
RankCounts count_ranks(const Plan& plan, const Number& number) {
  RankCounts counts;
  for (const synthesis::PlanRank& rank : plan.ranks) {
    counts.least = std::min<std::uint64_t>(counts.least, number(rank));
    counts.most = std::max<std::uint64_t>(counts.most, number(rank));
  }
  return counts;
}

/// "4 chunks of input, 16 of output, in place"
std::string buffers_text(const Plan& plan) {
  std::string text;
  for (std::size_t buffer = 0; buffer < synthesis::kPlanBuffers; ++buffer) {
    const RankCounts chunks =
        count_ranks(plan, [&](const auto& rank) { return rank.chunks[buffer]; });
    if (chunks.most == 0) continue;
    const std::string of(synthesis::name(static_cast<synthesis::PlanBuffer>(buffer)));
    text += text.empty() ? chunks.text("chunks of " + of) : ", " + chunks.text("of " + of);
  }
  if (plan.chunk_split > 1)
    text += fmt::format("; each chunk of the file equals {} of these", plan.chunk_split);
  return fmt::format("{}, {}", text.empty() ? "not stated in chunks" : text,
                     !plan.in_place      ? "out of place"
                     : plan.out_of_place ? "in place or out of place"
                                         : "in place");
}

std::string sizes_text(const Plan& plan) {
  const auto bytes = [](std::int64_t count) { return format_bytes(Bytes(count)); };
  if (plan.max_bytes < 0)
    return plan.min_bytes > 0 ? bytes(plan.min_bytes) + " or more" : std::string();
  return fmt::format("{} to {}", bytes(std::max<std::int64_t>(plan.min_bytes, 0)),
                     bytes(plan.max_bytes));
}

std::string blocks_text(const Plan& plan) {
  const RankCounts blocks = count_ranks(plan, [](const auto& rank) { return rank.blocks.size(); });
  return fmt::format("{} a GPU, on {} {}{}",
                     blocks.text(blocks.most == 1 ? "thread block" : "thread blocks"),
                     plan.channels, plan.channels == 1 ? "channel" : "channels",
                     plan.protocol.empty() ? "" : ", protocol " + printable(plan.protocol));
}

void state_sent(report::Answer& answer, const CollectivePlanAnswer& plan) {
  const auto [fewest, most] = std::ranges::minmax(plan.chunks_sent);
  const std::array sent = {plan.bytes_of(fewest), plan.bytes_of(most)};
  std::string text = "as many bytes as each trace specifies";
  if (synthesis::buffer_chunks(plan.plan) != 0)
    text =
        fmt::format("{}{} for a buffer of {}", format_bytes(sent[0]),
                    fewest == most ? "" : " to " + format_bytes(sent[1]), format_bytes(plan.size));
  answer.line("each sends", text).list("min_max_sent_bytes", sent).field("bytes", plan.size);
}

std::string verdict_text(const PlanCheck& check) {
  if (!check.is_valid())
    return fmt::format("no: {} {}", check.error_count, check.error_count == 1 ? "error" : "errors");
  if (check.result_checked) return "yes: every chunk arrives complete, once, at its destination";
  return fmt::format(
      "as far as checked: messages match, no deadlock, no race, all accesses within buffers; {}",
      check.unchecked_reason);
}

/// Programs get the errors here; people get them from show_errors().
void state_plan(report::Answer& answer, const CollectivePlanAnswer& one) {
  const Plan& plan = one.plan;
  const PlanCheck& check = one.check;
  answer.label_width(12).heading(answer.style().strong(
      fmt::format("{} ({} among {} GPUs, {})", printable(plan.name),
                  printable(plan.collective_name), plan.ranks.size(), printable(plan.format))));
  answer.field("name", plan.name).field("format", plan.format);
  answer.field("collective", plan.collective_name).field("ranks", plan.ranks.size());
  answer.line("buffers", buffers_text(plan)).field("chunks", synthesis::buffer_chunks(plan));
  answer.field("in_place", plan.in_place).field("out_of_place", plan.out_of_place);
  if (const std::string sizes = sizes_text(plan); !sizes.empty()) answer.line("sizes", sizes);
  if (plan.min_bytes >= 0) answer.field("min_bytes", plan.min_bytes);
  if (plan.max_bytes >= 0) answer.field("max_bytes", plan.max_bytes);
  answer.row("blocks", "blocks", synthesis::block_count(plan), blocks_text(plan));
  answer.field("channels", plan.channels).field("longest_block", one.max_block_steps);
  const std::uint64_t steps = synthesis::step_count(plan);
  answer.row("steps", "steps", steps,
             fmt::format("{}, at most {} in a block", count(steps), count(one.max_block_steps)));
  state_sent(answer, one);
  answer.row("correct", "correct", check.is_valid(), verdict_text(check));
  answer.field("result_checked", check.result_checked).field("error_count", check.error_count);
  if (!check.unchecked_reason.empty()) answer.field("unchecked_reason", check.unchecked_reason);
  report::Columns<PlanError> columns;
  columns.field("fault", [](const auto& error) { return synthesis::name(error.fault); })
      .field("rank", [](const auto& error) { return error.at.rank; })
      .members([](report::JsonWriter& json, const auto& error) {
        if (error.has_step)
          json.field("block_index", error.at.block).field("block_step", error.at.step);
      })
      .field("what", &PlanError::what)
      .nested("history", write_list(&PlanError::history));
  answer.table("errors", check.errors, columns);
}

void show_errors(report::Answer& answer, const CollectivePlanAnswer& one) {
  constexpr std::size_t kShown = 5;
  const auto& errors = one.check.errors;
  for (std::size_t i = 0; i < std::min(kShown, errors.size()); ++i) {
    const PlanError& error = errors[i];
    const std::string at = error.has_step ? synthesis::to_text(one.plan, error.at)
                                          : fmt::format("gpu {}", error.at.rank);
    std::string text = fmt::format("{}: {}\n  {}\n", answer.style().bad(at),
                                   synthesis::name(error.fault), printable(error.what));
    if (i == 0)  // the histories of the others are mostly the same
      for (const std::string& line : error.history)
        text += fmt::format("    {}\n", printable(line));
    answer.block(text);
  }
  if (one.check.error_count > kShown)
    answer.block(fmt::format("and {} more (--json has the first {})\n",
                             count(one.check.error_count - kShown), PlanCheck::kMaxErrors));
}

/// `of`: the work that lasts that long.
void state_run(report::Answer& answer, const PlanRun& run, const std::string& of) {
  answer.object("run", [&] {
    answer.row("cluster", "cluster", run.cluster,
               fmt::format("{}, network {}", printable(run.cluster), run.network));
    answer.field("network_model", run.network).field("bytes", run.size);
    answer.row("time", "time_ns", run.time,
               fmt::format("{} {}{}", format_time(run.time), of,
                           run.own ? fmt::format("; {} with the cluster's own algorithms",
                                                 format_time(*run.own))
                                   : ""));
    answer.field("messages", run.messages).optional_field("own_time_ns", run.own);
    if (run.algorithm_bandwidth == 0) return;
    const Bandwidth algorithm(run.algorithm_bandwidth), bus(run.bus_bandwidth);
    answer.row("bandwidth", "algbw_bytes_per_s", algorithm,
               fmt::format("{}{} (as nccl-tests defines it)", format_bandwidth(algorithm),
                           bus.count() > 0 ? ", busbw " + format_bandwidth(bus) : ""));
    answer.field("busbw_bytes_per_s", bus);
  });
}

}  // namespace

void state_collective_plan(report::Answer& answer, const CollectivePlanAnswer& plan,
                           const Findings& findings) {
  state_plan(answer, plan);
  if (plan.run) state_run(answer, *plan.run, "for " + format_bytes(plan.run->size));
  answer.findings(findings);
  show_errors(answer, plan);
}

void state_collective_plans(report::Answer& answer, const study::CollectivePlansAnswer& plans,
                            const Findings& findings) {
  answer.each("per_plan", plans.plans, [](report::Answer& element, const auto& one) {
    state_plan(element, one);
    show_errors(element, one);
  });
  const bool is_valid = std::ranges::all_of(
      plans.plans, [](const CollectivePlanAnswer& one) { return one.check.is_valid(); });
  answer.heading(answer.style().strong(fmt::format("all {} at once", plans.plans.size())));
  if (plans.run)
    state_run(answer, *plans.run, "until the last one ends");
  else
    answer.line("correct", is_valid ? "yes, each" : "no");
  answer.findings(findings);
}

}  // namespace orrery::present
