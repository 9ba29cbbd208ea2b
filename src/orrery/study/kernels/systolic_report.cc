// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/systolic_report.h"

#include <utility>

#include "orrery/core/text/text.h"

namespace orrery::study {
namespace {

/// Returns false if a sum exceeds 64 bits.
bool add_traffic(model::SystolicTraffic& sum, const model::SystolicTraffic& one) {
  using Traffic = model::SystolicTraffic;
  bool fits = true;
  for (std::int64_t Traffic::*part :
       {&Traffic::sram_reads, &Traffic::sram_writes, &Traffic::dram_reads, &Traffic::dram_writes})
    fits &= !__builtin_add_overflow(sum.*part, one.*part, &(sum.*part));
  return fits;
}

bool add_cost(model::SystolicCost& sum, const model::SystolicCost& one) {
  using Cost = model::SystolicCost;
  bool fits = true;
  for (std::int64_t Cost::*part : {&Cost::folds, &Cost::cycles, &Cost::total, &Cost::macs})
    fits &= !__builtin_add_overflow(sum.*part, one.*part, &(sum.*part));
  for (model::SystolicTraffic Cost::*operand : {&Cost::ifmap, &Cost::filter, &Cost::ofmap})
    fits &= add_traffic(sum.*operand, one.*operand);
  return fits;
}

}  // namespace

Result<SystolicReport> report_systolic_layers(const std::string& layers, const std::string& array) {
  SystolicReport report;
  report.where = layers;
  auto config = model::read_systolic_config(array, report.findings);
  if (!config) return tl::unexpected(config.error());
  report.config = *std::move(config);
  const auto read = model::read_systolic_layers(layers, report.findings);
  if (!read) return tl::unexpected(read.error());
  double used = 0;
  for (const model::SystolicLayer& layer : *read) {
    const auto cost = model::systolic_cost(report.config.array, layer.product);
    if (!cost || !add_cost(report.all, *cost))
      return fail(Errc::input_range, layers,
                  in_quotes(layer.name) + " needs more cycles than fit into 64 bits");
    used += cost->utilization * static_cast<double>(cost->cycles);
    report.layers.push_back({layer.name, layer.product, *cost});
  }
  report.all.utilization = used / static_cast<double>(report.all.cycles);
  return report;
}

}  // namespace orrery::study
