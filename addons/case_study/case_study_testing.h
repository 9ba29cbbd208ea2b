// SPDX-License-Identifier: Apache-2.0
//
// A small case study: four runs of an all-reduce over eight devices.
#pragma once

#include <string>

namespace orrery::case_study {

inline std::string small_study(const std::string& more = "") {
  return R"(title: small
cluster:
  device: {name: NPU, peak: 1 TFLOP/s, memory_bandwidth: 100000 TB/s}
  collectives: {library: ideal}
collective: {type: all_reduce}
axes:
  - name: block
    choices:
      - {name: ring, cluster: {network: [{block: ring, size: 8, bandwidth: 50 GB/s, latency: 0 ns}]}}
      - {name: switch, cluster: {network: [{block: switch, size: 8, bandwidth: 50 GB/s, latency: 0 ns}]}}
  - name: size
    choices:
      - {name: small, collective: {size: 8 MB}}
      - {name: large, collective: {size: 16 MB}}
columns:
  - {metric: time}
  - {metric: time, title: times, over: {size: large}}
)" + more;
}

}  // namespace orrery::case_study
