import { nodeProcess } from "../../hot/primordials.ts";
import { pin } from "./policy-globals.ts";

/** Methods that Node looks up on `process` to call them: each would hand the real process to code that replaced it. */
const EVENTFUL =
  "addListener emit eventNames getMaxListeners listenerCount listeners off on once prependListener prependOnceListener " +
  "rawListeners removeAllListeners removeListener setMaxListeners";

/** Properties that lead from `process` to modules, bindings, other processes, files or an early end. */
const MIGHTY =
  "_debugEnd _debugProcess _getActiveHandles _getActiveRequests _kill _linkedBinding _rawDebug abort binding chdir dlopen " +
  "execve finalization getActiveResourcesInfo getBuiltinModule initgroups kill loadEnvFile mainModule openStdin reallyExit " +
  "report setegid seteuid setgid setgroups setuid stdin umask addUncaughtExceptionCaptureCallback " +
  "setUncaughtExceptionCaptureCallback _startProfilerIdleNotifier _stopProfilerIdleNotifier _tickCallback";

/**
 * Makes the real `process` useless to code that reaches it in spite of everything: changing its prototypes replaces
 * nothing, and its powers are gone. The engine has already taken what it needs. It cannot be undone.
 */
export function neutralizeProcess(): void {
  for (const name of EVENTFUL.split(" ")) pin(nodeProcess, name, nothing);
  for (const name of MIGHTY.split(" ")) if (name in nodeProcess) pin(nodeProcess, name, undefined);
  // Node calls it when the process ends by itself.
  pin(nodeProcess, "emit", () => false);
}

function nothing(): undefined {}
