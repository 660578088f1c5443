import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { flows, mentions, oneOf, programCallOf, projectOf, type Step } from "darwinian-minds/hook-policy/helpers";
import { showsFolder } from "../../folders.ts";
import { holdsSecret } from "../../sources.ts";

/** People deploy with these. */
const COPIERS = oneOf("rsync scp sftp ssh rclone aws gsutil gcloud az docker podman git");
const INSTEAD = "Leave the secret out, or let a person send it";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|WebFetch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (event.toolName === "WebFetch")
      return TOKEN_IN_URL().test(JSON.stringify(event.input ?? ""))
        ? { action: "deny", reason: `The address of this call has a token in it. ${INSTEAD}` }
        : undefined;
    if (
      !mentions(
        event,
        /curl|wget|http|nc\b|ncat|netcat|socat|telnet|ssh|scp|sftp|ftp|rsync|rclone|mail|dig|nslookup|host|ping|aws|gsutil|gcloud|az\b|gh\b|\/dev\/tcp|\/dev\/udp|socket|urlopen|requests|fetch|openssl|s3cmd|croc|wormhole|git|xh\b|upload|publish|send|share|put\b|paste|attach|transfer|post|file\.io/i,
      )
    )
      return undefined;
    const sent = flows(event).filter(({ to }) => to === "network");
    const flow = sent.find(({ from }) => holdsSecret(from));
    const whole = sent.find(
      (one) => !COPIERS(one.step?.program ?? "") && !staysHere(one.step) && showsFolder(one, projectOf(event)),
    );
    if (flow === undefined && whole !== undefined)
      return {
        action: "ask",
        reason: `${whole.step?.program} would send all that lies in ${whole.from.written} to another machine, a .env, too. Name what is meant, or exclude .env*`,
        irreversible: true,
      };
    if (flow === undefined) return undefined;
    const by = flow.step?.program ?? event.toolName;
    return {
      action: "deny",
      reason: `${by} would send ${flow.from.written} to another machine, and it holds a secret. ${INSTEAD}`,
    };
  },
});

const HERE = () => /^(?:https?:\/\/)?(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:[/?#]|$)/i;

/** Whether all addresses of a command are of this machine. */
function staysHere(step: Step | undefined): boolean {
  const where = step === undefined ? [] : programCallOf(step).where;
  return where.length > 0 && where.every((one) => HERE().test(one));
}

const TOKEN_IN_URL = () => /[?&][^"]*(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}|sk-[A-Za-z0-9-]{24,}|xox[abprs]-)/;
