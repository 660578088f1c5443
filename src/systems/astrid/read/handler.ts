import { validateHeaderName, validateHeaderValue } from "node:http";
import { type CommandHandler, DEFAULTS, type HookHandler, type HttpHandler, type WasmHandler } from "../words/hook.ts";
import type { TableReader } from "./table.ts";

/** Undefined: there is none, or it is noted as faulty. */
export function readHandler(fields: TableReader): HookHandler | undefined {
  const table = fields.table("handler");
  if (table === undefined) {
    if (fields.faults.every(({ field }) => field !== "handler")) fields.refuse("handler", "is missing");
    return undefined;
  }
  const type = table.requiredOneOf("type", ["command", "http", "wasm"]);
  if (type === "command") return readCommand(table);
  if (type === "http") return readHttp(table);
  return type === "wasm" ? readWasm(table) : undefined;
}

function readCommand(table: TableReader): CommandHandler {
  table.allowOnly(["type", "command", "args", "env", "working_dir"]);
  return {
    type: "command",
    command: table.requiredText("command"),
    args: table.texts("args") ?? [],
    env: table.textTable("env") ?? {},
    workingDir: table.text("working_dir") ?? null,
  };
}

function readHttp(table: TableReader): HttpHandler {
  table.allowOnly(["type", "url", "method", "headers", "body_template"]);
  const method = table.text("method") ?? DEFAULTS.method;
  const headers = table.textTable("headers") ?? {};
  if (!/^[A-Za-z]+$/u.test(method)) table.refuse("method", "isn't an HTTP method");
  for (const [name, value] of Object.entries(headers)) checkHeader(table, name, value);
  return {
    type: "http",
    url: readUrl(table),
    method,
    headers,
    bodyTemplate: table.text("body_template") ?? null,
  };
}

function readUrl(table: TableReader): string {
  const url = table.requiredText("url");
  if (url !== "" && !/^https?:\/\//u.test(url)) table.refuse("url", "should begin with http:// or https://");
  else if (url !== "" && !URL.canParse(url)) table.refuse("url", "isn't a URL");
  return url;
}

function checkHeader(table: TableReader, name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    table.refuse(`headers.${name}`, "isn't an HTTP header");
  }
}

function readWasm(table: TableReader): WasmHandler {
  table.allowOnly(["type", "module_path", "function"]);
  return {
    type: "wasm",
    modulePath: table.requiredText("module_path"),
    function: table.text("function") ?? DEFAULTS.function,
  };
}
