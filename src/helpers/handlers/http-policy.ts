import type { LifecycleHook, ToolPolicy } from "../../policy/define.ts";
import { isMapping } from "../is-type.ts";
import { handlerPolicy } from "./handler-policy.ts";
import { callHttp } from "./http.ts";
import { type HandlerTerms, parse } from "./protocols.ts";

export interface HttpPolicyOptions {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
}

const MOST_ANSWER = 65_536;

/**
 * A hook for which a server decides. An answer other than 2xx is a failure, and so is a body that isn't empty or a JSON
 * object.
 */
export function httpPolicy(
  terms: HandlerTerms,
  { url, method, headers }: HttpPolicyOptions,
): LifecycleHook | ToolPolicy {
  return handlerPolicy(terms, async ({ text }) => {
    const end = await callHttp({
      url,
      method,
      headers: { "content-type": "application/json", ...headers },
      body: text,
      timeoutMs: terms.timeoutMs,
      maxBytes: MOST_ANSWER,
    });
    if (end.kind === "failed") throw new Error(`${url} cannot be asked: ${end.reason}`);
    if (end.kind === "timeout") throw new Error(`${url} did not answer within ${terms.timeoutMs} ms`);
    if (end.status < 200 || end.status > 299) throw new Error(`${url} answers with status ${end.status}`);
    return { code: 0, output: readBody(end.body), errors: "" };
  });
}

/** A server has no exit code for a no, so a page from a proxy or a captive portal must not count as a yes. */
function readBody(body: string): string {
  const text = body.trim();
  if (text !== "" && !isMapping(parse(text))) throw new Error("it answers with something that isn't an object");
  return text;
}
