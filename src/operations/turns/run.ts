import { flag, operation, optional, orNull, ref, taskId, text, z } from '../operation.ts';

// Its command stands in cli/commands: it can wait for the turn and follow it.
export const run = operation({
  summary: 'ask for a turn now',
  about: 'Asks for a turn on a task, though nothing changed in it and though earlier attempts failed.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/run', status: 202 },
  input: () => ({
    ref: ref(),
    force: optional(flag(), 'also when the task is paused, blocked or a draft'),
    chat: optional(flag(), 'a person waits for it'),
  }),
  output: () =>
    z
      .strictObject({
        ...{ id: taskId(), name: text() },
        daemon: flag('something runs the room'),
        after: orNull(text(), 'the turn that runs now: this one comes after it'),
      })
      .meta({ id: 'AskedTurn' }),
  run: async (on, { ref: task, ...options }, actor) =>
    (await import('../../tasks/change/ask-for-turns.ts')).runTask(on, task, options, actor),
});
