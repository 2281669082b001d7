import { planName } from '../../tasks/shapes/room.ts';
import { count, operation, orNull, text, z } from '../operation.ts';

export const removePlan = operation({
  summary: 'move a plan to the attic; its tasks stay and no longer name it',
  needs: 'write',
  level: 'full',
  http: { method: 'delete', path: '/api/plans/{name}' },
  cli: {
    command: 'plan delete',
    words: ['name'],
    said({ name, attic, unlinked }) {
      const tasks =
        unlinked === 0 ? '' : `; ${unlinked} ${unlinked === 1 ? 'task' : 'tasks'} no longer name it`;
      return [`${name} ${attic === null ? 'is forgotten' : `lies in ${attic}`}${tasks}`];
    },
  },
  input: () => ({ name: planName() }),
  output: () =>
    z
      .strictObject({
        ...{ name: text(), path: text() },
        attic: orNull(text(), 'where the file lies now; null when it was gone'),
        unlinked: count('tasks that named it and do no more'),
      })
      .meta({ id: 'PlanRemoved' }),
  run: async (on, { name }, actor) =>
    (await import('../../tasks/plans/change-plan.ts')).removePlan(on, name, actor),
});
