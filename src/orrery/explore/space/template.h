// SPDX-License-Identifier: Apache-2.0
//
// File fragments with expressions. Text that begins with = is an expression, replaced by its value;
// {expression} within text is replaced by the text of its value.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/space/expression.h"

namespace orrery::explore {

/// A document whose texts may contain expressions over variables. "{{" and "}}" are literal braces.
class Template {
 public:
  /// `where`: file and pointer, for errors. Errc: those of expressions.
  [[nodiscard]] static Result<Template> compile(const Json& document, const std::string& where);

  /// Errc: those of Expression::value.
  [[nodiscard]] Result<Json> value(const Expression::Lookup& lookup) const;

  /// Variables of its expressions; each once.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  struct Piece {
    std::string text;  ///< empty: see `expression`
    std::vector<Expression> expression;
  };
  struct Place {
    Json::json_pointer at;
    std::vector<Piece> pieces;
    bool whole = false;  ///< replace by the value of the expression, not by its text
  };

  [[nodiscard]] Result<void> compile_text(const std::string& text, const Json::json_pointer& at,
                                          const std::string& where);
  [[nodiscard]] Result<void> walk(const Json& value, const Json::json_pointer& at,
                                  const std::string& where);
  [[nodiscard]] Result<void> add(std::string_view text, Place& place, const std::string& where);

  Json document_;
  std::vector<Place> places_;
  std::vector<std::string> names_;
};

}  // namespace orrery::explore
