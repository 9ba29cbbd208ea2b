// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/predict_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using report::Answer;
using report::JsonWriter;
using study::DeviceShares;
using study::PredictedRank;
using study::StepPrediction;

namespace {

void write_breakdown(JsonWriter& json, const profile::Breakdown& parts) {
  json.begin_object().nanoseconds("active", parts.length - parts.idle);
  json.nanoseconds("compute", parts.compute_only + parts.overlapped);
  json.nanoseconds("exposed_comm", parts.comm_only).nanoseconds("idle", parts.idle);
  json.end_object();
}

void write_times(JsonWriter& json, Time recorded, Time predicted, Time unchanged) {
  json.begin_object().nanoseconds("recorded", recorded).nanoseconds("predicted", predicted);
  json.nanoseconds("unchanged", unchanged).end_object();
}

report::Columns<PredictedRank> predicted_rank_columns(bool models) {
  const auto rank_text = [](const PredictedRank& rank) { return std::to_string(rank.rank); };
  const auto predicted_text = [](const PredictedRank& rank) {
    return fmt::format("{} ({})", format_time(rank.predicted),
                       relative_change(rank.recorded, rank.predicted));
  };
  report::Columns<PredictedRank> columns;
  const auto add_change = [&](const char* title, const char* key, Time PredictedRank::*time) {
    columns.add(title, key, time, [time](const PredictedRank& rank) {
      return relative_change(rank.recorded, rank.*time);
    });
  };
  columns.add("rank", "rank", &PredictedRank::rank, rank_text)
      .field("file", &PredictedRank::file)
      .field("device", &PredictedRank::device)
      .add("recorded", "recorded_ns", &PredictedRank::recorded);
  add_change("replayed", "replayed_ns", &PredictedRank::replayed);
  add_change("host predicted", "predicted_host_ns", &PredictedRank::host_only);
  if (models)
    add_change("kernels predicted", "predicted_kernels_ns", &PredictedRank::kernels_only);
  else
    columns.field("predicted_kernels_ns", &PredictedRank::kernels_only);
  columns.add("predicted", "predicted_ns", &PredictedRank::predicted, predicted_text);
  columns.members([](JsonWriter& json, const PredictedRank& rank) {
    write_breakdown(json.key("predicted_breakdown"), rank.parts);
    write_breakdown(json.key("recorded_breakdown"), rank.recorded_parts);
    write_times(json.key("host_time"), rank.host.recorded, rank.host.predicted, rank.host.retained);
    write_times(json.key("kernel_time"), rank.kernels, rank.kernels_predicted,
                rank.kernels_unpredicted);
  });
  return columns;
}

/// Mean absolute error of the ranks, as a share.
double mean_error(const StepPrediction& prediction) {
  double sum = 0;
  for (const PredictedRank& rank : prediction.ranks)
    sum += std::abs(static_cast<double>((rank.predicted - rank.recorded).count()) /
                    static_cast<double>(std::max<std::int64_t>(1, rank.recorded.count())));
  return prediction.ranks.empty() ? 0 : sum / static_cast<double>(prediction.ranks.size());
}

/// The shares of the step that models and typical host times predict.
void state_predicted_parts(Answer& answer, const StepPrediction& prediction) {
  profile::PredictedHost host;
  Time kernels{}, unpredicted{};
  for (const PredictedRank& rank : prediction.ranks) {
    host.recorded += rank.host.recorded;
    host.predicted += rank.host.predicted;
    host.retained += rank.host.retained;
    kernels += rank.kernels;
    unpredicted += rank.kernels_unpredicted;
  }
  const std::string_view source = name(prediction.from);
  answer.row("host", "host_source", source,
             fmt::format("T1 to T5 of {}: {} of the thread time ({}); the rest is waits, pauses or "
                         "outside operators",
                         source, share(host.recorded, host.recorded + host.retained),
                         relative_change(host.recorded, host.predicted)));
  if (prediction.models)
    answer.line("kernels",
                kernels > Time{}
                    ? fmt::format("{} of their time predicted by models; the rest as recorded",
                                  share(kernels, kernels + unpredicted))
                    : "as recorded: no model covers these kernels or the device");
  answer.field("kernels_predicted", prediction.models);
}

void state_device_use(Answer& answer, const char* key, const DeviceShares& shares) {
  answer.object(key, [&] {
    answer.field("active_share", shares.active).field("exposed_comm_share", shares.exposed);
    answer.field("imbalance_ratio", shares.imbalance);
    answer.field("lookup_imbalance_ratio", shares.lookups);
  });
}

/// The device figures of Lin et al., when there are devices.
void state_device_figures(Answer& answer, const StepPrediction& prediction) {
  if (std::all_of(prediction.ranks.begin(), prediction.ranks.end(),
                  [](const PredictedRank& rank) { return rank.device.empty(); }))
    return;
  const DeviceShares &predicted = prediction.shares, &recorded = prediction.recorded_shares;
  const auto state = [&](const char* label, double DeviceShares::*figure, const char* meaning) {
    answer.line(label, fmt::format("{:.1f} % of the step, recorded {:.1f} %: {}",
                                   100 * predicted.*figure, 100 * recorded.*figure, meaning));
  };
  state("active", &DeviceShares::active, "at least one stream is busy");
  state("exposed comm", &DeviceShares::exposed, "not hidden by other work");
  state("imbalance", &DeviceShares::imbalance, "largest compute time of a rank minus the mean");
  if (predicted.lookups > 0 || recorded.lookups > 0)
    state("lookups", &DeviceShares::lookups, "the same for embedding lookups only");
}

}  // namespace

void state_prediction(Answer& answer, const StepPrediction& prediction) {
  answer.table("per_rank", prediction.ranks, predicted_rank_columns(prediction.models));
  answer.row(
      "step", "predicted_ns", prediction.predicted,
      fmt::format(
          "{} predicted, {} recorded, of the slowest rank ({}); mean error of the ranks {:.1f} %",
          format_time(prediction.predicted), format_time(prediction.recorded),
          relative_change(prediction.recorded, prediction.predicted),
          100 * mean_error(prediction)));
  answer.field("recorded_ns", prediction.recorded);
  state_predicted_parts(answer, prediction);
  state_device_use(answer, "predicted_device_use", prediction.shares);
  state_device_use(answer, "recorded_device_use", prediction.recorded_shares);
  state_device_figures(answer, prediction);
  answer.findings(prediction.findings);
}

}  // namespace orrery::present
