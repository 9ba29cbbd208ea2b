// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/embeddings_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using model::kReuseBins;
using model::Reuse;
using report::Align;
using report::percent;
using study::TableReuse;

namespace {

std::optional<double> reuse_ratio(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

report::Value reuse_share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? report::Value(report::Share{*reuse_ratio(part, whole)}) : report::Value();
}

/// "1", "2", "3 to 4", "> 32,768"
std::string reuse_bin_text(std::size_t bin) {
  if (bin + 1 == kReuseBins) return "> " + format_count(model::reuse_bin_minimum(bin) - 1);
  if (bin < 2) return format_count(model::reuse_bin_maximum(bin));
  return format_count(model::reuse_bin_minimum(bin)) + " to " +
         format_count(model::reuse_bin_maximum(bin));
}

/// Bins from the first to the last that is not empty.
void state_bins(report::Answer& answer, const Reuse& reuse) {
  std::vector<std::size_t> bins = row_numbers(kReuseBins);
  while (bins.size() > 1 && reuse.rows_in[bins.back()] <= 0) bins.pop_back();
  report::Columns<std::size_t> columns;
  columns.show_number("reads", reuse_bin_text)
      .add("rows", "", [&](auto bin) { return reuse.rows_in[bin]; })
      .add("share", "", [&](auto bin) { return reuse_share(reuse.rows_in[bin], reuse.rows); })
      .align(Align::right)
      .add("lookups", "", [&](auto bin) { return reuse.lookups_in[bin]; })
      .add("share", "", [&](auto bin) { return reuse_share(reuse.lookups_in[bin], reuse.lookups); })
      .align(Align::right);
  answer.table("", bins, columns);
}

void write_reuse_bins(report::JsonWriter& json, const TableReuse& table) {
  report::Answer(json)
      .list("reuse_shares", table.reuse.shares())
      .list("rows_by_bin", table.reuse.rows_in)
      .list("lookups_by_bin", table.reuse.lookups_in);
}

void add_reuse(report::Columns<TableReuse>& columns) {
  columns.add("lookups", "lookups", [](const auto& table) { return table.reuse.lookups; })
      .add("rows read", "rows_read", [](const auto& table) { return table.reuse.rows; })
      .add("lookups/row", "",
           [](const auto& table) { return reuse_ratio(table.reuse.lookups, table.reuse.rows); })
      .align(Align::right)
      .add("largest index", "max_index", [](const auto& table) { return table.reuse.largest; })
      .field("max_lookups_per_row", [](const auto& table) { return table.reuse.most; })
      .members(write_reuse_bins);
}

/// The times of one prediction, and for models with a cache what they are computed from.
void state_lookup_time(report::Answer& answer, const study::LookupTime& prediction) {
  answer.heading(
      fmt::format("{}  {}", answer.style().strong(printable(prediction.device)), prediction.model));
  answer.field("device", prediction.device).field("model", prediction.model);
  const auto time = [](double us) {
    return us > 0 ? report::Value(Time(std::llround(std::min(us, 4e12) * 1e6))) : report::Value();
  };
  const report::Value forward = time(prediction.forward_us);
  const report::Value backward = time(prediction.backward_us);
  if (prediction.model == "net") {
    answer.row("forward", "forward_ns", forward).row("backward", "backward_ns", backward);
    return;
  }
  const auto bytes_text = [](double bytes) { return scaled_text(bytes, "B"); };
  const study::LookupHitRates& hits = prediction.hits;
  answer.row(
      "forward", "forward_ns", forward,
      fmt::format("{}: {} from memory, {} from the cache", forward.text(),
                  bytes_text(prediction.forward.memory), bytes_text(prediction.forward.cache)));
  answer.field("forward_memory_bytes", prediction.forward.memory);
  answer.field("forward_cache_bytes", prediction.forward.cache);
  answer.row("backward", "backward_ns", backward,
             fmt::format("{}: {}, rows updated in the same pass", backward.text(),
                         bytes_text(prediction.backward_bytes)));
  answer.field("backward_bytes", prediction.backward_bytes);
  answer.row(
      "hits", "hit_share", prediction.best_hits,
      fmt::format("{} of lookups, with room for {} of a table", percent(prediction.best_hits),
                  plural(static_cast<std::uint64_t>(hits.cached), "row")));
  answer.field("cached_rows", hits.cached);
  answer.field("uniform_hit_share", hits.uniform).field("published_hit_share", hits.lin);
  std::string rates = fmt::format("uniform indices {} (published formula {})",
                                  percent(hits.uniform), percent(hits.lin));
  const auto add_rate = [&](const char* key, const char* label, std::optional<double> rate) {
    if (rate) rates += label + percent(*rate);
    answer.field(key, rate);
  };
  add_rate("histogram_hit_share", ", histogram ", hits.histogram);
  add_rate("summary_hit_share", ", its summary ", hits.summary);
  add_rate("simulated_hit_share", ", simulated ", hits.simulated);
  answer.line("", rates);
}

}  // namespace

void state_reuse(report::Answer& answer, std::span<const TableReuse> tables) {
  TableReuse all;
  for (const TableReuse& table : tables) all.reuse += table.reuse;
  report::Columns<TableReuse> columns;
  columns.add("file", "file", &TableReuse::where)
      .add("table", "table", &TableReuse::table)
      .add("bags", "bags", &TableReuse::bags);
  add_reuse(columns);
  answer.table("tables", tables, columns);
  report::Columns<TableReuse> reuse;
  add_reuse(reuse);
  answer.object("all_tables", all, reuse);
  answer.heading(answer.style().strong(tables.size() == 1 ? "how often rows are read"
                                                          : "how often rows are read, all tables"));
  state_bins(answer, all.reuse);
  answer.block(fmt::format("histogram  {}\n", study::format_histogram(all.reuse.shares())));
}

void state_stream(report::Answer& answer, const model::StreamRequest& request,
                  const model::StreamPlan& plan, const std::string& path) {
  const report::Value lookups = request.batch * request.pooling;
  answer.row("stream", "file", path);
  answer.row("lookups", "lookups", lookups,
             fmt::format("{} in {} of {}", lookups.text(),
                         plural(static_cast<std::uint64_t>(request.batch), "bag"),
                         format_count(request.pooling)));
  answer.field("bags", request.batch).field("rows", request.rows);
  answer.row("rows", "rows_read", plan.rows,
             fmt::format("{} of {} are read", format_count(plan.rows), format_count(request.rows)));
  answer.row("difference", "max_difference_share", plan.max_deviation,
             fmt::format("at most {:.4f} % in a share of rows", plan.max_deviation * 100));
  answer.list("rows_by_bin", plan.rows_in);
}

void state_lookup(report::Answer& answer, const study::LookupAnswer& lookup) {
  std::vector<std::string> kernels;
  for (const graph::Kernel& kernel : lookup.kernels) kernels.push_back(graph::to_text(kernel));
  answer.title(kernels.front()).list("kernel_texts", kernels);
  const std::optional<double> reads =
      lookup.reuse ? reuse_ratio(lookup.reuse->lookups, lookup.reuse->rows)
                   : reuse_ratio(lookup.lookup.lookups(), lookup.summary.unique);
  answer.first(lookup.reuse || reads
                   ? fmt::format("rows are read {} times each, {}", report::Value(reads).text(),
                                 lookup.reuse ? "as in the file" : "by the histogram")
                   : "no data on row reuse: indices are assumed uniform");
  answer.list("reuse_shares", lookup.shares).field("uniform", lookup.summary.unique == 0);
  answer.each("lookup_times", lookup.times, state_lookup_time);
}

}  // namespace orrery::present
