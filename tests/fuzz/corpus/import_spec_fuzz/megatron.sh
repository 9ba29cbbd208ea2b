GPUS=4
NODES=${NODES:-2}
ARGS="--num-layers 8 --hidden-size 64 --num-attention-heads 8 --seq-length 128 --nnodes $NODES
  --nproc_per_node ${GPUS} --micro-batch-size 1 --global-batch-size 16 --swiglu # and so on
  --tensor-model-parallel-size 2 --pipeline-model-parallel-size=2 --sequence-parallel --num-experts 4
  --moe-layer-freq ([0]*1+[1]*7) --num-layers-per-virtual-pipeline-stage 2 --bf16 --use-distributed-optimizer"
