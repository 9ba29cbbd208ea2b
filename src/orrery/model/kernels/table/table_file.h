// SPDX-License-Identifier: Apache-2.0
//
// Measured kernels as CSV, with plausibility checks of their times.
#pragma once

#include <string>
#include <string_view>

#include "orrery/model/kernels/table/measured_table.h"

namespace orrery::model {

/// Parses rows under one of two headers:
///
///   device,kernel,us
///   h100-sxm,"gemm forward bf16,bf16>bf16 m=4096 n=4096 k=4096",212.5
///
///   device,operation,pass,a,b,out,traits,m,n,k,us
///   h100-sxm,gemm,forward,bf16,bf16,bf16,transposed_b,4096,4096,4096,212.5
///
/// `kernel` is the output of graph::to_text; its quotes are optional. Several kernels that were
/// measured one after another (at most 16) are separated by " + ". In the second form, columns
/// between traits and us are names of sizes (and launches) in any order, empty cells are 0, and
/// traits are separated by blanks or +. Empty lines and lines that begin with # are skipped. Times
/// are microseconds of all launches, at least 1e-6 and below 1e9. Errors contain the line, the word
/// and the nearest valid word. Errc: input_empty, input_corrupt, input_range, limit_exceeded.
[[nodiscard]] Result<MeasuredRows> parse_measured(std::string_view text, const std::string& where);

/// Like parse_measured(), from a file. Errc: config_not_found, and those above.
[[nodiscard]] Result<MeasuredRows> read_measured(const std::string& path);

/// Compares the rows of the device `silicon.name` with the minimum times by its peak and memory
/// bandwidth. Errc: config_unit if the unit of times seems wrong (milliseconds or nanoseconds
/// instead of microseconds). That is the case if the larger half of the kernels has a median below
/// 0.1 of the minimum or above about 100 times, or if more than 20 % of all rows are below a third
/// of it. Finding: time_below_limit for single rows below a third (a third, because small kernels
/// find their inputs in the cache). Without peak and memory bandwidth nothing is compared.
[[nodiscard]] Result<void> check_measured(const MeasuredRows& measured, const Silicon& silicon,
                                          Findings& findings);

}  // namespace orrery::model
