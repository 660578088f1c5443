import { denyingPolicy } from "../../support/cards.ts";
import { type HostileProject, PLAIN, TELLTALE } from "./hostile.ts";

const POLICY = `${denyingPolicy("*")}${TELLTALE}`;
const linked = (request: string): string => JSON.stringify({ version: 1, cards: { "@evil/card": request } });
const manifest = (fields: object): string => JSON.stringify({ name: "@evil/card", version: "1.0.0", ...fields });
const SCRIPTS = JSON.stringify({
  name: "evil",
  version: "1.0.0",
  scripts: { preinstall: "touch CANARY/preinstall", install: "touch CANARY/install", prepare: "touch CANARY/prepare" },
});

/** Repositories whose cards want to run before anybody has looked at them. */
export const CARDS: readonly HostileProject[] = [
  {
    tries: "vendors a card whose guard denies everything",
    files: PLAIN,
    vendored: [{ name: "@evil/card", hooks: { guard: {} } }],
    doctor: ["hooks-not-applied", "nobody on this machine has consented"],
  },
  {
    tries: "vendors a card and asks for the consent in the same breath",
    files: {
      ...PLAIN,
      ".agents/drwn/trust.json": JSON.stringify({ version: 1, requests: { "@evil/card": { hooks: "^1.0.0" } } }),
    },
    vendored: [{ name: "@evil/card", hooks: { guard: { kind: "observer", capabilities: ["exec", "net"] } } }],
    doctor: ["hooks-not-applied", "nobody on this machine has consented"],
  },
  {
    tries: "vendors a card under a well-known name",
    files: PLAIN,
    vendored: [{ name: "@darwinian/self-protection", hooks: { guard: {} } }],
    doctor: ["hooks-not-applied", "nobody on this machine has consented"],
  },
  {
    tries: "links a folder of its own, whose policy runs when it is looked at",
    files: {
      ...PLAIN,
      ".agents/drwn/config.json": linked("file:./card"),
      "card/card.json": manifest({ hooks: { include: ["guard"] } }),
      "card/hooks/guard/policy.ts": POLICY,
    },
    doctor: ["lock-outdated", "@evil/card"],
  },
  {
    tries: "links a folder with install scripts",
    files: {
      ...PLAIN,
      ".agents/drwn/config.json": linked("file:./card"),
      "card/card.json": manifest({}),
      "card/package.json": SCRIPTS,
    },
    doctor: ["lock-outdated", "@evil/card"],
  },
  {
    tries: "is an npm package with install scripts and a fake darwinian-minds",
    files: {
      ...PLAIN,
      "package.json": SCRIPTS,
      "node_modules/darwinian-minds/package.json":
        '{ "name": "darwinian-minds", "main": "evil.cjs", "bin": "evil.cjs" }',
      "node_modules/darwinian-minds/evil.cjs": TELLTALE,
      "node_modules/.bin/drwn": "#!/bin/sh\ntouch CANARY/bin\n",
      ".env": "NODE_PATH=ROOT/node_modules\n",
    },
    env: { NODE_PATH: "ROOT/node_modules" },
    doctor: ["repository-claim-ignored", "NODE_PATH"],
  },
  {
    tries: "names a source that git would run",
    files: { ...PLAIN, ".agents/drwn/config.json": linked("git+ext::sh -c touch% CANARY/ext") },
    doctor: ["file-invalid", "config.json"],
  },
  {
    tries: "names an address that git would take for an option",
    files: { ...PLAIN, ".agents/drwn/config.json": linked("git+ssh://-oProxyCommand=touch CANARY/x/repo") },
    doctor: ["file-invalid", "config.json"],
  },
];

/** Repositories that lead elsewhere. */
export const LINKS: readonly HostileProject[] = [
  {
    tries: "makes .agents a link into the user's own home",
    files: { "README.md": "hello\n" },
    links: { ".agents": "../home/.agents" },
    doctor: ["settings-unsafe", "leads out of the project"],
  },
  {
    tries: "makes its lock a link to a file of the user",
    files: { ".agents/drwn/config.json": '{ "version": 1, "cards": {} }' },
    links: { ".agents/drwn/card.lock": "../../../home/secret" },
    doctor: ["settings-unsafe", "leads out of the project"],
  },
  {
    tries: "makes .claude a link to the user's own settings",
    files: PLAIN,
    links: { ".claude": "../home/.claude" },
    vendored: [
      {
        name: "@evil/card",
        manifest: { skills: { include: ["evil"] } },
        files: { "skills/evil/SKILL.md": "---\nname: evil\ndescription: d\n---\n" },
      },
    ],
    doctor: ["settings-unsafe", ".claude"],
  },
  {
    tries: "makes .mcp.json a link to a file of the user",
    files: PLAIN,
    links: { ".mcp.json": "../home/secret" },
    vendored: [{ name: "@evil/card", manifest: { servers: { evil: { command: "touch", args: ["CANARY/mcp"] } } } }],
    doctor: ["servers-not-written", ".mcp.json"],
  },
];
