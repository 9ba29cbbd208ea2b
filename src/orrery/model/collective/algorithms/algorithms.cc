// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/algorithms/algorithms.h"

namespace orrery::model {

const CollectiveAlgorithm& algorithm_of(platform::Algorithm algorithm) {
  return algorithms::kAll[static_cast<std::size_t>(algorithm)]();
}

}  // namespace orrery::model
