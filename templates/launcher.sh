#!/bin/sh
{ trap 'exit 3' EXIT; }
case ${BASH_VERSION-}:$- in
  ?*:*h*B*)
    # Bash takes functions and options from its environment. This removes them before the first word that a function can replace: in bash
    # called as sh, no function can replace a special builtin. Bash forgets a function `[` only outside of posix mode. Only bash has the
    # options `h` and `B`, whatever BASH_VERSION says.
    unset -f unset set cd command echo printf read true ulimit umask
    set +aefkuvxC +o posix
    unset -f [
    set -o posix
    ;;
  # In other shells these are ordinary variables, but they would change how every bash behaves that a policy starts.
  *) unset SHELLOPTS BASHOPTS ;;
esac
unset TMOUT BASH_COMPAT
FUNCNEST=100

# <DRWN_HOME>/bin/hook <runtime> <pre|post>   an agent, before and after each tool call, with the event on standard input
# <DRWN_HOME>/bin/hook <runtime> <event>      an agent, at another lifecycle event, likewise
# <DRWN_HOME>/bin/hook <runtime> require      an entry that a project commits
# <DRWN_HOME>/bin/hook <runtime> serve        an app with an agent in it
# `drwn explain` adds the word explain, `drwn hook run --verbose` the word trace. Outside of projects with consented hook policies the
# launcher ends at once. Inside one it starts the hook process, and every way in which that can fail blocks. `drwn write` puts this file here.

# Values of this machine
# `drwn write` replaces these lines (`src/wiring/launcher.ts`).
node=/usr/bin/node
permission=--permission
system=''
total_ms=25000
global_key=0000000000000000000000000000000000000000000000000000000000000000
loader=load.cjs
limits='--no-opt'
single_thread=--single-threaded-gc
single_call_flags='--liftoff-only'
fixed_seed_flag=--no-rehash-snapshot
answered_status=100
superseded_status=101
handed_over_status=102
# End of values

# An agent that reads Claude Code's settings and ignores `args` starts the launcher without words. It gets its tool calls judged,
# and no other event.
[ $# != 0 ] || set -- claude-code pre

# The folder of the session, by the agent's own variable: what another agent sets, too, may be an outer session's.
case $1 in
  claude-code) named=${CLAUDE_PROJECT_DIR-} ;;
  copilot-cli) named=${COPILOT_PROJECT_DIR-} ;;
  cursor) named=${CURSOR_PROJECT_DIR-} ;;
  gemini-cli) named=${GEMINI_PROJECT_DIR-} ;;
  qwen-code) named=${QWEN_PROJECT_DIR-} ;;
  polytoken) named=${POLYTOKEN_PROJECT_DIR-} ;;
  *) named='' ;;
esac
# A caller that adds $answered_status accepts only this status as work done, since an empty file ends with 0.
answered=0 mode=''
for word; do
  case $word in
    "$answered_status") answered=$word ;;
    explain | trace) mode=$word ;;
  esac
done

phase=pre required='' status=2
case $2 in
  post) phase=post status=$answered ;;
  require) required=require ;;
  # For an agent in an app: one process answers all calls while the app runs.
  serve) phase=serve ;;
  prompt.submit | approval.before | compact.before) phase=$2 ;;
  # A broken hook doesn't keep a turn from ending: the turn would never end. At the other events there is nothing to hold.
  *.* | notify) phase=$2 status=1 ;;
esac

# On exit status 2 an agent blocks the call and gives the line to the model. After the call there is nothing left to block; on 1 the
# agent shows the line to a person.
rid='a person can run: drwn uninstall, or remove the entry that calls drwn from the hooks in the settings of the agent'
[ -z "$system" ] || rid='root can run: drwn uninstall --system'
fail() {
  echo "drwn: $1 (to remove the guards, $rid)" >&2
  exit "$status"
}

# The rest of the file is two commands. If the file is cut short, the shell runs at most the first one, the search, and exits with 3, so the
# entry knows.
{
trap - EXIT

case $0 in
  /*/bin/hook) home=${0%/bin/hook} ;;
  *) fail 'the hook was not started by its full path; run: drwn write' ;;
esac
[ -d "$home/roots" ] || [ -d "$home/inodes" ] ||
  fail 'the lists of your projects are gone, so nobody knows whether this is one, and the call is blocked; run: drwn write'
[ ! -d "$home/roots" ] || [ -x "$home/roots" ] ||
  fail 'the list of your projects cannot be read; fix its permissions, then run: drwn write'

# The shell reads files byte by byte: an endless one must kill it before the agent gives up waiting. Node gets its own limit.
{ ulimit -c 0; ulimit -t 55; ulimit -S -t 2; } 2>/dev/null

# No variable may decide what Node, the loader, the shell, or the tools that this starts (`ls`, `grep`) load, run, trust or print.
unset NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_USE_SYSTEM_CA NODE_USE_ENV_PROXY \
  NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE NODE_UNIQUE_ID NODE_TEST_CONTEXT NODE_V8_COVERAGE \
  NODE_COMPILE_CACHE NODE_COMPILE_CACHE_PORTABLE NODE_DISABLE_COMPILE_CACHE NODE_DEBUG NODE_DEBUG_NATIVE \
  NODE_ICU_DATA NODE_REDIRECT_WARNINGS NODE_PENDING_DEPRECATION NODE_PENDING_PIPE_INSTANCES NODE_NO_WARNINGS \
  NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN NODE_REPL_EXTERNAL_MODULE NODE_REPL_HISTORY \
  NODE_SKIP_PLATFORM_CHECK WATCH_REPORT_DEPENDENCIES \
  OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES SSLKEYLOGFILE UV_THREADPOOL_SIZE UV_USE_IO_URING \
  GREP_OPTIONS GREP_COLOR GREP_COLORS TIME_STYLE QUOTING_STYLE LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH LOCPATH GLIBC_TUNABLES BASH_ENV ENV CDPATH 2>/dev/null

# The session's folder as the agent names it, and its real path. The agent changes folders while it works, but names the one where it
# started. If that one is gone, somebody moved or removed it during the session.
case $named in /*) ;; *) named='' ;; esac
called=${named:-$PWD}
case $called in / | [!/]* | */../* | */.. | */./*) called='' ;; esac
{ [ -n "$named" ] && cd -P -- "$named" || cd -P .; } >/dev/null 2>&1
case $PWD in
  /*) start=${PWD#/} start=${start:+/${start#/}} ;;
  *) fail 'the folder of this session cannot be found' ;;
esac

# Every project around the session judges its calls. Its record lies at the project's path, or at its place in the git folder that all
# worktrees of a repository share. So there are several paths on which to look, and each is five words: where it begins, what of it stands
# for which folder of the session, where it ends, and its git folder. A .git can add a project, and take none away.
runtime=$1
set -- "$start" '' '' '' ''
# The folder as the agent names it counts even if it is now a link or gone: a consent stays with the path that the folder had.
[ -z "$called" ] || [ "$called" = "$start" ] || set -- "$@" "$called" '' '' '' ''
common='' top=$start
while :; do
  if [ -e "$top/.git" ] || [ -L "$top/.git" ]; then
    around=''
    if [ -L "$top/.git" ]; then
      cd -P -- "$top/.git" >/dev/null 2>&1 && around=$PWD
    elif [ -d "$top/.git" ]; then
      around=$top/.git
    elif [ -f "$top/.git" ]; then
      word='' path=''
      { read -r word path <"$top/.git"; } 2>/dev/null
      # Git accepts Windows line ends.
      case $path in *[[:cntrl:]]) path=${path%?} ;; esac
      # `path` is absolute, or relative to the worktree.
      if [ "$word" = gitdir: ] && cd -P -- "${top:-/}" >/dev/null 2>&1; then
        # If the repository was moved, only its former path is known.
        case $path in /*/worktrees/*) around=${path%/worktrees/*} ;; esac
        if cd -P -- "$path" >/dev/null 2>&1; then
          path=. around=''
          [ -f commondir ] && { read -r path <commondir; } 2>/dev/null
          case $path in *[[:cntrl:]]) path=${path%?} ;; esac
          cd -P -- "$path" >/dev/null 2>&1 && around=$PWD
        fi
      fi
    fi
    [ -n "$common" ] || common=$around
    [ -z "$around" ] || set -- "$@" "$around${start#"$top"}" "$around" "$top" "$around" "$around"
    # A folder may have become a repository after its consent: then only the path of the main worktree is known.
    main=${around%/.git}
    [ "$main" = "$around" ] || [ "$main" = "$top" ] || set -- "$@" "$main${start#"$top"}" "$main" "$top" '' "$around"
  fi
  [ -n "$top" ] || break
  top=${top%/*}
done

read_key() {
  key=''
  [ -f "$1" ] && { read -r key <"$1"; } 2>/dev/null
}

damaged='the record of a project around this folder is damaged, so the call is blocked; run there: drwn write'
# Two records tell of consents for every folder, so that losing one of them loses nothing. The second lies where a project at / would have
# its own.
global='' known=' ' nearest='' folder='' shared=$common rest=$#
{ [ -e "$home/inodes/global" ] || [ -L "$home/inodes/global" ]; } && global=$global_key
while [ "$rest" -gt 0 ]; do
  at=$1 from=$2 to=$3 end=$4 around=$5 rest=$((rest - 5))
  shift 5
  while :; do
    if [ -e "$home/roots$at/.drwn-project" ]; then
      read_key "$home/roots$at/.drwn-project"
      case $at:$key in
        :"$global_key") global=$key ;;
        : | :*[!0123456789abcdef]*) key=${global:-damaged} ;;
      esac
      case $key in
        "$global_key") [ -z "$at" ] || fail "$damaged" ;;
        '' | *[!0123456789abcdef]*) fail "$damaged" ;;
      esac
      [ ${#key} -le 64 ] || fail "$damaged"
      case $known in
        *" $key "*) ;;
        *)
          [ "$key" = "$global_key" ] || {
            project=$at
            [ -z "$from" ] || case $at/ in "$from"/*)
              project=$to${at#"$from"}
              # From its first call on, a worktree is also known by its path, so a later change of its .git takes no guard away.
              own=$home/roots$project
              [ -e "$own/.drwn-project" ] || (
                umask 077
                command -p mkdir -p -- "$own" && echo "$key" >"$own/.new-$$" && command -p mv -f -- "$own/.new-$$" "$own/.drwn-project"
              ) >/dev/null 2>&1
              ;;
            esac
            known="$known$key "
            set -- "$@" "$key" "$project"
            [ -n "$nearest" ] && [ ${#project} -le ${#folder} ] || nearest=$key folder=$project shared=${around:-$common}
          }
          ;;
      esac
    fi
    [ "$at" != "$end" ] || break
    at=${at%/*}
  done
done
common=$shared

# A folder's inode number identifies it wherever it lies. Reading the number takes a program, so this does it only for a folder that says that
# it is a project and has no record at its path, or if the list of projects is gone.
at=$start number='' record=''
[ -z "$system" ] && [ -d "$home/inodes" ] && while [ -n "$at" ]; do
  if [ ! -d "$home/roots" ] ||
    { [ ! -e "$home/roots$at/.drwn-project" ] && [ -d "$at/.agents/drwn" ] && ! [ "$at/.agents/drwn" -ef "$home" ]; }; then
    number=$(command -p ls -di -- "$at" 2>/dev/null)
    number=${number#"${number%%[0-9]*}"} number=${number%%[!0-9]*}
    record=$home/inodes/$number
    if [ -n "$number" ] && { [ -e "$record" ] || [ -L "$record" ]; }; then
      # Opening a pipe would wait for its writer.
      [ -f "$record" ] || fail "$damaged"
      key='' was=''
      { read -r key && read -r was; } <"$record" 2>/dev/null
      case $key in '' | *[!0123456789abcdef]*) fail "$damaged" ;; esac
      case $known in
        *" $key "*) at=${at%/*} && continue ;;
      esac
      [ "$was" != "$at" ] || fail 'the record of this project is gone, so the call is blocked; run: drwn write'
      if [ "$was" -ef "$at" ]; then
        known="$known$key "
        set -- "$@" "$key" "$at"
        [ -n "$nearest" ] && [ ${#at} -le ${#folder} ] || nearest=$key folder=$at
      else
        # Folders on two disks can have the same number.
        was=$(command -p ls -di -- "$was" 2>/dev/null)
        was=${was#"${was%%[0-9]*}"} was=${was%%[!0-9]*}
        [ "$was" = "$number" ] ||
          fail 'this folder was moved from where hook policies were consented to, so the call is blocked; a person can run here: drwn trust --adopt, or: drwn trust --no-adopt'
      fi
    fi
  fi
  at=${at%/*}
done

# A project that requires policies needs its own consents; those of a project around it don't count.
at=$start
[ -n "$required" ] && while [ -z "$nearest" ] || [ ${#at} -gt ${#folder} ]; do
  [ ! -f "$at/.agents/drwn/config.json" ] ||
    fail 'this project requires hook policies, and nothing is in force for it on this machine; a person can run: drwn install && drwn trust accept && drwn write'
  [ -n "$at" ] || break
  at=${at%/*}
done
write='drwn write'
if [ -n "$nearest" ]; then
  # The `require` entry asks about this project alone.
  [ -z "$required" ] || global='' known=" $nearest "
elif [ -n "$global" ] && [ -z "$required" ]; then
  nearest=$global global='' folder=$start write='drwn write --global'
  [ -z "$system" ] || write='sudo drwn write --system'
else
  exit "$answered"
fi
trap 'exit 3' EXIT
}

# Outside of every project the shell reads only this far.
{
trap - EXIT
key=$nearest

# The next pipe would get the number of a closed descriptor, and bash would wait for its own output. Node would open the null device
# there: the answer would be lost, even a deny.
{ true 3<&0; } 2>/dev/null || fail 'the input of the hook is closed, so that there is no event, and the call is blocked'
{ true 3>&1; } 2>/dev/null || fail 'the output of the hook is closed, so that its answer would be lost, and the call is blocked'
true 3>&2 || exec 2>/dev/null

[ -f "$home/bin/hook.cjs" ] && [ -r "$home/bin/hook.cjs" ] || fail "the hook process is missing, so the call is blocked; run: $write"
# Not through PATH, which a project's settings can set.
for other in /usr/local/bin/node /usr/bin/node /opt/homebrew/bin/node; do
  # Somebody other than root may own these.
  [ -n "$system" ] || { [ -f "$node" ] && [ -x "$node" ]; } && break
  node=$other
done
[ -f "$node" ] && [ -x "$node" ] || fail "Node is not where it was, so the call is blocked; install Node, then run: $write"

# For what root sets, the hook keeps its notes in the user's home, and they decide nothing. Node's permission flags cannot express commas, stars, or
# one folder twice.
notes=$home
if [ -n "$system" ]; then
  notes=''
  case ${HOME-} in /*) notes=$HOME/.agents/drwn/system/projects/$key ;; esac
  [ -z "$notes" ] || [ -d "$notes" ] || (umask 077 && command -p mkdir -p -- "$notes") >/dev/null 2>&1
  [ -n "$notes" ] && cd -P -- "$notes" >/dev/null 2>&1 && notes=${PWD%"/projects/$key"} || notes=/dev/null
  case $notes/ in *[,*]* | "$home"/*) notes=/dev/null ;; esac
fi

# Node's permissions compare real paths.
cd -P -- "$home" >/dev/null 2>&1 && [ "$system:$PWD" != "system:$home" ] && {
  [ -z "$system" ] || fail "drwn's system-wide folder is a symbolic link, or is below one, so the call is blocked; run: $write"
  home=$PWD
}
cd -P -- "${start:-/}" >/dev/null 2>&1

# If one confined process can run every policy, it is the one started here: Node limits it to drwn's own files, and it can start
# nothing. Otherwise the process started here runs no policy itself, but starts such processes.
case $mode in '' | trace) [ -e "$home/projects/$key/journal.inputs" ] && mode=${mode:+$mode-}inputs ;; esac
confine=$permission seconds=0 small=small wanted='' whose='' plan=''
# Reads the note about the plan of this project. Only policies of one publisher share a process, and a note names the publisher.
read_note() {
  limit='' planned='' words=''
  # Opening a pipe would wait for its writer.
  [ -f "$home/projects/$1/confined" ] && { read -r limit planned words <"$home/projects/$1/confined"; } 2>/dev/null || confine='' wanted='post '
  case ${whose:-${words%% *}} in "${words%% *}") ;; *) confine='' ;; esac
  whose=${words%% *} wanted="$wanted $words"
  case " $words " in *' small '*) ;; *) small='' ;; esac
  case $limit in [1-9] | [1-3][0-9]) ;; *) limit=40 ;; esac
  [ "$seconds" = 0 ] || limit=40
  seconds=$limit
}
read_note "$key"
plan=$planned
# What judges besides the nearest project: its key, its plan and its folder, and what holds in every folder comes last.
rest=$#
while [ "$rest" -gt 0 ]; do
  case $known:$1 in
    *" $1 "*:"$key") ;;
    *" $1 "*)
      read_note "$1"
      set -- "$@" "scope=$1:$planned:${2:-/}"
      ;;
  esac
  shift 2
  rest=$((rest - 2))
done
[ -z "$global" ] || {
  read_note "$global"
  set -- "$@" "scope=$global:$planned:${folder:-/}"
}
[ -z "$required" ] && [ "$phase" != serve ] || confine=''
# Another project may have a policy that looks at results.
case $phase:" $wanted " in post:*' post '*) ;; post:*) exit "$answered" ;; esac
# A program that answers only tool calls starts faster.
program=$home/bin/hook.cjs
case $confine:$phase in
  ?*:pre | ?*:post) [ -f "$home/bin/hook-calls.cjs" ] && [ -r "$home/bin/hook-calls.cjs" ] && program=$home/bin/hook-calls.cjs ;;
esac
set -- "$program" "$runtime" "${required:-$phase}" "key=$key" "home=$home" "project=${folder:-/}" "git=$common" "total-ms=$total_ms" "plan=$plan" \
  "mode=$mode" "notes=$notes" "$@"
# For one call V8 needs none of its work for long-running programs: no second compiler for WebAssembly or functions, no optimised bytecode,
# no bytecode for regular expressions, which it compiles at once. The program's path is a real one, and it needs no modules of others. Without
# threads that collect garbage, the CPU seconds below are elapsed seconds at most.
single_call='' fixed_seed='' cache=${program%.cjs}.long-running
if [ -n "$confine" ]; then
  single_call=$single_call_flags cache=${program%.cjs}.single-call
  # Node spends a sixth of its start hashing its names again with a secret seed. With the seed that it was built with, which is the same
  # everywhere, somebody can make names that collide, and reading a large event of them takes longer than the agent waits: such an event goes
  # on to a process with a secret seed. Results are usually large.
  case $phase:$small in post:*) ;; *:small) fixed_seed=$fixed_seed_flag cache=${program%.cjs}.fixed-seed ;; esac
fi
# With V8's cached code the loader starts the program without compiling it. It ignores cached code that it can't use.
if [ -f "$home/bin/$loader" ] && [ -r "$home/bin/$loader" ] && [ -f "$cache" ] && [ -r "$cache" ]; then
  set -- "$home/bin/$loader" "$cache" "$@"
else
  cache=''
fi
# Checks at each call that everything that root set to judge it belongs to root, and every folder above it too.
are_roots() {
  for at in "$1" "$2"; do
    while [ -n "$at" ]; do
      at=${at%/*}
      set -- "$@" "${at:-/}"
    done
  done
  wanted=$# fit=0 list=$(LC_ALL=C command -p ls -ldn -- "$@" 2>/dev/null)
  # A pipe would start two more processes.
  set -f
  IFS='
'
  set -- $list
  unset IFS
  for line; do
    set -- $line
    case $1:${3-} in [d-]????-??-*:0) fit=$((fit + 1)) ;; esac
  done
  set +f
  [ "$fit" = "$wanted" ]
}
[ -z "$system" ] || are_roots "$node" "$home/projects/$key" ${confine:+"$home/projects/$key/confined"} "$home/ledger" "$home/bin" "$home/bin/hook" \
  "$home/bin/hook.cjs" "$program" ${cache:+"$home/bin/$loader" "$cache"} ||
  fail "files of drwn's system-wide setup are missing, or users other than root can change them, so the call is blocked; run: $write"
if [ -n "$confine" ]; then
  [ -z "$system" ] || set -- "--allow-fs-read=$notes/" "$@"
  set -- "$single_thread" --no-warnings "--allow-fs-read=$home/" "--allow-fs-write=$notes/projects/$key/" "$@"
fi

# Kills what no timer can stop before the agent gives up waiting and lets the call run.
[ -n "$confine" ] || seconds=40
{ ulimit -t "$seconds" || ulimit -S -t "$(ulimit -H -t)"; } 2>/dev/null
# All memory, in kilobytes; V8's limits below cover only its heap.
ulimit -d 1048576 2>/dev/null
# Without the optimizing compiler: it costs a quarter of the hook's time, and the hook ends before its code is ready.
run() {
  exec "$node" $fixed_seed $single_call $limits $confine "$@" 2>&3 3>&- 6>&-
}
# A confined process says on a separate output that it has answered, and kills itself. Since any process of the user could kill it, its death
# without that word isn't an answer. Other processes don't do so: their children could hold that output open.
start() {
  said=''
  if [ -n "$confine" ]; then said=$(run "$@" 5>&1 >&6); else (run "$@"); fi
  ended=$?
}
# Hides what the shell itself prints about a killed child: the model can't use it.
exec 3>&2 6>&1
judge() {
  start "$@"
  # Node was replaced by another version, which doesn't know a flag or names it otherwise. It has read nothing yet.
  if [ $ended -eq 9 ] && [ -n "$single_call" ]; then
    single_call='' fixed_seed=''
    start "$@"
  fi
  if [ $ended -eq 9 ] && [ -n "$confine" ]; then
    case $confine in --permission) confine=--experimental-permission ;; *) confine=--permission ;; esac
    start "$@"
  fi
  # The event is too large for the process. It printed what it has read, between two signs, instead of its word: the shell drops line breaks at
  # the end, and no event may look like the word.
  case $ended:$fixed_seed:$said in
    "$handed_over_status":?*:+*.)
      fixed_seed=''
      pass_on_all | judge "$@"
      exit
      ;;
  esac
  # Another plan has come into force, for which one process may not be enough. Nobody has read the event yet.
  if [ $ended -eq "$superseded_status" ] && [ -n "$confine" ]; then
    while [ "$1" != "$program" ]; do shift; done
    shift
    confine='' single_call='' fixed_seed=''
    start "$home/bin/hook.cjs" "$@"
  fi
  case $said:$ended in
    "$answered_status":* | :"$answered_status") exit "$answered" ;;
    *:2) exit "$status" ;;
  esac
  fail "the hook process died (status $ended), so the call is blocked; if it happens again, run: drwn doctor" 2>&3
}
# Prints what was read, and then the rest of the event.
pass_on_all() {
  exec 3>&- 6>&-
  LC_ALL=C
  said=${said#+}
  # Some shells have no builtin printf.
  command -p printf '%s' "${said%.}"
  command -p cat
}
case $runtime:$phase in
  arawn:* | *:*.*)
    # An agent may take a refusal at a lifecycle event as an answer: so an answer is printed only if it is whole.
    text=$(exec 6>&1; judge "$@" 2>/dev/null)
    ended=$?
    [ "$ended" = "$answered" ] && [ -n "$text" ] || exit "$ended"
    print() {
      command -p cat <<END
$text
END
    }
    # Arawn knows a block by exit code 2, with the reason on either output. What begins with `+` holds nothing.
    case $runtime:$phase:$text in
      arawn:*.*:+*) text=${text#+} ;;
      arawn:*) print >&3; ended=2 ;;
    esac
    print
    exit "$ended"
    ;;
esac
judge "$@" 2>/dev/null
}
