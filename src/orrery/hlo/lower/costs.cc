// SPDX-License-Identifier: Apache-2.0
//
// Rules of counting: OpenXLA's cost analysis (xla/service/hlo_cost_analysis.cc) counts one FLOP per
// element of an arithmetic operation and two per multiplication of a product; see window_pairs()
// for convolutions, where it differs.
#include "orrery/hlo/lower/costs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "orrery/hlo/lower/products.h"

namespace orrery::hlo {

namespace {

using Kind = graph::Operation;

/// Calls that mark values for a compiler. Source: xla/service/spmd/shardy/constants.h,
/// xla/service/host_offload_utils.h.
constexpr std::array<std::string_view, 9> kAnnotations = {"Sharding",
                                                          "SPMDFullToShardShape",
                                                          "SPMDShardToFullShape",
                                                          "annotate_device_placement",
                                                          "MoveToHost",
                                                          "MoveToDevice",
                                                          "xla.sdy.FuncResultSharding",
                                                          "LayoutConstraint",
                                                          "AllocateBuffer"};

std::int64_t log2_up(std::int64_t value) {
  std::int64_t log = 0;
  while (log < 62 && (std::int64_t{1} << log) < value) ++log;
  return log;
}

class Coster {
 public:
  Coster(const Program& program, const Computation& computation, const Instruction& op)
      : program_(program), computation_(computation), op_(op) {}

  OperationCost run() {
    cost_.written = op_.shape.bytes();
    for (std::size_t i = 0; i < op_.operands.size(); ++i)
      cost_.read = saturating_sum(cost_.read, operand(i).bytes());
    cost_.kernel.operation = Kind::elementwise;
    cost_.kernel.sizes[0] = std::max<std::int64_t>(op_.shape.elements(), 1);
    formats();
    by_class();
    return cost_;
  }

 private:
  [[nodiscard]] const Shape& operand(std::size_t i) const {
    return computation_.operations[op_.operands[i]].shape;
  }
  [[nodiscard]] bool has_operands(std::size_t count) const { return op_.operands.size() >= count; }

  void formats() {
    const Shape& out =
        op_.shape.is_tuple() && !op_.shape.parts.empty() ? op_.shape.parts.front() : op_.shape;
    cost_.kernel.out = format_of(out.type);
    cost_.kernel.a = cost_.kernel.b = cost_.kernel.out;
    if (has_operands(1)) cost_.kernel.a = format_of(operand(0).type);
    cost_.kernel.b = has_operands(2) ? format_of(operand(1).type) : cost_.kernel.a;
  }

  void by_class() {
    const std::int64_t out = op_.shape.elements();
    switch (op_.opcode->op_class) {
      case OpClass::elementwise:
        cost_.other_flop = saturating_product(out, op_.opcode->flops);
        if (op_.opcode->name == "convert") cost_.kernel.operation = Kind::cast;
        break;
      case OpClass::movement:
      case OpClass::gather:
        moved();
        break;
      case OpClass::reduce:
        set(Kind::reduction, has_operands(1) ? operand(0).elements() : out);
        cost_.other_flop = cost_.kernel.sizes[0];
        break;
      case OpClass::window: {
        std::int64_t window = 1;
        for (const WindowDim& dim : op_.window) window = saturating_product(window, dim.size);
        const bool back = op_.opcode->name == "select_and_scatter" && has_operands(2);
        set(Kind::pooling, has_operands(1) ? std::max(operand(0).elements(), out) : out);
        cost_.other_flop = saturating_product(back ? operand(1).elements() : out, window);
        break;
      }
      case OpClass::scatter:
        scattered();
        break;
      case OpClass::sort:
        sorted();
        break;
      case OpClass::random:
        cost_.other_flop = out;
        break;
      case OpClass::dot:
      case OpClass::convolution:
        take_product(op_, operands(), cost_);
        break;
      case OpClass::decomposition:
      case OpClass::fft:
        solved();
        break;
      case OpClass::fusion:
        fused();
        break;
      case OpClass::custom_call:
        custom();
        break;
      case OpClass::unknown:
        cost_.known = false;
        break;
      default:
        break;
    }
  }

  [[nodiscard]] std::vector<const Shape*> operands() const {
    std::vector<const Shape*> shapes;
    for (std::size_t i = 0; i < op_.operands.size(); ++i) shapes.push_back(&operand(i));
    return shapes;
  }

  void set(Kind operation, std::int64_t elements) {
    cost_.kernel.operation = operation;
    cost_.kernel.sizes[0] = std::max<std::int64_t>(elements, 1);
  }

  /// Copies read what they write, not whole operands; updates change a slice in place.
  void moved() {
    cost_.kernel.operation = Kind::copy;
    if (op_.opcode->name == "dynamic_update_slice" && has_operands(2)) {
      cost_.read = cost_.written = operand(1).bytes();
      cost_.kernel.sizes[0] = std::max<std::int64_t>(operand(1).elements(), 1);
      return;
    }
    cost_.read = std::min(cost_.read, cost_.written);
    if (op_.opcode->op_class == OpClass::gather && has_operands(2))
      cost_.read = saturating_sum(cost_.written, operand(1).bytes());
  }

  /// Updates are added to places of the first operand, in place.
  void scattered() {
    if (!has_operands(3)) return;
    const Shape& updates = operand(op_.operands.size() - 1);
    set(Kind::elementwise, updates.elements());
    cost_.other_flop = updates.elements();
    cost_.read = saturating_sum(saturating_product(2, updates.bytes()), operand(1).bytes());
    cost_.written = updates.bytes();
  }

  /// A radix sort: a pass over all data for each 8 bits of the key.
  void sorted() {
    const int bits = has_operands(1) ? bits_of(operand(0).type) : 32;
    const std::int64_t passes = std::max(bits / 8, 1);
    cost_.kernel.operation = Kind::copy;
    cost_.read = saturating_product(cost_.read, passes);
    cost_.written = saturating_product(cost_.written, passes);
  }

  /// Cholesky n³/3, triangular solve n² per column; FFT 5 n log2 n (FFTW's convention).
  void solved() {
    if (!has_operands(1) || operand(0).dims.empty()) return;
    const std::int64_t n = std::max<std::int64_t>(operand(0).dims.back(), 1);
    if (op_.opcode->op_class == OpClass::fft)
      cost_.other_flop =
          saturating_product(saturating_product(5, op_.shape.elements()), log2_up(n));
    else if (op_.opcode->name == "cholesky")
      cost_.other_flop = saturating_product(operand(0).elements(), n) / 3;
    else if (has_operands(2))
      cost_.other_flop = saturating_product(operand(1).elements(), n);
  }

  /// A fusion: the FLOPs of its body; the kernel is that of its largest product or reduction.
  void fused() {
    if (op_.called.empty()) return;
    const Computation& body = program_.computations[op_.called.front()];
    std::int64_t most = 0;
    bool only_moves = true, only_casts = true;
    for (const Instruction& inner : body.operations) {
      const OpClass is = inner.opcode->op_class;
      if (is == OpClass::parameter || is == OpClass::constant || is == OpClass::fusion) continue;
      const OperationCost part = cost_of(program_, body, inner);
      cost_.product_flop = saturating_sum(cost_.product_flop, part.product_flop);
      cost_.other_flop = saturating_sum(cost_.other_flop, part.other_flop);
      cost_.known = cost_.known && part.known;
      if (is != OpClass::free && is != OpClass::movement) only_moves = false;
      if (is != OpClass::free && inner.opcode->name != "convert") only_casts = false;
      const bool chosen =
          part.product_flop > most || (most == 0 && part.kernel.operation == Kind::reduction);
      if (!chosen) continue;
      most = part.product_flop;
      cost_.kernel = part.kernel;
    }
    if (most == 0 && only_moves)
      cost_.kernel.operation = Kind::copy;
    else if (most == 0 && only_casts)
      cost_.kernel.operation = Kind::cast;
    cost_.read = body_reads(body);
    const Instruction& root = body.operations[body.root];
    if (root.opcode->name == "dynamic_update_slice" && root.operands.size() > 1)
      cost_.written = body.operations[root.operands[1]].shape.bytes();
  }

  /// Bytes of the parameters of a fusion; of those that only slices use, the slices.
  [[nodiscard]] std::int64_t body_reads(const Computation& body) const {
    std::vector<std::int64_t> sliced(body.operations.size(), 0);
    std::vector<bool> whole(body.operations.size(), false);
    for (const Instruction& inner : body.operations) {
      const std::string_view name = inner.opcode->name;
      const bool slices = name == "slice" || name == "dynamic_slice" || name == "gather";
      const bool updates = name == "dynamic_update_slice";
      for (std::size_t i = 0; i < inner.operands.size(); ++i) {
        const std::uint32_t of = inner.operands[i];
        if (slices && i == 0)
          sliced[of] = saturating_sum(sliced[of], inner.shape.bytes());
        else if (!(updates && i == 0))
          whole[of] = true;
      }
    }
    whole[body.root] = true;
    std::int64_t sum = 0;
    for (const std::uint32_t parameter : body.parameters) {
      const std::int64_t all = body.operations[parameter].shape.bytes();
      sum = saturating_sum(sum, whole[parameter] ? all : std::min(all, sliced[parameter]));
    }
    return sum;
  }

  void custom() {
    if (is_annotation(op_.target)) {
      cost_.read = cost_.written = 0;
      return;
    }
    if (take_library_product(op_, operands(), cost_)) return;
    if (op_.target.find("TopK") != std::string::npos ||
        op_.target.find("topk") != std::string::npos) {
      sorted();
      return;
    }
    cost_.known = false;
  }

  const Program& program_;
  const Computation& computation_;
  const Instruction& op_;
  OperationCost cost_;
};

}  // namespace

OperationCost cost_of(const Program& program, const Computation& computation,
                      const Instruction& operation) {
  return Coster(program, computation, operation).run();
}

bool is_annotation(std::string_view target) {
  return std::find(kAnnotations.begin(), kAnnotations.end(), target) != kAnnotations.end();
}

}  // namespace orrery::hlo
