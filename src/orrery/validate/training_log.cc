// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/training_log.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "orrery/core/statistics/statistics.h"
#include "orrery/core/text/csv.h"

namespace orrery::validate {

namespace {

/// The lines of a tool contain `key` and then a number.
struct LogKind {
  std::string_view tool, key, unit;
  bool serves = false;
};

// From the programs' own lines: NVIDIA/Megatron-LM training.py, pytorch/torchtitan metrics.py,
// huggingface/transformers trainer.py, NVIDIA/NeMo megatron_base_model.py, AI-Hypercomputer/maxtext
// metric_logger.py, deepspeedai/DeepSpeed timer.py, vllm-project/vllm loggers.py, and the metrics
// of sgl-project/sglang's scheduler.
constexpr LogKind kKinds[] = {
    {"Megatron-LM", "elapsed time per iteration (ms):", "ms per step"},
    {"torchtitan", " tps: ", "tokens/s per device"},
    {"the Trainer of Hugging Face", "'train_steps_per_second':", "steps/s"},
    {"NeMo", "train_step_timing in s=", "s per step"},
    {"NeMo", "train_step_timing in s:", "s per step"},
    {"MaxText", "Tokens/s/device:", "tokens/s per device"},
    {"DeepSpeed", "CurrSamplesPerSec=", "samples/s"},
    {"vLLM", "Avg generation throughput:", "generated tokens/s", true},
    {"SGLang", "gen throughput (token/s):", "generated tokens/s", true}};

/// The number after `key`, with thousands separators; not positive or not finite: none.
std::optional<double> number_behind(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string digits;
  for (const char c : line.substr(at + key.size())) {
    if (c == ' ' && digits.empty()) continue;
    if (c == ',' && !digits.empty()) continue;
    if ((c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-') break;
    digits += c;
  }
  double value = 0;  // no sign: std::from_chars reads none, and values are positive
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc() || value <= 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<TrainingLog> find_training_log(std::string_view text) {
  for (const LogKind& kind : kKinds) {
    TrainingLog log{.tool = kind.tool, .unit = kind.unit, .serves = kind.serves};
    std::vector<double> values;
    TrimmedLineReader lines(text, "");
    for (std::string_view line; lines.next(line);) {
      if (line.find(kind.key) == std::string_view::npos) continue;
      if (const auto value = number_behind(line, kind.key)) values.push_back(*value);
      if (const auto batch = number_behind(line, "global batch size:"); batch && *batch < 1e15)
        log.batch = std::llround(*batch);
    }
    if (values.empty()) continue;
    log.lines = values.size();
    if (values.size() > 1) values.erase(values.begin());
    log.median_value = median(std::move(values));
    return log;
  }
  return std::nullopt;
}

std::string describe(const TrainingLog& log) {
  return fmt::format("is a log of {} with {} line{} of measurements: {:.5g} {} (median){}",
                     log.tool, log.lines, log.lines == 1 ? "" : "s", log.median_value, log.unit,
                     log.batch > 0 ? fmt::format(", {} sequences per step", log.batch) : "");
}

}  // namespace orrery::validate
