// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/operators/kernel_parts.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

namespace orrery::trace::operators {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;
using graph::Pass;
using std::string_view;

bool has_any(string_view name, std::initializer_list<string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](string_view part) { return name.find(part) != string_view::npos; });
}

bool is_product_name(string_view name) {
  return has_any(name, {"gemm", "gemv", "Cijk_", "cutlass", "nvjet", "xmma", "wgmma"}) &&
         !has_any(name, {"splitKreduce", "ReduceSplitK", "reduction::"});
}

bool is_filter_gradient_name(string_view name) {
  return has_any(name, {"wgrad", "Conv2dWgrad", "_wrw", "WrW", "bwd_weight", "bwd_wei"});
}
bool is_input_gradient_name(string_view name) {
  return has_any(name, {"dgrad", "Conv2dDgrad", "igemm_bwd", "bwd_data", "BwdData"});
}

/// True for stages of a convolution in a transformed domain (Winograd, FFT): their products are
/// only a part of it.
bool is_transform_stage(string_view name) { return has_any(name, {"winograd_nonfused", "fft"}); }

bool is_convolution_name(string_view name, bool transformed) {
  if (has_any(name, {"reduce_", "ReduceSplitK", "reduction::", "Offsets", "generateWinograd"}) ||
      is_transform_stage(name))
    return false;
  if (is_filter_gradient_name(name) || is_input_gradient_name(name) ||
      has_any(name, {"scudnn", "fprop", "igemm", "conv_", "Conv", "conv2d", "implicit"}))
    return true;
  return !transformed && is_product_name(name);
}

bool is_attention_name(string_view name) {
  return has_any(name, {"flash", "fmha", "attn", "attention", "sdpa", "bwd_kernel"}) &&
         !has_any(name, {"dot_do_o", "convert_dq", "preprocess", "combine"});
}

/// True if the name of a device kernel fits the main computation of such an operator.
bool has_matching_name(Operation operation, string_view name) {
  switch (operation) {
    case Operation::gemm:
    case Operation::batched_gemm:
    case Operation::grouped_gemm:
      return is_product_name(name);
    case Operation::attention:
      return is_attention_name(name);
    case Operation::layer_norm:
    case Operation::rms_norm:
      return has_any(name, {"norm", "Norm", "amma"});
    case Operation::batch_norm:
      return has_any(name, {"bn_fw", "bn_bw", "batch_norm_backward_kernel", "BatchNorm"});
    case Operation::softmax:
      return has_any(name, {"softmax", "SoftMax"});
    case Operation::embedding:
    case Operation::embedding_bag:
      return has_any(name, {"mbedding", "indexSelect", "gather_kernel"});
    case Operation::cross_entropy:
      return has_any(name, {"nll_loss"});
    case Operation::reduction:
      return has_any(name, {"reduce_kernel"});
    case Operation::pooling:
      return has_any(name, {"pool"});
    case Operation::optimizer:
      return false;
    default:
      return has_any(name, {"elementwise_kernel", "CatArray"});
  }
}

bool is_product(const Kernel& kernel) {
  return kernel.operation == Operation::gemm || kernel.operation == Operation::batched_gemm ||
         kernel.operation == Operation::convolution;
}

/// One gradient of a kernel that computes both.
Kernel half_of(const Kernel& whole, Pass pass) {
  Kernel half = whole;
  half.pass = pass;
  half.flops /= 2;
  half.bytes /= 2;
  return half;
}

/// Parts of a convolution. If a single kernel computes one of two gradients, its name must show
/// which one. If there are two kernels without telling names, the gradient of the input is
/// launched first (PyTorch, aten/src/ATen/native/Convolution.cpp).
std::vector<std::optional<Kernel>> parts_of_convolution(const Kernel& whole,
                                                        std::span<const string_view> launched) {
  std::vector<std::optional<Kernel>> parts(launched.size());
  if (launched.size() == 1 && whole.pass != Pass::backward) {
    parts.front() = whole;
    return parts;
  }
  const bool transformed = std::any_of(launched.begin(), launched.end(), is_transform_stage);
  std::vector<std::size_t> main;
  for (std::size_t i = 0; i < launched.size(); ++i)
    if (is_convolution_name(launched[i], transformed)) main.push_back(i);
  for (std::size_t place = 0; place < main.size(); ++place) {
    const std::size_t i = main[place];
    if (whole.pass != Pass::backward) {
      parts[i] = whole;
    } else if (is_filter_gradient_name(launched[i])) {
      parts[i] = half_of(whole, Pass::weight_grad);
    } else if (is_input_gradient_name(launched[i])) {
      parts[i] = half_of(whole, Pass::input_grad);
    } else if (main.size() == 2 && !transformed) {
      parts[i] = half_of(whole, place == 0 ? Pass::input_grad : Pass::weight_grad);
    }
  }
  return parts;
}

/// The two gradients of a norm, if they are two kernels.
std::optional<Kernel> norm_gradient(const Kernel& whole, string_view name) {
  const std::int64_t width = graph::bits_of(whole.a) / 8;
  const std::int64_t size = whole.sizes[0] * whole.sizes[1] * width;
  Kernel part = whole;
  if (has_any(name, {"grad_input", "GradInput", "gradInput"})) {
    part.pass = Pass::input_grad;
    part.bytes = 3 * size;
  } else if (has_any(name, {"amma"})) {
    part.pass = Pass::weight_grad;
    part.bytes = 2 * size;
  } else {
    return std::nullopt;
  }
  return part;
}

bool is_norm_gradient(const Kernel& kernel) {
  return kernel.pass == Pass::backward &&
         (kernel.operation == Operation::layer_norm || kernel.operation == Operation::rms_norm);
}

void note_tf32(std::optional<Kernel>& part, string_view name) {
  if (!part || !is_product(*part) || part->a != Format::fp32 || part->b != Format::fp32) return;
  if (has_any(name, {"tf32", "s1688"})) part->a = part->b = Format::tf32;
}

}  // namespace

std::vector<std::optional<Kernel>> kernel_parts(const Kernel& whole,
                                                std::span<const string_view> launched) {
  std::vector<std::optional<Kernel>> parts(launched.size());
  if (whole.operation == Operation::convolution) {
    parts = parts_of_convolution(whole, launched);
  } else {
    for (std::size_t i = 0; i < launched.size(); ++i) {
      if (is_norm_gradient(whole)) {
        parts[i] = norm_gradient(whole, launched[i]);
        if (!parts[i] && launched.size() == 1) parts[i] = whole;
      } else if (launched.size() == 1 || has_matching_name(whole.operation, launched[i])) {
        parts[i] = whole;
      }
    }
  }
  // A part that several kernels share is assigned to none of them.
  std::array<std::size_t, graph::kPasses> sharing{};
  for (const auto& part : parts)
    if (part) ++sharing[static_cast<std::size_t>(part->pass)];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] && sharing[static_cast<std::size_t>(parts[i]->pass)] > 1) parts[i].reset();
    note_tf32(parts[i], launched[i]);
  }
  return parts;
}

namespace {

/// A part of a kernel's name, in lower case, that shows its operation.
struct NamePart {
  string_view text;
  Operation operation;
};

// The first one in a name decides. Names of products contain those of fused activations, and names
// of attention contain those of the libraries of products.
constexpr std::array kPartsBeforeProducts = {
    NamePart{"multi_tensor_apply", Operation::optimizer},
    NamePart{"adam", Operation::optimizer},
    NamePart{"flash", Operation::attention},
    NamePart{"fmha", Operation::attention},
    NamePart{"attn", Operation::attention},
    NamePart{"attention", Operation::attention},
    NamePart{"sdpa", Operation::attention},
    NamePart{"embedding_bag", Operation::embedding_bag},
    NamePart{"split_embedding", Operation::embedding_bag},
    NamePart{"split_eb_", Operation::embedding_bag},
    NamePart{"bounds_check_indices", Operation::embedding_bag},
    NamePart{"linearize_index", Operation::embedding_bag},
    NamePart{"embedding", Operation::embedding},
    NamePart{"indexselect", Operation::embedding},
    NamePart{"gather_kernel", Operation::embedding},
    NamePart{"rotary", Operation::rotary},
    NamePart{"rope_", Operation::rotary},
    NamePart{"moe_align", Operation::router},
    NamePart{"topk", Operation::router},
    NamePart{"routing", Operation::router},
    NamePart{"fused_moe", Operation::grouped_gemm},
    NamePart{"grouped_gemm", Operation::grouped_gemm},
    NamePart{"groupproblemshape", Operation::grouped_gemm},
    NamePart{"matmul_ogs", Operation::grouped_gemm},
    NamePart{"matmul_scatter", Operation::permute},
    NamePart{"bmm_", Operation::batched_gemm},
    NamePart{"rms_norm", Operation::rms_norm},
    NamePart{"rmsnorm", Operation::rms_norm},
    NamePart{"layer_norm", Operation::layer_norm},
    NamePart{"layernorm", Operation::layer_norm},
    NamePart{"gammabeta", Operation::layer_norm},
    NamePart{"batch_norm", Operation::batch_norm},
    NamePart{"batchnorm", Operation::batch_norm},
    NamePart{"bn_fw", Operation::batch_norm},
    NamePart{"bn_bw", Operation::batch_norm},
    NamePart{"softmax", Operation::softmax},
};
constexpr std::array kPartsAfterProducts = {
    NamePart{"nll_loss", Operation::cross_entropy},
    NamePart{"cross_entropy", Operation::cross_entropy},
    NamePart{"dropout", Operation::dropout},
    NamePart{"pool", Operation::pooling},
    NamePart{"catarray", Operation::copy},
    NamePart{"copy_kernel", Operation::copy},
    NamePart{"store_kvcache", Operation::copy},
    NamePart{"transpose_", Operation::copy},
    NamePart{"aten::cat", Operation::copy},
    NamePart{"gelu", Operation::activation},
    NamePart{"silu", Operation::activation},
    NamePart{"relu", Operation::activation},
    NamePart{"sigmoid", Operation::activation},
    NamePart{"threshold_kernel", Operation::activation},
    NamePart{"act_and_mul", Operation::activation},
    NamePart{"quant", Operation::cast},
    NamePart{"reduce_kernel", Operation::reduction},
    NamePart{"reduce_segments", Operation::reduction},
    NamePart{"vector_norm", Operation::reduction},
    NamePart{"devicereduce", Operation::reduction},
    NamePart{"cublaslt", Operation::gemm},
    NamePart{"triton_red_", Operation::reduction},
    NamePart{"triton_per_", Operation::reduction},
    NamePart{"elementwise", Operation::elementwise},
    NamePart{"triton_poi_", Operation::elementwise},
    NamePart{"fillfunctor", Operation::elementwise},
};

Operation operation_of_parts(std::span<const NamePart> parts, string_view lower) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const NamePart& part) {
    return lower.find(part.text) != string_view::npos;
  });
  return found == parts.end() ? Operation::unsaid : found->operation;
}

}  // namespace

Operation operation_of_device_kernel(string_view name) {
  std::string lower(name);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (const Operation early = operation_of_parts(kPartsBeforeProducts, lower);
      early != Operation::unsaid)
    return early;
  if (is_filter_gradient_name(name) || is_input_gradient_name(name) ||
      has_any(lower, {"fprop", "scudnn", "igemm_fwd", "winograd", "implicit_convolve", "conv2d",
                      "nchwtonhwc", "nhwctonchw", "im2col"}))
    return Operation::convolution;
  if (is_product_name(name)) return Operation::gemm;
  return operation_of_parts(kPartsAfterProducts, lower);
}

Operation copy_operation(string_view name) {
  if (has_any(name, {"HtoD", "DtoH", "Host-to-Device", "Device-to-Host", "HostToDevice",
                     "DeviceToHost", "HtoA", "AtoH"}))
    return Operation::transfer;
  if (has_any(name, {"DtoD", "Device-to-Device", "DeviceToDevice"})) return Operation::copy;
  return Operation::unsaid;
}

}  // namespace orrery::trace::operators
