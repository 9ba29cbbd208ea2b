// SPDX-License-Identifier: Apache-2.0
//
// orrery infer: latencies, throughput and cost of a server of language models.
#include "orrery/study/serving/infer.h"

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/present/serving/infer_answer.h"

namespace orrery::commands {

namespace {

int infer(study::InferQuestion& question, Context& context) {
  Findings findings;
  const auto made = study::infer(question, findings);
  if (!made) return context.fail(made.error(), findings);
  return context.deliver([&](report::Answer& answer) { present::state_inference(answer, *made); },
                         made->meets_limits() ? kOk : kSaysNo);
}

}  // namespace

Action add_infer(CommandOptions& command, Context& context) {
  describe(
      command,
      "Serves requests with the scheduler of an engine, and predicts latencies, throughput,\n"
      "goodput, use of the cache, energy and cost. Arguments have the names of vLLM, SGLang and\n"
      "TensorRT-LLM (docs/serving.md). --model may be a config.json of Hugging Face.\n"
      "\n"
      "Examples:\n"
      "  orrery infer --model llama-3.1-8b --gpu h100-sxm --rate 20\n"
      "  orrery infer --model llama-3.1-70b --gpu h100-sxm --tensor-parallel-size 4 \\\n"
      "      --max-num-seqs 128 --requests trace.jsonl --slo ttft=1s,tpot=50ms --price 2.5\n");
  return action_with_options(command, context, infer);
}

}  // namespace orrery::commands
