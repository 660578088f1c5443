# The launcher reads this if `drwn hook warm on` has made the folder `warm`. It gives the call to a hook process that was started before, and
# starts the next one afterwards. If no process is ready, or none answers the ring, the launcher goes on as without this file. `drwn write`
# puts it here.

# What the process must have been started for. The process says the same in one line, so a value with a tab or a line break fits none.
describe_call() {
  while [ "$1" != "$program" ]; do shift; done
  wanted="$2$tab$4$tab$5$tab$6$tab$7$tab$8$tab$9$tab${10}$tab${12-}$tab$start$tab${TZ-}$tab${LANG-}$tab${LC_ALL-}$tab${LC_MESSAGES-}"
}

# Whether the process that is recorded as ready is one: alive, in this container, this user's, for these files, at these pipes, and with this
# Node, program and launcher.
is_ready() {
  told='' id='' pid=''
  [ -f "$ready" ] && { IFS=' ' read -r pid id && IFS= read -r told; } <"$ready" 2>/dev/null || return 1
  case $pid:$id in :* | *: | *[!0-9:]*) return 1 ;; esac
  [ "$told" = "$wanted" ] && [ -O "$home/warm" ] && [ -O "$slot" ] && [ ! -L "$home/warm" ] && [ ! -L "$slot" ] &&
    [ -O "/proc/$pid" ] && [ "/proc/$pid/root" -ef / ] && [ "/proc/$pid/ns/mnt" -ef /proc/self/ns/mnt ] &&
    [ "/proc/$pid/exe" -ef "$node" ] && [ "/proc/$pid/fd/0" -ef "$slot/in" ] && [ "/proc/$pid/fd/1" -ef "$slot/out" ] &&
    [ "/proc/$pid/fd/5" -ef "$slot/word" ] && is_current
}

# Whether no other launcher has used it since this one looked.
is_still_ready() {
  now=''
  { IFS= read -r now; } <"$ready" 2>/dev/null
  [ "$now" = "$pid $id" ]
}

# `drwn write` replaces files that it changes; an editor may write into them. The waiting process has the program open.
is_current() {
  [ "/proc/$pid/fd/4" -ef "$home/bin/hook.cjs" ] && [ ! "$home/bin/hook.cjs" -nt "$slot/for" ] &&
    [ ! "$home/bin/hook" -nt "$slot/for" ] && [ ! "$home/bin/warm" -nt "$slot/for" ]
}

ask_ready() {
  for n in 1 2; do
    slot=$home/warm/$n ready=$home/projects/$key/ready-$n
    [ ! -e "$slot/taken" ] && is_ready || continue
    # Only one of two launchers can make the file.
    set -C
    if ! { echo $$ >"$slot/taken"; } 2>/dev/null; then
      set +C
      continue
    fi
    set +C
    if ! is_still_ready; then
      command -p rm -f -- "$slot/taken"
      continue
    fi
    used=$slot
    # Nothing that somebody put into the pipes before begins with this.
    { read -r word </proc/sys/kernel/random/uuid; } 2>/dev/null && [ ${#word} -eq 36 ] || return
    # Opening a pipe both ways waits for nobody. Each way is then opened alone, so that the other side's death ends it.
    { command exec 7<>"$slot/in" && command exec 9>"$slot/in" && command exec 7<>"$slot/out" && command exec 8<"$slot/out" &&
      command exec 6<>"$slot/word" && command exec 7<"$slot/word" && command exec 6>&-; } 2>/dev/null || return
    trap '' PIPE
    echo "ring $id $phase $$ $word" >&9
    turns=0
    while [ -e "$ready" ] && [ $turns -lt __RINGS__ ]; do turns=$((turns + 1)); done
    if [ ! -e "$ready" ]; then
      pass_on
    fi
    exec 7>&- 8>&- 9>&-
    trap - PIPE
    return
  done
}

listen() {
  from='' said='' rest=''
  read -r from said rest <&7
  [ "$from" = "$word" ] || said=''
}

# From here on that process judges the call, and its death blocks the call. The word marks the end of the event: somebody else may hold the
# pipe open, so the pipe may not end.
pass_on() {
  { echo go && command -p cat 7<&- 8<&- && echo "$word"; } >&9 2>/dev/null
  exec 9>&-
  listen
  lost=''
  case $said in
    line)
      command -p printf '%s\n' "$rest" || lost=1
      listen
      ;;
    text)
      read -r from <&8
      [ "$from" = "$word" ] && command -p head -c "$rest" <&8 7<&- || lost=1
      listen
      ;;
  esac
  [ -s "$slot/err" ] && command -p cat "$slot/err" >&2
  [ -z "$lost" ] || fail 'the answer could not be written, so the call is blocked'
  case $said in
    __ANSWERED__) leaving=1 && exit "$answered" ;;
    2) leaving=1 && exit "$status" ;;
    __HANDED_ON__)
      # A process with a secret seed reads it, as on the cold path.
      { [ -f "$event" ] && command exec <"$event"; } 2>/dev/null || fail 'the event was lost on its way, so the call is blocked'
      command -p rm -f "$event"
      foretold=''
      ;;
    *) fail 'the hook process died, so the call is blocked; if it happens again, run: drwn doctor' ;;
  esac
}

# A free place, or the place of a process that is gone, or of one that waits in vain or for another session (of two, the older).
find_place() {
  other=''
  for n in 1 2; do
    slot=$home/warm/$n pid='' told=''
    { read -r pid && IFS= read -r told; } <"$slot/for"
    # The process holds descriptor 7 from before Node starts until it has its call, and 0 until it ends.
    if [ "$slot" = "$done" ] || [ -z "$pid" ] || ! { [ "/proc/$pid/fd/7" -ef "$slot/in" ] || [ "/proc/$pid/fd/0" -ef "$slot/in" ]; }; then
      # A process that has just waited here has checked the folder. One that has answered has emptied its pipes.
      if [ "$slot" = "$done" ]; then
        [ -n "$leaving" ] && [ -p "$slot/in" ] && [ -p "$slot/out" ] && [ -p "$slot/word" ] ||
          { leaving='' && set -- "$slot/in" "$slot/out" "$slot/word" "$slot/for"; }
        command -p rm -rf -- "$slot/taken" "$slot/err" "$@"
        return
      fi
      [ ! -e "$slot" ] && [ ! -L "$slot" ] || command -p rm -rf -- "$slot"
      command -p mkdir -- "$slot"
      return
    fi
    { [ "$told" = "$wanted" ] && is_current; } || [ -e "$slot/taken" ] || { [ -n "$other" ] && [ "$other" -ot "$slot" ]; } || other=$slot
  done
  slot=$other
  [ -n "$slot" ] && set -C && true >"$slot/taken" && set +C && echo end 1<>"$slot/in" &&
    command -p rm -rf -- "$slot" && command -p mkdir -- "$slot"
}

start_next() {
  # The agent waits until its pipes are closed. With redirections at the call of this function, copies would stay open here.
  exec </dev/null >/dev/null 2>&1 3>&- 4>&- 6>&- 8>&- 9>&-
  # The agent also needs a processor, and the process that has answered uses one while it frees its memory.
  [ -z "$leaving" ] || while read -r other; do :; done <&7
  exec 7>&-
  # Another plan has come into force.
  [ -n "$confine" ] || exit
  PATH=/usr/bin:/bin
  umask 077
  cd -P -- "${start:-/}" || exit
  # One launcher at a time: two would take each other's place, and leave processes that nobody finds.
  exec 4>"$home/warm/lock"
  command -p flock -n 4 || exit
  other=''
  done=''
  [ -n "$used" ] && read -r other <"$used/taken" && [ "$other" = $$ ] && done=$used
  find_place || exit
  read -r pid other </proc/self/stat && printf '%s\n' "$pid" "$wanted" >"$slot/for" || exit
  [ "$slot:$leaving" = "$done:1" ] || command -p mkfifo -- "$slot/in" "$slot/out" "$slot/word" || exit
  foretold='' next=brief place=-1
  [ -n "$brief" ] && [ -n "$small" ] && [ -w "$home/projects/$key" ] && foretold=__FORETOLD__ next=foretold
  for word; do
    shift
    case $place in -1) ;; *) place=$((place + 1)) ;; esac
    case $word in
      "$program") word=$home/bin/hook.cjs place=0 ;;
      "$event") word=$slot ;;
      # A word may be empty, as `kept` is if V8 has kept nothing.
      "${kept:-$program}") word=$home/bin/hook.$next ;;
    esac
    [ $place -ne 2 ] || word=ready:__IDLE_SECONDS__
    set -- "$@" "$word"
  done
  ahead="env -i ${TZ+TZ=$TZ} ${LANG+LANG=$LANG} ${LC_ALL+LC_ALL=$LC_ALL} ${LC_MESSAGES+LC_MESSAGES=$LC_MESSAGES} setsid"
  exec 7<>"$slot/in" 8<>"$slot/out" 9<>"$slot/word" 3>"$slot/err" 4<"$home/bin/hook.cjs"
  run "$@" <"$slot/in" >"$slot/out" 5>"$slot/word" 8>&- 9>&-
}

tab='	' used='' leaving='' wanted=''
# These values become words of the next process's command line.
case $about:${TZ-}${LANG-}${LC_ALL-}${LC_MESSAGES-} in
  :*[!0-9A-Za-z_./:+@,-]* | inputs:*[!0-9A-Za-z_./:+@,-]*) ;;
  :* | inputs:*)
    if [ -e /proc/self/exe ]; then
      describe_call "$@"
      trap 'start_next "$@" &' EXIT
      ask_ready
    fi
    ;;
esac
