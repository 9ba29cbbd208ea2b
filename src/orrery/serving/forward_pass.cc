// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/forward_pass.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/workload/layers/attention.h"
#include "orrery/workload/operators/op_kernels.h"
#include "orrery/workload/program/program.h"

namespace orrery::serving {
namespace {

using graph::Kernel;
using graph::Operation;
using workload::Op;

constexpr std::int64_t kVectorBytes = 2;  // bf16

/// Bytes that sampling needs for each logit: fp32 logits (4), sorted logits (4) and their 64-bit
/// indices (8), probabilities (4) and their sums (4), as in vLLM's v1/sample/ops/
/// topk_topp_sampler.py (apply_top_k_top_p).
constexpr std::int64_t kSamplingBytes = 24;

/// Bytes of a weight with its scales: one fp32 scale per 128 x 128 weights, or one byte per 32 or
/// 16 weights.
double weight_bytes(graph::Format format) {
  switch (format) {
    case graph::Format::fp8_block:
      return 1 + 4.0 / (128 * 128);
    case graph::Format::fp8_mx:
      return 1 + 1.0 / 32;
    case graph::Format::fp4_block:
      return 0.5 + 1.0 / 16;
    default:
      return graph::bits_of(format) / 8.0;
  }
}

bool is_attention(const Op& op) { return op.kernel.operation == Operation::attention; }
bool is_loss(const Op& op) { return op.kernel.operation == Operation::cross_entropy; }
bool is_norm(const Op& op) {
  return op.kernel.operation == Operation::rms_norm || op.kernel.operation == Operation::layer_norm;
}
bool computes(const Op& op) {
  return op.kind == graph::NodeKind::comp && op.op_class != workload::OpClass::copy &&
         op.kernel.operation != Operation::unsaid;
}

/// The last op of a layer, if it only adds the branch to the residual; else its end.
std::size_t residual_op(const std::vector<Op>& ops) {
  for (std::size_t i = ops.size(); i-- > 0;)
    if (computes(ops[i])) return ops[i].kernel.operation == Operation::elementwise ? i : ops.size();
  return ops.size();
}

bool sums_over_tp(const Op& op) {
  return op.kind == graph::NodeKind::coll &&
         (op.axis == workload::Axis::tp || op.axis == workload::Axis::etp) &&
         op.collective == graph::CollectiveType::all_reduce;
}

/// Whether op `at` of a layer sums only shared experts: a server adds them to the routed ones
/// before their sum.
bool is_merged_sum(const std::vector<Op>& ops, std::size_t at) {
  if (!sums_over_tp(ops[at])) return false;
  const auto is_router = [](const Op& op) { return op.kernel.operation == Operation::router; };
  const auto here = ops.begin() + static_cast<std::ptrdiff_t>(at);
  return std::any_of(ops.begin(), here, is_router) &&
         std::any_of(here + 1, ops.end(), sums_over_tp);
}

/// Whether the time of an engine's experts contains an op (ExpertTimes): everything between the
/// router's scores and the sum of the experts, without exchanges.
bool is_part_of_experts(const Op& op) {
  const std::string_view name = op.name;
  return op.kind == graph::NodeKind::comp && name != "moe.add" &&
         (name == "router.softmax" || name.starts_with("moe.") || name.starts_with("experts."));
}

/// Whether an op is a product of latent attention with weights (workload/layers/mla.cc).
bool is_latent_product(const Op& op) {
  const std::string_view name = op.name;
  return op.kernel.operation == Operation::gemm &&
         (name == "q" || name == "q_down" || name == "q_up" || name == "kv_down" ||
          name == "kv_up" || name == "out");
}

/// The part of experts that at least one of `tokens` tokens chooses, if all are equally likely.
double chosen_share(const workload::Moe& moe, double tokens) {
  const double missed = 1 - static_cast<double>(moe.top_k) / static_cast<double>(moe.experts);
  return 1 - std::pow(std::max(missed, 0.0), tokens);
}

Kernel copy_kernel(std::int64_t elements, std::int64_t features) {
  Kernel kernel;
  kernel.operation = Operation::copy;
  kernel.a = kernel.out = graph::Format::bf16;
  kernel.sizes[0] = elements;
  kernel.sizes[1] = features;
  kernel.bytes = 2 * elements * kVectorBytes;
  return kernel;
}

}  // namespace

Result<std::shared_ptr<const ForwardPass>> ForwardPass::make(PassInputs inputs) {
  const workload::Model& model = inputs.spec.model;
  if (model.kind != workload::ModelKind::decoder)
    return fail(Errc::input_unsupported, "model", "is not a decoder",
                "only causal language models are served");
  if (model.mamba || model.layers_of(workload::LayerSymbol::mamba) > 0)
    return fail(Errc::input_unsupported, "model", "has Mamba layers",
                "only attention layers are served");
  if (inputs.spec.parallel.cp > 1 || inputs.spec.parallel.sp || inputs.spec.parallel.pp > 1)
    return fail(Errc::input_unsupported, "parallelism",
                "pipeline, context and sequence parallelism are not served",
                "use tensor, expert and data parallelism");
  std::shared_ptr<ForwardPass> pass(new ForwardPass(std::move(inputs)));
  if (auto fine = pass->prepare(); !fine) return tl::unexpected(fine.error());
  return std::shared_ptr<const ForwardPass>(std::move(pass));
}

workload::Spec ForwardPass::spec_of(std::int64_t tokens) const {
  workload::Spec spec = inputs_.spec;
  spec.batch = {};
  spec.batch.micro = 1;
  spec.batch.seq = tokens;
  spec.batch.global = spec.parallel.dp;
  return spec;
}

workload::LoweredModel ForwardPass::lowered(std::int64_t tokens) const {
  const workload::Spec spec = spec_of(tokens);
  auto made = workload::lower(spec, workload::Mesh(spec), {});
  ORRERY_CHECK(made.has_value());  // prepare() lowered the same layers
  return *std::move(made);
}

Result<void> ForwardPass::prepare() {
  const workload::Spec spec = spec_of(16);
  if (auto fine = workload::check_spec(spec); !fine) return tl::unexpected(fine.error());
  const workload::Mesh mesh(spec);
  const auto lowered = workload::lower(spec, mesh, {});
  if (!lowered) return tl::unexpected(lowered.error());
  const double product = graph::bits_of(workload::product_format(spec)) > 0
                             ? serving::weight_bytes(workload::product_format(spec))
                             : kVectorBytes;
  double weights = 0;
  for (const workload::PartRun& run : lowered->order) {
    const workload::Weights& some = lowered->parts[run.part].part.weights;
    const double bytes = lowered->parts[run.part].part.is_layer ? product : kVectorBytes;
    weights += run.count * (static_cast<double>(some.dense + some.expert) * bytes +
                            static_cast<double>(some.replicated + some.tables) * kVectorBytes);
  }
  if (inputs_.plain_latent_products && spec.model.mla) {
    for (const workload::PartRun& run : lowered->order)
      for (const Op& op : lowered->parts[run.part].forward)
        if (is_latent_product(op))
          weights += run.count * (kVectorBytes - product) *
                     static_cast<double>(op.kernel.sizes[1] * op.kernel.sizes[2]);
  }
  weight_bytes_ = static_cast<std::int64_t>(weights);

  const workload::Model& model = spec.model;
  for (std::int64_t i = 0; i < model.layers; ++i) {
    if (!model.pattern.empty() && model.pattern[static_cast<std::size_t>(i)] !=
                                      static_cast<char>(workload::LayerSymbol::attention))
      continue;
    const std::int64_t window = model.window_of(i);
    auto kind = std::ranges::find(attention_, window, &AttentionKind::window);
    if (kind == attention_.end()) kind = attention_.insert(kind, {window, 0});
    ++kind->layers;
  }
  const workload::Scope scope(spec, mesh, {}, 16);
  const std::int64_t element = inputs_.fp8_cache ? 1 : kVectorBytes;
  const std::int64_t layer =
      element * (model.mla ? model.mla->kv_rank + model.mla->rope_dim
                           : 2 * workload::heads_per_rank(scope, model.kv()) * model.head_size());
  for (const AttentionKind& kind : attention_) {
    if (kind.window == 0 || attention_.size() == 1)
      token_bytes_ += kind.layers * layer;
    else
      window_bytes_ += kind.layers * layer * kind.window;
  }
  if (kernel_seconds(copy_kernel(16, 16), false) <= 0)
    return fail(Errc::usage, "--compute", "no model predicts kernels of this device");
  return {};
}

double ForwardPass::kernel_seconds(const Kernel& kernel, bool captured) const {
  const auto time = model::choose_time(inputs_.kernels, kernel, inputs_.silicon);
  if (!time) return 0;
  double alone = time->time.seconds;
  // Tables of one library have products of few rows that last longer than those of a full tile. An
  // engine can always compute the tile.
  constexpr std::int64_t kTileRows = 64;
  if (kernel.operation == Operation::gemm && kernel.sizes[0] < kTileRows) {
    Kernel tile = kernel;
    tile.sizes[0] = kTileRows;
    if (const auto padded = model::choose_time(inputs_.kernels, tile, inputs_.silicon))
      alone = std::min(alone, padded->time.seconds);
  }
  if (!captured) return alone;
  return std::max(alone - seconds(inputs_.overlap), alone / 2);
}

void ForwardPass::add_kernel(const Kernel& kernel, double times, Part& part) const {
  part.count.kernels += static_cast<std::int64_t>(times) * kernel.launches;
  part.count.kernel_seconds += times * kernel_seconds(kernel, part.captured);
}

/// From products of all experts with a part of their inner size to those of some experts with all
/// of it: the first product has the inner size as n, the second as k.
void ForwardPass::distribute_experts(Kernel& kernel) const {
  const std::int64_t tp = inputs_.spec.parallel.tp;
  const auto activations = [&] { return kernel.sizes[1] * (kernel.sizes[2] + kernel.sizes[3]); };
  kernel.bytes -= activations() * kVectorBytes;
  const bool first = kernel.sizes[3] == inputs_.spec.model.hidden;
  kernel.sizes[first ? 2 : 3] *= tp;
  kernel.sizes[0] = (kernel.sizes[0] + tp - 1) / tp;
  kernel.sizes[1] = (kernel.sizes[1] + tp - 1) / tp;
  kernel.bytes += activations() * kVectorBytes;
}

double ForwardPass::collective_seconds(const Op& op, std::int64_t ranks) const {
  if (sums_over_tp(op) && !inputs_.all_reduce.empty()) return inputs_.all_reduce(op.size) * 1e-6;
  if (inputs_.library == nullptr) return 0;
  const bool gathers = op.collective == graph::CollectiveType::all_gather;
  return seconds((*inputs_.library)(op.collective, gathers ? op.size * ranks : op.size,
                                    {ranks, (ranks + inputs_.node - 1) / inputs_.node}, op.exchange)
                     .time);
}

void ForwardPass::add_op(const Op& op, double times, Part& part) const {
  if (op.kind == graph::NodeKind::coll) {
    const auto ranks = static_cast<std::int64_t>(workload::Mesh(inputs_.spec).extent(op.axis));
    part.count.collectives += static_cast<std::int64_t>(times);
    part.count.collective_seconds += times * collective_seconds(op, ranks);
    return;
  }
  if (!computes(op)) return;
  auto kernel = workload::kernel_of(op);
  if (!kernel) return;
  if (inputs_.plain_latent_products && inputs_.spec.model.mla && is_latent_product(op)) {
    kernel->bytes +=
        static_cast<std::int64_t>((kVectorBytes - serving::weight_bytes(kernel->b)) *
                                  static_cast<double>(kernel->sizes[1] * kernel->sizes[2]));
    kernel->a = kernel->b = graph::Format::bf16;
  }
  if (kernel->operation == Operation::grouped_gemm) {
    const workload::Moe& moe = *inputs_.spec.model.moe;
    if (inputs_.experts_over_tp) distribute_experts(*kernel);
    const auto ranks =
        static_cast<double>(inputs_.spec.parallel.ep > 1 ? inputs_.spec.parallel.dp : 1);
    const double share = chosen_share(moe, static_cast<double>(part.tokens) * ranks);
    const auto groups = static_cast<double>(kernel->sizes[0]);
    const double read = std::max(std::ceil(groups * share), 1.0);
    kernel->bytes -= static_cast<std::int64_t>((groups - read) * serving::weight_bytes(kernel->b) *
                                               static_cast<double>(kernel->sizes[2]) *
                                               static_cast<double>(kernel->sizes[3]));
    kernel->sizes[0] = static_cast<std::int64_t>(read);
  }
  add_kernel(*kernel, times, part);
}

/// The experts of a layer in one call. As many launches as an engine needs for routing, sorting,
/// two products with an activation, and the sum.
void ForwardPass::add_experts(double times, Part& part) const {
  constexpr std::int64_t kLaunches = 6;
  const workload::Moe& moe = *inputs_.spec.model.moe;
  const auto& plan = inputs_.spec.parallel;
  ExpertShape shape{part.tokens, inputs_.spec.model.hidden, inputs_.spec.model.expert_inner(),
                    moe.top_k, moe.experts};
  (inputs_.experts_over_tp ? shape.devices : shape.parts) = plan.tp;
  if (plan.ep > 1) {
    shape.devices *= plan.ep;
    shape.tokens *= plan.ep;
  }
  part.count.kernels += static_cast<std::int64_t>(times) * kLaunches;
  part.count.kernel_seconds += times * inputs_.experts(shape);
}

void ForwardPass::add_layer(const workload::LoweredPart& layer, double times, Part& part) const {
  const std::vector<Op>& ops = layer.forward;
  const std::size_t residual = residual_op(ops);
  bool first = true;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (i == residual || is_attention(ops[i]) || is_merged_sum(ops, i)) continue;
    if (!inputs_.experts.empty() && is_part_of_experts(ops[i])) {
      if (std::string_view(ops[i].name) == "experts.up") add_experts(times, part);
      continue;
    }
    Op op = ops[i];
    if (first && is_norm(op) && residual < ops.size()) {
      op.kernel.traits |= graph::kEpilogue;
      op.bytes += part.tokens * inputs_.spec.model.hidden * kVectorBytes;
    }
    first = first && !computes(op);
    add_op(op, times, part);
  }
}

PassCount ForwardPass::layers(std::int64_t tokens, bool captured) const {
  if (tokens <= 0) return {};
  Part sum{tokens, captured, {}};
  const workload::LoweredModel model = lowered(tokens);
  for (std::size_t part = 0; part + 1 < model.parts.size(); ++part) {
    double times = 0;
    for (const workload::PartRun& run : model.order)
      if (run.part == part) times += run.count;
    const workload::LoweredPart& one = model.parts[part];
    if (one.part.is_layer)
      add_layer(one, times, sum);
    else
      for (const Op& op : one.forward) add_op(op, times, sum);
  }
  return sum.count;
}

PassCount ForwardPass::head(std::int64_t samples) const {
  if (samples <= 0) return {};
  Part sum{samples, false, {}};
  const workload::LoweredModel model = lowered(samples);
  for (const Op& op : model.parts.back().forward) {
    if (is_loss(op)) break;
    add_op(op, 1, sum);
  }
  const std::int64_t vocab = inputs_.spec.model.vocab, logits = samples * vocab;
  if (const std::int64_t ranks = inputs_.spec.parallel.tp;
      ranks > 1 && inputs_.library != nullptr) {
    sum.count.collectives += 1;
    sum.count.collective_seconds +=
        seconds((*inputs_.library)(graph::CollectiveType::all_gather, logits * kVectorBytes,
                                   {ranks, (ranks + inputs_.node - 1) / inputs_.node})
                    .time);
  }
  // Sampling: logits in fp32, and their probabilities.
  Kernel cast;
  cast.operation = Operation::cast;
  cast.a = graph::Format::bf16;
  cast.out = graph::Format::fp32;
  cast.sizes[0] = logits;
  cast.sizes[1] = vocab;
  cast.bytes = logits * 6;
  add_kernel(cast, 1, sum);
  Kernel softmax;
  softmax.operation = Operation::softmax;
  softmax.a = softmax.out = graph::Format::fp32;
  softmax.sizes[0] = samples;
  softmax.sizes[1] = vocab;
  softmax.bytes = logits * 8;
  add_kernel(softmax, 1, sum);
  return sum.count;
}

double ForwardPass::attention(std::int64_t batch, std::int64_t queries, std::int64_t keys,
                              bool captured) const {
  const workload::Model& model = inputs_.spec.model;
  const workload::Mla* mla = model.mla ? &*model.mla : nullptr;
  const std::int64_t tp = inputs_.spec.parallel.tp;
  const bool latent = mla != nullptr && queries == 1;  // keys are not expanded
  Kernel kernel;
  kernel.operation = Operation::attention;
  kernel.a = kernel.out = graph::Format::bf16;
  kernel.b = inputs_.fp8_cache ? graph::Format::fp8 : graph::Format::bf16;
  if (queries > 1) kernel.traits = graph::kCausal;
  if (queries > 1 && queries == keys) kernel.traits |= graph::kWritesPagedCache;
  const std::int64_t heads = std::max<std::int64_t>(model.heads / tp, 1);
  std::int64_t kv_heads = std::max<std::int64_t>(model.kv() / tp, 1);
  std::int64_t key_dim = model.head_size(), value_dim = model.head_size();
  if (mla != nullptr) {
    kv_heads = latent ? 1 : heads;
    key_dim = latent ? mla->kv_rank + mla->rope_dim : mla->nope_dim + mla->rope_dim;
    value_dim = latent ? mla->kv_rank : mla->v_dim;
  }
  double sum = 0;
  for (const AttentionKind& kind : attention_) {
    // A query attends to the last `window` keys only.
    const bool windowed = kind.window > 0 && kind.window < keys;
    const std::int64_t seen = windowed ? std::min(keys, kind.window + queries - 1) : keys;
    kernel.sizes = {batch, heads,   kv_heads,  queries,
                    seen,  key_dim, value_dim, windowed && queries > 1 ? kind.window : 0};
    const double pairs =
        queries > 1 ? static_cast<double>(queries) *
                          (static_cast<double>(seen) - 0.5 * static_cast<double>(queries - 1))
                    : static_cast<double>(seen);
    const auto of_heads = static_cast<double>(batch * heads);
    kernel.flops =
        static_cast<std::int64_t>(2 * of_heads * pairs * static_cast<double>(key_dim + value_dim));
    kernel.bytes = batch * (queries * heads * (key_dim + value_dim) * kVectorBytes +
                            seen * kv_heads * (latent ? key_dim : key_dim + value_dim) *
                                (inputs_.fp8_cache ? 1 : kVectorBytes));
    sum += static_cast<double>(kind.layers) * kernel_seconds(kernel, captured);
  }
  return sum;
}

double ForwardPass::launch_seconds() const {
  constexpr std::int64_t kSomeTokens = 1024;  // as many kernels as any other number
  const PassCount of_layers = eager_layers(kSomeTokens), of_head = head(1);
  std::int64_t launches =
      of_layers.kernels + of_layers.collectives + of_head.kernels + of_head.collectives;
  for (const AttentionKind& kind : attention_) launches += kind.layers;
  return static_cast<double>(launches) * seconds(inputs_.launch);
}

double ForwardPass::decode(std::int64_t sequences, std::int64_t keys) const {
  const std::int64_t batch = std::max<std::int64_t>(sequences, 1);
  return attention(batch, 1, std::max<std::int64_t>(keys, 1), batch <= inputs_.captured);
}

double ForwardPass::mixed_decode(std::int64_t sequences, std::int64_t keys) const {
  const std::int64_t rows =
      inputs_.mixed_rows == 0 || inputs_.spec.model.mla ? 1 : inputs_.mixed_rows;
  return attention(std::max<std::int64_t>(sequences, 1), rows, std::max(keys, rows), false);
}

double ForwardPass::chunk(std::int64_t queries, std::int64_t past) const {
  const std::int64_t some = std::max<std::int64_t>(queries, 1);
  return attention(1, some, some + std::max<std::int64_t>(past, 0), false);
}

std::int64_t ForwardPass::activation_bytes(std::int64_t tokens, std::int64_t samples) const {
  const workload::Model& model = inputs_.spec.model;
  const std::int64_t stream = tokens * model.hidden * kVectorBytes;
  std::int64_t most = 0;
  const workload::LoweredModel layers = lowered(tokens);
  for (const workload::LoweredPart& part : layers.parts) {
    if (!part.part.is_layer) continue;
    for (const Op& op : part.forward) {
      const auto& sizes = op.kernel.sizes;
      if (op.kernel.operation == Operation::gemm)
        most = std::max(most, sizes[0] * (sizes[1] + sizes[2]) * kVectorBytes);
      else if (op.kernel.operation == Operation::grouped_gemm)
        most = std::max(most, sizes[1] * (sizes[2] + sizes[3]) * kVectorBytes);
    }
  }
  const std::int64_t sampling = samples * model.vocab * kSamplingBytes;
  return stream + std::max(stream + most, sampling);
}

StepParts ForwardPass::parts(std::shared_ptr<const ForwardPass> pass) {
  StepParts parts;
  parts.layers = [pass](std::int64_t tokens) { return pass->layers(tokens).seconds(); };
  parts.head = [pass](std::int64_t samples) { return pass->head(samples).seconds(); };
  parts.decode = [pass](std::int64_t sequences, std::int64_t keys) {
    return sequences > 0 ? pass->decode(sequences, keys) : 0;
  };
  parts.mixed_decode = [pass](std::int64_t sequences, std::int64_t keys) {
    return sequences > 0 ? pass->mixed_decode(sequences, keys) : 0;
  };
  parts.chunk = [pass](std::int64_t queries, std::int64_t past) {
    return queries > 0 ? pass->chunk(queries, past) : 0;
  };
  parts.captured = pass->inputs_.captured;
  if (!pass->inputs_.captured_prompts)
    parts.eager_layers = [pass](std::int64_t tokens) {
      return pass->eager_layers(tokens).seconds();
    };
  parts.launch = pass->launch_seconds();
  parts.attention_floor = pass->decode(1, 1);
  parts.prompt_floor = pass->chunk(1, 0);
  return parts;
}

}  // namespace orrery::serving
