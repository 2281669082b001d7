import { linked } from '../../core/chore-shapes.ts';
import { operation, ref } from '../operation.ts';

export const unlink = operation({
  summary: 'end a mirror',
  about:
    'Ends a mirror: task and issue stay as they are, and neither follows the other any more. The issue does not come in again by itself; `taskroom mirror link` joins the two anew.',
  needs: 'person',
  cli: {
    command: 'mirror unlink',
    aliases: ['unlink'],
    examples: {
      'taskroom mirror unlink "Fix the login (web#12)"': 'keep the task for yourself',
      'taskroom mirror unlink acme/web#12': 'by the reference of its issue, also when its file is gone',
    },
    notes: 'With --json: {"task","provider","ref","url","chore"}.',
    said: ({ task, ref: issue, url }) => [
      `${task} no longer mirrors ${issue}${url === null ? '' : ` ${url}`}`,
    ],
  },
  input: () => ({ ref: ref() }),
  output: linked,
  run: async ({ ports }, { ref: task }) => (await ports.mirrors!()).unlink(task),
});
