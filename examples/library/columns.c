/* SPDX-License-Identifier: Apache-2.0
 *
 * A run in columns: how long each rank is idle, from the table `rank` (docs/reference/run-file.md). */
#include <stdio.h>
#include <string.h>

#include "orrery/orrery.h"

static const int64_t* column(const struct ArrowSchema* schema, const struct ArrowArray* array,
                             const char* name) {
  for (int64_t i = 0; i < schema->n_children; ++i)
    if (strcmp(schema->children[i]->name, name) == 0) return array->children[i]->buffers[1];
  return NULL;
}

int main(void) {
  orrery_call_options options = {.keep_run = 1};
  orrery_answer* answer = orrery_call("run",
                                      "{\"model\": \"llama-3.1-8b\", \"tp\": 4, \"pp\": 2,"
                                      " \"global_batch\": 8, \"cluster\": \"h100-sxm:8\"}",
                                      &options);
  struct ArrowSchema schema;
  struct ArrowArray array;
  int status = orrery_status(answer);
  if (status == 0) status = orrery_table(answer, "rank", &schema, &array);
  if (status != 0) fputs(orrery_notes(answer), stderr);
  orrery_free(answer);
  if (status != 0) return status;
  const int64_t* idle = column(&schema, &array, "idle_ps");
  for (int64_t rank = 0; rank < array.length; ++rank)
    printf("rank %d: idle %.3f ms\n", (int)rank, (double)idle[rank] * 1e-9);
  array.release(&array);
  schema.release(&schema);
  return 0;
}
