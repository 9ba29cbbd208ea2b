// SPDX-License-Identifier: Apache-2.0
//
// An operation of MLIR's text as it is written, before its attributes are understood.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/hlo/program/program.h"

namespace orrery::hlo {

/// The parts of an operation. Views are of the text.
struct MlirOperation {
  std::string_view word;     ///< "stablehlo.add", "call"
  std::string_view results;  ///< the name of its first result, without "%"
  std::size_t result_count = 0;
  std::vector<std::pair<std::string_view, std::size_t>> names;  ///< and how many results each has
  std::uint32_t line = 0;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;  ///< as they are written
  std::vector<std::string_view> words;    ///< outside of attributes: "GT", "FLOAT"
  std::vector<std::string_view> symbols;  ///< "@relu", without "@"
  std::vector<std::string_view> strings;
  std::vector<std::string_view> lists;  ///< in brackets without a name: "[0:1, 2:3]"
  std::vector<Shape> shapes;            ///< of its results
  std::string_view location;
  std::vector<std::uint32_t> operands, regions;

  /// The attribute with this name, also in dictionaries, or "".
  [[nodiscard]] std::string_view attribute(std::string_view name) const;
  /// The name of the operation without its dialect.
  [[nodiscard]] std::string_view short_name() const;
};

/// The operation as the program has it. Names of called functions stay in `target`.
[[nodiscard]] Instruction understand(const MlirOperation& written);

}  // namespace orrery::hlo
