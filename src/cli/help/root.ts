import { type Drawing, type HelpEntry, section } from "./layout.ts";

interface Group {
  heading: string;
  /** Named by what is typed after `drwn`; `…` stands for the commands below. */
  entries: readonly HelpEntry[];
}

/** What a person does with drwn, in the order in which they meet it. Each entry takes one line of 80 columns. */
const GROUPS: readonly Group[] = [
  {
    heading: "Use cards in a project",
    entries: [
      { name: "init", text: "Set up the current folder: agents, guards, your consent." },
      { name: "search", text: "Find cards by words." },
      { name: "add", text: "Add cards to the project." },
      { name: "card trust", text: "Review the hook policies of cards, and consent to them." },
      { name: "write", text: "Make the project's cards reach the agents." },
      { name: "install", text: "Fetch and verify the cards that the project has locked." },
      { name: "list", text: "List the cards of the project." },
      { name: "update", text: "Lock newer versions of cards." },
      { name: "remove", text: "Take a card out of the project." },
    ],
  },
  {
    heading: "Author cards",
    entries: [
      { name: "card …", text: "Make, edit, publish and compare cards." },
      { name: "key …", text: "Sign your cards, and know who signs those of others." },
    ],
  },
  {
    heading: "Diagnose",
    entries: [
      { name: "status", text: "Say where the project stands, and what to do next." },
      { name: "doctor", text: "Say what is not applied, and why." },
      { name: "why", text: "Say why a card is here, or why a call was denied." },
      { name: "log", text: "Show the calls that the hook judged." },
      { name: "report", text: "Make a page of what your guards did." },
      { name: "allow", text: "Let one denied call through, past one hook." },
      { name: "hook explain", text: "Try the policies in force on one event." },
    ],
  },
  {
    heading: "Manage",
    entries: [
      { name: "trust …", text: "See your consents, and answer what the project asks for." },
      { name: "registry …", text: "Say where your cards come from." },
      { name: "pause", text: "Silence the hook policies of the project for some minutes." },
      { name: "uninstall", text: "Take drwn out of every agent and project on this machine." },
    ],
  },
];

/** The first page. */
export function rootPage(drawing: Drawing): string[] {
  const names = GROUPS.flatMap(({ entries }) => entries);
  return [
    "drwn: the package manager for agent hook policies",
    "",
    `${drawing.style.bold("Usage:")} drwn <command> [arguments] [flags]`,
    ...GROUPS.flatMap(({ heading, entries }) => section(heading, entries, { ...drawing, names })),
    "",
    "`drwn help <command>` says more. Every command takes --json and --help.",
    "`drwn completion <shell>` lets your shell complete commands and names.",
  ];
}
