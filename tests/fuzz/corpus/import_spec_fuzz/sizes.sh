#!/bin/bash
source models/none.sh
MODEL=${1:-8B}
case $MODEL in
  8B|8b) LAYERS=2 ;;
  *) LAYERS=$(nproc) ;;
esac
if [ -z "$SEQ" ] && ! [ $LAYERS -gt 3 ]; then SEQ=64; fi
torchrun x.py --num-layers $((LAYERS + 1)) --hidden-size 64 --num-attention-heads 4 --seq-length $SEQ
