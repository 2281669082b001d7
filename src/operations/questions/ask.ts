import { questionChanged } from '../../tasks/shapes/change.ts';
import { ownKey } from '../../tasks/task-room.ts';
import { operation, optional, ref, text } from '../operation.ts';

export const ask = operation({
  summary: 'ask the person, and wait for the answer',
  about:
    'Asks the person one question and lets the task wait for the answer: end the turn after it. The answer comes with the next turn, which goes on in the same session.',
  needs: 'write',
  cli: {
    words: ['ref', 'question'],
    stdin: ['question'],
    examples: {
      'taskroom ask "Which of the two tables is meant?"': 'inside a turn: about its own task',
      'taskroom ask 3npr - < question.txt': 'from a file',
    },
    notes:
      'The question stands under Questions in the file, in the inbox of the person, and where the task is mirrored as a comment of the issue. The same question asked again while it is open asks nothing new.',
    done: 'waits for the answer',
  },
  tool: {
    name: 'ask_requester',
    about:
      'Ask the person behind a task one clear question; the task waits for the answer. Your last act in a turn.',
    names: { ref: 'id' },
    afterwards: 'End your turn now: you go on with the answer.',
  },
  input: () => ({ ref: ref(), question: text(), key: optional(text(), 'the same again asks nothing new') }),
  output: questionChanged,
  run: async (on, { ref: task, question, key }, actor) =>
    (await import('../../tasks/change/entry-change.ts')).ask(on, task, question, actor, ownKey(actor, key)),
});
