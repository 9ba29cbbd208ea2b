// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/kernel_estimates.h"

#include <fmt/format.h>

#include <optional>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/model/kernels/table/table_file.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/kernels/kernel_files.h"

namespace orrery::study {
namespace {

using ReadTable = std::shared_ptr<const model::MeasuredTable>;

Error no_device(const std::string& name, std::span<const std::string> of_table) {
  std::vector<std::string_view> names;
  for (const platform::DeviceEntry& known : platform::devices()) names.push_back(known.name);
  names.insert(names.end(), of_table.begin(), of_table.end());
  std::string near;  // "h100" for "h100-sxm", "h100-pcie"
  for (const std::string_view known : names)
    if (!name.empty() && known.starts_with(name + "-"))
      near += (near.empty() ? "there are " : ", ") + std::string(known);
  if (near.empty()) near = did_you_mean(name, names);
  return {Errc::usage, "--device", fmt::format("no device is called {}", in_quotes(name)),
          near.empty() ? "'orrery kernels' lists the devices of the catalog" : near};
}

/// A device of the catalog, or of the table.
Result<model::Silicon> silicon_named(const std::string& name, const ReadTable& table) {
  if (const platform::DeviceEntry* entry = platform::find_device(name))
    return model::silicon_of(*entry);
  if (!table) return tl::unexpected(no_device(name, {}));
  if (!table->knows(name)) return tl::unexpected(no_device(name, table->devices()));
  model::Silicon silicon;
  silicon.name = name;
  return silicon;
}

DeviceKernelEstimates answers_on(const graph::Kernel& kernel, const model::Silicon& silicon,
                                 const std::vector<model::NamedKernelModel>& models) {
  DeviceKernelEstimates answers;
  answers.silicon = silicon;
  const auto taken = model::choose_time(models, kernel, silicon);
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto time = models[i].model->time(kernel, silicon);
    if (time) answers.models.push_back({models[i].source, *time, taken && taken->model == i});
  }
  return answers;
}

/// The error for a model that does not predict kernels.
Error no_model(const std::string& compute) {
  std::vector<std::string_view> names{"auto"};
  for (const model::KernelModelEntry& each : model::kernel_model_entries())
    if (each.is_used_by_auto) names.push_back(name(each.source));
  const auto choice = platform::compute_model(compute);
  const KernelFileEntry* const file = choice ? kernel_file_of(*choice) : nullptr;
  if (file != nullptr && !file->is_used_by_auto)
    return {Errc::usage, "--compute",
            fmt::format("{} has no times of kernels alone", in_quotes(compute)),
            "one of " + join(names)};
  if (file != nullptr)
    return {Errc::usage, "--compute", fmt::format("no {} is given", file->what),
            fmt::format("{} FILE: {}", file->option, file->content)};
  const std::string near = did_you_mean(compute, names);
  return {Errc::usage, "--compute", fmt::format("there is no model {}", in_quotes(compute)),
          near.empty() ? "one of " + join(names) : near};
}

}  // namespace

Error unknown_device(const std::string& name) { return no_device(name, {}); }

Result<const platform::DeviceEntry*> catalog_device(const std::string& name) {
  const platform::DeviceEntry* device = name.empty() ? nullptr : platform::find_device(name);
  if (device == nullptr && !name.empty()) return tl::unexpected(unknown_device(name));
  return device;
}

Result<std::vector<model::NamedKernelModel>> select_kernel_models(const KernelModelSources& sources,
                                                                  const std::string& compute,
                                                                  Findings& findings) {
  auto given = read_kernel_models(sources.files, findings);
  if (!given) return tl::unexpected(given.error());
  std::vector<model::NamedKernelModel> models = model::kernel_models({.given = *std::move(given)});
  if (compute.empty() || compute == "auto") return models;
  std::erase_if(models,
                [&](const model::NamedKernelModel& one) { return name(one.source) != compute; });
  if (models.empty()) return tl::unexpected(no_model(compute));
  models.front().enabled = true;
  for (const KernelFileEntry& row : kKernelFileTable)
    if (const std::string& file = sources.files.*row.path;
        !file.empty() && name(row.source) != compute)
      findings.add(FindingCode::key_without_effect, file);
  return models;
}

Result<std::vector<DeviceKernelEstimates>> estimate_kernel(const graph::Kernel& kernel,
                                                           const KernelModelSources& sources,
                                                           Findings& findings) {
  KernelFiles others = sources.files;
  others.kernel_table.clear();
  auto given = read_kernel_models(others, findings);
  if (!given) return tl::unexpected(given.error());
  std::optional<model::MeasuredRows> rows;
  ReadTable table;
  if (const std::string& path = sources.files.kernel_table; !path.empty()) {
    auto read = model::read_measured(path);
    if (!read) return tl::unexpected(read.error());
    rows = *std::move(read);
    table =
        std::make_shared<const model::MeasuredTable>(model::MeasuredTable::make(*rows, findings));
    given->emplace(TimeSource::table, table);
  }
  const std::vector<model::NamedKernelModel> models =
      model::kernel_models({.given = *std::move(given)});
  std::vector<DeviceKernelEstimates> all;
  for (const std::string& name : sources.devices) {
    const auto silicon = silicon_named(name, table);
    if (!silicon) return tl::unexpected(silicon.error());
    if (rows) {
      if (auto fine = model::check_measured(*rows, *silicon, findings); !fine)
        return tl::unexpected(fine.error());
    }
    DeviceKernelEstimates& answers = all.emplace_back(answers_on(kernel, *silicon, models));
    if (!table || (!answers.models.empty() && answers.models.front().model == TimeSource::table))
      continue;
    answers.table_silence =
        table->knows(silicon->name)
            ? "the table has no such kernels: operation, pass, formats and traits must be equal"
            : "the table has no kernels of this device";
  }
  return all;
}

}  // namespace orrery::study
