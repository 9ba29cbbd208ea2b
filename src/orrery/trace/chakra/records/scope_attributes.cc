// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/records/scope_attributes.h"

#include <string>

namespace orrery::trace::chakra {

void add_scope(const StepScope& scope, std::vector<AttributeRecord>& to) {
  if (scope.step >= 0) to.push_back(attribute_int32("in_step", scope.step));
  if (scope.layer >= 0) to.push_back(attribute_int32("in_layer", scope.layer));
  if (scope.phase != StepPhase::unsaid)
    to.push_back(attribute_string("in_phase", std::string(name(scope.phase))));
}

}  // namespace orrery::trace::chakra
