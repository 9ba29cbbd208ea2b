// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "orrery/workload/operators/lowered_model.h"

namespace orrery::workload {

Result<void> append_part(LoweredModel& model, Result<LoweredPart> part, std::int64_t count,
                         std::int64_t layer) {
  if (!part) return tl::unexpected(part.error());
  model.order.push_back({static_cast<std::uint32_t>(model.parts.size()),
                         static_cast<std::uint32_t>(count), static_cast<std::int32_t>(layer)});
  model.parts.push_back(std::move(*part));
  return {};
}

Result<LoweredModel> lower(const Spec& spec, const Mesh& mesh, const Position& where) {
  switch (spec.model.kind) {
    case ModelKind::decoder:
    case ModelKind::encoder:
    case ModelKind::encoder_decoder:
      return lower_language_model(spec, mesh, where);
    case ModelKind::vit:
    case ModelKind::dit:
      return lower_vision(spec, mesh, where);
    case ModelKind::resnet:
      return lower_resnet(spec, mesh, where);
    case ModelKind::dlrm:
      break;
  }
  return lower_dlrm(spec, mesh, where);
}

}  // namespace orrery::workload
