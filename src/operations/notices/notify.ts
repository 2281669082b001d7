import { ownKey } from '../../tasks/task-room.ts';
import { instant, operation, optional, text, z } from '../operation.ts';

export const notify = operation({
  summary: 'tell the person something now',
  about:
    'Tells the person something that can not wait until they look at the task. It stands in the log of up and in status, and goes out by the ways that notify: in room.yaml names.',
  needs: 'comment',
  http: { method: 'post', path: '/api/notices', status: 201 },
  cli: {
    words: ['text'],
    examples: {
      'taskroom notify "The migration is ready to be looked at."': 'inside a turn: about its own task',
      'taskroom notify --task 3npr "This is a test."': 'to try the ways that room.yaml names',
    },
    notes:
      'A turn may tell ten things. It is no place for results: they belong into progress and outcome. Nothing is sent to a tracker.',
    said: () => ['the person is told'],
  },
  tool: {
    name: 'notify_user',
    about: 'Tell the person something that can not wait until they look at the task.',
    names: { task: 'id' },
    said: () => 'The person is told.',
  },
  input: () => ({
    text: text(),
    task: optional(text(), 'what it is about; inside a turn, its own task when left out'),
    key: optional(text(), 'the same again tells nothing'),
  }),
  output: () => ({ seq: z.int(), at: instant() }),
  run: async (on, { key, ...said }, actor) =>
    (await import('../../tasks/change/notices.ts')).notify(on, { ...said, key: ownKey(actor, key) }, actor),
});
