import { Problem } from "../../kernel/problem.ts";
import { showUrl } from "./url.ts";

export interface HttpAnswer {
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array>;
}

interface Bounds {
  url: URL;
  maximumBytes: number;
  /** Ends the connection when too much arrives. */
  controller: AbortController;
}

/** The whole body, decompressed. Refuses one as soon as it is too large, or if it isn't as long as announced. */
export async function readBody(
  { headers, body }: HttpAnswer,
  { url, maximumBytes, controller }: Bounds,
): Promise<Buffer> {
  const announced = headers.get("content-encoding") === null ? headers.get("content-length") : null;
  const tooLarge = (bytes: string) => {
    controller.abort();
    return new Problem("DRWN_DOWNLOAD_TOO_LARGE", `${showUrl(url)} sends ${bytes} bytes`, {
      details: [`at most ${maximumBytes} are read`],
    });
  };
  if (announced !== null && Number(announced) > maximumBytes) throw tooLarge(String(Number(announced)));
  const chunks: Uint8Array[] = [];
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    if (received > maximumBytes) throw tooLarge(`more than ${maximumBytes}`);
    chunks.push(chunk);
  }
  if (announced !== null && Number(announced) !== received) {
    throw new Problem(
      "DRWN_REGISTRY_INVALID",
      `${showUrl(url)} announces ${Number(announced)} bytes and sends ${received}`,
    );
  }
  return Buffer.concat(chunks);
}
