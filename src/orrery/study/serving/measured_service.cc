// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/serving/measured_service.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/text/csv.h"
#include "orrery/serving/requests.h"

namespace orrery::study {
namespace {

using config::Json;
using serving::Latency;
using serving::ServiceMetrics;

/// A value of a result: its key in JSON, and its name in the printed table. From
/// vllm-project/vllm benchmarks/serve.py and sgl-project/sglang bench_serving.py.
struct KnownValue {
  std::string_view name, key, json, other_json, label;
  double Latency::*part = nullptr;
  Latency ServiceMetrics::*latency = nullptr;  // in ms
  double ServiceMetrics::*rate = nullptr;
};

constexpr std::array kValues{
    KnownValue{"time to first token, mean", "ttft_mean", "mean_ttft_ms", "",
               "Mean TTFT (ms):", &Latency::mean, &ServiceMetrics::ttft},
    KnownValue{"time to first token, median", "ttft_median", "median_ttft_ms", "",
               "Median TTFT (ms):", &Latency::p50, &ServiceMetrics::ttft},
    KnownValue{"time to first token, p99", "ttft_p99", "p99_ttft_ms", "",
               "P99 TTFT (ms):", &Latency::p99, &ServiceMetrics::ttft},
    KnownValue{"time per output token, mean", "tpot_mean", "mean_tpot_ms", "",
               "Mean TPOT (ms):", &Latency::mean, &ServiceMetrics::tpot},
    KnownValue{"time per output token, median", "tpot_median", "median_tpot_ms", "",
               "Median TPOT (ms):", &Latency::p50, &ServiceMetrics::tpot},
    KnownValue{"time per output token, p99", "tpot_p99", "p99_tpot_ms", "",
               "P99 TPOT (ms):", &Latency::p99, &ServiceMetrics::tpot},
    KnownValue{"between two tokens, mean", "inter_token_mean", "mean_itl_ms", "",
               "Mean ITL (ms):", &Latency::mean, &ServiceMetrics::gap},
    KnownValue{"between two tokens, median", "inter_token_median", "median_itl_ms", "",
               "Median ITL (ms):", &Latency::p50, &ServiceMetrics::gap},
    KnownValue{"between two tokens, p99", "inter_token_p99", "p99_itl_ms", "",
               "P99 ITL (ms):", &Latency::p99, &ServiceMetrics::gap},
    KnownValue{"latency, mean", "latency_mean", "mean_e2el_ms", "mean_e2e_latency_ms",
               "Mean E2EL (ms):", &Latency::mean, &ServiceMetrics::latency},
    KnownValue{"latency, median", "latency_median", "median_e2el_ms", "median_e2e_latency_ms",
               "Median E2EL (ms):", &Latency::p50, &ServiceMetrics::latency},
    KnownValue{"latency, p99", "latency_p99", "p99_e2el_ms", "p99_e2e_latency_ms",
               "P99 E2EL (ms):", &Latency::p99, &ServiceMetrics::latency},
    KnownValue{"requests per second", "requests_per_s", "request_throughput", "",
               "Request throughput (req/s):", nullptr, nullptr, &ServiceMetrics::requests_per_s},
    KnownValue{"output tokens per second", "output_tokens_per_s", "output_throughput", "",
               "Output token throughput (tok/s):", nullptr, nullptr,
               &ServiceMetrics::output_per_s}};

constexpr std::string_view kTitle = "Serving Benchmark Result";

/// A number of the result that must be finite and above 0.
Result<double> positive(double value, const std::string& where, std::string_view name) {
  if (std::isfinite(value) && value > 0 && value < 1e15) return value;
  return fail(Errc::input_range, where, fmt::format("{} is not a positive number", name));
}

/// A count of the result.
Result<std::int64_t> count_in(double value, const std::string& where, std::string_view name) {
  const auto number = positive(value, where, name);
  if (!number) return tl::unexpected(number.error());
  if (*number >= 1 && *number <= static_cast<double>(serving::kMaxRequests) *
                                     static_cast<double>(serving::kMaxRequestTokens))
    return std::llround(*number);
  return fail(Errc::input_range, where, fmt::format("{} is no count", name));
}

Result<void> add_value(const KnownValue& known, double value, const std::string& where,
                       MeasuredService& made) {
  // A stream of one token has no time per output token.
  if (value == 0) return {};
  const auto number = positive(value, where, known.json);
  if (!number) return tl::unexpected(number.error());
  made.values.push_back({known.name, known.key, known.rate != nullptr,
                         known.rate != nullptr ? *number : *number / 1e3});
  return {};
}

Result<void> check_complete(const MeasuredService& made, const std::string& where) {
  if (made.values.empty() || made.requests == 0 || made.input_tokens == 0 ||
      made.output_tokens == 0)
    return fail(Errc::input_missing_attr, where,
                "lacks latencies, the number of requests, or their tokens",
                "save a complete result: vllm bench serve --save-result");
  if (made.requests > serving::kMaxRequests)
    return fail(
        Errc::limit_exceeded, where,
        fmt::format("has {} requests; {} are served", made.requests, serving::kMaxRequests));
  return {};
}

class JsonResult {
 public:
  JsonResult(const Json& file, const std::string& where) : file_(file), where_(where) {}

  Result<MeasuredService> read() {
    MeasuredService made;
    for (const KnownValue& known : kValues) {
      const Json* value = find(known.json);
      if (value == nullptr) value = find(known.other_json);
      if (value == nullptr || !value->is_number()) continue;
      if (auto added = add_value(known, value->get<double>(), where_, made); !added)
        return tl::unexpected(added.error());
    }
    if (made.values.empty())
      return fail(Errc::input_unsupported, where_,
                  "this JSON is no result of a server's benchmark (\"mean_ttft_ms\")",
                  "save one: vllm bench serve --save-result");
    for (const auto& [key, into] : {std::pair{"completed", &made.requests},
                                    std::pair{"total_input_tokens", &made.input_tokens},
                                    std::pair{"total_output_tokens", &made.output_tokens},
                                    std::pair{"max_concurrency", &made.concurrency}}) {
      const Json* value = find(key);
      if (value == nullptr || !value->is_number()) continue;
      const auto count = count_in(value->get<double>(), where_, key);
      if (!count) return tl::unexpected(count.error());
      *into = *count;
    }
    for (const auto& [key, into] :
         {std::pair{"request_rate", &made.rate}, std::pair{"burstiness", &made.burstiness}}) {
      const Json* value = find(key);
      if (value == nullptr || !value->is_number()) continue;  // "inf": all at once
      const auto number = positive(value->get<double>(), where_, key);
      if (!number) return tl::unexpected(number.error());
      *into = *number;
    }
    if (auto lengths = read_lengths(made); !lengths) return tl::unexpected(lengths.error());
    if (auto complete = check_complete(made, where_); !complete)
      return tl::unexpected(complete.error());
    return made;
  }

 private:
  [[nodiscard]] const Json* find(std::string_view key) const {
    const auto found = key.empty() ? file_.end() : file_.find(key);
    return found == file_.end() ? nullptr : &*found;
  }

  /// Tokens by request (`--save-detailed`). Requests that failed have no output.
  Result<void> read_lengths(MeasuredService& made) const {
    const Json* const inputs = find("input_lens");
    const Json* const outputs = find("output_lens");
    if (inputs == nullptr || outputs == nullptr || !inputs->is_array() || !outputs->is_array() ||
        inputs->size() != outputs->size())
      return {};
    for (std::size_t i = 0; i < inputs->size(); ++i) {
      for (const Json* const one : {&(*inputs)[i], &(*outputs)[i]})
        if (!one->is_number_integer() || one->get<std::int64_t>() < 0 ||
            one->get<std::int64_t>() > serving::kMaxRequestTokens)
          return fail(Errc::input_range, where_,
                      fmt::format("input_lens or output_lens, number {}: is no count", i));
      const std::int64_t output = (*outputs)[i].get<std::int64_t>();
      if (output == 0) continue;
      made.inputs.push_back(std::max<std::int64_t>((*inputs)[i].get<std::int64_t>(), 1));
      made.outputs.push_back(output);
    }
    return {};
  }

  const Json& file_;
  const std::string& where_;
};

/// The number after the label of a printed table; empty: the line has another label.
std::optional<double> number_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + label.size());
  const std::size_t begin = rest.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(begin);
  double value = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

Result<MeasuredService> read_table(std::string_view text, const std::string& where) {
  MeasuredService made;
  TrimmedLineReader lines(text.substr(text.find(kTitle)), where);
  for (std::string_view line; lines.next(line);) {
    for (const KnownValue& known : kValues)
      if (const auto value = number_after(line, known.label))
        if (auto added = add_value(known, *value, where, made); !added)
          return tl::unexpected(added.error());
    for (const auto& [label, into] : {std::pair{"Successful requests:", &made.requests},
                                      std::pair{"Total input tokens:", &made.input_tokens},
                                      std::pair{"Total generated tokens:", &made.output_tokens},
                                      std::pair{"Maximum request concurrency:", &made.concurrency}})
      if (const auto value = number_after(line, label)) {
        const auto count = count_in(*value, where, label);
        if (!count) return tl::unexpected(count.error());
        *into = *count;
      }
    if (const auto value = number_after(line, "Request rate configured (RPS):"))
      made.rate = std::isfinite(*value) ? *value : 0;
  }
  if (auto complete = check_complete(made, where); !complete)
    return tl::unexpected(complete.error());
  return made;
}

}  // namespace

double MeasuredValue::predicted(const serving::ServiceMetrics& metrics) const {
  for (const KnownValue& known : kValues)
    if (known.key == key)
      return known.rate != nullptr ? metrics.*known.rate : (metrics.*known.latency).*known.part;
  return 0;
}

Result<MeasuredService> parse_measured_service(std::string_view text, const std::string& where) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return fail(Errc::input_empty, where, "the file is empty");
  if (text[begin] != '{') {
    if (text.find(kTitle) != std::string_view::npos) return read_table(text, where);
    return fail(Errc::input_unsupported, where,
                "is neither the JSON nor the table of a server's benchmark",
                "save one: vllm bench serve --save-result");
  }
  // SGLang appends a line per run; Python writes an endless rate as Infinity, which is no JSON.
  std::string last(text);
  while (!last.empty() && (last.back() == '\n' || last.back() == '\r' || last.back() == ' '))
    last.pop_back();
  if (const std::size_t line = last.rfind("\n{"); line != std::string::npos)
    last.erase(0, line + 1);
  for (std::size_t at = 0; (at = last.find(": Infinity", at)) != std::string::npos;)
    last.replace(at, std::string_view(": Infinity").size(), ": null");
  const auto file = config::parse_json(last, where);
  if (!file) return tl::unexpected(file.error());
  return JsonResult(*file, where).read();
}

Result<MeasuredService> read_measured_service(const std::string& path) {
  const auto text = config::read_text(path);
  if (!text) {
    Error error = text.error();
    if (error.code == Errc::config_not_found) error.code = Errc::input_not_found;
    return tl::unexpected(std::move(error));
  }
  return parse_measured_service(*text, path);
}

}  // namespace orrery::study
