#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the training tables of data/kernels/learned.txt: make_kernel_tables.sh FOLDER OUT
#
# FOLDER contains public tables as CSV: AIConfigurator's as KIND_SYSTEM_STACK.csv.gz (gemm, attn_ctx, attn_gen, moe),
# attn_enc_SYSTEM, mla_SYSTEM, mla_bmm and quantize_memops; neusight_{linear,bmm,ln,softmax}_fp32 and
# vidur_mlp_medians. The folder OUT gets the tables in Orrery's format: *.csv for training, and check/*.csv of other
# vendors and stacks for comparison.
set -euo pipefail
[[ $# == 2 ]] || { echo 'usage: make_kernel_tables.sh FOLDER OUT' >&2; exit 2; }
make="$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../collect/kernel_tables.py"
mkdir -p "$2/check"
out=$(readlink -f "$2")
cd "$1"

rename=()
for pair in H100-SXM5-80GB=h100-sxm A100-SXM4-80GB=a100-80gb B200-SXM=b200 B300-SXM6=b300 GB200=gb200 GB300=gb300 \
  'RTX PRO 6000 Blackwell Server=rtx-pro-6000' a100=a100-80gb h100=h100-sxm L4=l4 Tesla_V100-PCIE-32GB=v100-pcie \
  A100-PCIE-40GB=a100-pcie-40gb A100_80GB_PCIe=a100-pcie H100_80GB_HBM3=h100-sxm Tesla_P100-PCIE-16GB=p100-pcie \
  Tesla_T4=t4 Tesla_P4=p4; do
  rename+=(--rename "$pair")
done
products=() all_products=() prefill=() decode=() experts=() latent=()
for pair in a100-80gb=a100_sxm h100-sxm=h100_sxm b200=b200_sxm b300=b300_sxm gb200=gb200 gb300=gb300 \
  rtx-pro-6000=rtx_pro_6000_server; do
  ours=${pair%=*} theirs=${pair#*=}
  for stack in trtllm trtllm_more sglang vllm vllm_more; do
    file=gemm_${theirs}_$stack.csv.gz
    [[ -f $file ]] || continue
    all_products+=("$ours=$file")
    [[ $stack == trtllm* ]] && products+=("$ours=$file")
  done
  # vLLM's FlashAttention 2 on an A100 reads keys through cache pages and takes a sixth longer; training has no pages.
  dense=vllm && [[ $ours == a100-80gb ]] && dense=sglang
  prefill+=("$ours=attn_ctx_${theirs}_$dense.csv.gz")
  [[ -f attn_enc_$theirs.csv.gz ]] && prefill+=("$ours=attn_enc_$theirs.csv.gz")
  decode+=("$ours=attn_gen_${theirs}_vllm.csv.gz")
  latent+=("$ours=mla_$theirs.csv.gz")
  [[ -f moe_${theirs}_trtllm.csv.gz ]] && experts+=("$ours=moe_${theirs}_trtllm.csv.gz")
done

"$make" --format bf16 --format fp8_block --format fp4_block "${products[@]}" >"$out/1_products.csv"
"$make" --format fp8 --fastest 2 "${all_products[@]}" >"$out/2_products_fp8.csv"
"$make" --stack vllm "${prefill[@]}" >"$out/3_prefill.csv"
"$make" "${decode[@]}" >"$out/4_decode.csv"
"$make" "${experts[@]}" >"$out/5_experts.csv"
"$make" --stack vllm "${rename[@]}" quantize_memops.csv.gz >"$out/6_cast.csv"
"$make" "${rename[@]}" neusight_{linear,bmm,ln,softmax}_fp32.csv.gz >"$out/7_neusight.csv"
"$make" --without gemm --median "${rename[@]}" vidur_mlp_medians.csv.gz >"$out/8_vidur.csv"
"$make" --stack trtllm --format bf16 "${rename[@]}" "${latent[@]}" mla_bmm.csv.gz >"$out/9_latent.csv"
"$make" arc-b60=gemm_b60_vllm.csv.gz arc-b60=attn_ctx_b60_vllm.csv.gz arc-b60=attn_gen_b60_vllm.csv.gz \
  mi355x=gemm_mi355x_primus.csv.gz >"$out/check/other_makers.csv"
"$make" --rename H20=h20 --rename H800=h800 --rename H100=h100-sxm gemm_fp8_pipeweave.csv.gz >"$out/check/pipeweave.csv"
