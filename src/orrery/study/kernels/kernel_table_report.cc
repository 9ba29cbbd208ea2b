// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/kernel_table_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/model/kernels/table/table_file.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/kernels/kernel_tables.h"

namespace orrery::study {
namespace {

Result<void> check_wanted(const model::MeasuredTable& table,
                          const std::vector<std::string>& wanted) {
  for (const std::string& name : wanted) {
    if (table.knows(name)) continue;
    const std::vector<std::string_view> names(table.devices().begin(), table.devices().end());
    const std::string near = did_you_mean(name, names);
    return fail(Errc::usage, "--device",
                fmt::format("the table has no kernels of {}", in_quotes(name)),
                near.empty() ? "it has kernels of " + truncate(join(names), 400) : near);
  }
  return {};
}

bool is_wanted(const std::string& device, const std::vector<std::string>& wanted) {
  const std::string name = catalog_name(device);
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& other) {
           return catalog_name(other) == name;
         });
}

}  // namespace

Result<KernelTableReport> report_kernel_table(const std::string& path,
                                              const std::vector<std::string>& devices) {
  const auto rows = model::read_measured(path);
  if (!rows) return tl::unexpected(rows.error());
  return report_kernel_rows(*rows, devices);
}

Result<KernelTableReport> report_kernel_rows(const model::MeasuredRows& rows,
                                             const std::vector<std::string>& devices) {
  KernelTableReport report;
  const auto table = model::MeasuredTable::make(rows, report.findings);
  if (auto fine = check_wanted(table, devices); !fine) return tl::unexpected(fine.error());
  report.where = rows.where;
  report.rows = rows.rows.size();
  report.kernels = table.size();
  for (std::size_t i = 0; i < table.devices().size(); ++i) {
    const std::string& name = table.devices()[i];
    if (!is_wanted(name, devices)) continue;
    KernelTableReport::Device& device = report.devices.emplace_back();
    device.name = name;
    if (const auto* entry = platform::find_device(catalog_name(name)))
      device.silicon = model::silicon_of(*entry);
    for (const model::MeasuredKernelClass& known : table.overview())
      if (known.device == i) device.classes.push_back(known);
    if (!device.silicon.described) continue;
    if (auto fine = model::check_measured(rows, device.silicon, report.findings); !fine) {
      report.errors.push_back(fine.error());
      report.errors.back().code = Errc::input_range;  // an error in the file
    }
  }
  return report;
}

}  // namespace orrery::study
