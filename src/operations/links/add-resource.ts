import { operation, optional, ref, text, z } from '../operation.ts';

export const addResource = operation({
  summary: 'attach a url or a file to a task',
  about: 'One that is there already, label and all, is not added again.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/resources' },
  cli: {
    command: 'resource',
    flag: ['add'],
    flags: { value: '--add <url|path>', label: '--label <text>', kind: null },
    done: 'has that resource',
  },
  tool: { name: 'add_resource', names: { ref: 'id' } },
  input: () => ({
    ref: ref(),
    kind: optional(z.enum(['url', 'file']), 'by what `value` looks like when left out'),
    value: text('the URL, or the path'),
    label: optional(text().nullable(), 'what it is'),
  }),
  async run(on, { ref: task, value, kind = kindOf(value), label = null }, actor) {
    const { addResource } = await import('../../tasks/change/new-front-matter.ts');
    return addResource(on, task, { kind, value, label }, actor);
  },
});

const kindOf = (value: string) => (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? 'url' : 'file');
