// Several tasks at once.
import * as z from 'zod';
import { OPERATIONS } from '../../../operations/table/operation-table.ts';
import { MAX_BULK } from '../../../tasks/contract/bulk.ts';
import { changedAnswer } from '../../../tasks/shapes/changed.ts';
import { route } from '../gate/route.ts';

export const WORK_ROUTES = [
  route({
    method: 'post',
    path: '/api/tasks/bulk',
    id: 'bulk',
    about: `Up to ${MAX_BULK} changes, all of them or none.`,
    group: 'tasks',
    needs: 'change',
    body: OPERATIONS.get('bulk')!.input,
    answers: {
      200: {
        about: 'One answer a change, in their order.',
        schema: z.strictObject({ tasks: z.array(changedAnswer()) }),
      },
    },
    async run({ tasks, caller }, { body }) {
      const { changes } = body as { changes: Parameters<typeof tasks.bulk>[0] };
      return { body: { tasks: await tasks.bulk(changes, caller.actor) } };
    },
  }),
];
