import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { isolationGapsOf } from "../../src/kernel/isolation-gaps.ts";
import { type ArmedHome, armHome, type LiteralPolicy } from "../support/armed-home.ts";
import { checkGenerated } from "../support/generated-page.ts";
import { type NodeBinary, nodeBinaries, PROBED_LINES } from "../support/nodes.ts";
import type { Probe } from "../support/probe.ts";
import { PROBES } from "../support/probes.ts";

const { found, missing } = await nodeBinaries({ majors: PROBED_LINES, mayInstall: false });

const titleOf = (capabilities: readonly string[]): string =>
  capabilities.length === 0 ? "none" : capabilities.join(" ");

/** Tries everything, and tells the model what got through. */
function hostile(capabilities: LiteralPolicy["capabilities"], probes: readonly Probe[]): LiteralPolicy {
  const attempts = probes.map(({ attempt }) => `async (event) => (${attempt})`);
  const policy = `{ async beforeToolCall(event) {
    const through = [];
    for (const [at, attempt] of [${attempts.join(",\n")}].entries()) {
      try { const got = await attempt(event); if (got !== undefined && got !== null && got !== false) through.push(at); } catch {}
    }
    return { action: "allow", additionalContext: ${JSON.stringify(titleOf(capabilities ?? []))} + ":" + through.join() };
  } }`;
  return {
    hook: `hostile-${titleOf(capabilities ?? []).replace(" ", "-")}`,
    policy,
    timeoutMs: 20_000,
    // A file that the engine may read: what quotes the source of an error must not take it from there.
    top: "//# sourceURL=../home/bin/hook",
    ...(capabilities ? { capabilities } : {}),
  };
}

function armAgainst(node: NodeBinary): ArmedHome {
  const policies = PROBES.map(({ capabilities, probes }) => hostile(capabilities, probes));
  return armOn(node, policies);
}

function armOn(node: NodeBinary, policies: readonly LiteralPolicy[]): ArmedHome {
  const armed = armHome(policies, { node: { execPath: node.path, version: node.version } });
  fs.writeFileSync(path.join(armed.world, "outside"), "secret");
  fs.symlinkSync(path.join(armed.world, "outside"), path.join(armed.project, "link"));
  fs.symlinkSync(path.join(armed.world, "outside"), path.join(armed.world, "pointer"));
  return armed;
}

/** By title of capabilities, the names of what got through. */
function gotThrough(armed: ArmedHome): Record<string, string[]> {
  const command = `exec 9<../outside; NODE_OPTIONS= exec '${armed.home}/bin/hook' claude-code pre`;
  const input = JSON.stringify({
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: {},
    cwd: armed.project,
  });
  const { said, stderr } = armed.run(command, { input, env: { SECRET: "s" } });
  const told =
    said?.hookSpecificOutput?.additionalContext ?? said?.hookSpecificOutput?.permissionDecisionReason ?? stderr;
  return Object.fromEntries(
    told.split("\n").map((line) => {
      const [title = "", places = ""] = line.split(":");
      const probes = PROBES.find(({ capabilities }) => titleOf(capabilities) === title)?.probes ?? [];
      const names = places.split(",").filter((place) => place !== "");
      return [title, names.map((place) => probes[Number(place)]?.name ?? line)];
    }),
  );
}

describe.each(found)("on Node $version", (node) => {
  test("a hostile policy gets exactly what the table says", () => {
    const expected = PROBES.map(({ capabilities, probes }) => [
      titleOf(capabilities),
      probes.filter(({ open }) => open?.includes(node.major)).map(({ name }) => name),
    ]);
    expect(gotThrough(armAgainst(node))).toEqual(Object.fromEntries(expected));
  });

  test("the same holds for a policy without capabilities in the hook process itself", () => {
    const none = PROBES.find(({ capabilities }) => capabilities.length === 0)?.probes ?? [];
    expect(gotThrough(armOn(node, [hostile([], none)]))).toEqual({ none: [] });
  });
});

test.each(missing)("Node $major was not tried: $reason", ({ major }) => {
  // The running Node stands for its own line, so that some line is always tried.
  expect(Number.parseInt(process.versions.node, 10)).not.toBe(major);
});

test("what people are told of a Node is what got through on it", () => {
  const probes = PROBES.flatMap(({ probes }) => probes);
  const link = probes.find(({ name }) => name.endsWith("by a link that is in the project"));
  const exists = probes.find(({ name }) => name.endsWith("is there, by `realpathSync`"));
  for (const line of PROBED_LINES) {
    const said = (capability: "env" | "exec" | "fs-read" | "net") =>
      isolationGapsOf([capability], `${line}.0.0`).join("; ");
    expect(said("fs-read").includes("a link in the project"), `Node ${line}`).toBe(link?.open?.includes(line));
    expect(said("fs-read").includes("whether a file is there"), `Node ${line}`).toBe(exists?.open?.includes(line));
    expect(said("env").includes("the network"), `Node ${line}`).toBe(line < 25);
    expect(said("exec")).toContain("anything that you can do");
    expect(said("net")).not.toContain("the network");
  }
  expect(isolationGapsOf([], "20.12.0")).toEqual([]);
});

test.each(found)("the line since which Node $version holds the network is its own", ({ major, path: program }) => {
  const flags = [major < 22 ? "--experimental-permission" : "--permission", "--no-warnings"];
  const script = `require("node:net").connect(9, "127.0.0.1").on("error", (error) => console.log(error.code)).on("connect", () => console.log("open"))`;
  const { stdout, stderr } = spawnSync(program, [...flags, "-e", script], { encoding: "utf8", timeout: 20_000 });
  expect(`${stdout}${stderr}`.includes("ERR_ACCESS_DENIED")).toBe(major >= 25);
});

test("enough is tried", () => {
  expect(PROBES.flatMap(({ probes }) => probes).length).toBeGreaterThanOrEqual(50);
});

test("docs/explanation/isolation.md lists what is open, and how much is held", () => {
  checkGenerated("docs/explanation/isolation.md", lists());
});

/** What is open comes first, with the Nodes on which it is, unless it is on all of them. */
function lists(): string {
  return PROBES.map(({ capabilities, probes }) => {
    const title = capabilities.length === 0 ? "Without capabilities" : `With \`${titleOf(capabilities)}\``;
    const isOpen = ({ open }: (typeof probes)[number]): boolean => open !== undefined && open.length > 0;
    const open = probes.filter(isOpen).map(({ name, open = [] }) => {
      const lines = PROBED_LINES.filter((line) => open.includes(line));
      return lines.length === PROBED_LINES.length ? name : `${name} (Node ${lines.join(", ")})`;
    });
    const held = probes.filter((probe) => !isOpen(probe)).map(({ name }) => name);
    const said = [
      ...(open.length > 0 ? [`**Open**: ${open.join("; ")}.`] : []),
      `Held: ${held.length} ways that the test tries.`,
    ];
    return `### ${title}\n\n${said.join("\n\n")}\n`;
  }).join("\n");
}
