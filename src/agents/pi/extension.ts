/**
 * The part of the extension that is Pi's. Pi doesn't run a call if a handler of `tool_call` throws; an error at any
 * other event changes nothing, so what is to be held there is held by an answer.
 */
export const EXTENSION = `
const textOf = (content) =>
  typeof content === "string" ? content : content.filter(({ type }) => type === "text").map(({ text }) => text).join("\\n");

/** Pi puts a slash into the id of a call that another tool made. */
const idOf = (id) => String(id).replaceAll("/", ".");

/** Tells the person why something isn't done. */
function tellPerson(ctx, text) {
  if (ctx.hasUI) ctx.ui.notify(text, "error");
  else process.stderr.write(text + "\\n");
}

export default function drwn(pi) {
  const session = (ctx) => ({ session_id: ctx.sessionManager.getSessionId() });
  /** What a hook said beside a call that is being made. */
  const beside = new Map();
  let isContinued = false;
  let lastMessage = "";

  pi.on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
    const call = { toolName, toolCallId: idOf(toolCallId), input, cwd: ctx.cwd, sessionId: session(ctx).session_id };
    const { deny, ask, args, context } = readAnswer(await runHook("pre", ctx.cwd, { type: "tool_call", ...call }));
    if (typeof deny === "string") return { block: true, reason: deny };
    if (typeof ask === "string") {
      if (!ctx.hasUI) return { block: true, reason: ask };
      if ((await ctx.ui.confirm("drwn: " + toolName, ask)) !== true) return { block: true, reason: "A person said no: " + ask };
    }
    if (typeof context === "string") beside.set(toolCallId, context);
    if (args === undefined) return;
    // Pi goes on with this very object.
    for (const key of Object.keys(input)) delete input[key];
    Object.assign(input, args);
  });

  pi.on("tool_result", async ({ toolName, toolCallId, input, content, structuredContent, isError }, ctx) => {
    const result = { [isError ? "error" : "output"]: textOf(content) };
    const call = { toolName, toolCallId: idOf(toolCallId), input, ...result };
    // The call cannot be undone: the journal says how the hook ended.
    if (ASKS_AFTER_CALLS) {
      const event = { type: "tool_result", ...call, cwd: ctx.cwd, sessionId: session(ctx).session_id };
      await runHook("post", ctx.cwd, event);
    }
    const name = isError ? "tool_result isError" : "tool_result";
    const told = LIFECYCLE_EVENTS[name] ? await tellOf(name, ctx.cwd, { ...session(ctx), ...call }) : null;
    const texts = [beside.get(toolCallId), told].filter((text) => typeof text === "string");
    beside.delete(toolCallId);
    if (texts.length === 0) return;
    return { content: [...content, ...texts.map((text) => ({ type: "text", text }))], structuredContent };
  });

  pi.on("input", async ({ text }, ctx) => {
    isContinued = false;
    try {
      const context = await askAt("input", ctx.cwd, { ...session(ctx), text });
      if (context !== null) return { action: "transform", text: text + "\\n\\n" + context };
    } catch (error) {
      tellPerson(ctx, error.message);
      return { action: "handled" };
    }
  });

  pi.on("message_end", ({ message }) => {
    if (message.role === "assistant") lastMessage = textOf(message.content);
  });

  pi.on("agent_before_settle", async ({ entries, outcome }, ctx) => {
    if (outcome !== "completed") return;
    const event = { ...session(ctx), lastMessage, stop_hook_active: isContinued };
    // A hook that doesn't work keeps no turn going: it would never end.
    const { deny } = await answerAt("agent_before_settle", ctx.cwd, event).catch(() => ({}));
    if (typeof deny !== "string") return;
    isContinued = true;
    const reason = { type: "custom_message", customType: "drwn", content: deny, display: true };
    return { entries: [...entries, reason], continue: true };
  });

  const triggerOf = (reason) => (reason === "manual" ? "manual" : "auto");

  pi.on("session_before_compact", async ({ reason, customInstructions }, ctx) => {
    const event = { ...session(ctx), trigger: triggerOf(reason), customInstructions };
    try {
      await askAt("session_before_compact", ctx.cwd, event);
    } catch (error) {
      tellPerson(ctx, error.message);
      return { cancel: true };
    }
  });

  if (LIFECYCLE_EVENTS["session_compact"])
    pi.on("session_compact", async ({ reason }, ctx) => {
      await tellOf("session_compact", ctx.cwd, { ...session(ctx), trigger: triggerOf(reason) });
    });

  if (LIFECYCLE_EVENTS["session_start"])
    pi.on("session_start", async ({ reason }, ctx) => {
      const content = await tellOf("session_start", ctx.cwd, { ...session(ctx), reason });
      if (content !== null) pi.sendMessage({ customType: "drwn", content, display: true });
    });

  if (LIFECYCLE_EVENTS["session_shutdown"])
    pi.on("session_shutdown", async ({ reason }, ctx) => {
      await tellOf("session_shutdown", ctx.cwd, { ...session(ctx), reason });
    });
}
`;
