// SPDX-License-Identifier: Apache-2.0

/* The C interface: one function calls all commands of `orrery`. A question is JSON. An answer is
 * JSON and, for runs, tables in columns. All later versions with the same ORRERY_API_VERSION keep
 * these names.
 *
 *   orrery_answer* answer = orrery_call(
 *       "run", "{\"model\": \"llama-3.1-8b\", \"tp\": 4, \"cluster\": \"h100-sxm:8\"}", NULL);
 *   if (orrery_status(answer) == 0) puts(orrery_json(answer));
 *   orrery_free(answer);
 *
 * Threads: all functions may be called from several threads at once. An answer may be read by
 * several threads; it belongs to the caller, who frees it once. The library reads no environment,
 * no clock and no terminal; it prints nothing and does not end the program. It writes only the
 * files that a question names.
 */
#ifndef ORRERY_ORRERY_H
#define ORRERY_ORRERY_H

#include <stddef.h>
#include <stdint.h>

/* Increases when a program that was compiled with an older version could fail. */
#define ORRERY_API_VERSION 1

#if defined(__GNUC__)
#define ORRERY_EXPORT __attribute__((visibility("default")))
#else
#define ORRERY_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ORRERY_API_VERSION of the loaded library. */
ORRERY_EXPORT int orrery_api_version(void);

/* The version of the library, "0.18.0". Lives as long as the library. */
ORRERY_EXPORT const char* orrery_version(void);

/* The names of the commands of this library, one per line. Lives as long as the library. */
ORRERY_EXPORT const char* orrery_commands(void);

/* Options of a call. All members may be 0. Callbacks are sequential, from the calling thread or
 * from one of its workers. They must not call orrery_call(). */
typedef struct orrery_call_options {
  /* `done` of `of` units ("ranks", "plans", "bytes") of a phase ("read", "simulate", "write") are
   * done; `of` 0: unknown. Texts live until the callback returns. */
  void (*progress)(void* user, const char* phase, const char* unit, uint64_t done, uint64_t of);
  /* Returns a value other than 0 to end the call with status 130. Called as often as `progress`. */
  int (*cancelled)(void* user);
  void* user;
  /* Not 0: the answer of a command that simulates or reads a run contains its tables. */
  int keep_run;
  /* Traces beyond half of the memory go to a file in this folder; the call deletes the file at its
   * end. NULL: all traces stay in memory. */
  const char* temporary_folder;
} orrery_call_options;

typedef struct orrery_answer orrery_answer;

/* Calls a command. `question`: a JSON object of the command's options by their names
 * (docs/reference/options.md; `orrery schema question COMMAND` prints its JSON Schema), and of the
 * files that it writes ("output", "html"); NULL or "" is {}. `options` may be NULL. Returns an
 * answer, even if the call failed; NULL only if there is not enough memory for it. */
ORRERY_EXPORT orrery_answer* orrery_call(const char* command, const char* question,
                                         const orrery_call_options* options);

/* Functions of the caller that change predicted times, for trying ideas: slow, since each is called
 * for every distinct kernel, message and collective. Both may be 0. They are called one at a time,
 * by the calling thread or by one of its workers, and must return equal times for equal arguments.
 * `about` is a JSON object that lives until the function returns; docs/python.md lists its members.
 * `predicted`: the time in seconds that Orrery predicts; NaN: no model predicts it. They return
 * seconds, above 0 and below 4e6; `predicted` (NaN for NaN) changes nothing; any other number ends
 * the call with status 130. */
typedef struct orrery_models {
  /* A kernel in a step: all its launches, and the gaps between them. */
  double (*kernel_time)(void* user, const char* about, double predicted);
  /* A message without contention ("kind": "message"), or a collective that a library runs. Needs
   * the network model "analytical". */
  double (*network_time)(void* user, const char* about, double predicted);
  void* user;
} orrery_models;

/* As orrery_call(), with functions that change predicted times: only for the command "run".
 * `models` may be NULL. Answers contain the finding time_from_callable. */
ORRERY_EXPORT orrery_answer* orrery_call_with_models(const char* command, const char* question,
                                                     const orrery_call_options* options,
                                                     const orrery_models* models);

/* The exit code of the command line: 0 success, 1 the answer is no, 2 an invalid question, 3 an
 * invalid input file, 4 the simulated job cannot finish, 5 a limit, 70 a defect, 130 cancelled. */
ORRERY_EXPORT int orrery_status(const orrery_answer* answer);

/* The JSON document that `orrery COMMAND --json` prints; if the call failed, it contains "error".
 * orrery_text(): the output without --json. orrery_notes(): the output on stderr, one note per
 * line. All are UTF-8, end in 0 and live as long as the answer. */
ORRERY_EXPORT const char* orrery_json(const orrery_answer* answer);
ORRERY_EXPORT const char* orrery_text(const orrery_answer* answer);
ORRERY_EXPORT const char* orrery_notes(const orrery_answer* answer);

/* The names of the tables of the answer, one per line; empty without keep_run. They are the tables
 * of a run file (docs/reference/run-file.md): "span", "rank", "collective", "path" … */
ORRERY_EXPORT const char* orrery_table_names(const orrery_answer* answer);

/* Arrow's C data interface: https://arrow.apache.org/docs/format/CDataInterface.html */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
#endif

/* One table as a struct array, a child per column: 64-bit integers, doubles, large UTF-8. O(rows):
 * this call builds the columns and does not copy them again. The caller releases `schema` and
 * `array`, which stay valid after the answer is freed. Returns 0; 2: there is no such table;
 * 5: there is not enough memory. On error, nothing is changed. */
ORRERY_EXPORT int orrery_table(const orrery_answer* answer, const char* name,
                               struct ArrowSchema* schema, struct ArrowArray* array);

/* A view of the run file as such a table: "event", the nodes of each rank with names and peers, or
 * "critical_path". `rank`: only rows of this rank; -1: of all. Returns as orrery_table(); 2 also if
 * there is no such rank. */
ORRERY_EXPORT int orrery_view(const orrery_answer* answer, const char* name, int64_t rank,
                              struct ArrowSchema* schema, struct ArrowArray* array);

/* `answer` may be NULL. */
ORRERY_EXPORT void orrery_free(orrery_answer* answer);

#ifdef __cplusplus
}
#endif

#endif
