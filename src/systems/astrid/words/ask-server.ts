import { callHttp } from "../../../helpers/handlers/http.ts";
import { contextJson, renderTemplate } from "./context.ts";
import { type HandlerCall, type HandlerResult, MOST_BYTES, millisecondsOf, readOutput } from "./handler-result.ts";
import type { HttpHandler } from "./hook.ts";
import { parseOutput } from "./result.ts";

const WITH_BODY = ["POST", "PUT", "PATCH"];

/** Sends the event, as JSON unless the hook says otherwise. An answer counts only if its status is a success. */
export async function askServer(handler: HttpHandler, call: HandlerCall): Promise<HandlerResult> {
  const { url, method, bodyTemplate } = handler;
  const { context, previous } = call;
  const sendsBody = WITH_BODY.includes(method);
  const isTyped = Object.keys(handler.headers).some((name) => name.toLowerCase() === "content-type");
  const end = await callHttp({
    url,
    method,
    headers: { ...(sendsBody && !isTyped ? { "Content-Type": "application/json" } : {}), ...handler.headers },
    ...(sendsBody
      ? { body: bodyTemplate === null ? contextJson(context, previous) : renderTemplate(bodyTemplate, context) }
      : {}),
    timeoutMs: millisecondsOf(call),
    maxBytes: MOST_BYTES,
  });
  if (end.kind === "timeout") return { status: "timeout", timeoutSecs: call.timeoutSecs };
  if (end.kind === "failed") return { status: "failure", error: end.reason };
  if (end.status < 200 || end.status > 299) return { status: "failure", error: `it answers with status ${end.status}` };
  return readOutput(() => parseOutput(end.body));
}
