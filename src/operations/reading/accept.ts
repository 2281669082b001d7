import { flag, operation, optional, text, z } from '../operation.ts';

export const accept = operation({
  summary: 'take what changed while a turn ran and opens rights',
  about:
    'Takes what changed while a turn of an agent ran and opens rights: room.yaml, an agent, a chore, a provider, the checks of a task, work handed to an agent with more rights. Until then what was said before counts.',
  needs: 'person',
  http: { method: 'post', path: '/api/accept' },
  cli: {
    words: ['what'],
    examples: {
      'taskroom accept': 'all that the inbox lists counts',
      'taskroom accept agents/coder/agent.json': 'what this file says now counts',
      'taskroom accept "Fix the build"': 'this task may go to the agent that it was handed to',
    },
    notes:
      'To refuse a change put the file back as it was, or set the owner anew. Inside a turn it is refused.\nWith --json: {"accepted":[{what,task,name,text}…],"daemon"}.',
  },
  input: () => ({
    what: optional(
      text(),
      'the file or the task, or the key of its line in the inbox; all that waits when left out',
    ),
  }),
  output: () => ({
    accepted: z.array(
      z.strictObject({
        what: text("a file's path, or a task's id"),
        task: text().nullable(),
        name: text(),
        text: text('what was different'),
      }),
    ),
    daemon: flag(),
  }),
  run: async (on, { what }) => (await import('../../tasks/change/ask-for-turns.ts')).accept(on, what),
});
