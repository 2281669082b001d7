import { mirrorShape } from '../../core/chore-shapes.ts';
import type { RoomHandle } from '../../tasks/task-room.ts';
import { operation, ref } from '../operation.ts';

export const listConflicts = operation({
  summary: 'settle what both sides say differently',
  about:
    'Shows both texts of each conflict between a task and its issue, and settles one: keeps what stands, takes the text that lost, or one of your own. The field then goes upstream as every change does.',
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/tasks/{ref}/conflicts' },
  cli: {
    command: 'mirror settle',
    aliases: ['settle'],
    words: ['ref'],
    examples: {
      'taskroom mirror settle 3npr': 'both texts of each conflict',
      'taskroom mirror settle 3npr --field title --take': 'your title after all',
      'taskroom mirror settle 3npr --field body --text - < merged.md': 'in words of both',
    },
    notes:
      'With --json: {"conflicts":[{"id","task","field","at","lost_side","standing","lost","kept","version"}]}, with the mirror that they are of; with a choice the one that was settled, with "take" and "changed".',
  },
  input: () => ({ ref: ref() }),
  output: () =>
    mirrorShape().pick({ provider: true, ref: true, task: true, name: true, title: true, conflicts: true }),
  run: async (on, { ref: task }) => conflictsOf(on, task),
});

/** None of a task without a mirror. @throws RoomError `not_found`, `ambiguous` */
export async function conflictsOf(on: RoomHandle, task: string) {
  const { id, name, title } = await (await import('../../tasks/views/task-detail.ts')).showTask(on, task);
  const mirror = (await on.ports.mirrors!()).list().find((each) => each.task === id);
  const { provider = '', ref: issue = '', conflicts = [] } = mirror ?? {};
  return { provider, ref: issue, task: id ?? name, name, title, conflicts };
}
