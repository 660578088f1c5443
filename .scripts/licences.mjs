// Writes dist/THIRD-PARTY-LICENSES: each package of other people whose code is in dist/, with the text of its licence.
import fs from "node:fs";
import path from "node:path";

/**
 * @param {string} root of the repository
 * @param {import("esbuild").Metafile[]} metafiles of everything that was bundled
 */
export function writeLicences(root, metafiles) {
  const packages = [...new Set(metafiles.flatMap(bundledFolders))].map((folder) => readPackage(root, folder));
  // Most licences differ only in who has the copyright.
  const byWords = new Map();
  for (const { id, terms } of packages) {
    const holders = terms.match(COPYRIGHT) ?? [];
    const words = terms.replace(COPYRIGHT, "").trim();
    // The same words with other line breaks are the same licence.
    const key = words.replaceAll(/\s+/gu, " ");
    const known = byWords.get(key) ?? { words, packages: [] };
    known.packages.push([id, ...holders.map((line) => `  ${line.trim()}`)].join("\n"));
    byWords.set(key, known);
  }
  const sections = [...byWords.values()].map((section) => ({ ...section, packages: section.packages.sort() }));
  sections.sort((left, right) => (left.packages[0] < right.packages[0] ? -1 : 1));
  const text = [
    "drwn is licensed under Apache-2.0. The files of dist/ contain code of these packages, each under its own licence.",
    ...sections.map((section) => `${"-".repeat(80)}\n${section.packages.join("\n")}\n\n${section.words}`),
  ].join("\n\n");
  fs.writeFileSync(path.join(root, "dist/THIRD-PARTY-LICENSES"), `${text}\n`);
}

const COPYRIGHT = /^[ \t]*(?:Copyright|©)(?! \[yyyy\]| notice).*$/gmu;

/** The folders of the packages that have code in an output. */
function bundledFolders({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => {
      const [, folder] = /^(?:.*?:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(file) ?? [];
      return folder === undefined || bytesInOutput === 0 ? [] : [folder];
    }),
  );
}

function readPackage(root, at) {
  const folder = path.join(root, at);
  const { name, version, license, author } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  // A package may have a folder with the licences of what it contains.
  const files = fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => /^(?:licen[cs]e|copying|notice)/iu.test(entry.name))
    .flatMap((entry) =>
      entry.isDirectory()
        ? fs.readdirSync(path.join(folder, entry.name)).map((file) => path.join(entry.name, file))
        : [entry.name],
    );
  const texts = files
    .sort()
    .map((file) => fs.readFileSync(path.join(folder, file), "utf8").trim().replaceAll("\r\n", "\n"));
  const id = `${name}@${version} (${license})`;
  if (texts.length > 0) return { id, terms: texts.join("\n\n") };
  return { id, terms: termsOf(root, { id, license, holder: typeof author === "string" ? author : author?.name }) };
}

/** The terms of a package that names its licence but doesn't include its text. */
function termsOf(root, { id, license, holder }) {
  const copyright = `Copyright (c) ${holder ?? "its authors"}`;
  if (license === "Apache-2.0") return `${copyright}\n\n${fs.readFileSync(path.join(root, "LICENSE"), "utf8").trim()}`;
  const words = WORDS[license];
  if (words === undefined)
    throw new Error(`${id} doesn't include the text of its licence, and neither does .scripts/licences.mjs`);
  return `${copyright}\n\n${words}`;
}

const DISCLAIMER = `THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const WORDS = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

${DISCLAIMER}`,
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby
granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.`,
};
