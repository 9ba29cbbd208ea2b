// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/failures/published_failures.h"

#include <array>
#include <limits>

namespace orrery::model {
namespace {

constexpr double kDay = 86400;

// Llama 3, table 5: unexpected interruptions in 54 days on 16,384 H100 in 2,048 servers. Of devices
// (category GPU): faulty GPU 148, HBM3 72, SRAM 19, system processor 17, silent data corruption 6,
// thermal interface and sensor 6. Of nodes, all others: software bug 54, network switch or cable
// 35, unplanned host maintenance 32, NIC 7, NCCL watchdog 7, SSD 3, power supply 3, and 2 each of
// server chassis, I/O expansion board, dependency, CPU, system memory. Sum: 419.
constexpr double kLlamaDevices = 148 + 72 + 19 + 17 + 6 + 6;
constexpr double kLlamaNodes = 54 + 35 + 32 + 7 + 7 + 3 + 3 + 5 * 2;
static_assert(kLlamaDevices + kLlamaNodes == 419);

constexpr std::array kFailures{
    PublishedFailures{"llama-3-405b", "16,384 H100, 54 days", 16384 * 54.0, kLlamaDevices,
                      2048 * 54.0, kLlamaNodes,
                      "Grattafiori et al., The Llama 3 Herd of Models, arXiv:2407.21783, table 5"},
    PublishedFailures{"rsc-1", "16,000 A100, 11 months", 0, 0, 1000, 6.50,
                      "Kokolis et al., Revisiting Reliability in Large-Scale Machine Learning "
                      "Research Clusters, HPCA 2025, arXiv:2410.21680"},
    PublishedFailures{"rsc-2", "8,000 A100, 11 months", 0, 0, 1000, 2.34,
                      "Kokolis et al., Revisiting Reliability in Large-Scale Machine Learning "
                      "Research Clusters, HPCA 2025, arXiv:2410.21680"},
};

double mean_time(double days, double failures) {
  return failures > 0 ? days * kDay / failures : std::numeric_limits<double>::infinity();
}

}  // namespace

double PublishedFailures::device_mtbf() const { return mean_time(device_days, device_failures); }
double PublishedFailures::node_mtbf() const { return mean_time(node_days, node_failures); }

std::span<const PublishedFailures> published_failures() { return kFailures; }

const PublishedFailures* find_published_failures(std::string_view name) {
  for (const PublishedFailures& one : kFailures)
    if (one.name == name) return &one;
  return nullptr;
}

std::vector<std::string_view> published_failure_names() {
  std::vector<std::string_view> names;
  for (const PublishedFailures& one : kFailures) names.push_back(one.name);
  return names;
}

}  // namespace orrery::model
