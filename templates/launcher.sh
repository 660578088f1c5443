#!/bin/sh
trap 'exit 3' EXIT
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
# <DRWN_HOME>/bin/hook <runtime> <event>      an agent, at other moments of a session, likewise
# <DRWN_HOME>/bin/hook <runtime> require      an entry that a project commits
# <DRWN_HOME>/bin/hook <runtime> serve        an app with an agent in it
# `drwn hook explain` adds the word explain, `drwn hook run --verbose` the word trace. Outside of projects with consented hook policies the
# launcher ends at once. Inside one it starts the hook process, and every way in which that can fail blocks. `drwn write` puts this file here.

# A caller that adds __ANSWERED__ accepts only this status as work done, since an empty file ends with 0. Entries of earlier versions
# accept 0. The next word is the session's folder as the agent names it. Entries of earlier versions rely on CLAUDE_PROJECT_DIR, which the
# user of one of these agents may have set.
answered=0 named=''
case $1 in codex | opencode | arawn | astrid | mastra) ;; *) named=${CLAUDE_PROJECT_DIR-} ;; esac
case ${3-} in
  __ANSWERED__)
    answered=$3
    case $#:${4-} in
      3:* | 4:explain) set -- "$1" "$2" "${4-}" ;;
      *) named=${4#in:}; set -- "$1" "$2" "${5-}" ;;
    esac
    ;;
esac

phase=pre required='' status=2
case $2 in
  post) phase=post status=$answered ;;
  require) required=require ;;
  # For an agent in an app: one process answers all calls while the app runs.
  serve) phase=serve ;;
  prompt.submit | approval.before | compact.before) phase=$2 ;;
  # A broken hook doesn't keep a turn from ending: the turn would never end. At the other moments there is nothing to hold.
  *.* | notify) phase=$2 status=1 ;;
esac

# On exit status 2 an agent blocks the call and gives the line to the model. After the call there is nothing left to block; on 1 the
# agent shows the line to a person.
system='__SYSTEM__' rid='a person can run: drwn uninstall, or remove the entry that calls drwn from the hooks in the settings of the agent'
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
# Without any state nobody can tell whether this is a project: the entry in the agent's settings then decides.
[ -d "$home/roots" ] || [ -d "$home/places" ] || exit 3
[ ! -d "$home/roots" ] || [ -x "$home/roots" ] ||
  fail 'the list of your projects cannot be read; mend its permissions, then run: drwn write'

# The shell reads files byte by byte: an endless one must kill it before the agent gives up waiting. Node gets its own limit.
{ ulimit -c 0; ulimit -t 55; ulimit -S -t 2; } 2>/dev/null

# No variable may decide what Node loads, runs or trusts.
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

# A consent stays with the path that the folder had. `moved` is such a folder, around the session, that is now a link or gone.
moved='' above=$called
while [ -n "$above" ] && [ ! -e "$home/roots$above/.drwn-project" ]; do above=${above%/*}; done
called=$above
[ -n "$called" ] && { cd -P -- "$called" >/dev/null 2>&1 && [ "$PWD" = "$called" ] || moved=$called; }

read_key() {
  key=''
  [ -f "$1" ] && { read -r key <"$1"; } 2>/dev/null
}

# The nearest project: the session's folder or one above it, by its path.
folder=$start marker=''
while [ -n "$folder" ] && [ ! -e "$home/roots$folder/.drwn-project" ]; do folder=${folder%/*}; done
[ -e "$home/roots$folder/.drwn-project" ] && marker=$home/roots$folder/.drwn-project

# Two records tell of consents for every folder, so that losing one of them loses nothing. The second lies where a project at / would have
# its own: if this launcher is gone, the entry knows by it that every folder is guarded.
global=''
{ [ -e "$home/places/global" ] || [ -L "$home/places/global" ]; } && global=__GLOBAL__
if [ -e "$home/roots/.drwn-project" ]; then
  read_key "$home/roots/.drwn-project"
  case $key in
    __GLOBAL__) global=$key ;;
    '' | *[!0123456789abcdef]*) [ -n "$global" ] && key=$global ;;
  esac
  [ "$key" != __GLOBAL__ ] || [ -n "$folder" ] || marker=''
fi

# Or a nearer project by its place in a repository: this looks in the git folder that all worktrees share, for every worktree around the
# session, since one repository may lie in another. A .git can add a project, and take none away.
common='' shared='' own=$marker top=$start
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
    at=$start
    while [ -n "$around" ] && { [ -z "$marker" ] || [ ${#at} -gt ${#folder} ]; }; do
      if [ -e "$home/roots$around${at#"$top"}/.drwn-project" ]; then
        marker=$home/roots$around${at#"$top"}/.drwn-project folder=$at shared=$around
        break
      fi
      [ "$at" != "$top" ] || break
      at=${at%/*}
    done
  fi
  [ -n "$top" ] || break
  top=${top%/*}
done
[ -z "$shared" ] || common=$shared

# Anybody can write a .git that leads to another project on this machine.
if [ -n "$shared" ] && [ -n "$own" ]; then
  read_key "$own"
  other=$key
  read_key "$marker"
  [ "$key" = "$other" ] ||
    fail "the .git of this folder leads to one project, and the folder lies in another, so the call is blocked; a person can remove that .git, or run in ${folder:-/}: drwn write"
fi

# Moving a guarded folder and putting a link in its place doesn't take the session out of its consents.
if [ -n "$moved" ]; then
  read_key "$home/roots$moved/.drwn-project"
  other=$key
  [ -z "$marker" ] || read_key "$marker"
  [ "$key" = "$other" ] ||
    fail 'the folder of this session was one project, and leads to another now; a person can start the agent in that one, or run there: drwn trust adopt'
  folder=$moved marker=$home/roots$moved/.drwn-project shared=''
elif [ -z "$marker" ] && [ -n "$called" ]; then
  folder=$called marker=$home/roots$called/.drwn-project
fi

# A folder's inode number identifies it wherever it lies. Reading the number takes a program, so this does it only if the folder says that it
# is a project, or if the list of projects is gone.
at=$start number='' place=''
[ -z "$marker" ] && [ -z "$system" ] && [ -d "$home/places" ] && while [ -n "$at" ]; do
  if [ ! -d "$home/roots" ] || { [ -d "$at/.agents/drwn" ] && ! [ "$at/.agents/drwn" -ef "$home" ]; }; then
    number=$(command -p ls -di -- "$at" 2>/dev/null)
    number=${number#"${number%%[0-9]*}"} number=${number%%[!0-9]*}
    place=$home/places/$number
    if [ -n "$number" ] && { [ -e "$place" ] || [ -L "$place" ]; }; then
      # Opening a pipe would wait for its writer.
      [ -f "$place" ] || fail 'the record of this project is damaged; run: drwn write'
      was=''
      { read -r key && read -r was; } <"$place" 2>/dev/null
      [ "$was" != "$at" ] || fail 'the record of this project is gone, so the call is blocked; run: drwn write'
      if [ "$was" -ef "$at" ]; then
        folder=$at marker=$place
        break
      fi
      # Folders on two disks can have the same number.
      was=$(command -p ls -di -- "$was" 2>/dev/null)
      was=${was#"${was%%[0-9]*}"} was=${was%%[!0-9]*}
      [ "$was" = "$number" ] ||
        fail 'this folder was moved from where hook policies were consented to, so the call is blocked; a person can run here: drwn trust adopt, or: drwn trust adopt --forget'
    fi
  fi
  at=${at%/*}
done

# A project that requires policies needs its own consents; those of a project around it don't count.
at=$start
[ -n "$required" ] && while [ -z "$marker" ] || [ ${#at} -gt ${#folder} ]; do
  [ ! -f "$at/.agents/drwn/config.json" ] ||
    fail 'this project requires hook policies, and nothing is in force for it on this machine; a person can run: drwn install && drwn trust accept && drwn write'
  [ -n "$at" ] || break
  at=${at%/*}
done
above='' write='drwn write'
if [ -n "$marker" ]; then
  read_key "$marker"
  # The `require` entry leaves out the policies for every folder.
  [ -n "$required" ] || above=$global
elif [ -n "$global" ] && [ -z "$required" ]; then
  key=$global folder=$start write='drwn write --global'
  [ -z "$system" ] || write='sudo drwn write --system'
else
  exit "$answered"
fi
trap 'exit 3' EXIT
}

# Outside of every project the shell reads only this far.
{
trap - EXIT

case $key in
  '' | *[!0123456789abcdef]*) fail 'the record of this project is damaged; run: drwn write' ;;
esac
[ ${#key} -le 64 ] || fail 'the record of this project is damaged; run: drwn write'

# From its first call on, a worktree is also known by its path, so a later change of its .git takes no guard away.
[ -z "$shared" ] || (
  umask 077
  own=$home/roots$folder
  command -p mkdir -p -- "$own" && echo "$key" >"$own/.new-$$" && command -p mv -f -- "$own/.new-$$" "$own/.drwn-project"
) >/dev/null 2>&1

# The next pipe would get the number of a closed descriptor, and bash would wait for its own output. Node would open the null device
# there: the answer would be lost, even a deny.
{ true 3<&0; } 2>/dev/null || fail 'the input of the hook is closed, so that there is no event, and the call is blocked'
{ true 3>&1; } 2>/dev/null || fail 'the output of the hook is closed, so that its answer would be lost, and the call is blocked'
true 3>&2 || exec 2>/dev/null

[ -f "$home/bin/hook.cjs" ] && [ -r "$home/bin/hook.cjs" ] || fail "the hook process is missing, so the call is blocked; run: $write"
node=__NODE__
# Not through PATH, which a project's settings can set.
for other in /usr/local/bin/node /usr/bin/node /opt/homebrew/bin/node; do
  # Somebody other than root may own these.
  [ -n "$system" ] || { [ -f "$node" ] && [ -x "$node" ]; } && break
  node=$other
done
[ -f "$node" ] && [ -x "$node" ] || fail "Node is not where it was, so the call is blocked; install Node, then run: $write"

# For a floor, the hook keeps its notes in the user's home, and they decide nothing. Node's permission flags cannot express commas, stars, or
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
  [ -z "$system" ] || fail "what root wants of hooks on this machine lies behind a link, so the call is blocked; run: $write"
  home=$PWD
}
cd -P -- "${start:-/}" >/dev/null 2>&1

# If one confined process can run every policy, it is the one started here: Node limits it to drwn's own files, and it can start
# nothing. Otherwise the process started here runs no policy itself, but starts such processes.
about=${3-}
case $about in '' | trace) [ -e "$home/projects/$key/journal.inputs" ] && about=${about:+$about-}inputs ;; esac
set -- "$1" "${required:-$phase}" "$key" "$home" "${folder:-/}" "$common" __TOTAL_MS__
confine='' seconds='' plan='' wanted=''
confined=$home/projects/$key/confined
# Opening a pipe would wait for its writer.
[ -z "$required" ] && [ "$phase" != serve ] && [ -f "$confined" ] && { read -r seconds plan wanted <"$confined"; } 2>/dev/null && confine=__PERMISSION__
# Notes of earlier versions name no plan.
case $plan in '' | sha256-*) ;; *) wanted="$plan $wanted" plan='' ;; esac
small=''
case " $wanted " in *' small '*) small=small ;; esac
# Only policies of one publisher share a process, and only if both notes name the publisher.
upper='' more='' others=''
if [ -n "$above" ]; then
  confined=$home/projects/$above/confined
  [ -n "$confine" ] && [ -f "$confined" ] && { read -r more upper others <"$confined"; } 2>/dev/null || confine=''
  case $wanted in by:*) [ "${wanted%% *}" = "${others%% *}" ] || confine='' ;; *) confine='' ;; esac
  case " $others " in *' small '*) ;; *) small='' ;; esac
  [ -n "$more" ] && wanted="$wanted $others" || wanted=''
  seconds=40
fi
# If no policy of this project looks at results, a result matters only if its call was denied. Then the list of denied calls has its id,
# and so has the event, which is one line.
event=$home/projects/$key/event-$$ denied=$home/projects/$key/denied handed=''
# For a floor, no file that the user can change lies between the agent and the hook process.
[ -z "$system" ] || event=''
case $system$phase:" $wanted " in
  post:*" post "*) ;;
  post:"  ")
    [ -f "$home/projects/$key/unheard" ] && { [ -z "$above" ] || [ -f "$home/projects/$above/unheard" ]; } && handed=$event
    ;;
  post:*) handed=$event ;;
esac
if [ -n "$handed" ]; then
  [ -f "$denied" ] && [ -s "$denied" ] && line=$(LC_ALL=C command -p grep -F -f "$denied" 2>/dev/null) && [ -n "$line" ] || exit "$answered"
  (umask 077 && command -p printf '%s\n' "$line" >"$event") 2>/dev/null && [ -f "$event" ] && [ -r "$event" ] || exit "$answered"
  exec <"$event"
  command -p rm -f "$event"
  line=''
fi
# A program that answers only the tool calls of this agent starts faster.
program=$home/bin/hook.cjs
case $confine:$phase:$1 in
  *[!-:a-z]*) ;;
  ?*:pre:?* | ?*:post:?*) [ -f "$home/bin/hook-$1.cjs" ] && [ -r "$home/bin/hook-$1.cjs" ] && program=$home/bin/hook-$1.cjs ;;
esac
set -- "$program" "$@" "$plan" "$about" "${event:--}" ${above:+"$above:$upper"}
[ -z "$system" ] || set -- "$@" '' "$notes"
# For one call V8 needs none of its work for long-running programs: no second compiler for WebAssembly or functions, no optimised bytecode,
# no bytecode for regular expressions, which it compiles at once. The program's path is a real one, and it needs no modules of others. Without
# threads that collect garbage, the CPU seconds below are elapsed seconds at most.
brief='' foretold='' kept=${program%.cjs}.long
if [ -n "$confine" ]; then
  brief='__BRIEF__' kept=${program%.cjs}.brief
  # Node spends a sixth of its start hashing its names again with a secret seed. With the seed that it was built with, which is the same
  # everywhere, somebody can make names that collide, and reading a large event of them takes longer than the agent waits: such an event goes
  # on to a process with a secret seed. Results are usually large.
  case $phase:$small in post:*) ;; *:small) foretold=__FORETOLD__ kept=${program%.cjs}.foretold ;; esac
fi
# If V8 has kept the program's code, the loader starts the program without compiling it. It ignores kept code that it can't use.
if [ -f "$home/bin/__LOADER__" ] && [ -r "$home/bin/__LOADER__" ] && [ -f "$kept" ] && [ -r "$kept" ]; then
  set -- "$home/bin/__LOADER__" "$kept" "$@"
else
  kept=''
fi
# Checks at each call that everything by which root's floor judges it belongs to root, and every folder above it too.
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
[ -z "$system" ] || are_roots "$node" "$home/projects/$key" ${confine:+"$confined"} "$home/ledger" "$home/bin" "$home/bin/hook" \
  "$home/bin/hook.cjs" "$program" ${kept:+"$home/bin/__LOADER__" "$kept"} ||
  fail "what root wants of hooks on this machine is incomplete, or others than root can change it, so the call is blocked; run: $write"
if [ -n "$confine" ]; then
  [ -z "$system" ] || set -- "--allow-fs-read=$notes/" "$@"
  set -- __ONE_THREAD__ --no-warnings "--allow-fs-read=$home/" "--allow-fs-write=$notes/projects/$key/" "$@"
fi

# Kills what no timer can stop before the agent gives up waiting and lets the call run.
case $seconds in
  [1-9] | [1-3][0-9] | 40) ;;
  *) seconds=40 ;;
esac
{ ulimit -t "$seconds" || ulimit -S -t "$(ulimit -H -t)"; } 2>/dev/null
# All memory, in kilobytes; V8's limits below cover only its heap.
ulimit -d 1048576 2>/dev/null
# Without the optimizing compiler: it costs a quarter of the hook's time, and the hook ends before its code is ready.
run() {
  exec "$node" $foretold $brief __BOUNDS__ $confine "$@" 2>&3 3>&- 6>&-
}
# A confined process says on a separate output that it has answered, and kills itself. Since any process of the user could kill it, its death
# without that word isn't an answer. Other processes don't do so: their children could hold that output open.
start() {
  said=''
  if [ -n "$confine" ]; then said=$(run "$@" __WORD__>&1 >&6); else (run "$@"); fi
  ended=$?
}
# Hides what the shell itself prints about a killed child: the model can't use it.
exec 3>&2 6>&1
judge() {
  start "$@"
  # Node was replaced by another version, which doesn't know a flag or names it otherwise. It has read nothing yet.
  if [ $ended -eq 9 ] && [ -n "$brief" ]; then
    brief='' foretold=''
    start "$@"
  fi
  if [ $ended -eq 9 ] && [ -n "$confine" ]; then
    case $confine in --permission) confine=--experimental-permission ;; *) confine=--permission ;; esac
    start "$@"
  fi
  # The event is too large for the process. It printed what it has read, between two signs, instead of its word: the shell drops line breaks at
  # the end, and no event may look like the word.
  case $ended:$foretold:$said in
    __HANDED_ON__:?*:+*.)
      foretold=''
      pass_on_all | judge "$@"
      exit
      ;;
  esac
  # Another plan has come into force, for which one process may not be enough. Nobody has read the event yet.
  if [ $ended -eq __SUPERSEDED__ ] && [ -n "$confine" ]; then
    while [ "$1" != "$program" ]; do shift; done
    shift
    confine='' brief='' foretold=''
    start "$home/bin/hook.cjs" "$@"
  fi
  case $said:$ended in
    __ANSWERED__:* | :__ANSWERED__) exit "$answered" ;;
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
judge "$@" 2>/dev/null
}
