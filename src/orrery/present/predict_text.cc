// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/predict_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/present/words.h"
#include "orrery/report/envelope.h"
#include "orrery/report/json.h"

namespace orrery::present {

using report::JsonWriter;
using study::PredictedRank;
using study::Prediction;

namespace {

std::string ranks_text(const Prediction& told, report::Style style) {
  std::vector<report::Table::Column> columns = {
      {"rank", true}, {"recorded", true}, {"played again", true}, {"host told", true}};
  if (told.models) columns.push_back({"kernels told", true});
  columns.push_back({"told", true});
  report::Table table(columns);
  for (const PredictedRank& rank : told.ranks) {
    std::vector<std::string> row = {fmt::format("{}", rank.rank), format_time(rank.recorded),
                                    longer(rank.recorded, rank.replayed),
                                    longer(rank.recorded, rank.with_host)};
    if (told.models) row.push_back(longer(rank.recorded, rank.with_kernels));
    row.push_back(fmt::format("{} ({})", format_time(rank.told), longer(rank.recorded, rank.told)));
    table.row(row);
  }
  return table.text(style);
}

/// How far the ranks are off, in the mean.
double mean_off(const Prediction& told) {
  double sum = 0;
  for (const PredictedRank& rank : told.ranks)
    sum += std::abs(static_cast<double>((rank.told - rank.recorded).count()) /
                    static_cast<double>(std::max<std::int64_t>(1, rank.recorded.count())));
  return told.ranks.empty() ? 0 : sum / static_cast<double>(told.ranks.size());
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
void add_shares(report::Sheet& sheet, const Prediction& told) {
  if (std::all_of(told.ranks.begin(), told.ranks.end(),
                  [](const PredictedRank& rank) { return rank.device.empty(); }))
    return;
  const study::DeviceShares &now = told.shares, &was = told.recorded_shares;
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

std::string predict_text(const Prediction& told, report::Style style) {
  profile::ToldHost host;
  Time kernels{}, kept{};
  for (const PredictedRank& rank : told.ranks) {
    host.recorded += rank.host.recorded;
    host.told += rank.host.told;
    host.kept += rank.host.kept;
    kernels += rank.kernels;
    kept += rank.kernels_kept;
  }
  report::Sheet sheet(style);
  sheet.add("step",
            fmt::format("{} for {} of the slowest rank ({}); ranks {:.1f} % off in the mean",
                        format_time(told.told), format_time(told.recorded),
                        longer(told.recorded, told.told), 100 * mean_off(told)));
  sheet.add("host", fmt::format("T1 to T5 of {}: {} of the time of threads ({}); the rest waits, "
                                "pauses or is no operator's",
                                name(told.from), share(host.recorded, host.recorded + host.kept),
                                longer(host.recorded, host.told)));
  if (told.models)
    sheet.add("kernels", kernels > Time{}
                             ? fmt::format("by models: {} of their time; the rest as recorded",
                                           share(kernels, kernels + kept))
                             : "as recorded: no model knows one, or the device");
  add_shares(sheet, told);
  std::string text = ranks_text(told, style) + "\n" + sheet.text();
  report::Sheet more(style);
  report::add_findings(more, told.findings, style);
  return text + more.text();
}

std::string predict_json(const Prediction& told) {
  return report::envelope("predict", told.findings, [&](JsonWriter& json) {
    json.begin_object().nanoseconds("recorded", told.recorded).nanoseconds("predicted", told.told);
    json.field("host_source", name(told.from)).field("kernels_predicted", told.models);
    write_shares(json, "predicted_device_use", told.shares);
    write_shares(json, "recorded_device_use", told.recorded_shares);
    json.key("per_rank").begin_array();
    for (const PredictedRank& rank : told.ranks) {
      json.begin_object().field("rank", rank.rank).field("file", std::string_view(rank.file));
      json.field("device", std::string_view(rank.device));
      json.nanoseconds("recorded", rank.recorded).nanoseconds("replayed", rank.replayed);
      json.nanoseconds("predicted_host", rank.with_host)
          .nanoseconds("predicted_kernels", rank.with_kernels);
      json.nanoseconds("predicted", rank.told);
      write_told_parts(json, "predicted_breakdown", rank.parts);
      write_told_parts(json, "recorded_breakdown", rank.recorded_parts);
      json.key("host_time").begin_object().nanoseconds("recorded", rank.host.recorded);
      json.nanoseconds("predicted", rank.host.told)
          .nanoseconds("unchanged", rank.host.kept)
          .end_object();
      json.key("kernel_time").begin_object().nanoseconds("recorded", rank.kernels);
      json.nanoseconds("predicted", rank.kernels_told).nanoseconds("unchanged", rank.kernels_kept);
      json.end_object().end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
