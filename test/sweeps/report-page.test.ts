import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderPage } from "../../src/cli/render/report/page.ts";
import { makeReport } from "../../src/operations/report/report.ts";
import { findChromium, startBrowser } from "../support/browser.ts";
import { temporaryFolder } from "../support/cards.ts";
import { projectToReport, replayToShow } from "../support/reported-past.ts";

const chromium = findChromium();
const WINDOWS = [
  [360, "light"],
  [820, "dark"],
  [1440, "light"],
] as const;
/** With DRWN_SCREENSHOTS=1 the test takes the pictures in the docs again. */
const pictures = path.resolve(import.meta.dirname, "../../docs/images");

describe.skipIf(chromium === null)(
  "the page of `drwn report`, in a browser (skipped where there is no Chromium)",
  () => {
    let browser: Browser;

    beforeAll(async () => {
      browser = await startBrowser(chromium ?? "");
    });

    afterAll(() => browser?.close());

    test("has no fault at any width, light, dark or printed, by keyboard, and loads nothing", async () => {
      const host = await projectToReport();
      const report = await makeReport(host, { since: "7d", isEverywhere: false });
      const waiting = [{ project: "~/my-project", command: "drwn card trust @me/waiting" }];
      const file = path.join(temporaryFolder(), "report.html");
      fs.writeFileSync(
        file,
        renderPage({ report, replay: replayToShow(), waiting }).replaceAll(host.cwd, "~/my-project"),
      );
      const found: unknown[] = [];
      for (const [width, scheme] of WINDOWS) {
        const page = await browser.newPage({
          viewport: { width, height: 900 },
          colorScheme: scheme,
        });
        const heard = listenTo(page);
        await page.goto(pathToFileURL(file).href);
        if (process.env["DRWN_SCREENSHOTS"] === "1") await picture(page, width);
        // The test looks at everything in what is open.
        await page.locator("summary").first().focus();
        await page.keyboard.press("Enter");
        const isOpen = await page.locator("details").first().getAttribute("open");
        const isWide = await page.evaluate(
          "document.documentElement.scrollWidth > document.documentElement.clientWidth",
        );
        found.push(...heard, ...(await violations(browser, file, { width, scheme })));
        if (isWide) found.push(`wider than ${width}`);
        if (isOpen === null) found.push("the keyboard opens nothing");
        await page.emulateMedia({ media: "print" });
        if (!(await page.locator(".calls li").last().isVisible())) found.push("printed, the calls are hidden");
        await page.close();
      }
      expect(found).toEqual([]);
    });

    test("stays small and opens, whatever the journal holds: of a million calls, too", async () => {
      // Most of the calls that are made up for the night are left out.
      const host = await projectToReport(1_500_000);
      const report = await makeReport(host, { since: "7d", isEverywhere: false });
      const text = renderPage({ report, replay: null, waiting: [] });
      expect(report.figures.calls).toBeGreaterThan(1_000_000);
      const file = path.join(temporaryFolder(), "report.html");
      fs.writeFileSync(file, text);
      const page = await browser.newPage();
      await page.goto(pathToFileURL(file).href);
      expect(await page.locator("h1").textContent()).toBe("What your guards did");
      expect(Buffer.byteLength(text)).toBeLessThan(5 * 1024 * 1024);
      await page.close();
    });
  },
);

/** Everything that a console would show, and every request except the one for the page. */
function listenTo(page: Page): string[] {
  const heard: string[] = [];
  page.on("console", (message) => heard.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => heard.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.isNavigationRequest()) heard.push(`request: ${request.url()}`);
  });
  return heard;
}

/** Axe is a program, which the page's policy doesn't let run, so it looks at a page of its own. */
async function violations(
  browser: Browser,
  file: string,
  { width, scheme }: { width: number; scheme: "light" | "dark" },
): Promise<string[]> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme, bypassCSP: true });
  await page.goto(pathToFileURL(file).href);
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  await page.addScriptTag({ content: axe.source });
  const all = await page.evaluate("axe.run()");
  await page.close();
  const { violations: found } = all as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.map(
    ({ id, nodes: [first] }) => `axe ${width} ${scheme}: ${id}: ${first?.html.slice(0, 200)} ${first?.failureSummary}`,
  );
}

async function picture(page: Page, width: number): Promise<void> {
  fs.mkdirSync(pictures, { recursive: true });
  const name = `report-${width}.png`;
  const height = width === 360 ? 1_400 : 1_800;
  await page.setViewportSize({ width, height });
  await page.screenshot({ path: path.join(pictures, name) });
}
