// SPDX-License-Identifier: Apache-2.0
#include "orrery/space/reference.h"

#include <fmt/format.h>

#include "orrery/space/answer.h"
#include "orrery/space/case_study.h"
#include "orrery/space/split_run.h"

namespace orrery::space {

std::string case_study_reference() {
  std::string text =
      "# The case study file\n\n<!-- Generated from src/orrery/space/case_study.h. To renew it, "
      "run "
      "the space tests with ORRERY_UPDATE_DOCS=1. -->\n\n"
      "One YAML or JSON document: what runs have in common, axes along which they differ, the "
      "columns of a table, and published figures to stand beside them. `orrery reproduce "
      "study.yaml` runs it; those that are built in are in `examples/case-studies/`, and [the page "
      "about them](../case-studies/README.md) says what comes of them. `orrery schema case-study` "
      "prints the JSON Schema of this page.\n\n## Top level\n\n" +
      config::reference_table<CaseStudyFile>() +
      "\nA `cluster` has the keys of [the cluster file](cluster.md), a `job` those of [the "
      "workload "
      "specification](workload.md); either may be the name of such a file, from the folder of this "
      "one. A run has a job, a collective, a `split` or `calculon`, the latter two without a "
      "cluster.\n\n## axes\n\n" +
      config::reference_table<Axis>() + "\n## axes: choices\n\n" +
      config::reference_table<Choice>() +
      "\nChoices are laid over what is there, axis by axis and key by key; null takes a key away, "
      "and lists are replaced as a whole (RFC 7386). At most " +
      fmt::format("{}", limits::kRuns) + " combinations.\n\n## collective\n\n" +
      config::reference_table<CollectiveAsked>() +
      "\n## split\n\nNothing is simulated: the split of bandwidth with the shortest time is "
      "found by formula ([what it says](../split-bandwidth.md)).\n\n" +
      config::reference_table<SplitAsked>() + "\n## split: dimensions\n\n" +
      config::reference_table<SplitDimension>() + "\n## split: jobs\n\n" +
      config::reference_table<SplitJob>() + "\n## split: jobs: collectives\n\n" +
      config::reference_table<SplitCollective>() +
      "\n## calculon\n\nNothing is simulated: a step by [Calculon's rules](../calculon.md), of "
      "what its "
      "files would say: `model` (application), `system`, `execution`.\n\n## columns\n\n" +
      config::reference_table<Column>() + "\n| metric | |\n|---|---|\n";
  for (const MetricInfo& metric : metrics())
    text += fmt::format("| `{}` | {} |\n", metric.name, metric.about);
  text += "\n## inputs\n\n" + config::reference_table<Input>() + "\n| mark | |\n|---|---|\n";
  for (const auto& [word, mark] : config::Words<Mark>::names)
    text += fmt::format("| `{}` ({}) | {} |\n", word, letter(mark), about(mark));
  text +=
      "\n## published\n\n" + config::reference_table<Published>() + "\n## best\n\n" +
      config::reference_table<Best>() +
      "\nA run fits where `needed` is no more than `capacity`; where that is not known, all do. "
      "The row names the choice that is best, and has its columns.\n\n## picture\n\n" +
      config::reference_table<Picture>();
  return text;
}

std::string case_study_schema() {
  config::OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                             {"title", "Orrery case study"}};
  schema.update(config::schema_of(config::Kind<CaseStudyFile>{}, {}));
  return schema.dump(2) + "\n";
}

}  // namespace orrery::space
