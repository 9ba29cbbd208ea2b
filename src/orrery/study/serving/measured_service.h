// SPDX-License-Identifier: Apache-2.0
//
// Results of the benchmarks of servers: vLLM's `bench serve` and SGLang's `bench_serving`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/serving/latencies.h"

namespace orrery::study {

/// One measured value.
struct MeasuredValue {
  std::string_view name;  ///< "time to first token, mean"
  std::string_view key;   ///< "ttft_mean"
  bool is_rate = false;   ///< per second; else seconds
  double value = 0;

  /// The predicted value of the same name.
  [[nodiscard]] double predicted(const serving::ServiceMetrics& metrics) const;
};

/// A result, and the load that it states.
struct MeasuredService {
  std::vector<MeasuredValue> values;
  std::int64_t requests = 0;                         ///< that were answered
  std::int64_t input_tokens = 0, output_tokens = 0;  ///< of all requests
  std::vector<std::int64_t> inputs, outputs;         ///< tokens by request, if it states them
  double rate = 0;                                   ///< requests per second; 0: all at once
  double burstiness = 1;
  std::int64_t concurrency = 0;  ///< 0: no limit
};

/// Reads the JSON that these benchmarks save (`--save-result`, `--output-file`: its last line), or
/// the table that they print ("Serving Benchmark Result"). Tables of older versions have no rate
/// and no limit of clients. Errc: input_unsupported (another file), input_missing_attr (no numbers
/// of requests and tokens), input_range, limit_exceeded (requests), and those of
/// config::parse_json(). O(bytes).
[[nodiscard]] Result<MeasuredService> parse_measured_service(std::string_view text,
                                                             const std::string& where);
/// The same of a file. Errc: also those of reading it.
[[nodiscard]] Result<MeasuredService> read_measured_service(const std::string& path);

}  // namespace orrery::study
