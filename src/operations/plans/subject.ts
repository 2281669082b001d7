import type { Subject } from '../operation.ts';

export const subject: Subject = {
  command: 'plan',
  summary: 'plans whose steps become tasks',
  about:
    'Plans: documents in artifacts/ with steps. A plan that becomes final gets a task for each step that has none, linked both ways.',
  examples: [
    ['taskroom plan new "Sign-in" --step "Create the model" --step "Add the endpoint"', 'write a draft'],
    ['taskroom plan final "Sign-in"', 'make its tasks'],
    ['taskroom plan delete "Sign-in"', 'move it to the attic; its tasks stay'],
  ],
};
