// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/operators/lowered_model.h"

namespace orrery::workload {

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
