/** The page's whole style. The page's policy contains its digest. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1a2230; --muted: #596375; --line: #dde1e8; --code: #eef1f5;
  --allow: #8fa3bf; --ask: #c77700; --deny: #c62f3b; --fail: #7a4fb5; --good: #1f7a45; --accent: #2a5bd7;
  --denyback: #fdecee; --askback: #fff5e3; --goodback: #e7f6ec; --denytext: #9d1c28; --asktext: #7d4a00; --goodtext: #155c33;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10141b; --card: #181e28; --text: #e6eaf1; --muted: #9aa6b8; --line: #2c3543; --code: #222a37;
    --allow: #5c7396; --ask: #e69f35; --deny: #f0616d; --fail: #ab85e6; --good: #4fbf7c; --accent: #86aaff;
    --denyback: #3a1b21; --askback: #352814; --goodback: #16301f; --denytext: #ff9aa3; --asktext: #f5c272; --goodtext: #86dca6;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem); }
header { padding-top: clamp(1.5rem, 4vw, 3rem); }
footer { padding-top: 1rem; padding-bottom: 3rem; color: var(--muted); font-size: .875rem; }
h1 { font-size: clamp(1.5rem, 4vw, 2.1rem); line-height: 1.2; margin: 0 0 .35rem; letter-spacing: -.02em; }
h2 { font-size: 1.2rem; margin: 0 0 .25rem; letter-spacing: -.01em; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
p { margin: .25rem 0 .75rem; }
.lead, .note { color: var(--muted); }
.note { font-size: .9rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; margin: 1rem 0 1.5rem; }
nav a { display: block; padding: .2rem .8rem; border: 1px solid var(--line); border-radius: 999px; background: var(--card); text-decoration: none; font-size: .9rem; }
nav a:hover { border-color: var(--accent); }
nav a.alert { border-color: var(--deny); color: var(--denytext); font-weight: 600; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: clamp(1rem, 3vw, 1.75rem); margin: 0 0 1.25rem; }
section.alert { border-color: var(--deny); border-left-width: 6px; background: var(--denyback); }
section.alert h2 { color: var(--denytext); }
code { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; background: var(--code); border-radius: 5px; padding: .1em .35em; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 0 0 1.25rem; padding: 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: .9rem 1.1rem; }
.tiles dt { color: var(--muted); font-size: .875rem; }
.tiles dd { margin: 0; font-size: 1.75rem; font-weight: 650; letter-spacing: -.02em; font-variant-numeric: tabular-nums; line-height: 1.25; }
.tiles .deny dd { color: var(--denytext); } .tiles .ask dd { color: var(--asktext); }
.tiles small { display: block; font-size: .8rem; font-weight: 400; letter-spacing: 0; color: var(--muted); }
.wide { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-size: .85rem; font-weight: 600; color: var(--muted); }
tbody th { font-weight: 400; color: inherit; font-size: 1rem; }
tr:last-child > * { border-bottom: 0; }
.num { text-align: right; padding-right: .25rem; padding-left: .75rem; white-space: nowrap; }
.num + :not(.num) { padding-left: 1.75rem; }
section > :last-child { margin-bottom: 0; padding-bottom: 0; }
figure { margin: 1rem 0 0; }
figure svg { display: block; width: 100%; height: auto; }
svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
.narrow { display: none; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: .5rem 0 0; font-size: .9rem; color: var(--muted); }
.legend li::before { content: ""; display: inline-block; width: .75em; height: .75em; border-radius: 3px; margin-right: .45em; background: var(--allow); }
.legend .ask::before { background: var(--ask); } .legend .deny::before { background: var(--deny); } .legend .fail::before { background: var(--fail); }
details { border-top: 1px solid var(--line); }
details:first-of-type { margin-top: .75rem; }
summary { cursor: pointer; padding: .6rem 0; display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "▸"; content: "▸" / ""; color: var(--muted); width: .9em; flex: none; }
details[open] > summary::before { content: "▾"; content: "▾" / ""; }
summary .what { flex: 1 1 14rem; min-width: 0; overflow-wrap: anywhere; }
.tag { display: inline-block; border-radius: 999px; padding: .05rem .65rem; font-size: .84rem; font-weight: 600; white-space: nowrap; background: var(--code); color: var(--text); }
.tag.deny { background: var(--denyback); color: var(--denytext); } .tag.ask { background: var(--askback); color: var(--asktext); } .tag.good { background: var(--goodback); color: var(--goodtext); }
.alert .tag.deny { background: var(--card); }
ul.calls, ul.plain { list-style: none; margin: 0; padding: 0; }
ul.calls { padding: 0; }
details > ul.calls { padding: 0 0 .75rem 1.5rem; }
.calls li { padding: .55rem 0; border-top: 1px dashed var(--line); font-size: .93rem; overflow-wrap: anywhere; }
.calls li:first-child { border-top: 0; }
.calls .meta { color: var(--muted); font-size: .86rem; display: flex; flex-wrap: wrap; gap: 0 .9rem; }
.alert .meta, .alert .note { color: var(--text); }
.plain li { padding: .4rem 0; overflow-wrap: anywhere; }
.plain.steps li { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; border-top: 1px solid var(--line); }
.plain.steps li:first-child { border-top: 0; }
@media (max-width: 40rem) {
  .wide-chart { display: none !important; } .narrow { display: block !important; }
  .tiles { grid-template-columns: repeat(2, 1fr); }
  .tiles div:last-child:nth-child(odd) { grid-column: span 2; }
  details > ul.calls { padding-left: .25rem; }
  table.stack thead { position: absolute; left: -9999px; }
  table.stack tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  table.stack tr:last-child { border-bottom: 0; }
  table.stack th, table.stack td { display: block; border: 0; padding: .05rem 0; text-align: left; white-space: normal; }
  table.stack td[data-name]::before { content: attr(data-name) " "; color: var(--muted); font-size: .86rem; }
  table.stack .num + :not(.num) { padding-left: 0; }
  table.stack .num { display: inline-block; margin-right: 1rem; }
}
@media print {
  :root {
    color-scheme: light;
    --page: #fff; --card: #fff; --text: #000; --muted: #444; --line: #ccc; --code: #f2f2f2; --accent: #000;
    --allow: #9aa9bd; --ask: #b36b00; --deny: #b3202c; --fail: #6a42a0; --denyback: #fff; --askback: #fff; --goodback: #fff;
    --denytext: #9d1c28; --asktext: #7d4a00; --goodtext: #155c33;
  }
  body { font-size: 10.5pt; }
  nav, .skip { display: none; }
  section, .tiles div { border-color: #bbb; }
  section { break-inside: auto; } summary, .calls li, tr, figure { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
