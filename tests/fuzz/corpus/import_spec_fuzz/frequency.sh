--num-layers 10 --hidden-size 64 --num-attention-heads 4 --num-experts 4 --moe-layer-freq "([1]*3+[0]*2)*2"
--pipeline-model-parallel-size 2 --world-size 4 --decoder-first-pipeline-num-layers 4 --recompute-granularity
selective --recompute-modules core_attn moe_act
