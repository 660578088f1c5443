#!/bin/sh
trap 'exit 3' EXIT
case ${BASH_VERSION-}:$- in
  ?*:*h*B*)
    # Bash takes functions and options from its environment. Those are gone before the first word that a function can stand for: what it
    # calls special, when it is called sh, none can. `[` it forgets only when it is not so strict. `h` and `B` bash alone has among its
    # options, whatever a BASH_VERSION says.
    unset -f unset set cd command echo printf read true ulimit umask
    set +aefkuvxC +o posix
    unset -f [
    set -o posix
    ;;
  # To other shells these are variables of the user's, and tell every bash that a policy starts what to leave undone.
  *) unset SHELLOPTS BASHOPTS ;;
esac
unset TMOUT BASH_COMPAT
FUNCNEST=100

# Started by an agent before and after each tool call, as <DRWN_HOME>/bin/hook <runtime> <pre|post>, and at other moments of a
# session, as <DRWN_HOME>/bin/hook <runtime> <event>, with the event on standard input; by an entry that a project commits as
# <DRWN_HOME>/bin/hook <runtime> require; by an app with an agent in it as <DRWN_HOME>/bin/hook <runtime> serve; by
# `drwn hook explain` with the word explain behind that, by `drwn hook run --verbose` with trace. Outside of the projects whose owner consented to hook policies it ends
# at once. Inside it starts the hook process and makes a block of every way in which that can fail. `drwn write` puts this file
# here.

# Who calls it with __ANSWERED__ behind that takes this status alone for work that was done, since a file with nothing in it ends
# with 0. An entry of an earlier version takes 0. Behind it stands the folder of the session, by the agent's own word for it. An entry
# of an earlier version leaves that to CLAUDE_PROJECT_DIR, which whoever started one of these agents may have set.
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
  # For an agent in an app: one process answers all calls, as long as the app lives.
  serve) phase=serve ;;
  prompt.submit | approval.before | compact.before) phase=$2 ;;
  # A turn that ends is not held for want of a hook that works: it would never end. Elsewhere there is nothing to hold.
  *.* | notify) phase=$2 status=1 ;;
esac

# An agent blocks the call on exit status 2 and hands the line to the model. After the call nothing is left to block; on 1 the
# line is shown to a person.
system='__SYSTEM__' rid='a person can run: drwn uninstall, or remove the entry that calls drwn from the hooks in the settings of the agent'
[ -z "$system" ] || rid='root can run: drwn uninstall --system'
fail() {
  echo "drwn: $1 (to be rid of it, $rid)" >&2
  exit "$status"
}

# Of a launcher that was cut short the shell runs nothing more than the search, and the entry is told: what follows are two commands, up to the
# last line.
{
trap - EXIT

case $0 in
  /*/bin/hook) home=${0%/bin/hook} ;;
  *) fail 'the hook was not started by its full path; run: drwn write' ;;
esac
# Whoever finds no state at all cannot tell a project from another folder: the entry in the agent's settings decides then.
[ -d "$home/roots" ] || [ -d "$home/places" ] || exit 3
[ ! -d "$home/roots" ] || [ -x "$home/roots" ] ||
  fail 'the list of your projects cannot be read; mend its permissions, then run: drwn write'

# The shell reads a file byte by byte: one without end must end it before the agent gives up waiting. Node gets its own limit.
{ ulimit -c 0; ulimit -t 55; ulimit -S -t 2; } 2>/dev/null

# None of these may decide what Node loads, runs or trusts.
unset NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_USE_SYSTEM_CA NODE_USE_ENV_PROXY \
  NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE NODE_UNIQUE_ID NODE_TEST_CONTEXT NODE_V8_COVERAGE \
  NODE_COMPILE_CACHE NODE_COMPILE_CACHE_PORTABLE NODE_DISABLE_COMPILE_CACHE NODE_DEBUG NODE_DEBUG_NATIVE \
  NODE_ICU_DATA NODE_REDIRECT_WARNINGS NODE_PENDING_DEPRECATION NODE_PENDING_PIPE_INSTANCES NODE_NO_WARNINGS \
  NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN NODE_REPL_EXTERNAL_MODULE NODE_REPL_HISTORY \
  NODE_SKIP_PLATFORM_CHECK WATCH_REPORT_DEPENDENCIES \
  OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES SSLKEYLOGFILE UV_THREADPOOL_SIZE UV_USE_IO_URING \
  GREP_OPTIONS GREP_COLOR GREP_COLORS TIME_STYLE QUOTING_STYLE LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH LOCPATH GLIBC_TUNABLES BASH_ENV ENV CDPATH 2>/dev/null

# The session's folder by the name that the agent has for it, and as it really is. An agent moves about while it works; what it names
# stays where it was started. A folder that is gone was moved or removed while its session lives.
case $named in /*) ;; *) named='' ;; esac
called=${named:-$PWD}
case $called in / | [!/]* | */../* | */.. | */./*) called='' ;; esac
{ [ -n "$named" ] && cd -P -- "$named" || cd -P .; } >/dev/null 2>&1
case $PWD in
  /*) start=${PWD#/} start=${start:+/${start#/}} ;;
  *) fail 'the folder of this session cannot be found' ;;
esac

# What a person consented to in a folder stays with the name that it had: a folder above the session's that is a link now, or gone.
moved='' above=$called
while [ -n "$above" ] && [ ! -e "$home/roots$above/.drwn-project" ]; do above=${above%/*}; done
called=$above
[ -n "$called" ] && { cd -P -- "$called" >/dev/null 2>&1 && [ "$PWD" = "$called" ] || moved=$called; }

read_key() {
  key=''
  [ -f "$1" ] && { read -r key <"$1"; } 2>/dev/null
}

# The nearest project: a folder from the session's up, by its own path.
folder=$start marker=''
while [ -n "$folder" ] && [ ! -e "$home/roots$folder/.drwn-project" ]; do folder=${folder%/*}; done
[ -e "$home/roots$folder/.drwn-project" ] && marker=$home/roots$folder/.drwn-project

# What a person consented to for every folder is found by two records, so that neither is missed alone. One has the place of a project that
# is the whole disk: that there is something for every folder the entry knows by it, where this file is gone.
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

# Or a nearer one by its place in a repository: in the git folder that all worktrees share, of every worktree around the session, since
# another repository may lie in one. What a .git leads to can add a project, and take none away.
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
      # Git takes lines that end as those of Windows do.
      case $path in *[[:cntrl:]]) path=${path%?} ;; esac
      # `path` begins with a slash, or is meant from the worktree on.
      if [ "$word" = gitdir: ] && cd -P -- "${top:-/}" >/dev/null 2>&1; then
        # Of a repository that was moved, the name is left.
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

# Anybody can write a .git that leads to another project of this machine.
if [ -n "$shared" ] && [ -n "$own" ]; then
  read_key "$own"
  other=$key
  read_key "$marker"
  [ "$key" = "$other" ] ||
    fail "the .git of this folder leads to one project, and the folder lies in another, so the call is blocked; a person can remove that .git, or run in ${folder:-/}: drwn write"
fi

# Whoever moves a guarded folder, and puts a link in its place, does not take its session out of its consents.
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

# A folder says by its number what it is wherever it lies. Only where it says that it is a project, or no list of projects is left, is it
# asked for it: that takes a program.
at=$start number='' place=''
[ -z "$marker" ] && [ -z "$system" ] && [ -d "$home/places" ] && while [ -n "$at" ]; do
  if [ ! -d "$home/roots" ] || { [ -d "$at/.agents/drwn" ] && ! [ "$at/.agents/drwn" -ef "$home" ]; }; then
    number=$(command -p ls -di -- "$at" 2>/dev/null)
    number=${number#"${number%%[0-9]*}"} number=${number%%[!0-9]*}
    place=$home/places/$number
    if [ -n "$number" ] && { [ -e "$place" ] || [ -L "$place" ]; }; then
      # It is not opened: a pipe would be waited for.
      [ -f "$place" ] || fail 'the record of this project is damaged; run: drwn write'
      was=''
      { read -r key && read -r was; } <"$place" 2>/dev/null
      [ "$was" != "$at" ] || fail 'the record of this project is gone, so the call is blocked; run: drwn write'
      if [ "$was" -ef "$at" ]; then
        folder=$at marker=$place
        break
      fi
      # Two disks can give the same number.
      was=$(command -p ls -di -- "$was" 2>/dev/null)
      was=${was#"${was%%[0-9]*}"} was=${was%%[!0-9]*}
      [ "$was" = "$number" ] ||
        fail 'this folder was moved from where hook policies were consented to, so the call is blocked; a person can run here: drwn trust adopt, or: drwn trust adopt --forget'
    fi
  fi
  at=${at%/*}
done

# A project that requires policies is judged by its own consents, not by those of one around it.
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
  # What a project requires is its own affair.
  [ -n "$required" ] || above=$global
elif [ -n "$global" ] && [ -z "$required" ]; then
  key=$global folder=$start write='drwn write --global'
  [ -z "$system" ] || write='sudo drwn write --system'
else
  exit "$answered"
fi
trap 'exit 3' EXIT
}

# Outside of every project the shell reads up to here.
{
trap - EXIT

case $key in
  '' | *[!0123456789abcdef]*) fail 'the record of this project is damaged; run: drwn write' ;;
esac
[ ${#key} -le 64 ] || fail 'the record of this project is damaged; run: drwn write'

# From its first call on a worktree is known by its own path, too: what its .git says later takes no guard away.
[ -z "$shared" ] || (
  umask 077
  own=$home/roots$folder
  command -p mkdir -p -- "$own" && echo "$key" >"$own/.new-$$" && command -p mv -f -- "$own/.new-$$" "$own/.drwn-project"
) >/dev/null 2>&1

# What is closed, the next pipe takes: bash would wait for what it writes itself. And Node opens it as a device that takes everything: an
# answer would be lost, and with it a deny.
{ true 3<&0; } 2>/dev/null || fail 'the input of the hook is closed, so that there is no event, and the call is blocked'
{ true 3>&1; } 2>/dev/null || fail 'the output of the hook is closed, so that its answer would be lost, and the call is blocked'
true 3>&2 || exec 2>/dev/null

[ -f "$home/bin/hook.cjs" ] && [ -r "$home/bin/hook.cjs" ] || fail "the hook process is missing, so the call is blocked; run: $write"
node=__NODE__
# Not by PATH, which a project's settings can set.
for other in /usr/local/bin/node /usr/bin/node /opt/homebrew/bin/node; do
  # Others than root may own those.
  [ -n "$system" ] || { [ -f "$node" ] && [ -x "$node" ]; } && break
  node=$other
done
[ -f "$node" ] && [ -x "$node" ] || fail "Node is not where it was, so the call is blocked; install Node, then run: $write"

# What it notes lies with the user, and decides nothing. Node's permissions cannot express commas and stars, nor one folder twice.
notes=$home
if [ -n "$system" ]; then
  notes=''
  case ${HOME-} in /*) notes=$HOME/.agents/drwn/system/projects/$key ;; esac
  [ -z "$notes" ] || [ -d "$notes" ] || (umask 077 && command -p mkdir -p -- "$notes") >/dev/null 2>&1
  [ -n "$notes" ] && cd -P -- "$notes" >/dev/null 2>&1 && notes=${PWD%"/projects/$key"} || notes=/dev/null
  case $notes/ in *[,*]* | "$home"/*) notes=/dev/null ;; esac
fi

# Node compares real paths.
cd -P -- "$home" >/dev/null 2>&1 && [ "$system:$PWD" != "system:$home" ] && {
  [ -z "$system" ] || fail "what root wants of hooks on this machine lies behind a link, so the call is blocked; run: $write"
  home=$PWD
}
cd -P -- "${start:-/}" >/dev/null 2>&1

# Where one process without authority can run every policy, that is this one: Node holds it to drwn's own files, and it can
# start nothing. Otherwise it runs no policy itself, and starts such processes.
about=${3-}
case $about in '' | trace) [ -e "$home/projects/$key/journal.inputs" ] && about=${about:+$about-}inputs ;; esac
set -- "$1" "${required:-$phase}" "$key" "$home" "${folder:-/}" "$common" __TOTAL_MS__
confine='' seconds='' plan='' wanted=''
confined=$home/projects/$key/confined
# Opening a pipe would wait for its writer.
[ -z "$required" ] && [ "$phase" != serve ] && [ -f "$confined" ] && { read -r seconds plan wanted <"$confined"; } 2>/dev/null && confine=__PERMISSION__
# A note of an earlier version names no plan.
case $plan in '' | sha256-*) ;; *) wanted="$plan $wanted" plan='' ;; esac
small=''
case " $wanted " in *' small '*) small=small ;; esac
# Policies of one publisher alone share a process, and only where both notes say whose they are.
upper='' more='' others=''
if [ -n "$above" ]; then
  confined=$home/projects/$above/confined
  [ -n "$confine" ] && [ -f "$confined" ] && { read -r more upper others <"$confined"; } 2>/dev/null || confine=''
  case $wanted in by:*) [ "${wanted%% *}" = "${others%% *}" ] || confine='' ;; *) confine='' ;; esac
  case " $others " in *' small '*) ;; *) small='' ;; esac
  [ -n "$more" ] && wanted="$wanted $others" || wanted=''
  seconds=40
fi
# Where no policy of this project looks at results, one is heard of for one thing: whether its call was denied. Its id then stands among
# those of the denied calls, and is in the event, which is one line.
event=$home/projects/$key/event-$$ denied=$home/projects/$key/denied handed=''
# Nothing that the user can write to is in between the agent and what root wants.
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
# What answers the tool calls of one agent, and no more than that, is all that they wait for.
program=$home/bin/hook.cjs
case $confine:$phase:$1 in
  *[!-:a-z]*) ;;
  ?*:pre:?* | ?*:post:?*) [ -f "$home/bin/hook-$1.cjs" ] && [ -r "$home/bin/hook-$1.cjs" ] && program=$home/bin/hook-$1.cjs ;;
esac
set -- "$program" "$@" "$plan" "$about" "${event:--}" ${above:+"$above:$upper"}
[ -z "$system" ] || set -- "$@" '' "$notes"
# What V8 does for programs that run long is not done for one call: no second compiler for WebAssembly, none for functions, bytecode as
# it comes, and none for regular expressions, which are compiled once in place of twice. Its own path is a real one, and it needs nobody's modules. Seconds of the processor below are seconds of the clock at most, as
# long as no other thread collects garbage.
brief='' foretold='' kept=${program%.cjs}.long
if [ -n "$confine" ]; then
  brief='__BRIEF__' kept=${program%.cjs}.brief
  # A sixth of starting Node is to hash its names anew, by a number that nobody knows. By the one that it was built with, which is the same
  # everywhere, names can be made that collide, and a large event of them takes longer to read than the agent waits: it is handed on to a
  # process that hashes anew. Results are large more often than not.
  case $phase:$small in post:*) ;; *:small) foretold=__FORETOLD__ kept=${program%.cjs}.foretold ;; esac
fi
# Where V8 has kept the program's code, this spares it compiling the program. It starts the program without what it cannot use.
if [ -f "$home/bin/__LOADER__" ] && [ -r "$home/bin/__LOADER__" ] && [ -f "$kept" ] && [ -r "$kept" ]; then
  set -- "$home/bin/__LOADER__" "$kept" "$@"
else
  kept=''
fi
# Of what root wants for every user, all that this call is judged by is root's, and so is every folder above it: this looks each time.
are_roots() {
  for at in "$1" "$2"; do
    while [ -n "$at" ]; do
      at=${at%/*}
      set -- "$@" "${at:-/}"
    done
  done
  wanted=$# fit=0 list=$(LC_ALL=C command -p ls -ldn -- "$@" 2>/dev/null)
  # Without a pipe, which would start two more processes.
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

# Ends what no timer can stop before the agent gives up waiting, and lets the call run.
case $seconds in
  [1-9] | [1-3][0-9] | 40) ;;
  *) seconds=40 ;;
esac
{ ulimit -t "$seconds" || ulimit -S -t "$(ulimit -H -t)"; } 2>/dev/null
# All memory, in kilobytes: what V8 is told below bounds its own heap alone.
ulimit -d 1048576 2>/dev/null
# Without the optimizing compiler: what it makes is not ready before the hook has ended, and it costs a quarter of its time.
run() {
  exec $ahead "$node" $foretold $brief __BOUNDS__ $confine "$@" 2>&3 3>&- 6>&-
}
# What is confined says on an output of its own that it has answered, and kills itself. Any other process of the user's could kill it, too:
# a death without that word is no answer. What is not confined could leave children behind that hold the output open.
start() {
  said=''
  if [ -n "$confine" ]; then said=$(run "$@" __WORD__>&1 >&6); else (run "$@"); fi
  ended=$?
}
# What root wants for every user starts its own.
ahead=''
[ -n "$confine" ] && [ -z "$system" ] && [ -d "$home/warm" ] && [ -f "$home/bin/warm" ] && [ -r "$home/bin/warm" ] && . "$home/bin/warm"
# What the shell itself says about a killed child is no reason that a model could use.
exec 3>&2 6>&1
judge() {
  start "$@"
  # A Node of another age than the one that was recorded knows less of V8, or the same by another name, and has read nothing yet.
  if [ $ended -eq 9 ] && [ -n "$brief" ]; then
    brief='' foretold=''
    start "$@"
  fi
  if [ $ended -eq 9 ] && [ -n "$confine" ]; then
    case $confine in --permission) confine=--experimental-permission ;; *) confine=--permission ;; esac
    start "$@"
  fi
  # It has read the beginning of an event that is too large for it, and said that in place of its word, between two signs: of what a shell is
  # told it leaves out line breaks at the end, and no event is to look like the word.
  case $ended:$foretold:$said in
    __HANDED_ON__:?*:+*.)
      foretold=''
      pass_on_all | judge "$@"
      exit
      ;;
  esac
  # Meanwhile another plan came into force, which one process may not be enough for. The event is still to be read.
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
# What was read, and what is still to be read behind it.
pass_on_all() {
  exec 3>&- 6>&-
  LC_ALL=C
  said=${said#+}
  # Some shells have it on the PATH alone.
  command -p printf '%s' "${said%.}"
  command -p cat
}
judge "$@" 2>/dev/null
}
