// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/kernel_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/graph/content_hash.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;

Result<LoadedKernelFile> read(const KernelFileEntry& row, const std::string& path,
                              std::string place, const platform::Device* device,
                              Findings& findings) {
  const auto text = config::read_text(path, limits::kMeasuredBytes);
  if (!text) return tl::unexpected(text.error());
  auto content =
      model::read_kernel_file(row.source, {*text, path, std::move(place), device}, findings);
  if (!content) return tl::unexpected(content.error());
  graph::ContentHash hash;
  hash.add(*text);
  return LoadedKernelFile{std::move(content->model), hash.value(), std::move(content->about)};
}

}  // namespace

std::string resolve_cluster_path(const Question& question, const std::string& named) {
  if (fs::path(named).is_absolute()) return named;
  const std::string there = (fs::path(question.cluster).parent_path() / named).string();
  std::error_code ignored;
  return fs::exists(there, ignored) || !fs::exists(named, ignored) ? there : named;
}

Result<LoadedKernelFile> read_kernel_file(const KernelFileEntry& row, const std::string& path,
                                          Findings& findings) {
  return read(row, path, std::string(row.option), nullptr, findings);
}

Result<LoadedKernelFile> read_device_kernel_file(const KernelFileEntry& row,
                                                 const Question& question,
                                                 const platform::Platform& platform,
                                                 Findings& findings) {
  const platform::Device& device = platform.device;
  const std::string& named = device.kernel_files.*row.path;
  if (named.empty()) return LoadedKernelFile{};
  const bool typed = !(question.kernel_files.*row.path).empty();
  std::string place = typed ? std::string(row.option) : fmt::format("/device/{}", row.key);
  if (platform.rules == platform::Rules::astra || platform.replay_only ||
      !row.is_read_for(device.compute)) {
    findings.add(FindingCode::key_without_effect, std::move(place));
    return LoadedKernelFile{};
  }
  return read(row, typed ? named : resolve_cluster_path(question, named), std::move(place), &device,
              findings);
}

Result<LoadedKernelFiles> read_kernel_files(const Question& question,
                                            const platform::Platform& platform,
                                            Findings& findings) {
  LoadedKernelFiles made;
  for (std::size_t i = 0; i < made.size(); ++i) {
    auto file = read_device_kernel_file(kKernelFileTable[i], question, platform, findings);
    if (!file) return tl::unexpected(file.error());
    made[i] = *std::move(file);
  }
  return made;
}

Result<model::SuppliedModels> read_kernel_models(const KernelFiles& files, Findings& findings) {
  model::SuppliedModels made;
  for (const KernelFileEntry& row : kKernelFileTable) {
    const std::string& path = files.*row.path;
    if (path.empty()) continue;
    auto file = read_kernel_file(row, path, findings);
    if (!file) return tl::unexpected(file.error());
    made[row.source] = std::move(file->model);
  }
  return made;
}

model::SuppliedModels given_models(const LoadedKernelFiles& files) {
  model::SuppliedModels made;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (files[i].model) made[kKernelFileTable[i].source] = files[i].model;
  return made;
}

bool predicts_any(const model::KernelModel& model, const model::Silicon& silicon,
                  const graph::Workload& workload) {
  std::set<const graph::KernelTable*> tables;
  for (const graph::GraphRef& graph : workload.graphs)
    if (graph->kernels() != nullptr) tables.insert(graph->kernels());
  return std::any_of(tables.begin(), tables.end(), [&](const graph::KernelTable* kernels) {
    for (graph::KernelId id = 0; id < kernels->size(); ++id) {
      const auto time = model.time((*kernels)[id], silicon);
      if (time && !time->extrapolated) return true;
    }
    return false;
  });
}

}  // namespace orrery::study
