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
  const auto rate = [&](const study::StepEstimate& predicted) {
    const auto done = static_cast<double>(tokens ? predicted.work.tokens : predicted.work.samples);
    return predicted.whole > Time{} ? done / (static_cast<double>(predicted.whole.count()) * 1e-12)
                                    : 0.0;
  };
  const double was = rate(base), now = rate(changed);
  if (was <= 0 || now <= 0) return "";
  return fmt::format("{} {}/s ({:+.2f} %)", count(static_cast<std::uint64_t>(now)),
                     tokens ? "tokens" : "samples", 100 * (now / was - 1));
}

std::string memory_text(const study::StepEstimate& predicted) {
  return fmt::format("{}{}", format_bytes(predicted.memory),
                     predicted.fits ? "" : ", does not fit");
}

/// "2.204 s (1.986 … 2.69)"
std::string step_text(Time step, const std::optional<analysis::StepInterval>& band) {
  const std::string text = format_time(step);
  return band ? text + " " + analysis::interval_text(step, band->lower, band->upper) : text;
}

/// What the answer stands on, and what of it nobody can quite do.
std::string standing_text(const WhatIf& predicted) {
  std::string text = provenance_text(predicted.changed ? predicted.changed->time_by_provenance
                                                       : predicted.base.time_by_provenance);
  for (const study::Change& change : predicted.changes)
    if (change.basis == study::Basis::bound)
      text += fmt::format("; {} is a bound", printable(change.text));
  return text;
}

/// Layers or microbatches of a recording are others.
bool repeats(const WhatIf& predicted) {
  return predicted.found && std::any_of(predicted.changes.begin(), predicted.changes.end(),
                                        [](const auto& change) { return is_structural(change); });
}

/// Of a recording that is played again.
std::string basis_words(const WhatIf& predicted) {
  return fmt::format("recorded times, {}; waits for other ranks are simulated",
                     repeats(predicted) ? "repeated as often as asked" : "scaled as asked");
}

/// Why a change has none: "none", or "not known", and the reason.
std::string no_band_words(const WhatIf& predicted) {
  if (repeats(predicted))
    return "not known: what is repeated need not take in another size what it took";
  if (predicted.replayed) return "none: no model has a part in it, and factors are what was asked";
  return "not known: no model that says how far off it is told what differs";
}

/// "gemm 1.12, attention 0.93 times as long as models say, as recorded"
std::string operations_words(const WhatIf& predicted) {
  std::vector<std::string> texts;
  for (const study::OperationTime& one : predicted.operations)
    texts.push_back(fmt::format("{} {:.2f}", graph::name(one.operation), one.factor()));
  return fmt::format("{} times as long as models say, as recorded", fmt::join(texts, ", "));
}

void add_changed(const WhatIf& predicted, report::Sheet& sheet) {
  std::vector<std::string> texts;
  for (const study::Change& change : predicted.changes) texts.push_back(printable(change.text));
  sheet.add("changed", fmt::format("{}", fmt::join(texts, ", ")));
  sheet.add("then",
            fmt::format("{}, {}", step_text(predicted.changed->whole, predicted.changed->band()),
                        won(predicted.base.whole, predicted.changed->whole)));
  sheet.add("band",
            predicted.band ? difference_interval_text(*predicted.band) : no_band_words(predicted));
  if (const std::string rate = rate_text(predicted.base, *predicted.changed); !rate.empty())
    sheet.add("rate", rate);
  if (predicted.predicted)
    sheet.add("recording", fmt::format("would be {}: its {} by the ratio of the two",
                                       step_text(*predicted.predicted, predicted.predicted_band),
                                       format_time(*predicted.recorded)));
  if (!predicted.moved.empty()) sheet.add("moved", predicted.moved);
  if (predicted.base.memory > Bytes{})
    sheet.add("memory", fmt::format("{}; before {}", memory_text(*predicted.changed),
                                    memory_text(predicted.base)));
}

/// "scaled: 1, 3-6; recorded: 2"
std::string basis_of_lines(const WhatIf& predicted) {
  std::string text;
  for (const study::Basis basis : {study::Basis::recorded, study::Basis::scaled,
                                   study::Basis::modelled, study::Basis::bound}) {
    std::vector<std::uint32_t> lines;
    for (std::size_t i = 0; i < predicted.list.size(); ++i)
      if (predicted.list[i].basis == basis) lines.push_back(static_cast<std::uint32_t>(i + 1));
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

std::string list_text(const WhatIf& predicted, report::Style style) {
  const bool jobs = predicted.base.memory > Bytes{};
  const bool bands = std::any_of(predicted.list.begin(), predicted.list.end(),
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
  for (std::size_t i = 0; i < predicted.list.size(); ++i) {
    const ChangeTrial& tried = predicted.list[i];
    std::vector<std::string> row = {fmt::format("{}", i + 1),
                                    shortened(tried.change),
                                    tried.kind,
                                    jobs ? tried.fits ? format_bytes(tried.memory) : "does not fit"
                                    : tried.time > Time{} ? format_time(tried.time)
                                                          : "-",
                                    format_time(tried.whole),
                                    relative_change(predicted.base.whole, tried.whole)};
    if (bands) row.push_back(won_between(tried, predicted.base.whole));
    row.push_back(relative_change(predicted.base.whole, tried.free));
    table.row(std::move(row));
  }
  std::string text = table.text(style);
  text += basis_of_lines(predicted);
  if (predicted.left_out > 0)
    text += fmt::format("and {} that win less (--most 0 shows all)\n", predicted.left_out);
  return text;
}

std::string pairs_text(const WhatIf& predicted, report::Style style) {
  report::Table table({{"together"}, {"step becomes", true}, {"with both", true}, {"they"}});
  for (const study::ChangePair& pair : predicted.pairs)
    table.row({fmt::format("{} + {}", pair.first + 1, pair.second + 1), format_time(pair.whole),
               relative_change(predicted.base.whole, pair.whole),
               std::string(study::name(pair.together))});
  return table.text(style);
}

void write_work(JsonWriter& json, const std::string& which, const study::StepEstimate& predicted) {
  json.field(which + "_tokens", predicted.work.tokens)
      .field(which + "_samples", predicted.work.samples);
  json.field(which + "_memory_bytes", predicted.memory.count())
      .field(which + "_fits", predicted.fits);
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

void write_told(JsonWriter& json, const std::string& which, const study::StepEstimate& predicted) {
  write_step_band(json, which + "_interval", predicted.band());
  report::write_time_by_provenance(json, which + "_time_by_basis", predicted.time_by_provenance);
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
void write_found(JsonWriter& json, const WhatIf& predicted) {
  if (predicted.found) {
    json.key("detected_structure")
        .begin_object()
        .field("layers", predicted.found->layers.value_or(0));
    json.field("microbatches", predicted.found->microbatches.value_or(0)).end_object();
  }
  if (predicted.traced) {
    json.key("inferred_job")
        .begin_object()
        .field("specification", std::string_view(workload::to_yaml(predicted.traced->spec)));
    json.field("ranks", predicted.traced->ranks)
        .field("nodes", predicted.traced->nodes)
        .field("unmatched_nodes", predicted.traced->other);
    json.field("moved_nodes", predicted.traced->placed).end_object();
  }
}

}  // namespace

std::string whatif_text(const WhatIf& predicted, report::Style style) {
  report::Sheet sheet(style);
  sheet.line(style.strong(
      printable(fmt::format("{}, {}", predicted.workload, plural(predicted.ranks, "rank")))));
  if (predicted.recorded) sheet.add("recorded", format_time(*predicted.recorded));
  std::string base = step_text(predicted.base.whole, predicted.base.band());
  if (predicted.recorded)
    base += fmt::format(" ({})", relative_change(*predicted.recorded, predicted.base.whole));
  sheet.add(predicted.replayed ? "played again" : "simulated", base);
  if (!predicted.operations.empty()) sheet.add("kernels", operations_words(predicted));
  if (predicted.found)
    sheet.add("found",
              fmt::format("{}, {} a step (--layers, --microbatches, if that is wrong)",
                          plural(predicted.found->layers.value_or(0), "layer"),
                          predicted.found->microbatches == 1
                              ? "1 microbatch"
                              : plural(predicted.found->microbatches.value_or(0), "microbatche")));
  if (predicted.traced) {
    sheet.add("found", printable(fmt::format("{}, {}", predicted.traced->model_text(),
                                             predicted.traced->plan_words())));
    sheet.add("likeness", predicted.traced->similarity_text());
  }
  if (predicted.changed) add_changed(predicted, sheet);
  if (predicted.changed || !predicted.list.empty())
    sheet.add("basis", predicted.replayed ? basis_words(predicted)
                                          : "models of kernels and collectives, as orrery run");
  if (const std::string standing = standing_text(predicted); !standing.empty())
    sheet.add("stands on", standing);
  std::string text = sheet.text();
  if (!predicted.list.empty())
    text += "\nfactors: with half the time; at most: with none\n" + list_text(predicted, style);
  if (!predicted.pairs.empty()) text += "\n" + pairs_text(predicted, style);
  report::Sheet more(style);
  report::add_findings(more, predicted.findings, style);
  const std::string findings = more.text();
  return findings.empty() ? text : text + "\n" + findings;
}

std::string whatif_json(const WhatIf& predicted) {
  return report::envelope("whatif", predicted.findings, [&](JsonWriter& json) {
    json.begin_object().field("workload_name", std::string_view(predicted.workload));
    json.field("ranks", predicted.ranks).field("replayed", predicted.replayed);
    if (predicted.recorded) json.nanoseconds("recorded", *predicted.recorded);
    json.nanoseconds("base_step", predicted.base.whole);
    write_told(json, "base", predicted.base);
    if (!predicted.operations.empty()) {
      json.key("operation_times").begin_array();
      for (const study::OperationTime& one : predicted.operations)
        json.begin_object()
            .field("operation", graph::name(one.operation))
            .nanoseconds("recorded", one.recorded)
            .nanoseconds("predicted", one.predicted)
            .end_object();
      json.end_array();
    }
    write_found(json, predicted);
    json.key("changes").begin_array();
    for (const study::Change& change : predicted.changes) {
      json.begin_object().field("change", std::string_view(change.text));
      json.field("basis", study::name(change.basis)).end_object();
    }
    json.end_array();
    if (predicted.changed) {
      json.nanoseconds("changed_step", predicted.changed->whole);
      write_told(json, "changed", *predicted.changed);
    }
    write_band(json, predicted.band);
    if (predicted.changed && !predicted.band)
      json.field("no_interval_reason", std::string_view(no_band_words(predicted)));
    if (predicted.base.work.samples > 0) {
      write_work(json, "base", predicted.base);
      if (predicted.changed) write_work(json, "changed", *predicted.changed);
    }
    if (!predicted.moved.empty()) json.field("device_change", std::string_view(predicted.moved));
    if (predicted.predicted) json.nanoseconds("predicted", *predicted.predicted);
    write_step_band(json, "predicted_interval", predicted.predicted_band);
    json.key("tried_changes").begin_array();
    for (const ChangeTrial& tried : predicted.list) write_tried(json, tried, predicted.base.whole);
    json.end_array().field("skipped_changes", predicted.left_out).key("pairs").begin_array();
    for (const study::ChangePair& pair : predicted.pairs) {
      json.begin_object().field("first_change",
                                std::string_view(predicted.list[pair.first].change));
      json.field("second_change", std::string_view(predicted.list[pair.second].change));
      json.nanoseconds("step", pair.whole).nanoseconds("saved", predicted.base.whole - pair.whole);
      json.field("interaction", study::name(pair.together)).end_object();
    }
    json.end_array().end_object();
  });
}

std::string whatif_svg(const WhatIf& predicted) {
  const auto share = [&](Time with) {
    return predicted.base.whole > Time{}
               ? static_cast<double>((predicted.base.whole - with).count()) /
                     static_cast<double>(predicted.base.whole.count())
               : 0.0;
  };
  report::NestedBars bars{
      fmt::format("{}, {}", predicted.workload, format_time(predicted.base.whole)),
      "won of the step: by twice as quick (or the change itself), and behind it by no time at all",
      {}};
  for (const ChangeTrial& tried : predicted.list)
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
