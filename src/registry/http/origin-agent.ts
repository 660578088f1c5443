import type { Connection } from "@npmcli/agent";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { withoutProxy } from "./url.ts";

/**
 * An HTTP agent for npm's libraries that connects to one origin only. The libraries follow redirects by themselves, and
 * take credentials along to another port of the same host, or to http.
 */
export async function makeOriginAgent(origin: string, options: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { default: library } = await import("@npmcli/agent");
  const { protocol, hostname, port } = new URL(origin);
  const isSecure = protocol === "https:";
  const host = hostname.replace(/^\[|\]$/gu, "");
  const expected = `${host}:${port === "" ? (isSecure ? 443 : 80) : port}`;
  class OriginAgent extends library.Agent {
    override async connect(request: unknown, connection: Connection): Promise<unknown> {
      const asked = `${connection.host}:${connection.port}`;
      if (asked === expected && connection.secureEndpoint === isSecure) return super.connect(request, connection);
      throw new Problem("DRWN_URL_REFUSED", `${origin} redirects to another place`, {
        details: [`to: ${clean(asked, 100)}`],
      });
    }
  }
  return new OriginAgent({
    ca: options["ca"],
    proxy: options["httpsProxy"] ?? options["proxy"],
    noProxy: withoutProxy(new URL(origin), options["noProxy"]),
    rejectUnauthorized: options["strictSSL"] !== false,
  });
}
