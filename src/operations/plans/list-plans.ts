import { plan } from '../../tasks/shapes/room.ts';
import { list, operation, unreadable, z } from '../operation.ts';

export const listPlans = operation({
  summary: 'list the plans of the room',
  needs: 'read',
  http: { method: 'get', path: '/api/plans' },
  cli: {
    command: 'plan list',
    about: [
      'plans whose steps become tasks',
      'Plans: documents in artifacts/ with steps. A plan that becomes final gets a task for each step that has none, linked both ways.',
    ],
    examples: {
      'taskroom plan new "Sign-in" --step "Create the model" --step "Add the endpoint"': 'write a draft',
      'taskroom plan final "Sign-in"': 'make its tasks',
      'taskroom plan delete "Sign-in"': 'move it to the attic; its tasks stay',
    },
  },
  output: () => ({ plans: z.array(plan()), invalid: list(unreadable(), "documents that can't be read") }),
  run: async (on) => (await import('../../tasks/plans/artifact-file.ts')).listPlans(on),
});
