// SPDX-License-Identifier: Apache-2.0
//
// Measured kernels as CSV, and whether their times can be.
#pragma once

#include <string>
#include <string_view>

#include "orrery/model/kernels/table/measured_table.h"

namespace orrery::model {

/// Rows under one of two headers:
///
///   device,kernel,us
///   h100-sxm,"gemm forward bf16,bf16>bf16 m=4096 n=4096 k=4096",212.5
///
///   device,operation,pass,a,b,out,traits,m,n,k,us
///   h100-sxm,gemm,forward,bf16,bf16,bf16,transposed_b,4096,4096,4096,212.5
///
/// `kernel` is what graph::to_text writes; the quotes may be left out; several that were measured
/// one after another, at most 16, have " + " between them. In the second form, columns
/// between traits and us are names of sizes (and launches) in any order, empty cells are 0, and
/// traits are separated by blanks or +. Lines that are empty or begin with # are passed over. Times
/// are microseconds of all launches, 1e-6 or more and below 1e9. Errors name the line and the word,
/// with the nearest word that would do. Errc: input_empty, input_corrupt, input_range,
/// limit_exceeded.
[[nodiscard]] Result<MeasuredRows> parse_measured(std::string_view text, const std::string& where);

/// The same from a file. Errc: config_not_found, and those above.
[[nodiscard]] Result<MeasuredRows> read_measured(const std::string& path);

/// Compares the rows of the device `silicon.name` with what its data sheet allows. Errc:
/// config_unit where the larger half of the kernels runs in less than a tenth of the time that peak
/// and memory allow, or a fifth of all in less than a third, or they take about a hundred times
/// longer: milliseconds or nanoseconds stand where microseconds belong. Finding: time_below_limit
/// for single rows in less than a third of it (a third: small kernels find their inputs in the
/// cache). Without peak or memory nothing is compared.
[[nodiscard]] Result<void> check_measured(const MeasuredRows& measured, const Silicon& silicon,
                                          Findings& findings);

}  // namespace orrery::model
