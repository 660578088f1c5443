import { readExpansionsIn } from "./expansions.ts";
import { type ReadCommand, type Redirection, type Scan, take, UnreadableCommand } from "./scan.ts";
import { readWord } from "./word.ts";

const DESCRIPTOR = /\d+|\{[A-Za-z_]\w*\}/y;
const OPERATOR = /&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||<|>/y;

export function readRedirection(scan: Scan, command: ReadCommand): void {
  const descriptor = take(scan, DESCRIPTOR);
  const operator = take(scan, OPERATOR) ?? "";
  take(scan, /(?:[ \t]|\\\n)*/y);
  const { value, source } = readWord(scan, false);
  if (source === "") throw new UnreadableCommand("a redirection leads nowhere");
  const redirection: Redirection = { operator, target: value, ...(descriptor === null ? {} : { descriptor }) };
  command.redirections.push(redirection);
  if (operator === "<<" || operator === "<<-") {
    scan.heredocs.push({ redirection, isLiteral: /['"\\]/u.test(source), stripsTabs: operator === "<<-" });
  }
}

/** Reads the lines that `<<` announced. Without a delimiter they end with the text, as in a shell. */
export function readHeredocs(scan: Scan): void {
  const announced = scan.heredocs;
  scan.heredocs = [];
  for (const { redirection, isLiteral, stripsTabs } of announced) {
    let body = "";
    while (scan.at < scan.text.length) {
      const written = take(scan, /[^\n]*/y) ?? "";
      scan.at++;
      const line = stripsTabs ? written.replace(/^\t+/u, "") : written;
      if (line === redirection.target) break;
      body += `${line}\n`;
    }
    redirection.body = body;
    if (!isLiteral) readExpansionsIn(scan, body);
  }
}
