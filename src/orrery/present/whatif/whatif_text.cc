// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/whatif/whatif_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/rank_list.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/core/time_provenance.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/nested_bars.h"
#include "orrery/report/json/digest_json.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using report::JsonWriter;
using study::ChangeTrial;
using study::WhatIf;

namespace {

constexpr std::size_t kNameWidth = 44;  // kernels of templates have names of hundreds of letters

std::string shortened(const std::string& name) {
  const std::string shown = printable(name);
  return shown.size() <= kNameWidth ? shown : shown.substr(0, kNameWidth - 1) + "…";
}

/// What was won by something that now takes `with`.
std::string won(Time base, Time with) {
  return fmt::format("{} ({})", signed_time(with - base), relative_change(base, with));
}

/// "186,413 tokens/s (+12.3 %)"; empty where a step is for none.
std::string rate_text(const study::StepEstimate& base, const study::StepEstimate& changed) {
  const bool tokens = base.work.tokens > 0;
  const auto rate = [&](const study::StepEstimate& told) {
    const auto done = static_cast<double>(tokens ? told.work.tokens : told.work.samples);
    return told.whole > Time{} ? done / (static_cast<double>(told.whole.count()) * 1e-12) : 0.0;
  };
  const double was = rate(base), now = rate(changed);
  if (was <= 0 || now <= 0) return "";
  return fmt::format("{} {}/s ({:+.2f} %)", count(static_cast<std::uint64_t>(now)),
                     tokens ? "tokens" : "samples", 100 * (now / was - 1));
}

std::string memory_text(const study::StepEstimate& told) {
  return fmt::format("{}{}", format_bytes(told.memory), told.fits ? "" : ", does not fit");
}

/// "2.204 s (1.986 … 2.69)"
std::string step_text(Time step, const std::optional<analysis::StepInterval>& band) {
  const std::string text = format_time(step);
  return band ? text + " " + analysis::interval_text(step, band->lower, band->upper) : text;
}

/// What the answer stands on, and what of it nobody can quite do.
std::string standing_text(const WhatIf& told) {
  std::string text = provenance_text(told.changed ? told.changed->time_by_provenance
                                                  : told.base.time_by_provenance);
  for (const study::Change& change : told.changes)
    if (change.basis == study::Basis::bound)
      text += fmt::format("; {} is a bound", printable(change.text));
  return text;
}

/// Layers or microbatches of a recording are others.
bool repeats(const WhatIf& told) {
  return told.found && std::any_of(told.changes.begin(), told.changes.end(),
                                   [](const auto& change) { return is_structural(change); });
}

/// Of a recording that is played again.
std::string basis_words(const WhatIf& told) {
  return fmt::format("recorded times, {}; waits for other ranks are simulated",
                     repeats(told) ? "repeated as often as asked" : "scaled as asked");
}

/// Why a change has none: "none", or "not known", and the reason.
std::string no_band_words(const WhatIf& told) {
  if (repeats(told))
    return "not known: what is repeated need not take in another size what it took";
  if (told.replayed) return "none: no model has a part in it, and factors are what was asked";
  return "not known: no model that says how far off it is told what differs";
}

/// "gemm 1.12, attention 0.93 times as long as models say, as recorded"
std::string operations_words(const WhatIf& told) {
  std::vector<std::string> texts;
  for (const study::OperationTime& one : told.operations)
    texts.push_back(fmt::format("{} {:.2f}", graph::name(one.operation), one.factor()));
  return fmt::format("{} times as long as models say, as recorded", fmt::join(texts, ", "));
}

void add_changed(const WhatIf& told, report::Sheet& sheet) {
  std::vector<std::string> texts;
  for (const study::Change& change : told.changes) texts.push_back(printable(change.text));
  sheet.add("changed", fmt::format("{}", fmt::join(texts, ", ")));
  sheet.add("then", fmt::format("{}, {}", step_text(told.changed->whole, told.changed->band()),
                                won(told.base.whole, told.changed->whole)));
  sheet.add("band", told.band ? difference_interval_text(*told.band) : no_band_words(told));
  if (const std::string rate = rate_text(told.base, *told.changed); !rate.empty())
    sheet.add("rate", rate);
  if (told.predicted)
    sheet.add("recording", fmt::format("would be {}: its {} by the ratio of the two",
                                       step_text(*told.predicted, told.predicted_band),
                                       format_time(*told.recorded)));
  if (!told.moved.empty()) sheet.add("moved", told.moved);
  if (told.base.memory > Bytes{})
    sheet.add("memory",
              fmt::format("{}; before {}", memory_text(*told.changed), memory_text(told.base)));
}

/// "scaled: 1, 3-6; recorded: 2"
std::string basis_of_lines(const WhatIf& told) {
  std::string text;
  for (const study::Basis basis : {study::Basis::recorded, study::Basis::scaled,
                                   study::Basis::modelled, study::Basis::bound}) {
    std::vector<std::uint32_t> lines;
    for (std::size_t i = 0; i < told.list.size(); ++i)
      if (told.list[i].basis == basis) lines.push_back(static_cast<std::uint32_t>(i + 1));
    if (lines.empty()) continue;
    const std::string words = format_ranks(lines);  // "ranks 1, 3-6"
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", study::name(basis),
                        words.substr(words.find(' ') + 1));
  }
  return text + "\n";
}

/// "-45…-41": between how many percent of the step 80 % of true differences are.
std::string won_between(const ChangeTrial& tried, Time base) {
  if (!tried.band || base <= Time{}) return "-";
  const auto percent = [&](Time time) {
    const double of = 100 * static_cast<double>(time.count()) / static_cast<double>(base.count());
    return fmt::format("{:.{}f}", of, std::abs(of) < 10 ? 1 : 0);
  };
  return percent(tried.band->lower) + "…" + percent(tried.band->upper);
}

std::string list_text(const WhatIf& told, report::Style style) {
  const bool jobs = told.base.memory > Bytes{};
  const bool bands = std::any_of(told.list.begin(), told.list.end(),
                                 [](const ChangeTrial& tried) { return tried.band.has_value(); });
  std::vector<report::Table::Column> columns = {{"#", true},
                                                {"change"},
                                                {"of"},
                                                {jobs ? "memory" : "takes", true},
                                                {bands ? "becomes" : "step becomes", true},
                                                {"with it", true}};
  if (bands) columns.push_back({"80 %", true});
  columns.push_back({"at most", true});
  report::Table table(std::move(columns));
  for (std::size_t i = 0; i < told.list.size(); ++i) {
    const ChangeTrial& tried = told.list[i];
    std::vector<std::string> row = {fmt::format("{}", i + 1),
                                    shortened(tried.change),
                                    tried.kind,
                                    jobs ? tried.fits ? format_bytes(tried.memory) : "does not fit"
                                    : tried.time > Time{} ? format_time(tried.time)
                                                          : "-",
                                    format_time(tried.whole),
                                    relative_change(told.base.whole, tried.whole)};
    if (bands) row.push_back(won_between(tried, told.base.whole));
    row.push_back(relative_change(told.base.whole, tried.free));
    table.row(std::move(row));
  }
  std::string text = table.text(style);
  text += basis_of_lines(told);
  if (told.left_out > 0)
    text += fmt::format("and {} that win less (--most 0 shows all)\n", told.left_out);
  return text;
}

std::string pairs_text(const WhatIf& told, report::Style style) {
  report::Table table({{"together"}, {"step becomes", true}, {"with both", true}, {"they"}});
  for (const study::ChangePair& pair : told.pairs)
    table.row({fmt::format("{} + {}", pair.first + 1, pair.second + 1), format_time(pair.whole),
               relative_change(told.base.whole, pair.whole),
               std::string(study::name(pair.together))});
  return table.text(style);
}

void write_work(JsonWriter& json, const std::string& which, const study::StepEstimate& told) {
  json.field(which + "_tokens", told.work.tokens).field(which + "_samples", told.work.samples);
  json.field(which + "_memory_bytes", told.memory.count()).field(which + "_fits", told.fits);
}

void write_band(JsonWriter& json, const std::optional<analysis::DifferenceInterval>& band) {
  if (!band) return;
  json.key("difference_interval").begin_object().nanoseconds("low", band->lower);
  json.nanoseconds("high", band->upper).nanoseconds("unknown", band->unknown);
  json.field("contains_zero", band->contains_zero()).end_object();
}

void write_step_band(JsonWriter& json, std::string_view name,
                     const std::optional<analysis::StepInterval>& band) {
  if (!band) return;
  json.key(name).begin_object().nanoseconds("low", band->lower);
  json.nanoseconds("high", band->upper).nanoseconds("unknown", band->unknown).end_object();
}

void write_told(JsonWriter& json, const std::string& which, const study::StepEstimate& told) {
  write_step_band(json, which + "_interval", told.band());
  report::write_time_by_provenance(json, which + "_time_by_basis", told.time_by_provenance);
}

void write_tried(JsonWriter& json, const ChangeTrial& tried, Time base) {
  json.begin_object().field("change", std::string_view(tried.change));
  json.field("kind", std::string_view(tried.kind)).field("what", std::string_view(tried.what));
  json.field("basis", study::name(tried.basis)).nanoseconds("time", tried.time);
  json.nanoseconds("step", tried.whole).nanoseconds("saved", base - tried.whole);
  if (tried.memory > Bytes{})
    json.field("memory_bytes", tried.memory.count()).field("fits", tried.fits);
  report::write_time_by_provenance(json, "time_by_basis", tried.time_by_provenance);
  json.nanoseconds("step_if_free", tried.free).nanoseconds("saved_if_free", base - tried.free);
  write_band(json, tried.band);
  json.end_object();
}

/// What was found in traces: their structure, or the job that they are of.
void write_found(JsonWriter& json, const WhatIf& told) {
  if (told.found) {
    json.key("detected_structure").begin_object().field("layers", told.found->layers.value_or(0));
    json.field("microbatches", told.found->microbatches.value_or(0)).end_object();
  }
  if (told.traced) {
    json.key("inferred_job")
        .begin_object()
        .field("specification", std::string_view(workload::to_yaml(told.traced->spec)));
    json.field("ranks", told.traced->ranks)
        .field("nodes", told.traced->nodes)
        .field("unmatched_nodes", told.traced->other);
    json.field("moved_nodes", told.traced->placed).end_object();
  }
}

}  // namespace

std::string whatif_text(const WhatIf& told, report::Style style) {
  report::Sheet sheet(style);
  sheet.line(
      style.strong(printable(fmt::format("{}, {}", told.workload, plural(told.ranks, "rank")))));
  if (told.recorded) sheet.add("recorded", format_time(*told.recorded));
  std::string base = step_text(told.base.whole, told.base.band());
  if (told.recorded) base += fmt::format(" ({})", relative_change(*told.recorded, told.base.whole));
  sheet.add(told.replayed ? "played again" : "simulated", base);
  if (!told.operations.empty()) sheet.add("kernels", operations_words(told));
  if (told.found)
    sheet.add("found",
              fmt::format("{}, {} a step (--layers, --microbatches, if that is wrong)",
                          plural(told.found->layers.value_or(0), "layer"),
                          told.found->microbatches == 1
                              ? "1 microbatch"
                              : plural(told.found->microbatches.value_or(0), "microbatche")));
  if (told.traced) {
    sheet.add("found", printable(fmt::format("{}, {}", told.traced->model_text(),
                                             told.traced->plan_words())));
    sheet.add("likeness", told.traced->similarity_text());
  }
  if (told.changed) add_changed(told, sheet);
  if (told.changed || !told.list.empty())
    sheet.add("basis", told.replayed ? basis_words(told)
                                     : "models of kernels and collectives, as orrery run");
  if (const std::string standing = standing_text(told); !standing.empty())
    sheet.add("stands on", standing);
  std::string text = sheet.text();
  if (!told.list.empty())
    text += "\nfactors: with half the time; at most: with none\n" + list_text(told, style);
  if (!told.pairs.empty()) text += "\n" + pairs_text(told, style);
  report::Sheet more(style);
  report::add_findings(more, told.findings, style);
  const std::string findings = more.text();
  return findings.empty() ? text : text + "\n" + findings;
}

std::string whatif_json(const WhatIf& told) {
  return report::envelope("whatif", told.findings, [&](JsonWriter& json) {
    json.begin_object().field("workload_name", std::string_view(told.workload));
    json.field("ranks", told.ranks).field("replayed", told.replayed);
    if (told.recorded) json.nanoseconds("recorded", *told.recorded);
    json.nanoseconds("base_step", told.base.whole);
    write_told(json, "base", told.base);
    if (!told.operations.empty()) {
      json.key("operation_times").begin_array();
      for (const study::OperationTime& one : told.operations)
        json.begin_object()
            .field("operation", graph::name(one.operation))
            .nanoseconds("recorded", one.recorded)
            .nanoseconds("predicted", one.told)
            .end_object();
      json.end_array();
    }
    write_found(json, told);
    json.key("changes").begin_array();
    for (const study::Change& change : told.changes) {
      json.begin_object().field("change", std::string_view(change.text));
      json.field("basis", study::name(change.basis)).end_object();
    }
    json.end_array();
    if (told.changed) {
      json.nanoseconds("changed_step", told.changed->whole);
      write_told(json, "changed", *told.changed);
    }
    write_band(json, told.band);
    if (told.changed && !told.band)
      json.field("no_interval_reason", std::string_view(no_band_words(told)));
    if (told.base.work.samples > 0) {
      write_work(json, "base", told.base);
      if (told.changed) write_work(json, "changed", *told.changed);
    }
    if (!told.moved.empty()) json.field("device_change", std::string_view(told.moved));
    if (told.predicted) json.nanoseconds("predicted", *told.predicted);
    write_step_band(json, "predicted_interval", told.predicted_band);
    json.key("tried_changes").begin_array();
    for (const ChangeTrial& tried : told.list) write_tried(json, tried, told.base.whole);
    json.end_array().field("skipped_changes", told.left_out).key("pairs").begin_array();
    for (const study::ChangePair& pair : told.pairs) {
      json.begin_object().field("first_change", std::string_view(told.list[pair.first].change));
      json.field("second_change", std::string_view(told.list[pair.second].change));
      json.nanoseconds("step", pair.whole).nanoseconds("saved", told.base.whole - pair.whole);
      json.field("interaction", study::name(pair.together)).end_object();
    }
    json.end_array().end_object();
  });
}

std::string whatif_svg(const WhatIf& told) {
  const auto share = [&](Time with) {
    return told.base.whole > Time{} ? static_cast<double>((told.base.whole - with).count()) /
                                          static_cast<double>(told.base.whole.count())
                                    : 0.0;
  };
  report::NestedBars bars{
      fmt::format("{}, {}", told.workload, format_time(told.base.whole)),
      "won of the step: by twice as quick (or the change itself), and behind it by no time at all",
      {}};
  for (const ChangeTrial& tried : told.list)
    bars.bars.push_back({tried.change + (tried.fits ? "" : ", does not fit"), share(tried.whole),
                         share(tried.free), tried.kind});
  return report::nested_bars_svg(bars);
}

std::string changes_text(report::Style style) {
  report::Table table({{"change"}, {"basis"}, {"what it is of"}});
  for (const study::ChangeKind& word : study::change_kinds())
    table.row({fmt::format("{}={}", word.name, word.value), std::string(study::name(word.basis)),
               std::string(word.about)});
  table.row({"kernel:TEXT=FACTOR", "scaled", "kernels with this in their names"});
  table.row({"named:NAME=FACTOR", "scaled", "kernels of just this name"});
  table.row({"OPERATION=FACTOR", "scaled", "kernels known to be gemm, attention, softmax …"});
  table.row({"group:NAME=FACTOR", "scaled", "collectives of a process group"});
  table.row({"rank:N=FACTOR", "scaled", "all that rank N does itself"});
  return table.text(style);
}

std::string changes_json() {
  return report::envelope("whatif", {}, [](JsonWriter& json) {
    json.begin_object().key("change_kinds").begin_array();
    for (const study::ChangeKind& word : study::change_kinds()) {
      json.begin_object().field("name", word.name).field("argument", word.value);
      json.field("basis", study::name(word.basis)).field("about", word.about).end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
