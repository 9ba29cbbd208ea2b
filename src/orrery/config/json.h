// SPDX-License-Identifier: Apache-2.0
//
// The definitions of the JSON tree, for sources that read or make one. They cost a second of
// compile time: headers that only name the type include json_types.h.
#pragma once

#include <nlohmann/json.hpp>

#include "orrery/config/json_types.h"
