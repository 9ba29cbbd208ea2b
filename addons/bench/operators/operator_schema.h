// SPDX-License-Identifier: Apache-2.0
//
// Schemas of operators as PyTorch writes them: "aten::add.Tensor(Tensor self, Tensor other, *,
// Scalar alpha=1) -> Tensor".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::bench {

/// What one thing is, lists and options aside. ScalarType, Layout and MemoryFormat are integers.
enum class BaseType : std::uint8_t {
  tensor,
  integer,
  real,
  truth,
  scalar,
  text,
  device,
  nothing,
  other
};

/// `nothing` are generators: always left out. `other` cannot be made from a recording: streams,
/// storages, objects.
struct ParameterType {
  BaseType base = BaseType::other;
  bool optional = false;  ///< may be None
  bool list = false;
  bool optional_items = false;  ///< Tensor?[]
  bool aliases = false;         ///< an annotation: shares storage with something
  bool written = false;         ///< … and is written: Tensor(a!)
  friend bool operator==(const ParameterType&, const ParameterType&) = default;
};

struct Parameter {
  std::string name;
  ParameterType type;
  std::optional<std::string> fallback;  ///< the default's text
};

struct OperatorSchema {
  std::string name;      ///< "aten::add"
  std::string overload;  ///< "Tensor", often empty
  std::vector<Parameter> parameters;
  std::vector<ParameterType> returns;

  /// "aten::add.Tensor"
  [[nodiscard]] std::string full_name() const;
};

/// Nothing for what is no schema. Linear; whatever the text, it ends.
[[nodiscard]] std::optional<OperatorSchema> parse_schema(std::string_view text);

}  // namespace orrery::bench
