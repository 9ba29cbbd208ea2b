// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/size_inference.h"

#include <algorithm>
#include <initializer_list>

#include "orrery/graph/transform/rank_subset.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::study {
namespace {

using graph::Format;
using graph::Kernel;
using graph::NodeKind;
using graph::Operation;
using graph::Pass;
using workload::ContextMethod;

constexpr std::int64_t kPadding = 128;  // maximum padding rows of a table per rank
/// Sizes above these are not those of a model, and could overflow.
constexpr std::int64_t kMaxSize = std::int64_t{1} << 24, kMaxSequences = std::int64_t{1} << 15;

bool forward(const Kernel& kernel) { return kernel.pass == Pass::forward; }
bool of_gradients(const Kernel& kernel) { return kernel.pass != Pass::forward; }

workload::Dtype type_of(Format format, workload::Dtype otherwise) {
  switch (format) {
    case Format::fp32:
      return workload::Dtype::fp32;
    case Format::tf32:
      return workload::Dtype::tf32;
    case Format::bf16:
      return workload::Dtype::bf16;
    case Format::fp16:
      return workload::Dtype::fp16;
    case Format::fp8:
    case Format::fp8_block:
    case Format::fp8_mx:
      return workload::Dtype::fp8;
    case Format::fp4_block:
      return workload::Dtype::fp4;
    default:
      return otherwise;
  }
}

/// Whether the given sizes of the kernel are plausible for models.
bool usual(const Kernel& kernel, std::initializer_list<std::size_t> which) {
  return std::all_of(which.begin(), which.end(), [&](std::size_t i) {
    return kernel.sizes[i] >= 1 && kernel.sizes[i] <= kMaxSize;
  });
}

/// Number of forward passes of a rank, from its token lookups; 0: it has none.
std::uint64_t lookups(const graph::Graph& graph) {
  std::map<graph::KernelId, std::uint64_t> found;
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    if (graph.kernel(n) == graph::kNoKernel) continue;
    const Kernel& kernel = (*graph.kernels())[graph.kernel(n)];
    if (kernel.operation == Operation::embedding && forward(kernel)) ++found[graph.kernel(n)];
  }
  std::uint64_t least = 0;
  for (const auto& [kernel, count] : found) least = least == 0 ? count : std::min(least, count);
  return least;
}

class Guess {
 public:
  Guess(const KernelInventory& kernels, const ParallelDegrees& cut)
      : kernels_(kernels), cut_(cut) {}

  std::optional<workload::Spec> make() {
    const Kernel* tokens = kernels_.most(Operation::embedding, forward);
    const Kernel* attention = kernels_.most(Operation::attention, forward);
    const Kernel* activation = kernels_.most(Operation::activation, forward);
    if (tokens == nullptr || attention == nullptr || activation == nullptr) return std::nullopt;
    if (!usual(*tokens, {1, 2}) || !usual(*attention, {0, 1, 2, 3, 5}) || !usual(*activation, {1}))
      return std::nullopt;
    if (kernels_.microbatches == 0 || attention->sizes[0] > kMaxSequences) return std::nullopt;
    workload::Model& model = spec_.model;
    model.name = kInferredModelName;
    model.hidden = tokens->sizes[2];
    model.vocab = tokens->sizes[1] * cut_.tp;
    take_attention(*attention);
    take_products(*activation);
    take_ends();
    take_precision(*attention);
    if (!take_layers()) return std::nullopt;
    take_batch(*attention);
    spec_.parallel.tp = cut_.tp;
    spec_.parallel.cp = cut_.cp;
    spec_.parallel.pp = cut_.pp;
    spec_.parallel.cp_method = cut_.method;
    take_from_catalog();
    // Leave derived sizes open, so that they follow changes of other sizes.
    if (model.head_dim * model.heads == model.hidden) model.head_dim = 0;
    return spec_;
  }

 private:
  [[nodiscard]] bool ulysses() const { return cut_.method == ContextMethod::ulysses; }

  void take_attention(const Kernel& attention) {
    workload::Model& model = spec_.model;
    const std::int64_t cut = cut_.tp * (ulysses() ? cut_.cp : 1);
    model.heads = attention.sizes[1] * cut;
    model.kv_heads = attention.sizes[2] * cut;
    model.head_dim = attention.sizes[5];
    model.kind =
        attention.has(graph::kCausal) ? workload::ModelKind::decoder : workload::ModelKind::encoder;
    const auto windowed = [](const Kernel& kernel) {
      return forward(kernel) && usual(kernel, {7});
    };
    const Kernel* window = kernels_.most(Operation::attention, windowed);
    if (window == nullptr) return;
    model.window = window->sizes[7];
    const auto narrow = kernels_.count(Operation::attention, windowed);
    const auto all = kernels_.count(Operation::attention, forward);
    if (all > narrow) model.full_every = static_cast<std::int64_t>(all / (all - narrow));
  }

  void take_products(const Kernel& activation) {
    workload::Model& model = spec_.model;
    model.mlp = activation.has(graph::kGated) ? workload::Mlp::swiglu : workload::Mlp::gelu;
    const Kernel* router = kernels_.most(Operation::router, forward);
    const Kernel* experts = kernels_.most(Operation::grouped_gemm, [&](const Kernel& kernel) {
      return forward(kernel) && kernel.sizes[2] == model.hidden;
    });
    if (router == nullptr || experts == nullptr || !usual(*router, {1, 2}) ||
        !usual(*experts, {0, 3})) {
      model.ffn = activation.sizes[1] * cut_.tp;
      return;
    }
    workload::Moe moe;
    moe.experts = router->sizes[1];
    moe.top_k = router->sizes[2];
    moe.ffn = experts->sizes[3] * cut_.tp;
    spec_.parallel.ep = std::max<std::int64_t>(1, moe.experts / experts->sizes[0]);
    const auto dense = [&](const Kernel& kernel) {
      return forward(kernel) && kernel.sizes[1] != experts->sizes[3];
    };
    const Kernel* other = kernels_.most(Operation::activation, dense);
    model.ffn = other == nullptr || !usual(*other, {1}) ? moe.ffn : other->sizes[1] * cut_.tp;
    model.moe = moe;
  }

  void take_ends() {
    workload::Model& model = spec_.model;
    model.norm = kernels_.most(Operation::rms_norm, forward) != nullptr ? workload::Norm::rmsnorm
                                                                        : workload::Norm::layernorm;
    model.positions = kernels_.most(Operation::rotary, forward) != nullptr
                          ? workload::Positions::rope
                          : workload::Positions::learned;
    const Kernel* input = kernels_.most(Operation::gemm, forward);
    const bool bias = input != nullptr && input->has(graph::kBias);
    model.qkv_bias = model.out_bias = model.mlp_bias = bias;
  }

  void take_precision(const Kernel& attention) {
    workload::Precision& precision = spec_.precision;
    precision.activations = type_of(attention.a, workload::Dtype::bf16);
    precision.weights = precision.activations;
    const Kernel* product = kernels_.most(Operation::gemm, forward);
    if (product != nullptr) {
      const workload::Dtype type = type_of(product->a, precision.activations);
      if (type != precision.activations) precision.products = type;
    }
    const Kernel* gradient = kernels_.most(
        Operation::gemm, [](const Kernel& one) { return one.pass == Pass::weight_grad; });
    if (gradient != nullptr) precision.gradients = type_of(gradient->out, workload::Dtype::fp32);
  }

  /// Counts layers by backward passes through attention, which are never recomputed.
  bool take_layers() {
    const std::uint64_t pieces =
        cut_.method == ContextMethod::ring ? static_cast<std::uint64_t>(cut_.cp) : 1;
    const std::uint64_t passes = kernels_.count(Operation::attention, of_gradients);
    const std::uint64_t each =
        kernels_.ranks / static_cast<std::uint64_t>(cut_.pp) * kernels_.microbatches * pieces;
    if (each == 0 || passes < each) return false;
    spec_.model.layers = static_cast<std::int64_t>((passes + each / 2) / each);
    const std::uint64_t experts =
        kernels_.count(Operation::router, forward) /
        std::max<std::uint64_t>(
            1, kernels_.ranks / static_cast<std::uint64_t>(cut_.pp) * kernels_.microbatches);
    if (spec_.model.moe && experts > 0 && experts < static_cast<std::uint64_t>(spec_.model.layers))
      spec_.model.moe->first_dense = spec_.model.layers - static_cast<std::int64_t>(experts);
    return true;
  }

  void take_batch(const Kernel& attention) {
    workload::Parallel& plan = spec_.parallel;
    const std::int64_t others = cut_.tp * cut_.cp * cut_.pp;
    plan.dp = static_cast<std::int64_t>(kernels_.ranks) / others;
    spec_.batch.micro = attention.sizes[0];
    spec_.batch.seq = attention.sizes[3] * (ulysses() ? 1 : cut_.cp);
    spec_.batch.global =
        spec_.batch.micro * plan.dp * static_cast<std::int64_t>(kernels_.microbatches);
  }

  void take_from_catalog() {
    const workload::Model& found = spec_.model;
    for (const workload::ModelEntry& entry : workload::models()) {
      const workload::Model& model = entry.model;
      const std::int64_t padding = found.vocab - model.vocab;
      if (model.kind != found.kind || model.hidden != found.hidden || model.heads != found.heads ||
          model.kv() != found.kv() || model.head_size() != found.head_size() ||
          model.norm != found.norm || padding < 0 || padding >= kPadding * cut_.tp ||
          model.moe.has_value() != found.moe.has_value() || model.window != found.window)
        continue;
      if (model.moe
              ? model.moe->experts != found.moe->experts || model.moe->top_k != found.moe->top_k
              : model.inner() != found.inner())
        continue;
      const std::int64_t layers = found.layers;
      spec_.model = model;
      spec_.model.layers = layers;
      spec_.model.name = entry.name;
      return;
    }
  }

  const KernelInventory& kernels_;
  ParallelDegrees cut_;
  workload::Spec spec_;
};

}  // namespace

const Kernel* KernelInventory::most(Operation operation, const KernelPredicate& which) const {
  for (const CountedKernel& one : all)
    if (one.kernel.operation == operation && which(one.kernel)) return &one.kernel;
  return nullptr;
}

std::uint64_t KernelInventory::count(Operation operation, const KernelPredicate& which) const {
  std::uint64_t made = 0;
  for (const CountedKernel& one : all)
    if (one.kernel.operation == operation && which(one.kernel)) made += one.nodes;
  return made;
}

KernelInventory kernel_inventory(const graph::Workload& workload) {
  KernelInventory made;
  made.ranks = workload.rank_count();
  std::vector<std::uint64_t> ranks(workload.graphs.size());
  for (const std::uint32_t which : workload.graph_of_rank) ++ranks[which];
  std::map<std::string, KernelInventory::CountedKernel> all;
  std::vector<bool> predicted(workload.graphs.size());
  for (std::uint32_t rank = 0; rank < made.ranks; ++rank) {
    const std::uint32_t which = workload.graph_of_rank[rank];
    if (predicted[which]) continue;
    predicted[which] = true;
    const graph::Graph& graph = workload.graph(rank);
    std::map<graph::KernelId, std::uint64_t> counts;
    std::set<StringId> groups;
    for (graph::NodeId n = 0; n < graph.size(); ++n) {
      if (graph.kernel(n) != graph::kNoKernel) ++counts[graph.kernel(n)];
      if (graph.kind(n) == NodeKind::coll) groups.insert(graph.collective(n).group);
      made.messages = made.messages || graph.kind(n) == NodeKind::send;
    }
    for (const auto& [id, count] : counts) {
      const Kernel& kernel = (*graph.kernels())[id];
      KernelInventory::CountedKernel& one = all[to_text(kernel)];
      one.kernel = kernel;
      one.nodes += count * ranks[which];
    }
    for (const StringId group : groups)
      made.group_sizes.insert(
          static_cast<std::int64_t>(graph::members_of(workload, graph.string(group), rank).size()));
    made.microbatches = std::max(made.microbatches, lookups(graph));
  }
  for (auto& [text, one] : all) made.all.push_back(one);
  std::stable_sort(made.all.begin(), made.all.end(),
                   [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
  return made;
}

std::vector<ParallelDegrees> possible_partitions(const KernelInventory& kernels) {
  std::vector<ParallelDegrees> made;
  const std::int64_t ranks = kernels.ranks;
  for (std::int64_t pp = 1; pp <= ranks; ++pp) {
    if (ranks % pp != 0 || (pp > 1 && !kernels.messages)) continue;
    for (std::int64_t tp = 1; pp * tp <= ranks; ++tp) {
      if (ranks / pp % tp != 0 || (tp > 1 && !kernels.group_sizes.contains(tp))) continue;
      for (std::int64_t cp = 1; pp * tp * cp <= ranks; ++cp) {
        if (ranks / pp / tp % cp != 0) continue;
        const bool grouped = kernels.group_sizes.contains(cp);
        if (cp == 1 || kernels.messages) made.push_back({tp, cp, pp, ContextMethod::ring});
        if (cp == 1 || !grouped) continue;
        made.push_back({tp, cp, pp, ContextMethod::all_gather});
        made.push_back({tp, cp, pp, ContextMethod::ulysses});
      }
    }
  }
  std::stable_sort(made.begin(), made.end(),
                   [](const ParallelDegrees& a, const ParallelDegrees& b) {
                     return a.cp * a.pp * a.tp < b.cp * b.pp * b.tp;
                   });
  return made;
}

std::optional<workload::Spec> infer_sizes(const KernelInventory& kernels,
                                          const ParallelDegrees& cut) {
  return Guess(kernels, cut).make();
}

}  // namespace orrery::study
