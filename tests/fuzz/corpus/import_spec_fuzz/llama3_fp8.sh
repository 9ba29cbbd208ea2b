#!/bin/bash
TOKENIZER_ARG=${3:-"MOCK"}
GPUS=$((8*1))
NUM_LAYERS=4
ARGS=(--num-layers $NUM_LAYERS --hidden-size 64 --num-attention-heads 4 --swiglu --bf16
  --grad-reduce-in-bf16 "--fp8-format hybrid" --micro-batch-size 1 --global-batch-size 8)
if [[ "$TOKENIZER_ARG" == "MOCK" ]]; then
  ARGS+=("--vocab-size 256")
else
  ARGS+=("--vocab-size 512")
fi
torchrun --nproc_per_node $GPUS --nnodes 1 x.py ${ARGS[@]} --sequence-parallel
