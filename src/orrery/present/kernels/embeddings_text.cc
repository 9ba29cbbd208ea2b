// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/kernels/embeddings_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/kernels/kernels_text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using model::kReuseBins;
using model::Reuse;
using report::percent;

namespace {

std::string of_all(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? percent(static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

/// "1", "2", "3 to 4", "> 32,768"
std::string times_text(std::size_t bin) {
  if (bin + 1 == kReuseBins) return "> " + format_count(model::reuse_bin_minimum(bin) - 1);
  if (bin < 2) return format_count(model::reuse_bin_maximum(bin));
  return format_count(model::reuse_bin_minimum(bin)) + " to " +
         format_count(model::reuse_bin_maximum(bin));
}

/// Bins from the first to the last that is not empty.
std::string bins_text(const Reuse& reuse, report::Style style) {
  report::Table table(
      {{"read", true}, {"rows", true}, {"share", true}, {"lookups", true}, {"share", true}});
  std::size_t last = 0;
  for (std::size_t bin = 0; bin < kReuseBins; ++bin)
    if (reuse.rows_in[bin] > 0) last = bin;
  for (std::size_t bin = 0; bin <= last; ++bin)
    table.row({times_text(bin), format_count(reuse.rows_in[bin]),
               of_all(reuse.rows_in[bin], reuse.rows), format_count(reuse.lookups_in[bin]),
               of_all(reuse.lookups_in[bin], reuse.lookups)});
  return table.text(style);
}

Reuse all_of(std::span<const study::TableReuse> tables) {
  Reuse all;
  for (const study::TableReuse& is : tables) all += is.reuse;
  return all;
}

std::string per_row(const Reuse& reuse) {
  return reuse.rows == 0 ? "-"
                         : fmt::format("{:.4g}", static_cast<double>(reuse.lookups) /
                                                     static_cast<double>(reuse.rows));
}

void write_shares(report::JsonWriter& json, const model::ReuseHistogram& shares) {
  json.key("reuse_shares").begin_array();
  for (const double share : shares) json.value(share);
  json.end_array();
}

void write_reuse(report::JsonWriter& json, const Reuse& reuse) {
  json.field("lookups", reuse.lookups)
      .field("rows_read", reuse.rows)
      .field("max_index", reuse.largest)
      .field("max_lookups_per_row", reuse.most);
  write_shares(json, reuse.shares());
  json.key("rows_by_bin").begin_array();
  for (const std::int64_t rows : reuse.rows_in) json.value(rows);
  json.end_array().key("lookups_by_bin").begin_array();
  for (const std::int64_t lookups : reuse.lookups_in) json.value(lookups);
  json.end_array();
}

std::string lookup_us_text(double us) {
  return format_time(Time(static_cast<std::int64_t>(std::min(us, 4e12) * 1e6 + 0.5)));
}

std::string bytes_text(double bytes) { return scaled_text(bytes, "B"); }

}  // namespace

std::string format_histogram(std::span<const study::TableReuse> tables, report::Style style) {
  const Reuse all = all_of(tables);
  std::string text;
  report::Table list({{"file"},
                      {"table"},
                      {"bags", true},
                      {"lookups", true},
                      {"rows read", true},
                      {"lookups/row", true},
                      {"largest index", true}});
  for (const study::TableReuse& is : tables)
    list.row({printable(is.where), printable(is.table), format_count(is.bags),
              format_count(is.reuse.lookups), format_count(is.reuse.rows), per_row(is.reuse),
              format_count(is.reuse.largest)});
  text += list.text(style) + "\n";
  text += style.strong(tables.size() == 1 ? "how often rows are read"
                                          : "how often rows are read, all tables together") +
          "\n";
  text += bins_text(all, style);
  return text + "\nhistogram  " + study::format_histogram(all.shares()) + "\n";
}

std::string histogram_json(std::span<const study::TableReuse> tables) {
  return report::envelope("embeddings", {}, [&](report::JsonWriter& json) {
    json.begin_object().key("tables").begin_array();
    for (const study::TableReuse& is : tables) {
      json.begin_object().field("file", is.where).field("table", is.table).field("bags", is.bags);
      write_reuse(json, is.reuse);
      json.end_object();
    }
    json.end_array().key("all_tables").begin_object();
    write_reuse(json, all_of(tables));
    json.end_object().end_object();
  });
}

std::string stream_text(const model::StreamRequest& wish, const model::StreamPlan& plan,
                        const std::string& path, report::Style style) {
  report::Sheet sheet(style);
  sheet.add("stream", printable(path));
  sheet.add("lookups", fmt::format("{} in {} of {}",
                                   count(static_cast<std::uint64_t>(wish.batch * wish.pooling)),
                                   plural(static_cast<std::uint64_t>(wish.batch), "bag"),
                                   format_count(wish.pooling)));
  sheet.add("rows",
            fmt::format("{} of {} are read", format_count(plan.rows), format_count(wish.rows)));
  sheet.add("off", fmt::format("a share of rows by {:.4f} % at most", plan.off * 100));
  return sheet.text();
}

std::string stream_json(const model::StreamRequest& wish, const model::StreamPlan& plan,
                        const std::string& path) {
  return report::envelope("embeddings", {}, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("file", path)
        .field("lookups", wish.batch * wish.pooling)
        .field("bags", wish.batch)
        .field("rows", wish.rows)
        .field("rows_read", plan.rows)
        .field("max_difference_share", plan.off);
    json.key("rows_by_bin").begin_array();
    for (const std::int64_t rows : plan.rows_in) json.value(rows);
    json.end_array().end_object();
  });
}

std::string lookup_text(const study::LookupAnswer& answer, report::Style style) {
  const model::Lookup& is = answer.lookup;
  std::string text = style.strong(graph::to_text(answer.kernels.front())) + "\n";
  if (answer.reuse)
    text += fmt::format("rows are read {} times each, as in the file\n", per_row(*answer.reuse));
  else if (answer.summary.unique > 0)
    text +=
        fmt::format("rows are read {:.4g} times each, by the histogram\n",
                    static_cast<double>(is.lookups()) / static_cast<double>(answer.summary.unique));
  else
    text += "nothing says how often rows are read again: indices are taken as even\n";
  for (const study::LookupTime& prediction : answer.times) {
    text += fmt::format("\n{}  {}\n", style.strong(printable(prediction.device)), prediction.model);
    report::Sheet sheet(style);
    if (prediction.model == "net") {
      sheet.add("forward", prediction.forward_us > 0 ? lookup_us_text(prediction.forward_us) : "-");
      sheet.add("backward",
                prediction.backward_us > 0 ? lookup_us_text(prediction.backward_us) : "-");
      text += sheet.text();
      continue;
    }
    sheet.add(
        "forward",
        fmt::format("{}: {} from memory, {} from the cache", lookup_us_text(prediction.forward_us),
                    bytes_text(prediction.forward.memory), bytes_text(prediction.forward.cache)));
    sheet.add("backward",
              fmt::format("{}: {}, rows updated at once", lookup_us_text(prediction.backward_us),
                          bytes_text(prediction.backward_bytes)));
    std::string hits = percent(prediction.best_hits) + " of lookups, with room for " +
                       plural(static_cast<std::uint64_t>(prediction.hits.cached), "row") +
                       " of a table";
    sheet.add("hits", hits);
    std::string hit_rates =
        fmt::format("even indices {} (as published {})", percent(prediction.hits.uniform),
                    percent(prediction.hits.lin));
    if (prediction.hits.histogram)
      hit_rates += ", histogram " + percent(*prediction.hits.histogram);
    if (prediction.hits.summary) hit_rates += ", its summary " + percent(*prediction.hits.summary);
    if (prediction.hits.simulated)
      hit_rates += ", simulated " + percent(*prediction.hits.simulated);
    sheet.add("", hit_rates);
    text += sheet.text();
  }
  return text;
}

std::string lookup_json(const study::LookupAnswer& answer) {
  return report::envelope("embeddings", {}, [&](report::JsonWriter& json) {
    json.begin_object().key("kernel_texts").begin_array();
    for (const graph::Kernel& kernel : answer.kernels) json.value(graph::to_text(kernel));
    json.end_array();
    write_shares(json, answer.shares);
    json.field("uniform", answer.summary.unique == 0).key("lookup_times").begin_array();
    const auto rate = [&](const char* name, const std::optional<double>& hits) {
      if (hits)
        json.field(name, *hits);
      else
        json.key(name).null();
    };
    for (const study::LookupTime& prediction : answer.times) {
      json.begin_object().field("device", prediction.device).field("model", prediction.model);
      const auto time = [](double us) {
        return us > 0 ? std::optional(std::round(us * 1e6) / 1e3) : std::nullopt;
      };
      rate("forward_ns", time(prediction.forward_us));
      rate("backward_ns", time(prediction.backward_us));
      if (prediction.model != "net") {
        json.field("forward_memory_bytes", prediction.forward.memory)
            .field("forward_cache_bytes", prediction.forward.cache)
            .field("backward_bytes", prediction.backward_bytes)
            .field("cached_rows", prediction.hits.cached)
            .field("hit_share", prediction.best_hits)
            .field("uniform_hit_share", prediction.hits.uniform)
            .field("published_hit_share", prediction.hits.lin);
        rate("histogram_hit_share", prediction.hits.histogram);
        rate("summary_hit_share", prediction.hits.summary);
        rate("simulated_hit_share", prediction.hits.simulated);
      }
      json.end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
