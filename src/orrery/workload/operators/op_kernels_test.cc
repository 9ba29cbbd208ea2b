// SPDX-License-Identifier: Apache-2.0
//
// What ops are to a device: that it is all there, agrees with what they count, and is what
// frameworks were recorded to run.
#include "orrery/workload/operators/op_kernels.h"

#include <gtest/gtest.h>

#include <utility>

#include "orrery/workload/operators/lowered_model_testing.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/defaults.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;

/// 2mnk of all products of a kernel, twice that where one makes both gradients; of attention and
/// others, whose FLOPs depend on masks, those that it states.
std::int64_t product_flops(const Op& op) {
  const auto& s = op.kernel.sizes;
  switch (op.kernel.operation) {
    case Operation::gemm:
      return 2 * s[0] * s[1] * s[2];
    case Operation::batched_gemm:
      // Launches share them.
      return (op.kernel.pass == graph::Pass::backward ? 4 : 2) * s[0] * s[1] * s[2] * s[3];
    case Operation::grouped_gemm:
      return 2 * s[1] * s[2] * s[3];
    case Operation::convolution:
      return 2 * s[0] * s[1] * s[2] * s[3] * s[4] * s[5] * s[6];
    default:
      return op.matmul;
  }
}

Spec job_of(std::string_view model) {
  Spec spec;
  spec.model = find_model(model)->model;
  spec.model.dropout = false;
  spec.batch.seq = 512;
  return spec;
}

void expect_kernels(const Spec& spec, const std::string& what) {
  Findings findings;
  const Result<Program> program = assemble(spec, findings);
  ASSERT_TRUE(program) << what << to_string(program.error());
  for (const Body& body : program->bodies) {
    for (const Op& op : body.ops) {
      if (op.kind != graph::NodeKind::comp || op.op_class == OpClass::copy) continue;
      ASSERT_NE(op.name, nullptr) << what << ": " << body.name << ": " << to_text(op.kernel);
      const std::string where = what + ": " + op.name + ": " + to_text(op.kernel);
      EXPECT_NE(op.kernel.operation, Operation::unsaid) << where;
      if (op.kernel.operation == Operation::batched_gemm && op.kernel.launches > 1) {
        // Experts one after another, each with as many rows as the fullest.
        const std::int64_t more = product_flops(op) - op.matmul;
        const std::size_t rows = op.kernel.pass == graph::Pass::weight_grad ? 3 : 1;
        EXPECT_GE(more, 0) << where;
        EXPECT_LT(more, product_flops(op) / op.kernel.sizes[rows]) << where;
      } else if (op.matmul > 0 && op.op_class != OpClass::optimizer) {
        EXPECT_EQ(product_flops(op), op.matmul) << where;
      }
      EXPECT_EQ(op.kernel.flops + op.kernel.bytes, 0) << where;  // the op's, put in when unrolled
      for (const std::int64_t size : op.kernel.sizes) EXPECT_GE(size, 0) << where;
      EXPECT_EQ(graph::parse_kernel(to_text(op.kernel)), op.kernel) << where;
    }
  }
}

TEST(Kernels, AgreeWithWhatOpsCountForEveryModelAndFramework) {
  for (const ModelEntry& entry : models()) {
    for (const Framework framework : {Framework::none, Framework::pytorch, Framework::megatron,
                                      Framework::torchtitan_compiled, Framework::deepspeed}) {
      Spec spec = job_of(entry.name);
      spec.kernels.framework = framework;
      expect_kernels(spec, entry.name);
      spec.kernels.flash_attention = false;
      spec.precision.products = Dtype::fp8;
      expect_kernels(spec, entry.name + " fp8");
    }
  }
}

TEST(Kernels, AgreeUnderEveryPlan) {
  for (const char* name : {"llama-3.1-8b", "mixtral-8x7b", "gpt3-175b"}) {
    for (const bool sp : {false, true}) {
      for (const ContextMethod method :
           {ContextMethod::all_gather, ContextMethod::ring, ContextMethod::ulysses}) {
        Spec spec = job_of(name);
        spec.parallel.tp = 2;
        spec.parallel.sp = sp;
        spec.parallel.cp = 2;
        spec.parallel.cp_method = method;
        spec.parallel.pp = 2;
        spec.parallel.dp = 2;
        spec.batch.global = 8;
        spec.kernels.framework = Framework::pytorch;
        expect_kernels(spec, name);
        spec.recompute.kind = RecomputeKind::full;
        spec.kernels.framework = Framework::megatron;
        spec.precision.products = Dtype::fp8;
        expect_kernels(spec, name);
      }
    }
  }
}

TEST(Kernels, OfAProductAreItsThreeShapes) {
  const LoweredModel model = must_lower(llama());
  const LoweredPart& layer = part_of(model, "layer");
  // 4 × 256 tokens, hidden 512, queries 512 and keys and values of 256 each.
  EXPECT_EQ(to_text(find(layer.forward, "qkv")->kernel),
            "gemm forward bf16,bf16>bf16 m=1024 n=1024 k=512 transposed_b");
  EXPECT_EQ(to_text(find(layer.backward, "qkv.dgrad")->kernel),
            "gemm input_grad bf16,bf16>bf16 m=1024 n=512 k=1024");
  EXPECT_EQ(to_text(find(layer.backward, "qkv.wgrad")->kernel),
            "gemm weight_grad bf16,bf16>fp32 m=1024 n=512 k=1024 accumulates transposed_a");
  EXPECT_EQ(to_text(find(layer.forward, "attention")->kernel),
            "attention forward bf16,bf16>bf16 batch=4 heads=8 kv_heads=4 queries=256 keys=256 "
            "key_dim=64 value_dim=64 causal");
  EXPECT_EQ(find(layer.backward, "attention.dgrad")->kernel.pass, graph::Pass::backward);
}

/// Kernels of each operation and pass, launches counted: "gemm forward" …
std::map<std::string, int> kernels_of(const std::vector<Op>& ops) {
  std::map<std::string, int> counts;
  for (const Op& op : ops) {
    if (op.kind == graph::NodeKind::comp && op.matmul + op.vector + op.bytes > 0)
      counts[std::string(graph::name(op.kernel.operation))] += static_cast<int>(op.kernel.launches);
  }
  return counts;
}

using Counts = std::map<std::string, int>;

// What AMD's TraceLens recorded of Qwen1.5-0.5B-Chat on an MI300X, forward, PyTorch eager
// (AMD-AGI/TraceLens, traces/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005): per layer, of 24 alike,
// 7 products (q, k, v with biases, out, gate, up, down), 1 attention, of two norms 16 (each: cast,
// pow, mean, add, rsqrt, mul, cast, mul), of rotary positions 10 (4 mul, 2 neg, 2 cat, 2 add),
// silu and mul, 2 residual adds; besides 4 copies and a fill for ROCm's flash attention, which
// wants its inputs in one piece and a seed.
TEST(Kernels, OfAnEagerLlamaLayerAreThoseThatWereRecorded) {
  Spec spec = llama();
  spec.kernels.framework = Framework::pytorch;
  const LoweredModel model = must_lower(spec);
  EXPECT_EQ(kernels_of(part_of(model, "layer").forward), (Counts{{"gemm", 7},
                                                                 {"attention", 1},
                                                                 {"rms_norm", 16},
                                                                 {"rotary", 10},
                                                                 {"activation", 2},
                                                                 {"elementwise", 2}}));
}

// What is recorded of a layer of GPT-2 (36 alike) in Hugging Face's, eager, without flash
// attention (facebookresearch/param, hf_GPT2_et: operators and their autograd counterparts):
// forward 4 addmm, 2 native_layer_norm, 2 bmm, 1 softmax, 3 native_dropout, 2 residual adds; and
// besides what this model leaves out: the mask (where, div), gelu_new as 8 operators, and copies
// that lay heads out. Backward 8 mm, 4 sums for biases, 4 bmm, 2 native_layer_norm_backward (two
// kernels each on CUDA), 1 softmax, 3 dropouts, 2 adds of residual gradients.
TEST(Kernels, OfAnEagerGptLayerAreThoseThatWereRecorded) {
  Spec spec = gpt();
  spec.kernels.framework = Framework::pytorch;
  const LoweredModel model = must_lower(spec);
  const LoweredPart& layer = part_of(model, "layer");
  Counts forward = kernels_of(layer.forward), backward = kernels_of(layer.backward);
  // Ours keeps queries, keys and values apart, as Llama's modules do; GPT-2's c_attn is one.
  EXPECT_EQ(forward["gemm"], 4 + 2);
  EXPECT_EQ(forward["layer_norm"], 2);
  EXPECT_EQ(forward["batched_gemm"], 2);
  EXPECT_EQ(forward["softmax"], 1);
  EXPECT_EQ(forward["dropout"], 3);
  EXPECT_EQ(forward["elementwise"], 2);
  EXPECT_EQ(backward["gemm"], 8 + 4);
  EXPECT_EQ(backward["batched_gemm"], 4);
  EXPECT_EQ(backward["layer_norm"], 4);
  EXPECT_EQ(backward["softmax"], 1);
  EXPECT_EQ(backward["dropout"], 3);
  EXPECT_EQ(backward["elementwise"], 2 + 2);  // and the gradients of the three inputs, added
  EXPECT_EQ(backward["reduction"], 4 + 2);    // of biases
}

// Where no product sums up gradients of biases, kernels do: of every product with biases one, cut
// over tp or not, with all the work that the products had before.
TEST(Kernels, GradientsOfBiasesAreSumsInEagerFrameworks) {
  for (const std::int64_t tp : {1, 2}) {
    for (const bool sp : {false, true}) {
      const auto sums_of = [&](Framework framework) {
        Spec spec = gpt();
        spec.parallel.tp = tp;
        spec.parallel.sp = sp && tp > 1;
        spec.kernels.framework = framework;
        const LoweredModel model = must_lower(spec);
        std::pair<int, std::int64_t> sums;  // how many, and vector operations of products
        for (const Op& op : part_of(model, "layer").backward) {
          const bool sum = op.kernel.operation == Operation::reduction;
          if (sum) {
            ++sums.first;
            EXPECT_EQ(op.kernel.pass, graph::Pass::forward);
            EXPECT_EQ(op.vector, op.kernel.sizes[0]);
            EXPECT_GE(op.bytes, 2 * op.kernel.sizes[0]);
          }
          if (sum || op.kernel.operation == Operation::gemm) sums.second += op.vector;
        }
        return sums;
      };
      const auto eager = sums_of(Framework::pytorch), fused = sums_of(Framework::megatron);
      const auto before = sums_of(Framework::megatron_2021);
      EXPECT_EQ(eager.first, 6) << tp << sp;
      EXPECT_EQ(before.first, 4) << tp << sp;
      EXPECT_EQ(before.second, fused.second) << tp << sp;
      EXPECT_EQ(fused.first, 0) << tp << sp;
      EXPECT_EQ(eager.second, fused.second) << tp << sp;
    }
  }
}

// Megatron's bias_dropout_add reads what it adds up and writes a sum and a mask; norms are others'.
TEST(Kernels, MegatronsBiasDropoutAndResidualAreOne) {
  for (const Framework framework : {Framework::megatron, Framework::megatron_2021}) {
    for (const bool dropout : {false, true}) {
      for (const std::int64_t tp : {1, 2}) {
        Spec spec = gpt();
        spec.model.dropout = dropout;
        spec.parallel.tp = tp;
        spec.kernels.framework = framework;
        const LoweredModel model = must_lower(spec);
        int sums = 0;
        for (const Op& op : part_of(model, "layer").forward) {
          const Operation operation = op.kernel.operation;
          if (operation != Operation::dropout && operation != Operation::elementwise) continue;
          if (std::string_view(op.name).starts_with("attention.")) continue;
          ++sums;
          const std::int64_t elements = spec.batch.micro * spec.batch.seq * spec.model.hidden;
          EXPECT_EQ(op.bytes, elements * (3 * 2 + (dropout ? 1 : 0))) << op.name << tp;
          EXPECT_EQ(operation == Operation::dropout, dropout) << op.name << tp;
        }
        EXPECT_EQ(sums, 2) << tp << dropout;
        EXPECT_EQ(kernels_of(part_of(model, "layer").forward)["layer_norm"], 2);
      }
    }
  }
}

// Both gradients of a product are one node of autograd: what is reduced waits for both. Megatron-
// Core begins to reduce between them.
TEST(Kernels, GradientsOfInputsAreReducedBehindThoseOfWeights) {
  for (const bool sp : {false, true}) {
    for (const Framework framework :
         {Framework::none, Framework::megatron, Framework::megatron_2021, Framework::pytorch,
          Framework::torchtitan, Framework::torchtitan_compiled, Framework::deepspeed}) {
      Spec spec = gpt();
      spec.parallel.tp = 2;
      spec.parallel.sp = sp;
      spec.kernels.framework = framework;
      const LoweredModel model = must_lower(spec);
      const std::vector<Op>& ops = part_of(model, "layer").backward;
      const auto at = [&](std::string_view name) {
        return std::find_if(ops.begin(), ops.end(),
                            [&](const Op& op) { return std::string_view(op.name) == name; }) -
               ops.begin();
      };
      const bool overlaps = framework == Framework::none || framework == Framework::megatron;
      ASSERT_LT(at("mlp_up.reduce.dgrad"), std::ssize(ops));
      ASSERT_LT(at("mlp_up.wgrad"), std::ssize(ops));
      EXPECT_EQ(at("mlp_up.reduce.dgrad") < at("mlp_up.wgrad"), overlaps);
      EXPECT_LT(at("mlp_up.dgrad"), at("mlp_up.reduce.dgrad"));
      EXPECT_LT(at("mlp_up.wgrad"), at("mlp_norm.dgrad"));
    }
  }
}

// Transformers' MixtralSparseMoeBlock and DeepSpeed's Experts loop over experts.
TEST(Kernels, ExpertsAreOneProductOrOneAfterAnother) {
  for (const Framework framework : {Framework::megatron, Framework::pytorch}) {
    Spec spec = job_of("mixtral-8x7b");
    spec.kernels.framework = framework;
    Findings findings;
    const Result<Program> program = assemble(spec, findings);
    ASSERT_TRUE(program);
    int products = 0;
    for (const Body& body : program->bodies) {
      for (const Op& op : body.ops) {
        const bool experts = op.kernel.operation == Operation::grouped_gemm ||
                             (op.kernel.operation == Operation::batched_gemm && op.matmul > 0 &&
                              op.kernel.launches > 1);
        if (!experts) continue;
        ++products;
        const bool one = framework == Framework::megatron;
        EXPECT_EQ(op.kernel.operation, one ? Operation::grouped_gemm : Operation::batched_gemm);
        EXPECT_EQ(op.kernel.launches, one ? 1u : 8u);
        EXPECT_EQ(op.kernel.sizes[0], 8);
        if (!one) {
          EXPECT_EQ(op.kernel.sizes[op.kernel.pass == graph::Pass::weight_grad ? 3 : 1], 128);
        }
      }
    }
    EXPECT_GT(products, 5);
  }
}

TEST(Kernels, FrameworksDifferInWhatTheyFuse) {
  const auto launches = [](Framework framework) {
    Spec spec = llama();
    spec.kernels.framework = framework;
    int sum = 0;
    const LoweredModel model = must_lower(spec);
    const LoweredPart& layer = part_of(model, "layer");
    for (const auto& [name, count] : kernels_of(layer.forward)) sum += count;
    for (const auto& [name, count] : kernels_of(layer.backward)) sum += count;
    return sum;
  };
  const int eager = launches(Framework::pytorch), titan = launches(Framework::torchtitan);
  const int compiled = launches(Framework::torchtitan_compiled);
  const int megatron = launches(Framework::megatron);
  EXPECT_GT(eager, titan);
  EXPECT_GT(titan, compiled);
  EXPECT_GT(compiled, megatron);
}

TEST(Kernels, Fp8IsOfProductsOnlyAndTakesCasts) {
  Spec spec = llama();
  spec.precision.products = Dtype::fp8;
  const LoweredModel model = must_lower(spec);
  const LoweredPart& layer = part_of(model, "layer");
  EXPECT_EQ(find(layer.forward, "qkv")->kernel.a, Format::fp8);
  EXPECT_EQ(find(layer.forward, "qkv")->kernel.out, Format::bf16);
  EXPECT_EQ(find(layer.forward, "attention")->kernel.a, Format::bf16);
  EXPECT_EQ(find(layer.forward, "activation")->kernel.a, Format::bf16);
  // Two passes to find the scale and to cast, then both layouts: 2 × 2 + 2 × 1 bytes.
  EXPECT_EQ(find(layer.forward, "out.cast")->bytes, 1024 * 512 * 6);
  EXPECT_EQ(kernels_of(layer.forward)["cast"], 4 * 2);
  EXPECT_EQ(kernels_of(layer.backward)["cast"], 4 * 2);
  // With scales from earlier steps the norm before it does it.
  spec.precision.scaling = Scaling::delayed;
  const LoweredModel delayed = must_lower(spec);
  const LoweredPart& fused = part_of(delayed, "layer");
  EXPECT_EQ(kernels_of(fused.forward)["cast"], 1);  // only attention writes bf16
  spec.precision.scaling = Scaling::blockwise;
  EXPECT_EQ(find(part_of(must_lower(spec), "layer").forward, "qkv")->kernel.a, Format::fp8_block);
  // Scales of blocks need no earlier pass over the tensor.
  spec.precision.scaling = Scaling::mx;
  const LoweredModel mx = must_lower(spec);
  EXPECT_EQ(find(part_of(mx, "layer").forward, "qkv")->kernel.a, Format::fp8_mx);
  EXPECT_EQ(find(part_of(mx, "layer").forward, "out.cast")->kernel.out, Format::fp8_mx);
  EXPECT_EQ(find(part_of(mx, "layer").forward, "out.cast")->kernel.launches, 1);
  EXPECT_EQ(find(part_of(mx, "layer").forward, "out.cast")->bytes, 1024 * 512 * 4);
  // Nothing is cast that is kept in fp8.
  spec.precision.activations = Dtype::fp8;
  const LoweredModel retained = must_lower(spec);
  EXPECT_EQ(kernels_of(part_of(retained, "layer").forward)["cast"], 0);
  EXPECT_EQ(find(part_of(retained, "layer").forward, "attention")->kernel.a, Format::bf16);
}

// torchao's recipes. Row-wise: the two inputs of each of the three products are cast for it, with
// one pass over rows and two over columns. With gw_hp, weight gradients are bf16 products.
TEST(Kernels, RowwiseFp8CastsForEachProduct) {
  Spec spec = llama();
  spec.precision.products = Dtype::fp8;
  spec.precision.scaling = Scaling::rowwise;
  constexpr std::int64_t kX = 1024 * 512, kWeights = 512 * 512;  // of the output projection
  const auto casts_of = [](const std::vector<Op>& ops, std::string_view begin) {
    std::vector<std::pair<int, std::int64_t>> found;
    for (const Op& op : ops)
      if (op.kernel.operation == Operation::cast && std::string_view(op.name).starts_with(begin))
        found.emplace_back(op.kernel.launches, op.bytes);
    return found;
  };
  using Casts = std::vector<std::pair<int, std::int64_t>>;
  const LoweredModel both = must_lower(spec);
  const LoweredPart& layer = part_of(both, "layer");
  EXPECT_EQ(casts_of(layer.forward, "out."), (Casts{{1, 3 * kX}, {1, 3 * kWeights}}));
  EXPECT_EQ(casts_of(layer.backward, "out."),
            (Casts{{1, 3 * kX}, {2, 5 * kWeights}, {2, 5 * kX}, {2, 5 * kX}}));
  EXPECT_EQ(find(layer.forward, "out")->kernel.a, Format::fp8);
  EXPECT_EQ(find(layer.backward, "out.wgrad")->kernel.a, Format::fp8);
  spec.precision.scaling = Scaling::rowwise_with_gw_hp;
  const LoweredModel high = must_lower(spec);
  const LoweredPart& other = part_of(high, "layer");
  EXPECT_EQ(casts_of(other.backward, "out."), (Casts{{1, 3 * kX}, {2, 5 * kWeights}}));
  EXPECT_EQ(find(other.backward, "out.dgrad")->kernel.a, Format::fp8);
  EXPECT_EQ(find(other.backward, "out.wgrad")->kernel.a, Format::bf16);
  EXPECT_EQ(find(other.backward, "out.wgrad")->kernel.b, Format::bf16);
  // Tensor parallelism gathers 16 bits.
  spec.parallel.tp = 2;
  spec.parallel.sp = true;
  spec.parallel.tp_overlap = TensorOverlap::none;
  EXPECT_EQ(find(part_of(must_lower(spec), "layer").forward, "qkv.gather")->size, kX * 2 / 2);
  spec.precision.scaling = Scaling::tensor;
  EXPECT_EQ(find(part_of(must_lower(spec), "layer").forward, "qkv.gather")->size, kX / 2);
}

TEST(Kernels, GradientsAreAddedWhereNoProductDoesIt) {
  Spec spec = llama();
  spec.batch.global = 4 * spec.batch.micro;
  const auto adds = [&](Framework framework) {
    spec.kernels.framework = framework;
    const LoweredModel model = must_lower(spec);
    int count = 0;
    for (const Op& op : part_of(model, "layer").backward)
      count += std::string_view(op.name).ends_with(".wgrad.add") ? 1 : 0;
    return count;
  };
  EXPECT_EQ(adds(Framework::megatron), 0);
  EXPECT_EQ(adds(Framework::megatron_2021), 4);  // queries, keys and values, gate and up in one
  EXPECT_EQ(adds(Framework::pytorch), 7);
  EXPECT_EQ(adds(Framework::torchtitan_compiled), 7);
  spec.batch.global = spec.batch.micro;  // one microbatch
  EXPECT_EQ(adds(Framework::pytorch), 0);
  EXPECT_EQ(adds(Framework::deepspeed), 7);
  EXPECT_EQ(adds(Framework::megatron_2021), 4);  // to zeros
  spec.parallel.sharding = Sharding::zero3;
  EXPECT_EQ(adds(Framework::megatron_2021), 0);
}

}  // namespace
}  // namespace orrery::workload
