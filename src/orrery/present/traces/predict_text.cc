// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/predict_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using report::JsonWriter;
using study::PredictedRank;
using study::StepPrediction;

namespace {

std::string ranks_text(const StepPrediction& predicted, report::Style style) {
  std::vector<report::Table::Column> columns = {
      {"rank", true}, {"recorded", true}, {"played again", true}, {"host told", true}};
  if (predicted.models) columns.push_back({"kernels told", true});
  columns.push_back({"told", true});
  report::Table table(columns);
  for (const PredictedRank& rank : predicted.ranks) {
    std::vector<std::string> row = {fmt::format("{}", rank.rank), format_time(rank.recorded),
                                    relative_change(rank.recorded, rank.replayed),
                                    relative_change(rank.recorded, rank.host_only)};
    if (predicted.models) row.push_back(relative_change(rank.recorded, rank.kernels_only));
    row.push_back(fmt::format("{} ({})", format_time(rank.predicted),
                              relative_change(rank.recorded, rank.predicted)));
    table.row(row);
  }
  return table.text(style);
}

/// How far the ranks are off, in the mean.
double mean_off(const StepPrediction& predicted) {
  double sum = 0;
  for (const PredictedRank& rank : predicted.ranks)
    sum += std::abs(static_cast<double>((rank.predicted - rank.recorded).count()) /
                    static_cast<double>(std::max<std::int64_t>(1, rank.recorded.count())));
  return predicted.ranks.empty() ? 0 : sum / static_cast<double>(predicted.ranks.size());
}

void write_told_parts(JsonWriter& json, const char* name, const profile::Breakdown& parts) {
  json.key(name).begin_object().nanoseconds("active", parts.length - parts.idle);
  json.nanoseconds("compute", parts.compute_only + parts.overlapped);
  json.nanoseconds("exposed_comm", parts.comm_only).nanoseconds("idle", parts.idle);
  json.end_object();
}

void write_shares(JsonWriter& json, const char* name, const study::DeviceShares& shares) {
  json.key(name).begin_object().field("active_share", shares.active);
  json.field("exposed_comm_share", shares.exposed).field("imbalance_ratio", shares.imbalance);
  json.field("lookup_imbalance_ratio", shares.lookups).end_object();
}

/// Lin et al.'s figures of devices, where there are any.
void add_shares(report::Sheet& sheet, const StepPrediction& predicted) {
  if (std::all_of(predicted.ranks.begin(), predicted.ranks.end(),
                  [](const PredictedRank& rank) { return rank.device.empty(); }))
    return;
  const study::DeviceShares &now = predicted.shares, &was = predicted.recorded_shares;
  const auto add = [&](const char* label, double share, double recorded, const char* what) {
    sheet.add(label, fmt::format("{:.1f} % of the step, recorded {:.1f} %{}", 100 * share,
                                 100 * recorded, what));
  };
  add("active", now.active, was.active, ": a stream runs something");
  add("exposed comm", now.exposed, was.exposed, ": hidden behind nothing");
  add("imbalance", now.imbalance, was.imbalance, ": who computes most, over the mean");
  if (now.lookups > 0 || was.lookups > 0)
    add("of lookups", now.lookups, was.lookups, ": likewise, of embedding tables alone");
}

}  // namespace

std::string predict_text(const StepPrediction& predicted, report::Style style) {
  profile::PredictedHost host;
  Time kernels{}, retained{};
  for (const PredictedRank& rank : predicted.ranks) {
    host.recorded += rank.host.recorded;
    host.predicted += rank.host.predicted;
    host.retained += rank.host.retained;
    kernels += rank.kernels;
    retained += rank.kernels_unpredicted;
  }
  report::Sheet sheet(style);
  sheet.add("step",
            fmt::format("{} for {} of the slowest rank ({}); ranks {:.1f} % off in the mean",
                        format_time(predicted.predicted), format_time(predicted.recorded),
                        relative_change(predicted.recorded, predicted.predicted),
                        100 * mean_off(predicted)));
  sheet.add("host",
            fmt::format("T1 to T5 of {}: {} of the time of threads ({}); the rest waits, "
                        "pauses or is no operator's",
                        name(predicted.from), share(host.recorded, host.recorded + host.retained),
                        relative_change(host.recorded, host.predicted)));
  if (predicted.models)
    sheet.add("kernels", kernels > Time{}
                             ? fmt::format("by models: {} of their time; the rest as recorded",
                                           share(kernels, kernels + retained))
                             : "as recorded: no model knows one, or the device");
  add_shares(sheet, predicted);
  std::string text = ranks_text(predicted, style) + "\n" + sheet.text();
  report::Sheet more(style);
  report::add_findings(more, predicted.findings, style);
  return text + more.text();
}

std::string predict_json(const StepPrediction& predicted) {
  return report::envelope("predict", predicted.findings, [&](JsonWriter& json) {
    json.begin_object()
        .nanoseconds("recorded", predicted.recorded)
        .nanoseconds("predicted", predicted.predicted);
    json.field("host_source", name(predicted.from)).field("kernels_predicted", predicted.models);
    write_shares(json, "predicted_device_use", predicted.shares);
    write_shares(json, "recorded_device_use", predicted.recorded_shares);
    json.key("per_rank").begin_array();
    for (const PredictedRank& rank : predicted.ranks) {
      json.begin_object().field("rank", rank.rank).field("file", std::string_view(rank.file));
      json.field("device", std::string_view(rank.device));
      json.nanoseconds("recorded", rank.recorded).nanoseconds("replayed", rank.replayed);
      json.nanoseconds("predicted_host", rank.host_only)
          .nanoseconds("predicted_kernels", rank.kernels_only);
      json.nanoseconds("predicted", rank.predicted);
      write_told_parts(json, "predicted_breakdown", rank.parts);
      write_told_parts(json, "recorded_breakdown", rank.recorded_parts);
      json.key("host_time").begin_object().nanoseconds("recorded", rank.host.recorded);
      json.nanoseconds("predicted", rank.host.predicted)
          .nanoseconds("unchanged", rank.host.retained)
          .end_object();
      json.key("kernel_time").begin_object().nanoseconds("recorded", rank.kernels);
      json.nanoseconds("predicted", rank.kernels_predicted)
          .nanoseconds("unchanged", rank.kernels_unpredicted);
      json.end_object().end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
