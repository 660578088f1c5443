import { clean } from "../kernel/text.ts";
import type { EndedLoss, LostAnswer } from "../operations/machine/lost-home.ts";
import type { CommandAnswer } from "./command.ts";
import { renderGuarding } from "./render/guarding.ts";
import { EXIT } from "./terminal/console.ts";

/** Outside of every project this is the whole answer. */
export function answerLost({ guarding }: LostAnswer, exitCode: number): CommandAnswer {
  return {
    json: { guarding },
    exitCode,
    print: (console) => {
      for (const line of renderGuarding(guarding, console)) console.out(line);
    },
  };
}

/** What became of agents that asked a hook that is gone. */
export function describeEndedLoss({ files, madeAnew }: EndedLoss): string[] {
  return [
    ...(madeAnew === null ? [] : [`Restored the hook in ${clean(madeAnew, 1000)}: agents called it, and it was gone`]),
    ...files.map(
      (file) =>
        `Took drwn's entry out of ${clean(file, 1000)}: it called a hook that is gone, and blocked every tool call`,
    ),
  ];
}

export function answerLoss(loss: EndedLoss): CommandAnswer {
  return {
    json: { lostHome: { files: loss.files, madeAnew: loss.madeAnew } },
    print: ({ out, talk }) => {
      for (const line of describeEndedLoss(loss)) out(line);
      if (loss.madeAnew === null) talk("Nobody on this machine has consented to hook policies, so no call is judged");
    },
    exitCode: EXIT.done,
  };
}
