// SPDX-License-Identifier: Apache-2.0
//
// Types and attributes of MLIR's text, as far as StableHLO programs use them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "orrery/hlo/program/program.h"
#include "orrery/hlo/text/cursor.h"

namespace orrery::hlo {

/// Reads a type: "tensor<4x8xf32>", "tuple<…>", "!stablehlo.token", "f32". Empty: there is none.
[[nodiscard]] std::optional<Shape> mlir_type(Cursor& cursor, int depth = 0);
/// Reads "type, type …" or "(type, …)"; attributes in braces after a type are skipped.
[[nodiscard]] std::optional<std::vector<Shape>> mlir_types(Cursor& cursor);
/// Reads a value outside of a dictionary: a bracket, or a word with its bracket and, of a dense
/// list, its type. Empty: there is none.
[[nodiscard]] std::string_view mlir_term(Cursor& cursor);
/// Reads "[b, 0, f]x[0, i, o]->[b, 0, f]". Empty: not so.
[[nodiscard]] std::string_view mlir_dimension_numbers(Cursor& cursor);
/// Skips "{-# dialect_resources: {…} #-}", the contents of constants.
void skip_mlir_resources(Cursor& cursor);
/// Takes a number of devices, "4 : i32". False: it is none.
bool take_count(std::string_view value, std::int64_t& count);
/// One shape for the results of an operation: itself if there is one, else a tuple.
[[nodiscard]] Shape result_shape(std::vector<Shape> shapes);

/// The integers of an attribute: "dense<[[0, 1]]> : tensor<1x2xi64>" (one number stands for all
/// elements), "array<i64: 1, 2>", "[1, 2]", "3 : i64".
[[nodiscard]] std::vector<std::int64_t> mlir_integers(std::string_view attribute);
/// The same by rows of the type of a "dense" attribute.
[[nodiscard]] std::vector<std::vector<std::int64_t>> mlir_rows(std::string_view attribute);

/// Reads "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]". Empty: not so.
[[nodiscard]] std::optional<ConvolutionDims> mlir_convolution_dims(std::string_view text);

}  // namespace orrery::hlo
