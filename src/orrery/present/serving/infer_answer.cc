// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/serving/infer_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "orrery/core/text/duration.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/power/device_power.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using report::Share;
using report::Value;
using study::Inference;

namespace {

std::string rounded(double value) {
  return value < 100 ? fmt::format("{:.3g}", value)
                     : count(static_cast<std::uint64_t>(std::llround(value)));
}

/// One latency, for tables.
struct LatencyRow {
  const char* name;
  const char* key;
  serving::Latency serving::ServiceMetrics::*latency;
};
constexpr std::array kLatencies{
    LatencyRow{"time to first token", "ttft", &serving::ServiceMetrics::ttft},
    LatencyRow{"time per output token", "tpot", &serving::ServiceMetrics::tpot},
    LatencyRow{"between two tokens", "inter_token", &serving::ServiceMetrics::gap},
    LatencyRow{"latency", "request_latency", &serving::ServiceMetrics::latency},
    LatencyRow{"waiting", "queueing", &serving::ServiceMetrics::waiting}};

void state_latencies(report::Answer& answer, const serving::ServiceMetrics& metrics) {
  report::Columns<LatencyRow> columns;
  const auto column = [&](const char* title, double serving::Latency::*part) {
    columns.show_number(title, [&metrics, part](const auto& row) {
      return report::seconds_text((metrics.*row.latency).*part);
    });
  };
  columns.show("", [](const auto& row) { return std::string(row.name); });
  column("mean", &serving::Latency::mean);
  column("p50", &serving::Latency::p50);
  column("p90", &serving::Latency::p90);
  column("p99", &serving::Latency::p99);
  answer.table("", kLatencies, columns);
  for (const LatencyRow& row : kLatencies) {
    const serving::Latency& one = metrics.*row.latency;
    answer.json(row.key, [&](report::JsonWriter& json) { write_latency(json, one); });
  }
}

/// Measured values of the same load next to the predictions.
void state_measured(report::Answer& answer, const Inference& made) {
  using Measured = study::MeasuredValue;
  std::vector<Measured> latencies;
  for (const Measured& one : made.measured)
    if (!one.is_rate) latencies.push_back(one);
  const auto error = [&](const Measured& one) {
    return one.predicted(made.metrics) / one.value - 1;
  };
  const auto text = [](const Measured& one, double value) {
    return one.is_rate ? rounded(value) : report::seconds_text(value);
  };
  report::Columns<Measured> shown;
  shown.show("compared with the measured",
             [](const Measured& one) { return std::string(one.name); });
  shown.show_number("measured", [&](const Measured& one) { return text(one, one.value); });
  shown.show_number("predicted",
                    [&](const Measured& one) { return text(one, one.predicted(made.metrics)); });
  shown.show_number("error", [&](const Measured& one) { return report::signed_share(error(one)); });
  if (!made.measured.empty()) answer.table("", made.measured, shown);
  report::Columns<Measured> columns;
  columns.field("name", [](const Measured& one) { return Value(one.key); });
  columns.field("measured_s", [](const Measured& one) { return Value(one.value); });
  columns.field("predicted_s",
                [&](const Measured& one) { return Value(one.predicted(made.metrics)); });
  columns.field("error_ratio", [&](const Measured& one) { return Value(error(one)); });
  answer.rows("measured_latencies", latencies, columns);
  for (const char* const rate : {"requests_per_s", "output_tokens_per_s"}) {
    const auto found =
        std::find_if(made.measured.begin(), made.measured.end(),
                     [&](const Measured& one) { return one.key == std::string_view(rate); });
    answer.field(fmt::format("measured_{}", rate),
                 found == made.measured.end() ? Value() : Value(found->value));
  }
}

/// Statistics next to their limits.
void state_limits(report::Answer& answer, const Inference& made) {
  using Row = serving::StatisticLimit;
  const auto value = [&](const Row& one) { return serving::statistic_of(made.metrics, one); };
  report::Columns<Row> columns;
  columns.field("name", [](const Row& one) { return Value(one.name()); });
  columns.field("limit_s", [](const Row& one) { return Value(one.seconds); });
  columns.field("measured_s", [&](const Row& one) { return Value(value(one)); });
  answer.rows("service_limits", made.limits.statistics, columns);
  for (const Row& one : made.limits.statistics) {
    const std::string text =
        fmt::format("{}: {} ({} at most)", one.name(), report::seconds_text(value(one)),
                    report::seconds_text(one.seconds));
    answer.line("limit", value(one) <= one.seconds ? text : answer.style().bad(text));
  }
}

void state_throughput(report::Answer& answer, const Inference& made) {
  const serving::ServiceMetrics& metrics = made.metrics;
  answer.end_section();
  answer.row(
      "throughput", "output_tokens_per_s", Value(metrics.output_per_s),
      fmt::format("{} output tokens/s, {} per device; {} requests/s", rounded(metrics.output_per_s),
                  rounded(metrics.output_per_s / static_cast<double>(made.devices())),
                  rounded(metrics.requests_per_s)));
  answer.field("tokens_per_s", metrics.tokens_per_s);
  answer.field("requests_per_s", metrics.requests_per_s).field("serving_s", metrics.duration);
  const bool limited = made.limits.limits_requests();
  answer.field("goodput_requests_per_s", limited ? Value(metrics.goodput) : Value());
  answer.field("good_share", limited ? Value(Share{metrics.good_share}) : Value());
  if (limited) {
    const std::string text =
        fmt::format("{} requests/s; {} of the requests meet the limits", rounded(metrics.goodput),
                    report::percent(metrics.good_share));
    const bool enough = made.metrics.good_share >= made.limits.share;
    answer.line("goodput", enough ? text : answer.style().bad(text));
  }
  state_limits(answer, made);
  answer.row("energy", "energy_per_1e6_output_j", Value(made.energy_per_1e6),
             fmt::format("{} per million output tokens, at {} on average",
                         model::format_power_unit(made.energy_per_1e6 / 3600, "Wh"),
                         model::format_power_unit(made.power, "W")));
  answer.field("power_w", made.power);
  answer.field("device_hour_price", made.price).field("cost_per_1e6_output", made.cost_per_1e6);
  if (made.cost_per_1e6)
    answer.line("cost", fmt::format("{:.4g} per million output tokens, at {:.4g} per device hour",
                                    *made.cost_per_1e6, *made.price));
}

void state_load(report::Answer& answer, const Inference& made) {
  const serving::Occupancy& use = made.metrics.occupancy;
  answer.end_section();
  answer.row("steps", "serving_steps", Value(made.metrics.steps),
             fmt::format("{}: {} sequences and {} tokens on average; {} of the time",
                         count(made.metrics.steps), rounded(use.running), rounded(use.tokens),
                         report::percent(use.busy)));
  answer.field("mean_sequences", use.running).field("mean_step_tokens", use.tokens);
  answer.field("step_share", Share{use.busy}).field("most_sequences", use.most_running);
  answer.row("queue", "mean_waiting", Value(use.waiting),
             fmt::format("{} requests on average, {} at most", rounded(use.waiting),
                         count(static_cast<std::uint64_t>(use.most_waiting))));
  answer.field("most_waiting", use.most_waiting);
  answer.row("cache", "cache_blocks", Value(made.setup.blocks),
             fmt::format("{} blocks of {}: {} used on average, {} at most",
                         count(static_cast<std::uint64_t>(made.setup.blocks)),
                         plural(static_cast<std::uint64_t>(made.setup.block_tokens), "token"),
                         report::percent(use.cache),
                         report::percent(static_cast<double>(use.most_blocks) /
                                         static_cast<double>(made.setup.blocks))));
  answer.field("block_tokens", made.setup.block_tokens).field("cache_share", Share{use.cache});
  answer.field("most_blocks", use.most_blocks);
  answer.row("prefixes", "cached_share", Value(Share{made.metrics.cached_share}),
             fmt::format("{} of the prompts' tokens were in the cache",
                         report::percent(made.metrics.cached_share)));
  answer.row("preemptions", "preemptions", Value(made.metrics.preemptions),
             count(made.metrics.preemptions));
}

void state_memory(report::Answer& answer, const Inference& made) {
  const study::ServingMemory& memory = made.memory;
  answer.object("serving_memory", [&] {
    answer.row(
        "memory", "device_bytes", Value(memory.total),
        fmt::format("{} a device: weights {}, activations {}, context and buffers {}, "
                    "cache {}",
                    gigabytes(memory.total), gigabytes(memory.weights),
                    gigabytes(memory.activations), gigabytes(memory.context + memory.communicators),
                    gigabytes(memory.cache)));
    answer.field("weights_bytes", memory.weights).field("activations_bytes", memory.activations);
    answer.field("context_bytes", memory.context);
    answer.field("communicators_bytes", memory.communicators);
    answer.field("cache_bytes", memory.cache).field("token_bytes", memory.token_bytes);
  });
}

void state_steps(report::Answer& answer, const Inference& made) {
  struct Row {
    const char* name;
    const study::StepBreakdown* step;
  };
  const std::array rows{Row{"decoding", &made.decode_step},
                        Row{"with a prompt", &made.prompt_step}};
  using Step = study::StepBreakdown;
  report::Columns<Row> columns;
  const auto time = [&](const char* title, const char* key, const auto& of) {
    columns.add(
        title, key, [of](const auto& row) { return Value(of(*row.step)); },
        [of](const auto& row) { return report::seconds_text(of(*row.step)); });
    columns.align(report::Align::right);
  };
  columns.add("step", "name", [](const auto& row) { return Value(row.name); });
  columns.add("tokens", "tokens", [](const auto& row) { return Value(row.step->tokens); });
  columns.field("sequences", [](const auto& row) { return Value(row.step->sequences); });
  columns.field("keys", [](const auto& row) { return Value(row.step->keys); });
  time("time", "total_s", [](const Step& step) { return step.total(); });
  time("layers", "layers_s", [](const Step& step) { return step.kernels; });
  time("attention", "attention_s", [](const Step& step) { return step.attention; });
  time("collectives", "collectives_s", [](const Step& step) { return step.collectives; });
  time("head", "head_s", [](const Step& step) { return step.head; });
  answer.table("typical_steps", rows, columns);
  answer.field("grid_error", made.grid_error).field("grid_points", made.grid_points);
  answer.note(fmt::format("Step times are interpolated; the error of sampled steps is at most {}.",
                          report::percent(made.grid_error)));
}

void state_intervals(report::Answer& answer, const Inference& made) {
  using Row = serving::ServiceInterval;
  report::Columns<Row> columns;
  columns.field("start_s", [](const Row& row) { return Value(row.start); });
  columns.add(
      "until", "end_s", [](const Row& row) { return Value(row.end); },
      [](const Row& row) { return report::seconds_text(row.end); });
  columns.add(
      "running", "mean_sequences", [](const Row& row) { return Value(row.running); },
      [](const Row& row) { return rounded(row.running); });
  columns.add(
      "waiting", "mean_waiting", [](const Row& row) { return Value(row.waiting); },
      [](const Row& row) { return rounded(row.waiting); });
  columns.add(
      "cache", "cache_share", [](const Row& row) { return Value(Share{row.cache}); },
      [](const Row& row) { return report::percent(row.cache); });
  columns.add(
      "prompt tokens/s", "input_tokens_per_s",
      [](const Row& row) { return Value(row.input_per_s); },
      [](const Row& row) { return rounded(row.input_per_s); });
  columns.add(
      "output tokens/s", "output_tokens_per_s",
      [](const Row& row) { return Value(row.output_per_s); },
      [](const Row& row) { return rounded(row.output_per_s); });
  answer.table("intervals", made.intervals, columns);
}

void state_server(report::Answer& answer, const Inference& made) {
  report::Columns<study::ServerConstant> columns;
  columns.add("", "name", [](const auto& one) { return Value(one.name); });
  columns.field("server_s", [](const auto& one) { return Value(one.seconds); });
  columns.field("source", [](const auto& one) { return Value(one.source); });
  answer.rows("server_times", made.server, columns);
  for (const study::ServerConstant& one : made.server)
    if (one.seconds > 0)
      answer.line("server", fmt::format("{}: {} ({})", one.name, report::seconds_text(one.seconds),
                                        one.source));
}

}  // namespace

void write_latency(report::JsonWriter& json, const serving::Latency& latency) {
  json.begin_object();
  json.field("mean_s", latency.mean).field("p50_s", latency.p50).field("p90_s", latency.p90);
  json.field("p99_s", latency.p99).field("longest_s", latency.most);
  json.end_object();
}

void state_inference(report::Answer& answer, const Inference& made) {
  answer.title(fmt::format("{} on {} {} ({}, {}): {}", printable(made.model), made.devices(),
                           made.gpu, made.engine, made.parallel,
                           plural(made.stream.requests.size(), "request")));
  answer.field("model", made.model).field("device", made.gpu).field("engine", made.engine);
  answer.field("devices", made.devices()).field("instances", made.instances);
  answer.field("devices_per_instance", made.devices_per_instance);
  answer.row("requests", "requests", Value(made.stream.requests.size()),
             fmt::format("{}; {} prompt and {} output tokens on average", made.load,
                         rounded(static_cast<double>(made.stream.input_tokens()) /
                                 static_cast<double>(made.stream.requests.size())),
                         rounded(static_cast<double>(made.stream.output_tokens()) /
                                 static_cast<double>(made.stream.requests.size()))));
  answer.field("arrivals", made.load);
  answer.field("input_tokens", made.stream.input_tokens());
  answer.field("output_tokens", made.stream.output_tokens());
  answer.field("max_num_seqs", made.setup.options.max_num_seqs);
  answer.field("max_num_batched_tokens", made.setup.options.max_num_batched_tokens);
  state_latencies(answer, made.metrics);
  state_measured(answer, made);
  state_throughput(answer, made);
  state_load(answer, made);
  state_memory(answer, made);
  state_server(answer, made);
  state_steps(answer, made);
  state_intervals(answer, made);
  answer.findings(made.findings);
}

}  // namespace orrery::present
