import * as z from 'zod';
import { unreadable } from '../../core/shapes.ts';
import { plan } from '../../tasks/shapes/room.ts';
import { operation } from '../operation.ts';

export const listPlans = operation({
  name: 'listPlans',
  summary: 'the plans of the room',
  needs: 'read',
  http: { method: 'get', path: '/api/plans' },
  cli: { command: 'plan list', words: [] },
  output: () =>
    z.strictObject({
      plans: z.array(plan()),
      invalid: z.array(unreadable()).meta({ description: "documents that can't be read" }),
    }),
  run: async (on) => (await import('../../tasks/plans/artifact-file.ts')).listPlans(on),
});
