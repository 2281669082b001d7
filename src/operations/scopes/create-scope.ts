import { flag, operation, text } from '../operation.ts';

export const createScope = operation({
  summary: 'make a scope',
  about: 'A scope that tasks name needs none of this.',
  needs: 'create',
  http: { method: 'post', path: '/api/scopes', status: 201 },
  cli: {
    command: 'scope new',
    words: ['name'],
    said: ({ name, changed }) => [`${name} ${changed ? 'is made' : 'is there'}`],
  },
  input: () => ({ name: text('one line of at most 100 characters') }),
  output: () => ({ name: text(), changed: flag('false when there was one of that name') }),
  run: async (on, { name }, actor) =>
    (await import('../../tasks/change/scopes.ts')).createScope(on, name, actor),
});
