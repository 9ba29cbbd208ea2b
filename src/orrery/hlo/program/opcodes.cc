// SPDX-License-Identifier: Apache-2.0
//
// The table of operations. Sources: StableHLO's specification (docs/spec.md), XLA's operation
// semantics (docs/operation_semantics.md). An element of an arithmetic operation counts as one
// FLOP, also of a transcendental function, as in XLA's cost analysis.
#include "orrery/hlo/program/opcodes.h"

#include <algorithm>
#include <array>
#include <string>

namespace orrery::hlo {

namespace opcode_rows {

using enum OpClass;

constexpr Opcode arithmetic(std::string_view name) {
  return {.name = name, .op_class = elementwise, .flops = 1, .fuses = true};
}
constexpr Opcode plain(std::string_view name) {
  return {.name = name, .op_class = elementwise, .flops = 0, .fuses = true};
}
constexpr Opcode moves(std::string_view name) {
  return {.name = name, .op_class = movement, .fuses = true};
}
constexpr Opcode is(OpClass what, std::string_view name) {
  return {.name = name, .op_class = what};
}
constexpr Opcode communicates(std::string_view name, CollectiveType type) {
  return {.name = name, .op_class = OpClass::collective, .collective = type};
}

constexpr std::array kOpcodes = {
    is(parameter, "parameter"), is(constant, "constant"), is(OpClass::tuple, "tuple"),
    is(tuple_element, "get_tuple_element"),
    // Values of no work
    is(free, "reshape"), is(free, "bitcast"), is(free, "bitcast_convert"),
    is(free, "optimization_barrier"), is(free, "opt_barrier"), is(free, "after_all"),
    is(free, "create_token"), is(free, "add_dependency"), is(free, "domain"),
    is(free, "partition_id"), is(free, "replica_id"), is(free, "get_dimension_size"),
    is(free, "set_dimension_size"), is(free, "sharding_constraint"), is(free, "mesh"),
    is(free, "sharding_group"), is(free, "reshard"),
    // Elementwise arithmetic
    arithmetic("abs"), arithmetic("add"), arithmetic("atan2"), arithmetic("cbrt"),
    arithmetic("ceil"), arithmetic("clamp"), arithmetic("cosine"), arithmetic("cos"),
    arithmetic("count_leading_zeros"), arithmetic("clz"), arithmetic("divide"), arithmetic("erf"),
    arithmetic("erf_inv"), arithmetic("exponential"), arithmetic("exp"),
    arithmetic("exponential_minus_one"), arithmetic("expm1"), arithmetic("floor"),
    arithmetic("log"), arithmetic("log_plus_one"), arithmetic("log1p"), arithmetic("logistic"),
    arithmetic("maximum"), arithmetic("minimum"), arithmetic("multiply"), arithmetic("negate"),
    arithmetic("popcnt"), arithmetic("population_count"), arithmetic("power"),
    arithmetic("remainder"), arithmetic("round_nearest_afz"), arithmetic("round_nearest_even"),
    arithmetic("rsqrt"), arithmetic("sign"), arithmetic("sine"), arithmetic("sin"),
    arithmetic("sqrt"), arithmetic("square"), arithmetic("subtract"), arithmetic("tan"),
    arithmetic("tanh"), arithmetic("acos"), arithmetic("acosh"), arithmetic("asin"),
    arithmetic("asinh"), arithmetic("atan"), arithmetic("atanh"), arithmetic("sinh"),
    arithmetic("cosh"), arithmetic("digamma"), arithmetic("lgamma"), arithmetic("next_after"),
    arithmetic("polygamma"), arithmetic("zeta"), arithmetic("bessel_i1e"),
    // Elementwise without arithmetic on floating-point numbers
    plain("and"), plain("or"), plain("xor"), plain("not"), plain("compare"), plain("select"),
    plain("convert"), plain("is_finite"), plain("is_inf"), plain("is_pos_inf"), plain("is_neg_inf"),
    plain("shift_left"), plain("shift_right_arithmetic"), plain("shift_right_logical"),
    plain("real"), plain("imag"), plain("complex"), plain("reduce_precision"),
    plain("stochastic_convert"), plain("uniform_quantize"), plain("uniform_dequantize"),
    plain("map"),
    // Elements at other places
    moves("broadcast_in_dim"), moves("broadcast"), moves("dynamic_broadcast_in_dim"), moves("iota"),
    moves("dynamic_iota"), moves("slice"), moves("dynamic_slice"), moves("real_dynamic_slice"),
    moves("pad"), moves("dynamic_pad"), moves("concatenate"), moves("transpose"), moves("reverse"),
    is(movement, "copy"), is(movement, "dynamic_update_slice"), is(movement, "dynamic_reshape"),
    is(movement, "copy_start"),
    // Work with its own counts
    is(OpClass::reduce, "reduce"), is(window, "reduce_window"), is(window, "select_and_scatter"),
    is(OpClass::scatter, "scatter"), is(OpClass::gather, "gather"),
    is(OpClass::gather, "dynamic_gather"), is(OpClass::gather, "torch_index_select"),
    is(sort, "sort"), is(sort, "topk"), is(sort, "top_k"), is(random, "rng"),
    is(random, "rng_uniform"), is(random, "rng_bit_generator"),
    is(random, "rng_get_and_update_state"), is(dot, "dot_general"), is(dot, "dot"),
    is(convolution, "convolution"), is(convolution, "dynamic_conv"), is(decomposition, "cholesky"),
    is(decomposition, "triangular_solve"), is(fft, "fft"),
    is(OpClass::reduce, "batch_norm_training"), is(OpClass::reduce, "batch_norm_grad"),
    arithmetic("batch_norm_inference"),
    // Communication
    communicates("all_reduce", CollectiveType::all_reduce),
    communicates("all_gather", CollectiveType::all_gather),
    communicates("reduce_scatter", CollectiveType::reduce_scatter),
    communicates("all_to_all", CollectiveType::all_to_all),
    communicates("ragged_all_to_all", CollectiveType::all_to_all),
    communicates("collective_broadcast", CollectiveType::broadcast),
    communicates("cross_replica_sum", CollectiveType::all_reduce),
    is(permute, "collective_permute"), communicates("all_reduce_start", CollectiveType::all_reduce),
    communicates("all_gather_start", CollectiveType::all_gather),
    is(permute, "collective_permute_start"), is(async_done, "all_reduce_done"),
    is(async_done, "all_gather_done"), is(async_done, "collective_permute_done"),
    is(async_start, "async_start"), is(async_done, "async_update"), is(async_done, "async_done"),
    is(async_done, "copy_done"),
    // Control
    is(call, "call"), is(call, "composite"), is(call, "manual_computation"), is(loop, "while"),
    is(branch, "case"), is(branch, "if"), is(branch, "conditional"), is(fusion, "fusion"),
    is(custom_call, "custom_call"), is(host, "infeed"), is(host, "outfeed"), is(host, "send"),
    is(host, "recv"), is(host, "send_done"), is(host, "recv_done")};

constexpr Opcode kUnknown{.name = "unknown", .op_class = OpClass::unknown};

}  // namespace opcode_rows

std::span<const Opcode> opcodes() { return opcode_rows::kOpcodes; }

const Opcode& find_opcode(std::string_view name) {
  std::string underscored(name);
  std::replace(underscored.begin(), underscored.end(), '-', '_');
  using opcode_rows::kOpcodes, opcode_rows::kUnknown;
  const auto* const found = std::find_if(kOpcodes.begin(), kOpcodes.end(),
                                         [&](const auto& row) { return row.name == underscored; });
  return found == kOpcodes.end() ? kUnknown : *found;
}

}  // namespace orrery::hlo
