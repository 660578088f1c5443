import fs from "node:fs";
import { layout } from "../contract/layout.ts";
import { packageFile } from "../kernel/package-file.ts";
import { type Change, planFile } from "./changes.ts";
import { renderLauncher } from "./launcher.ts";

/** The launcher and the hook process, put below DRWN_HOME: an agent's session must outlive the folder drwn was installed in. */
export function planProgram(home: string, nodePath: string): Change[] {
  const launcher = renderLauncher(fs.readFileSync(packageFile("templates/launcher.sh"), "utf8"), { nodePath });
  return [
    ...fs
      .readdirSync(packageFile("dist/runtime"))
      .filter((name) => name.endsWith(".cjs"))
      .map((name) =>
        planFile({
          path: layout.hookProgram(home, name),
          after: fs.readFileSync(packageFile(`dist/runtime/${name}`)),
          what: "hook process",
          mode: 0o644,
        }),
      ),
    planFile({ path: layout.launcher(home), after: Buffer.from(launcher), what: "hook launcher", mode: 0o755 }),
  ].filter((change) => change !== undefined);
}
