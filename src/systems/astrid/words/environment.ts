/** The variables of the environment that a command may have. */
const PASSED = ["HOME", "USER", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TMP", "TEMP"];
const PATH = "/usr/bin:/bin:/usr/local/bin";

/** Variables that could replace a program or lead it elsewhere: no hook may set them. */
const BLOCKED = new Set(
  (
    "ASTRID_HOME LD_PRELOAD LD_LIBRARY_PATH NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP PERL5LIB RUBYLIB BASH_ENV ENV " +
    "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR OPENSSL_CONF " +
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY ASTRID_SOCKET_PATH ASTRID_SESSION_TOKEN PATH"
  ).split(" "),
);
const BLOCKED_BEGINNINGS = ["LD_", "DYLD_", "NPM_CONFIG_"];

/** Whether a hook's own `env` may not set it: Astrid leaves it out, with a warning. */
export function isBlockedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return PASSED.includes(upper) || BLOCKED.has(upper) || BLOCKED_BEGINNINGS.some((start) => upper.startsWith(start));
}

/**
 * The environment of a command before its event is added: a short list of this machine's variables, then what the hook
 * sets.
 */
export function commandEnvironment(
  machine: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = { PATH };
  for (const name of PASSED) {
    const value = machine[name];
    if (value !== undefined && (name !== "HOME" || isPlainPath(value))) env[name] = value;
  }
  for (const [name, value] of Object.entries(own)) if (!isBlockedVariable(name)) env[name] = value;
  return env;
}

function isPlainPath(path: string): boolean {
  return path.startsWith("/") && !path.split("/").includes("..");
}
