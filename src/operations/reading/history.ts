import { oneLine, word } from '../../core/context/fence.ts';
import { instant, operation, optional, ref, text, z } from '../operation.ts';

const historyLine = () =>
  z.strictObject({
    archived_at: instant(),
    ...{ id: text(), name: text(), status: text() },
    task: z.record(text(), z.unknown()).meta({ description: 'every fact of it, as it stood' }),
    text: text('the whole file, as it stood'),
  });

export const history = operation({
  summary: 'list finished tasks, newest first',
  about: 'Lists finished tasks, newest first, as they stood at that moment.',
  needs: 'read',
  http: { method: 'get', path: '/api/tasks/history' },
  cli: {
    words: ['ref'],
    examples: [
      ['taskroom history', 'what was finished lately'],
      ['taskroom history "Fix the build" --json', 'every time one task was finished'],
    ],
    notes: 'With --json: {"history":[…]}.',
  },
  tool: {
    name: 'list_history',
    about: 'List finished tasks, newest first.',
    names: { ref: 'id' },
    said: ({ history: lines }) =>
      lines
        .map(({ archived_at, id, name, status, task }) => {
          const owner = typeof task.owner === 'string' ? ` owner=${word(task.owner)}` : '';
          return `${archived_at} ${word(id)} ${word(status)}${owner} ${JSON.stringify(oneLine(name).slice(0, 120))}`;
        })
        .join('\n') || 'Nothing is finished yet.',
  },
  input: () => ({
    ref: optional(ref(), 'only this task'),
    limit: optional(z.int().min(1), 'at most this many; 20 when absent'),
  }),
  output: () => ({ history: z.array(historyLine()) }),
  run: async (on, options) => ({
    history: await (await import('../../tasks/views/read-history.ts')).readTaskHistory(on, options),
  }),
});
