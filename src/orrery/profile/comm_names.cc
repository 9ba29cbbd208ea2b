// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/comm_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace orrery::profile {
namespace {

// Namespaces of torch.distributed's operators.
constexpr std::array<std::string_view, 4> kFrameworks = {
    "c10d", "_c10d_functional", "c10d_functional", "_c10d_functional_autograd"};

bool contains_part(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <class Parts>
bool contains_any(std::string_view text, const Parts& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return contains_part(text, part); });
}

std::string without(std::string text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part))
    text.erase(at, part.size());
  return text;
}

/// Index after the bracket that closes the one at `open`; npos: none does. Brackets of the other
/// type nest: "<(8 > 0)>" is one pair.
std::size_t after_closing(std::string_view text, std::size_t open) {
  const bool angle = text[open] == '<';
  int depth = 0, round = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (angle && c == '(') ++round;
    if (angle && c == ')') --round;
    if (angle && round > 0) continue;
    if (c == (angle ? '<' : '(')) ++depth;
    if (c == (angle ? '>' : ')') && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

std::string without_template_arguments(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '<' ? after_closing(text, at) : std::string_view::npos;
    if (end != std::string_view::npos) {
      at = end;
      continue;
    }
    out += text[at++];
  }
  return out;
}

/// Kernels of communication libraries, and kernels that communicate by themselves. Sources:
/// NCCL and RCCL (ncclKernel, ncclDevKernel, ncclSymDevKernel; rcclGenericKernel), MSCCL++,
/// NVSHMEM; HCCL of Ascend (hcom_allReduce__503_0_1); DeepEP; MoRI (EpDispatchIntraNodeKernel,
/// github.com/ROCm/mori); userbuffers of Transformer Engine
/// (transformer_engine/common/comm_gemm_overlap/userbuffers/userbuffers.cu); custom all-reduces of
/// vLLM and aiter (csrc/custom_all_reduce.cuh: cross_device_reduce_1stage,
/// reduce_scatter_cross_device_store) and quick reduce.
constexpr std::array<std::string_view, 19> kLibraryKernels = {
    "ncclkernel",    "nccldevkernel", "ncclsymdevkernel", "ncclsymkdevkernel", "rcclkernel",
    "rccldevkernel", "rcclgeneric",   "hcclkernel",       "mscclkernel",       "mscclpp",
    "nvshmem",       "deepep",        "dpskep",           "crossdevicereduce", "crossdevicestore",
    "quickreduce",   "kuserbuffers",  "userbuffersfp16",  "epdispatch"};

/// Collectives in the names of functions: symmetric memory of PyTorch
/// (torch/csrc/distributed/c10d/symm_mem/CUDASymmetricMemoryOps.cu: multimem_all_reduce_kernel),
/// TensorRT-LLM and flashinfer (allreduce_fusion_kernel_oneshot_lamport, moeAllToAllKernel,
/// moeA2ADispatchKernel).
constexpr std::array<std::string_view, 8> kCollectiveFunctions = {
    "allreduce", "reducescatter", "allgather", "alltoall",
    "moea2a",    "epcombine",     "putsignal", "waitsignal"};

/// Functions that compute although their names contain a collective: generated kernels that use
/// its result, products with a fused collective, and reductions within a block.
constexpr std::array<std::string_view, 7> kComputeFunctions = {
    "triton", "gemm", "matmul", "warpallreduce", "blockallreduce", "copyin", "copyout"};

}  // namespace

std::string normalized_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string qualified_function_name(std::string_view signature) {
  std::string text = without(std::string(signature), "(anonymous namespace)::");
  text = without_template_arguments(text);
  text = text.substr(0, text.find('('));
  // "void a::f": the part after the last space, unless the text is no signature.
  if (const std::size_t space = text.rfind(' '); space != std::string::npos &&
                                                 space + 1 < text.size() &&
                                                 signature.find('(') != std::string_view::npos)
    text.erase(0, space + 1);
  return text;
}

CommKind comm_kind_of_name(std::string_view text) {
  // Only the name of a function: its arguments may contain any word.
  const std::string word = normalized_name(qualified_function_name(text));
  // SendRecv kernels execute all-to-alls as well as sends and receives.
  if (contains_part(word, "sendrecv")) return CommKind::unknown;
  // Kernels of DeepEP and of MoRI for mixtures of experts.
  if (contains_part(word, "deepep") && contains_part(word, "notify")) return CommKind::barrier;
  if (contains_part(word, "deepep") &&
      (contains_part(word, "dispatch") || contains_part(word, "combine")))
    return CommKind::all_to_all;
  // Userbuffers: "userbuffers_fp16_sum_inplace_gpu_rr_rs_oop" and "…_ag"; without a suffix an
  // all-reduce.
  if (contains_part(word, "userbuffersfp16")) {
    if (contains_part(word, "rrrs") || contains_part(word, "mcrs") || contains_part(word, "rwrs"))
      return CommKind::reduce_scatter;
    return word.ends_with("ag") ? CommKind::all_gather : CommKind::all_reduce;
  }
  constexpr std::array<std::pair<std::string_view, CommKind>, 19> kWords = {{
      {"crossdevicestore", CommKind::reduce_scatter},
      {"crossdevicereduce", CommKind::all_reduce},  // vLLM's custom all-reduce
      {"quickreduce", CommKind::all_reduce},
      {"coalesced", CommKind::coalesced},
      {"reducescatter", CommKind::reduce_scatter},
      {"allreduce", CommKind::all_reduce},
      {"allgather", CommKind::all_gather},
      {"alltoall", CommKind::all_to_all},
      {"moea2a", CommKind::all_to_all},
      {"epdispatch", CommKind::all_to_all},
      {"epcombine", CommKind::all_to_all},
      {"broadcast", CommKind::broadcast},
      {"barrier", CommKind::barrier},
      {"gather", CommKind::gather},
      {"scatter", CommKind::scatter},
      {"reduce", CommKind::reduce},
      {"recv", CommKind::recv},
      {"receive", CommKind::recv},
      {"send", CommKind::send},
  }};
  for (const auto& [part, kind] : kWords) {
    if (contains_part(word, part)) return kind;
  }
  return contains_part(word, "wait") ? CommKind::wait : CommKind::unknown;
}

bool is_comm_kernel(std::string_view name) {
  const std::string function = qualified_function_name(name);
  const std::string qualified = normalized_name(function);
  if (qualified.starts_with("hcom") || contains_any(qualified, kLibraryKernels)) return true;
  if (qualified.starts_with("atnative")) return false;
  const std::size_t scope = function.rfind("::");
  const std::string own =
      normalized_name(scope == std::string::npos ? function : function.substr(scope + 2));
  if (contains_any(own, kComputeFunctions)) return false;
  return contains_any(own, kCollectiveFunctions);
}

std::string_view library_range_operation(std::string_view name) {
  // Back ends of torch.distributed, and the libraries that accelerators bring as one.
  constexpr std::array<std::string_view, 17> kLibraries = {"nccl",     "ncclx",  "rccl", "gloo",
                                                           "mpi",      "ucc",    "hccl", "xccl",
                                                           "ccl",      "oneccl", "mtia", "smddp",
                                                           "cncl",     "mccl",   "eccl", "tccl",
                                                           "predicted"};  // the last: timelines of
                                                                          // orrery bench
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view operation = name.substr(colon + 1);
  if (operation.starts_with(':')) return {};
  const bool known =
      std::find(kLibraries.begin(), kLibraries.end(), name.substr(0, colon)) != kLibraries.end();
  return known ? operation : std::string_view{};
}

bool is_framework_communication(std::string_view name) {
  const std::size_t scope = name.find("::");
  return scope != std::string_view::npos && std::find(kFrameworks.begin(), kFrameworks.end(),
                                                      name.substr(0, scope)) != kFrameworks.end();
}

CommKind comm_operator_kind(std::string_view name) {
  const std::size_t scope = name.rfind("::");
  if (scope == std::string_view::npos) return CommKind::unknown;
  constexpr std::array<std::string_view, 12> kNamespaces = {
      "c10d",   "_c10d_functional", "c10d_functional", "symm_mem", "_C_custom_ar", "vllm",
      "sglang", "sgl_kernel",       "aiter",           "trtllm",   "flashinfer",   "deep_ep"};
  if (std::find(kNamespaces.begin(), kNamespaces.end(), name.substr(0, scope)) == kNamespaces.end())
    return CommKind::unknown;
  const std::string word = normalized_name(name.substr(scope + 2));
  constexpr std::array<std::string_view, 5> kComputes = {"fused", "matmul", "gemm", "norm",
                                                         "quant"};
  if (contains_any(word, kComputes)) return CommKind::unknown;
  const CommKind kind = comm_kind_of_name(word);
  const bool c10d = contains_part(name.substr(0, scope), "c10d");
  // Operators outside of c10d also gather and scatter locally.
  return is_symmetric(kind) || (c10d && is_operation(kind)) ? kind : CommKind::unknown;
}

}  // namespace orrery::profile
