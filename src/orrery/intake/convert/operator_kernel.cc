// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/operator_kernel.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace orrery::intake {
namespace {

using graph::Kernel;
using graph::Operation;
using graph::Pass;
using Shapes = std::vector<TensorShape>;
using Formats = std::vector<graph::Format>;

constexpr std::int64_t kMostElements = std::int64_t{1} << 50;

/// Elements; 0 for what is no tensor, or beyond all reason.
std::int64_t count_of(const TensorShape& shape) {
  if (shape.empty()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size <= 0 || size > kMostElements / count) return 0;
    count *= size;
  }
  return count;
}

std::int64_t bytes_of_all(const Shapes& shapes, const Formats& formats) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    bytes += count_of(shapes[i]) * graph::bits_of(formats[i]) / 8;
  return bytes;
}

std::int64_t bytes_of_output(std::int64_t elements, graph::Format format) {
  return elements * graph::bits_of(format) / 8;
}

bool is_matrix(const TensorShape& shape) { return shape.size() == 2 && count_of(shape) > 0; }

/// A product m×k by k×n, with the bytes of both and of what comes out.
std::optional<Kernel> product(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
                              graph::Format format) {
  Kernel kernel;
  kernel.a = kernel.b = kernel.out = format;
  const std::int64_t width = graph::bits_of(format);
  if (width == 0 || count_of({batch, m, n}) == 0 || count_of({batch, m, k}) == 0 ||
      count_of({batch, n, k}) == 0 || count_of({m, n, k, batch}) == 0)
    return std::nullopt;
  kernel.operation = batch == 1 ? Operation::gemm : Operation::batched_gemm;
  if (batch == 1) {
    kernel.sizes = {m, n, k};
  } else {
    kernel.sizes = {batch, m, n, k};
  }
  kernel.flops = 2 * batch * m * n * k;
  kernel.bytes = batch * (m * n + m * k + n * k) * width / 8;
  return kernel;
}

std::optional<Kernel> matrix_product(const TensorShape& a, const TensorShape& b,
                                     graph::Format format) {
  if (!is_matrix(a) || !is_matrix(b) || a[1] != b[0]) return std::nullopt;
  return product(1, a[0], b[1], a[1], format);
}

std::optional<Kernel> many_products(const TensorShape& a, const TensorShape& b,
                                    graph::Format format) {
  if (a.size() != 3 || b.size() != 3 || a[0] != b[0] || a[2] != b[1]) return std::nullopt;
  return product(a[0], a[1], b[2], a[2], format);
}

/// Everything but the last dimension are rows; weights are outputs × inputs.
std::optional<Kernel> linear_product(const TensorShape& x, const TensorShape& weights,
                                     graph::Format format) {
  const std::int64_t count = count_of(x);
  if (count == 0 || !is_matrix(weights) || x.back() != weights[1]) return std::nullopt;
  auto kernel = product(1, count / x.back(), weights[0], weights[1], format);
  if (kernel) kernel->traits = graph::kTransposedB;
  return kernel;
}

/// Batch, heads, tokens, size of a head (as scaled_dot_product_attention has them), or batch,
/// tokens, heads, size (`tokens_first`, as flash attention's own).
std::optional<Kernel> attention(const Shapes& shapes, graph::Format format, bool tokens_first) {
  if (shapes.size() < 3) return std::nullopt;
  const auto& [q, k, v] = std::tie(shapes[0], shapes[1], shapes[2]);
  for (const TensorShape* each : {&q, &k, &v})
    if (each->size() != 4 || count_of(*each) == 0) return std::nullopt;
  const std::size_t tokens = tokens_first ? 1 : 2, heads = tokens_first ? 2 : 1;
  Kernel kernel;
  kernel.operation = Operation::attention;
  kernel.a = kernel.b = kernel.out = format;
  kernel.sizes = {q[0], q[heads], k[heads], q[tokens], k[tokens], q[3], v[3]};
  if (k[tokens] > kMostElements / count_of(q) / 4) return std::nullopt;
  kernel.flops = 2 * count_of(q) * k[tokens] + 2 * q[0] * q[heads] * q[tokens] * k[tokens] * v[3];
  const std::int64_t out = q[0] * q[heads] * q[tokens] * v[3];
  kernel.bytes = (count_of(q) + count_of(k) + count_of(v) + out) * graph::bits_of(format) / 8;
  return kernel;
}

/// Rows of the last dimension, read and written once.
std::optional<Kernel> along_rows(Operation operation, const TensorShape& x, graph::Format format) {
  const std::int64_t count = count_of(x);
  if (count == 0) return std::nullopt;
  Kernel kernel;
  kernel.operation = operation;
  kernel.a = kernel.out = format;
  kernel.sizes = {count / x.back(), x.back()};
  kernel.bytes = bytes_of_output(2 * count, format);
  return kernel;
}

/// All inputs are read, as much as the largest has is written.
std::optional<Kernel> one_by_one(Operation operation, const Shapes& shapes,
                                 const Formats& formats) {
  std::size_t largest = 0;
  for (std::size_t i = 1; i < shapes.size(); ++i)
    if (count_of(shapes[i]) > count_of(shapes[largest])) largest = i;
  const std::int64_t count = shapes.empty() ? 0 : count_of(shapes[largest]);
  if (count == 0 || formats[largest] == graph::Format::unsaid) return std::nullopt;
  Kernel kernel;
  kernel.operation = operation;
  kernel.a = formats.front();
  kernel.out = formats[largest];
  kernel.sizes = {count};
  kernel.bytes = bytes_of_all(shapes, formats) + bytes_of_output(count, formats[largest]);
  return kernel;
}

struct Named {
  std::string_view name;
  Operation operation;
};
constexpr std::array kOneByOne = {Named{"aten::add", Operation::elementwise},
                                  Named{"aten::add_", Operation::elementwise},
                                  Named{"aten::mul", Operation::elementwise},
                                  Named{"aten::mul_", Operation::elementwise},
                                  Named{"aten::sub", Operation::elementwise},
                                  Named{"aten::div", Operation::elementwise},
                                  Named{"aten::div_", Operation::elementwise},
                                  Named{"aten::pow", Operation::elementwise},
                                  Named{"aten::rsqrt", Operation::elementwise},
                                  Named{"aten::sqrt", Operation::elementwise},
                                  Named{"aten::neg", Operation::elementwise},
                                  Named{"aten::tanh", Operation::activation},
                                  Named{"aten::where", Operation::elementwise},
                                  Named{"aten::threshold_backward", Operation::activation},
                                  Named{"aten::gelu", Operation::activation},
                                  Named{"aten::silu", Operation::activation},
                                  Named{"aten::relu", Operation::activation},
                                  Named{"aten::relu_", Operation::activation},
                                  Named{"aten::clamp_min_", Operation::activation},
                                  Named{"aten::sigmoid", Operation::activation}};
constexpr std::array kAlongRows = {Named{"aten::native_layer_norm", Operation::layer_norm},
                                   Named{"aten::_fused_rms_norm", Operation::rms_norm},
                                   Named{"aten::_softmax", Operation::softmax},
                                   Named{"aten::_log_softmax", Operation::softmax}};

template <class Table>
std::optional<Operation> named(const Table& table, std::string_view name) {
  for (const Named& entry : table)
    if (entry.name == name) return entry.operation;
  return std::nullopt;
}

}  // namespace

std::optional<Kernel> kernel_of_operator(std::string_view name, const Shapes& shapes,
                                         const Formats& known) {
  if (shapes.empty()) return std::nullopt;
  Formats formats = known;
  formats.resize(shapes.size(), graph::Format::unsaid);
  if (name == "aten::mm" && shapes.size() >= 2)
    return matrix_product(shapes[0], shapes[1], formats[0]);
  if (name == "aten::addmm" && shapes.size() >= 3) {
    auto kernel = matrix_product(shapes[1], shapes[2], formats[1]);
    if (kernel) kernel->traits = graph::kBias;
    return kernel;
  }
  if (name == "aten::bmm" && shapes.size() >= 2)
    return many_products(shapes[0], shapes[1], formats[0]);
  if (name == "aten::baddbmm" && shapes.size() >= 3)
    return many_products(shapes[1], shapes[2], formats[1]);
  if (name == "aten::linear" && shapes.size() >= 2)
    return linear_product(shapes[0], shapes[1], formats[0]);
  if (name == "aten::_flash_attention_forward") return attention(shapes, formats[0], true);
  if (name == "aten::_scaled_dot_product_flash_attention" ||
      name == "aten::_scaled_dot_product_efficient_attention" ||
      name == "aten::_scaled_dot_product_cudnn_attention")
    return attention(shapes, formats[0], false);
  if (const auto operation = named(kAlongRows, name))
    return along_rows(*operation, shapes[0], formats[0]);
  if (const auto operation = named(kOneByOne, name)) return one_by_one(*operation, shapes, formats);
  return std::nullopt;
}

std::optional<Shapes> read_shapes(std::string_view dims) {
  Shapes shapes;
  int depth = 0;
  bool nested = false;  // a list of tensors
  const char* at = dims.data();
  const char* const end = at + dims.size();
  while (at != end) {
    const char c = *at;
    if (c == '[') {
      if (++depth == 2) shapes.emplace_back();
      if (depth > 8) return std::nullopt;
      nested = nested || depth > 2;
    } else if (c == ']') {
      if (--depth < 0) return std::nullopt;
      if (depth == 1 && std::exchange(nested, false)) shapes.back().clear();
    } else if ((c >= '0' && c <= '9') || c == '-') {
      std::int64_t value = 0;
      const auto [stop, error] = std::from_chars(at, end, value);
      if (error != std::errc() || depth < 2) return std::nullopt;
      if (!nested) shapes.back().push_back(value);
      at = stop;
      continue;
    } else if (c != ',' && c != ' ') {
      return std::nullopt;
    }
    ++at;
  }
  if (depth != 0) return std::nullopt;
  return shapes;
}

Formats read_formats(std::string_view types) {
  constexpr std::array<std::pair<std::string_view, graph::Format>, 15> kTypes = {{
      {"BFloat16", graph::Format::bf16},
      {"Half", graph::Format::fp16},
      {"Float8", graph::Format::fp8},
      {"float", graph::Format::fp32},
      {"double", graph::Format::fp64},
      {"long int", graph::Format::int64},
      {"long", graph::Format::int64},
      {"int64", graph::Format::int64},
      {"signed char", graph::Format::int8},
      {"unsigned char", graph::Format::int8},
      {"bool", graph::Format::int8},
      {"int", graph::Format::int32},
      {"Float", graph::Format::fp32},
      {"Double", graph::Format::fp64},
      {"Byte", graph::Format::int8},
  }};
  Formats formats;
  while (true) {
    const std::size_t open = types.find('"');
    if (open == std::string_view::npos) return formats;
    const std::size_t close = types.find('"', open + 1);
    if (close == std::string_view::npos) return formats;
    const std::string_view word = types.substr(open + 1, close - open - 1);
    types.remove_prefix(close + 1);
    const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& type) {
      return word.find(type.first) != std::string_view::npos;
    });
    const bool scalar = word.find("Scalar") != std::string_view::npos || word == "Int";
    formats.push_back(found == kTypes.end() || scalar ? graph::Format::unsaid : found->second);
  }
}

}  // namespace orrery::intake
