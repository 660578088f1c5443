/** Other agents have a `type`; Gemini CLI has a field for each way to reach a server. */
export function toGeminiServers(servers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, toGemini(server)]));
}

function toGemini(server: unknown): unknown {
  if (typeof server !== "object" || server === null) return server;
  const { type, url, ...rest } = server as Record<string, unknown>;
  if (url === undefined) return rest;
  return { ...(type === "sse" ? { url } : { httpUrl: url }), ...rest };
}
