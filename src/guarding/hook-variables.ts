/**
 * Whether a variable can decide what a hook does before its first line: what the system loads, what a shell reads, runs
 * or prints first, or where it finds its programs. Every name that a loader, a C library, a shell or Node heeds counts,
 * whole families where there are some, since each release adds names; except those that the launcher takes away or that
 * were found to change nothing.
 */
export function decidesHooks(name: string): boolean {
  return isHeeded(name) && !isWithoutEffect(name);
}

const FAMILIES =
  /^(?:LD|DYLD|GLIBC|GCONV|MALLOC|RESOLV|RES|BASH|ZSH|KSH|MKSH|ASH|YASH|DRWN|NODE|NAPI|UV|OPENSSL|SSL|ICU|LC)(?:_|$|\d)|^PS\d?$|^(?:BASH|__BASH_FUNC)|^(?:SHELL|HIST|TMP|ZDOT)[A-Z]*$/u;

const NAMES = new Set(
  `ARGV0 CDPATH COMSPEC DIRSTACK ENV EXECIGNORE FCEDIT FIGNORE FPATH FUNCNEST GETCONF_DIR GLOBIGNORE HOME HOSTALIASES IFS IGNOREEOF
  INPUTRC KEYTIMEOUT LANG LANGUAGE LOCALDOMAIN LOCPATH LOGNAME MODULE_PATH NIS_PATH NLSPATH NULLCMD OLDPWD OPTERR OPTIND PATH POSIXLY_CORRECT
  PROMPT PROMPT4 PROMPT_COMMAND PWD READNULLCMD SSLKEYLOGFILE STTY TIMEFMT TMOUT TZ TZDIR USER WATCH_REPORT_DEPENDENCIES`.split(
    /\s+/u,
  ),
);

function isHeeded(name: string): boolean {
  return FAMILIES.test(name) || NAMES.has(name);
}

/** The variables of Node and its libraries that the launcher takes away before it starts Node. */
export const UNSET_BY_LAUNCHER = new Set(
  `NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_USE_SYSTEM_CA NODE_USE_ENV_PROXY NODE_CHANNEL_FD
  NODE_CHANNEL_SERIALIZATION_MODE NODE_UNIQUE_ID NODE_TEST_CONTEXT NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_COMPILE_CACHE_PORTABLE
  NODE_DISABLE_COMPILE_CACHE NODE_DEBUG NODE_DEBUG_NATIVE NODE_ICU_DATA NODE_REDIRECT_WARNINGS NODE_PENDING_DEPRECATION
  NODE_PENDING_PIPE_INSTANCES NODE_NO_WARNINGS NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN NODE_REPL_EXTERNAL_MODULE
  NODE_REPL_HISTORY NODE_SKIP_PLATFORM_CHECK WATCH_REPORT_DEPENDENCIES OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES
  SSLKEYLOGFILE UV_THREADPOOL_SIZE UV_USE_IO_URING`.split(/\s+/u),
);

/**
 * Languages, time zones and NODE_ENV change nothing in what the hook says, the hook doesn't read drwn's own variables,
 * and shells read ENV only when they are interactive.
 */
const WITHOUT_EFFECT = /^(?:ENV|LANG|LANGUAGE|LC_[A-Z]+|TZ|USER|LOGNAME|NODE_ENV|DRWN_[A-Z_]+|TMPDIR|TMP|SHLVL)$/u;

function isWithoutEffect(name: string): boolean {
  return UNSET_BY_LAUNCHER.has(name) || WITHOUT_EFFECT.test(name);
}
