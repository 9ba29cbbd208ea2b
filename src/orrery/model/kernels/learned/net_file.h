// SPDX-License-Identifier: Apache-2.0
//
// How nets are written and read: text, line by line, ended by a sum over all bytes before.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/model/kernels/learned/net.h"

namespace orrery::model {

inline constexpr int kNetVersion = 1;
inline constexpr std::string_view kNetMagic = "orrery-kernel-nets";

/// The file; `notes` are a comment at its head. The same input gives the same bytes.
[[nodiscard]] std::string write_nets(std::string_view notes, std::span<const NetClass> classes);

}  // namespace orrery::model
