import { CARD_LIMITS } from "../card/files.ts";
import { parseCardName } from "../card/name.ts";
import { compareVersions, parseVersion } from "../card/version.ts";
import { Problem } from "../kernel/problem.ts";
import { blobName, parseVersionList, VERSION_LIST } from "./folder-index.ts";
import type { Http } from "./http/http.ts";
import { parseBaseUrl } from "./http/url.ts";
import { type PublishedVersion, type Registry, requirePublished } from "./registry.ts";

const LIST_BYTES = 32 * 1024 * 1024;

/**
 * A folder registry behind a web server. drwn reads the lists that the folder keeps of its cards, since a web server
 * doesn't say what is in a folder.
 */
export function openStaticRegistry(url: string, http: Http): Registry {
  const base = parseBaseUrl(url);
  const versions = async (name: string): Promise<PublishedVersion[]> => {
    const from = `${base}cards/${parseCardName(name)}/${VERSION_LIST}`;
    const bytes = await http.get(from, { maximumBytes: LIST_BYTES, accept: "application/json" });
    const listed = bytes === undefined ? [] : parseVersionList(bytes, { from, name, maximumBytes: LIST_BYTES });
    return listed.sort((left, right) => compareVersions(left.version, right.version));
  };
  return {
    id: `static:${base}`,
    versions,
    fetch: async (name, version) => {
      parseVersion(version);
      const published = (await versions(name)).find((known) => known.version === version);
      if (published === undefined) throw new Problem("DRWN_VERSION_NOT_FOUND", `${base} has no ${name}@${version}`);
      return fetchBlob(http, base, published);
    },
    publish: () =>
      Promise.reject(
        new Problem("DRWN_REGISTRY_UNABLE", `${base} is read-only`, {
          hint: "publish to the folder that the web server hands out",
        }),
      ),
  };
}

async function fetchBlob(http: Http, base: string, published: PublishedVersion): Promise<Buffer> {
  const url = `${base}blobs/${blobName(published.integrity)}`;
  const bytes = await http.get(url, { maximumBytes: CARD_LIMITS.tarballBytes });
  return requirePublished({ published, bytes, place: url });
}
