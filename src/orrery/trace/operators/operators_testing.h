// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "orrery/trace/operators/operator_kernel.h"

namespace orrery::trace::operators {

/// The kernel of an operator as text; "none" or "no shapes" if there is none.
inline std::string text_of(std::string_view name, const ArgumentTexts& texts) {
  const auto arguments = Arguments::read(texts);
  if (!arguments) return "no shapes";
  const auto kernel = kernel_of_operator(name, *arguments);
  return kernel ? to_text(*kernel) : "none";
}

}  // namespace orrery::trace::operators
