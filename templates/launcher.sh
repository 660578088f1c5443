#!/bin/sh
# Written by drwn: an agent's hook entry runs it before and after tool calls.  hook <runtime> <pre|post>, event on stdin.
# It looks for a project that its user has consented to something in, and ends at once when there is none. Only builtins
# until then. It knows its own place: the environment cannot point it elsewhere.

home=${0%/bin/hook}
runtime=$1
phase=${2:-pre}

# A hook that cannot do its work blocks the call; after a call there is nothing left to block.
block() {
  printf 'drwn: %s\n' "$1" >&2
  [ "$phase" = post ] && exit 0
  exit 2
}

# Sets `marker` to the nearest one at or above $1, below roots$2.
find_marker() {
  at=$1
  [ "$at" = / ] && at=
  while :; do
    marker=$home/roots$2$at/.drwn-project
    [ -f "$marker" ] && return 0
    [ -z "$at" ] && return 1
    at=${at%/*}
  done
}

# Sets `common` to the git common directory of the work tree around $1, and `inside` to the place of $1 in that tree.
find_git() {
  top=$1
  [ "$top" = / ] && top=
  inside=
  while [ ! -e "$top/.git" ]; do
    [ -z "$top" ] && return 1
    inside=/${top##*/}$inside
    top=${top%/*}
  done
  common=$top/.git
  if [ -f "$common" ]; then
    IFS= read -r line <"$common" || return 1
    common=${line#gitdir: }
    case $common in /*) ;; *) common=$top/$common ;; esac
    if [ -f "$common/commondir" ]; then
      IFS= read -r line <"$common/commondir" || return 1
      case $line in /*) common=$line ;; *) common=$common/$line ;; esac
    fi
  fi
  cd -P -- "$common" 2>/dev/null || return 1
  common=$PWD
}

session=${CLAUDE_PROJECT_DIR:-$PWD}
[ -d "$session" ] && cd -P -- "$session" 2>/dev/null && session=$PWD
if ! find_marker "$session" ''; then
  find_git "$session" || exit 0
  find_marker "$inside" "$common" || exit 0
  cd -P -- "$session" 2>/dev/null
fi

IFS= read -r key <"$marker"
case $key in
'' | *[!0-9a-f]*) block 'the project marker is damaged; run: drwn write' ;;
esac
[ -r "$home/bin/hook.cjs" ] || block 'the hook process is missing; run: drwn write'

node=__NODE__
[ -x "$node" ] || node=$(command -v node) || block 'node is gone from where it was; run: drwn write'

# What could make node load, run, print or write something that is not drwn's.
unset NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_REPL_EXTERNAL_MODULE NODE_DEBUG \
  NODE_DEBUG_NATIVE NODE_REDIRECT_WARNINGS NODE_ICU_DATA NODE_PENDING_DEPRECATION NODE_PRESERVE_SYMLINKS \
  NODE_PRESERVE_SYMLINKS_MAIN NODE_CHANNEL_FD NODE_UNIQUE_ID OPENSSL_CONF OPENSSL_MODULES
# Processor seconds: a loop that no timer can cut ends before the agent's own patience does. No core files.
ulimit -t 55 2>/dev/null
ulimit -c 0 2>/dev/null

"$node" --max-old-space-size=256 "$home/bin/hook.cjs" "$runtime" "$phase" "$key" "$home"
status=$?
case $status in
0 | 2) exit $status ;;
esac
block "the hook process died with status $status"
