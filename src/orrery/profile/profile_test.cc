// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/profile.h"

#include <gtest/gtest.h>

#include "orrery/core/collective_type.h"
#include "orrery/profile/comm_names.h"

namespace orrery::profile {
namespace {

Profile empty() {
  Profile profile;
  profile.strings = std::make_shared<StringPool>();
  return profile;
}

EventId add(Profile& profile, const char* name, std::uint32_t lane, std::int64_t start,
            std::int64_t duration) {
  Event event;
  event.name = profile.strings->intern(name);
  event.lane = lane;
  event.start = us(start);
  event.duration = us(duration);
  event.flags = kTimed;
  event.detail = static_cast<std::uint32_t>(profile.ops.size());
  profile.ops.push_back({});
  profile.events.push_back(event);
  return static_cast<EventId>(profile.events.size() - 1);
}

TEST(Profile, NestsEventsOfAThread) {
  Profile profile = empty();
  const std::uint32_t thread = profile.lane(false, 1, 7);
  EXPECT_EQ(profile.lane(false, 1, 7), thread);
  const EventId inner = add(profile, "inner", thread, 2, 3);
  const EventId outer = add(profile, "outer", thread, 0, 10);
  const EventId same = add(profile, "same start", thread, 0, 2);
  const EventId next = add(profile, "next", thread, 10, 1);
  const EventId wide = add(profile, "wide", thread, 4, 9);
  Findings findings;
  profile.index(findings);
  EXPECT_EQ(profile.events[inner].parent, outer);
  EXPECT_EQ(profile.events[same].parent, outer);
  EXPECT_EQ(profile.events[outer].parent, kNoEvent);
  EXPECT_EQ(profile.events[wide].parent, inner);
  EXPECT_EQ(profile.events[next].parent, wide);
  EXPECT_EQ(findings.count(FindingCode::event_overlaps), 1u);
  const auto order = profile.in_order(thread);
  EXPECT_EQ(std::vector<EventId>(order.begin(), order.end()),
            (std::vector<EventId>{outer, same, inner, wide, next}));
}

TEST(Profile, UntimedNodesStandByTheirIds) {
  Profile profile = empty();
  const std::uint32_t thread = profile.lane(false, 1, 1);
  const auto node = [&](std::uint64_t id, EventId event) {
    profile.ops[profile.events[event].detail].node =
        static_cast<std::uint32_t>(profile.nodes.size());
    Node n;
    n.id = id;
    profile.nodes.push_back(n);
    profile.events[event].flags |= kHasNode;
  };
  const EventId first = add(profile, "first", thread, 0, 4);
  const EventId third = add(profile, "third", thread, 5, 4);
  const EventId second = add(profile, "second", thread, 0, 0);
  profile.events[second].flags = 0;
  node(10, first);
  node(30, third);
  node(20, second);
  Findings findings;
  profile.index(findings);
  const auto order = profile.in_order(thread);
  EXPECT_EQ(std::vector<EventId>(order.begin(), order.end()),
            (std::vector<EventId>{first, second, third}));
}

TEST(Comm, KindsByAnySpelling) {
  EXPECT_EQ(comm_kind_of_name("allreduce"), CommKind::all_reduce);
  EXPECT_EQ(comm_kind_of_name("_allgather_base"), CommKind::all_gather);
  EXPECT_EQ(comm_kind_of_name("nccl:all_to_all"), CommKind::all_to_all);
  EXPECT_EQ(comm_kind_of_name("all_to_allv"), CommKind::all_to_all);
  EXPECT_EQ(comm_kind_of_name("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgs)"),
            CommKind::reduce_scatter);
  EXPECT_EQ(comm_kind_of_name("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)"),
            CommKind::unknown);
  EXPECT_EQ(comm_kind_of_name("c10d::allreduce_"), CommKind::all_reduce);
  EXPECT_EQ(comm_kind_of_name("nccl:coalesced"), CommKind::coalesced);
  EXPECT_EQ(comm_kind_of_name("wait"), CommKind::wait);
  EXPECT_EQ(comm_kind_of_name("aten::add"), CommKind::unknown);
  EXPECT_EQ(comm_kind_of_name("void vllm::cross_device_reduce_1stage<float, 8>(RankData*)"),
            CommKind::all_reduce);
  EXPECT_EQ(comm_kind_of_name("void deep_ep::internode::dispatch<false>(int4*)"),
            CommKind::all_to_all);
  EXPECT_EQ(comm_kind_of_name("void deep_ep::intranode::notify_dispatch<8>(int*)"),
            CommKind::barrier);
}

// Converting finds the type of a collective by its name.
TEST(Comm, KindsThatAreCollectivesHaveTheirNames) {
  for (auto kind = static_cast<int>(CommKind::all_reduce);
       kind <= static_cast<int>(CommKind::barrier); ++kind)
    EXPECT_TRUE(collective_type(name(static_cast<CommKind>(kind)))) << kind;
}

TEST(Comm, KernelsOfLibraries) {
  EXPECT_TRUE(is_comm_kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)"));
  EXPECT_TRUE(is_comm_kernel("void deep_ep::internode::combine<false>(int4*)"));
  EXPECT_TRUE(is_comm_kernel("void dpsk::ep::internode::combine<false>(int4*)"));
  EXPECT_TRUE(is_comm_kernel("void vllm::cross_device_reduce_2stage<float, 8>(RankData*)"));
  EXPECT_FALSE(is_comm_kernel("void at::native::reduce_kernel<512, 1>(ReduceOp)"));
  EXPECT_FALSE(is_comm_kernel("ampere_sgemm_128x64_nn"));
}

struct KernelName {
  const char* name;
  CommKind kind;
};

// Names of kernels in the sources of PyTorch, TensorRT-LLM, flashinfer, vLLM, aiter, Transformer
// Engine, MoRI and HCCL. Many have their collective after the first 40 characters.
TEST(Comm, KernelsThatCommunicateByThemselves) {
  const KernelName names[] = {
      {"void (anonymous namespace)::one_shot_all_reduce_kernel<c10::BFloat16, 16, 8, "
       "true>(c10::BFloat16**)",
       CommKind::all_reduce},
      {"void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<float, 16, 8>(float**)",
       CommKind::all_reduce},
      {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, "
       "16>(c10::BFloat16*, unsigned long, unsigned int**)",
       CommKind::all_reduce},
      {"void (anonymous namespace)::multimem_all_gather_kernel<16>(char*)", CommKind::all_gather},
      {"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<"
       "(flashinfer::trtllm_allreduce_fusion::AllReduceFusionPattern)1, __nv_bfloat16, 8, "
       "true>(AllReduceFusionParams<__nv_bfloat16>)",
       CommKind::all_reduce},
      {"void tensorrt_llm::kernels::ar_fusion::moe::moereduce_allreduce_fusion_kernel_oneshot_"
       "lamport<half, 8>(MoeReductionAllReduceFusionParams)",
       CommKind::all_reduce},
      {"void tensorrt_llm::kernels::lamport_style_one_shot_all_reduce_norm_kernel<half, "
       "4>(AllReduceParams)",
       CommKind::all_reduce},
      {"tensorrt_llm::kernels::moe_comm::moeAllToAllKernel(FusedMoeCommKernelParam)",
       CommKind::all_to_all},
      {"void tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel<8>(DispatchKernelPointers)",
       CommKind::all_to_all},
      {"void aiter::reduce_scatter_cross_device_store<__hip_bfloat16, 8>(RankData*)",
       CommKind::reduce_scatter},
      {"void aiter::cross_device_reduce_2stage_naive<_Float16, 8>(RankData*)",
       CommKind::all_reduce},
      {"userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<4>(int)", CommKind::reduce_scatter},
      {"userbuffers_fp16_sum_inplace_gpu_rw_ag<2>", CommKind::all_gather},
      {"kuserbuffers_pushsend(int*, int*, int4*, int4*, int)", CommKind::send},
      {"hcom_allReduce__503_0_1", CommKind::all_reduce},
      {"ncclSymkDevKernel_AllReduce_RSxLDMC_AGxSTMC_sum_bf16(ncclSymkDevWorkArgs4K)",
       CommKind::all_reduce},
      {"void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot>(half*)",
       CommKind::all_reduce},
      {"void mori::moe::EpDispatchIntraNodeKernel<float>(EpDispatchCombineArgs<float>)",
       CommKind::all_to_all},
  };
  for (const KernelName& kernel : names) {
    EXPECT_TRUE(is_comm_kernel(kernel.name)) << kernel.name;
    EXPECT_EQ(comm_kind_of_name(kernel.name), kernel.kind) << kernel.name;
  }
  for (const char* compute :
       {"void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int)",
        "triton_poi_fused_add_all_reduce_wait_tensor_3",
        "void cutlass::Kernel2<cutlass_gemm_all_reduce>(Params)",
        "void batch_combine_kernel<float>(float*)",
        "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>(__nv_bfloat16 const*)",
        "void moe::dev::finalize::finalizeKernelVecLoad<KernelParams<allreduce, 4> >(int)"})
    EXPECT_FALSE(is_comm_kernel(compute)) << compute;
}

TEST(Comm, OperatorsThatOnlyCommunicate) {
  EXPECT_EQ(comm_operator_kind("symm_mem::multimem_all_reduce_"), CommKind::all_reduce);
  EXPECT_EQ(comm_operator_kind("_C_custom_ar::all_reduce"), CommKind::all_reduce);
  EXPECT_EQ(comm_operator_kind("vllm::all_gather"), CommKind::all_gather);
  EXPECT_EQ(comm_operator_kind("c10d::send"), CommKind::send);
  EXPECT_EQ(comm_operator_kind("symm_mem::fused_all_gather_matmul"), CommKind::unknown);
  EXPECT_EQ(comm_operator_kind("vllm::gather_cache"), CommKind::unknown);
  EXPECT_EQ(comm_operator_kind("aten::scatter"), CommKind::unknown);
  EXPECT_EQ(comm_operator_kind("all_reduce"), CommKind::unknown);
}

TEST(Comm, QualifiedFunctionNames) {
  EXPECT_EQ(qualified_function_name("void (anonymous namespace)::f<int, 8>(int*)"), "f");
  EXPECT_EQ(qualified_function_name(
                "std::enable_if<(((8)>(0)))&&a::b<c>::exists, void>::type vllm::g<x, 8>(x*)"),
            "vllm::g");
  EXPECT_EQ(qualified_function_name("nccl:recv 1<-0"), "nccl:recv 1<-0");
}

TEST(Comm, Bytes) {
  Comm comm;
  comm.kind = CommKind::all_gather;
  EXPECT_EQ(comm.bytes(), -1);
  comm.element_bytes = element_bytes("c10::BFloat16");
  comm.in_elements = 10;
  comm.out_elements = 80;
  EXPECT_EQ(comm.bytes(), 20);
  comm.kind = CommKind::broadcast;
  EXPECT_EQ(comm.bytes(), 160);
  EXPECT_EQ(element_bytes("long int"), 8);
  EXPECT_EQ(element_bytes("Byte"), 1);
  EXPECT_EQ(element_bytes("Tensor(c10::Half)"), 2);
  EXPECT_EQ(element_bytes("Object"), 0);
}

TEST(TextStore, KeepsThem) {
  TextStore texts;
  const StoredText a = texts.add("one");
  const StoredText none = texts.add("");
  const StoredText b = texts.add("two");
  EXPECT_EQ(texts.view(a), "one");
  EXPECT_EQ(texts.view(none), "");
  EXPECT_EQ(texts.view(b), "two");
}

}  // namespace
}  // namespace orrery::profile
