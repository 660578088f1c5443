import { nodeProcess } from "../../hot/primordials.ts";
import { pin } from "./policy-globals.ts";

/** Methods that Node calls on `process` by looking them up: each would hand the real process to whoever replaced it. */
const EVENTFUL =
  "addListener emit eventNames getMaxListeners listenerCount listeners off on once prependListener prependOnceListener " +
  "rawListeners removeAllListeners removeListener setMaxListeners";

/** What leads from `process` to modules, bindings, other processes, files or an early end. */
const MIGHTY =
  "_debugEnd _debugProcess _getActiveHandles _getActiveRequests _kill _linkedBinding _rawDebug abort binding chdir dlopen " +
  "execve finalization getActiveResourcesInfo getBuiltinModule initgroups kill loadEnvFile mainModule openStdin reallyExit " +
  "report setegid seteuid setgid setgroups setuid stdin umask addUncaughtExceptionCaptureCallback " +
  "setUncaughtExceptionCaptureCallback _startProfilerIdleNotifier _stopProfilerIdleNotifier _tickCallback";

/**
 * Makes the real `process` worthless to whoever comes by it in spite of all: nothing of it can be replaced by a change of its
 * prototypes, and what it could do is gone. The engine has taken what it needs itself. It cannot be undone.
 */
export function disarmProcess(): void {
  for (const name of EVENTFUL.split(" ")) pin(nodeProcess, name, nothing);
  for (const name of MIGHTY.split(" ")) if (name in nodeProcess) pin(nodeProcess, name, undefined);
  // Node asks for it when it ends by itself.
  pin(nodeProcess, "emit", () => false);
}

function nothing(): undefined {}
