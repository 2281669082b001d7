import { planDetail, planName } from '../../tasks/shapes/room.ts';
import { operation } from '../operation.ts';

export const showPlan = operation({
  summary: 'show one plan with its steps',
  needs: 'read',
  http: { method: 'get', path: '/api/plans/{name}' },
  cli: { command: 'plan show', words: ['name'] },
  input: () => ({ name: planName() }),
  output: planDetail,
  run: async (on, { name }) => (await import('../../tasks/plans/artifact-file.ts')).showPlan(on, name),
});
