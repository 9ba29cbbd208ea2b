#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Replaces the program in transcripts and examples: runs $ORRERY_PROGRAM with the same arguments,
# and copies every JSON result that it prints or writes into the folder $ORRERY_JSON. With
# ORRERY_JSON_ALL=1, a command without --json runs a second time with it.
json=0 file='' value_of='' rest=''

# Quotes an argument for eval.
quoted() { printf " '%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }

for argument; do
  if [ -n "$value_of" ]; then
    [ "$value_of" = output ] && file=$argument
    value_of=''
    continue
  fi
  case $argument in
    --json) json=1 ;;
    -o | --output) value_of=output ;;
    --output=*) file=${argument#--output=} ;;
    --html | --perfetto | --chrome | --svg | --kineto) value_of=other ;;
    *) [ -n "$ORRERY_JSON_ALL" ] && rest="$rest$(quoted "$argument")" ;;
  esac
done
case $file in *.json) ;; *) file='' ;; esac
# The program must write directly to a device such as /dev/full.
[ -c /proc/self/fd/1 ] && json=0
[ "$json$file$rest" = 0 ] && exec "$ORRERY_PROGRAM" "$@"

copy=$(mktemp "$ORRERY_JSON/XXXXXX")
printf 'orrery %s\n' "$*" > "$copy.command"
if [ $json = 1 ]; then
  "$ORRERY_PROGRAM" "$@" > "$copy"
  code=$?
  cat "$copy"
else
  "$ORRERY_PROGRAM" "$@"
  code=$?
  [ -n "$rest" ] && eval "\"\$ORRERY_PROGRAM\"$rest --json" > "$copy" 2> /dev/null < /dev/null
fi
[ -n "$file" ] && [ -s "$file" ] && [ -f "$file" ] && cp "$file" "$copy.file"
exit $code
