// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/text.h"
#include "orrery/graph/content_hash.h"
#include "orrery/model/compute/models.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/model/kernels/table_file.h"
#include "orrery/study/systolic_array.h"

namespace orrery::study {
namespace {

using platform::ComputeModel;

std::string devices_of(const model::MeasuredTable& table) {
  std::string text;
  for (const std::string& name : table.devices()) text += (text.empty() ? "" : ", ") + name;
  return shortened(text, 400);
}

}  // namespace

std::string place_of_kernels(const Question& question, const std::string& named, bool typed) {
  if (typed || fs::path(named).is_absolute()) return named;
  const std::string beside = (fs::path(question.cluster).parent_path() / named).string();
  std::error_code ignored;
  return fs::exists(beside, ignored) || !fs::exists(named, ignored) ? beside : named;
}

Result<Measured> read_measured_for(const Question& question, const platform::Platform& platform,
                                   Findings& findings) {
  const platform::Device& device = platform.device;
  if (device.kernel_table.empty()) return Measured{};
  const bool asked = device.compute == ComputeModel::automatic ||
                     device.compute == ComputeModel::table ||
                     device.compute == ComputeModel::systolic;
  if (platform.rules == platform::Rules::astra || platform.replay_only || !asked) {
    findings.add(FindingCode::key_without_effect,
                 question.kernel_table.empty() ? "/device/kernel_table" : "--kernel-table");
    return Measured{};
  }
  const std::string path =
      place_of_kernels(question, device.kernel_table, !question.kernel_table.empty());
  const auto text = config::read_text(path, limits::kMeasuredBytes);
  if (!text) return tl::unexpected(text.error());
  const auto rows = model::parse_measured(*text, path);
  if (!rows) return tl::unexpected(rows.error());
  auto table =
      std::make_shared<const model::MeasuredTable>(model::MeasuredTable::make(*rows, findings));
  model::Silicon silicon = model::silicon_of(device);
  if (table->knows(device.name)) silicon.name = device.name;
  if (!table->knows(silicon.name))
    return fail(Errc::config_conflict, path,
                silicon.name.empty()
                    ? std::string("the cluster's device has no name, and a table goes by names")
                    : fmt::format("has no kernels of {}", in_quotes(silicon.name)),
                fmt::format("it has kernels of {}; device.name in the cluster's file may be one",
                            devices_of(*table)));
  if (auto fine = model::check_measured(*rows, silicon, findings); !fine)
    return tl::unexpected(fine.error());
  Measured made;
  graph::ContentHash hash;
  hash.add(*text);
  made.hash = hash.value();
  made.kernels = table->size();
  made.model = model::known_as(std::move(table), silicon.name);
  return made;
}

bool answers_any(const model::KernelModel& model, const model::Silicon& silicon,
                 const graph::Workload& workload) {
  std::set<const graph::KernelTable*> tables;
  for (const graph::GraphRef& graph : workload.graphs)
    if (graph->kernels() != nullptr) tables.insert(graph->kernels());
  return std::any_of(tables.begin(), tables.end(), [&](const graph::KernelTable* kernels) {
    for (graph::KernelId id = 0; id < kernels->size(); ++id) {
      const auto time = model.time((*kernels)[id], silicon);
      if (time && !time->beyond) return true;
    }
    return false;
  });
}

}  // namespace orrery::study
