// SPDX-License-Identifier: Apache-2.0
//
// What the fuzz targets of this room share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/core/error.h"

namespace orrery::platform::fuzzing {

/// An error always says where and what.
template <class T>
void check(const Result<T>& result) {
  if (result) return;
  ORRERY_CHECK(!result.error().where.empty());
  ORRERY_CHECK(!result.error().what.empty());
}

}  // namespace orrery::platform::fuzzing
