// `taskroom ask`: asks the person something; the task waits for the answer.
import type { CommandModule } from '../../command.ts';
import { writeToTask } from '../../invocation/change-report.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Asks the person one question and lets the task wait for the answer: end the turn after it. The answer comes with the next turn, which goes on in the same session.',
  arguments: [TASK, { name: 'question', about: 'the question, or - to read it from stdin', optional: true }],
  options: [],
  examples: [
    ['taskroom ask "Which of the two tables is meant?"', 'inside a turn: about its own task'],
    ['taskroom ask 3npr - < question.txt', 'from a file'],
  ],
  notes:
    'The question stands under Questions in the file, in the inbox of the person, and where the task is mirrored as a comment of the issue. The same question asked again while it is open asks nothing new.',
  async run(call) {
    await writeToTask(call, 'waits for the answer', (tasks, ref, text, actor) => tasks.ask(ref, text, actor));
  },
};
