// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/systolic_array.h"

#include "orrery/config/document.h"
#include "orrery/graph/content_hash.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/model/kernels/systolic_files.h"
#include "orrery/model/kernels/systolic_model.h"
#include "orrery/study/measured.h"

namespace orrery::study {

Result<SystolicDevice> read_array_for(const Question& question, const platform::Platform& platform,
                                      Findings& findings) {
  const platform::Device& device = platform.device;
  if (device.systolic.empty()) return SystolicDevice{};
  const bool typed = !question.systolic.empty();
  const std::string place = typed ? "--systolic" : "/device/systolic";
  if (platform.rules == platform::Rules::astra || platform.replay_only ||
      device.compute != platform::ComputeModel::systolic) {
    findings.add(FindingCode::key_without_effect, place);
    return SystolicDevice{};
  }
  const std::string path = place_of_kernels(question, device.systolic, typed);
  const auto text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  const auto config = model::parse_systolic_config(*text, path, findings);
  if (!config) return tl::unexpected(config.error());
  if (!(config->array.clock > 0 || model::silicon_of(device).clock > 0))
    return fail(Errc::config_missing_key, place, "the array's clock is not known",
                "a device of the catalogue may have one; else give device.clock_mhz in the "
                "cluster's file");
  SystolicDevice made;
  graph::ContentHash hash;
  hash.add(*text);
  made.hash = hash.value();
  made.model = std::make_shared<const model::SystolicModel>(config->array);
  return made;
}

}  // namespace orrery::study
