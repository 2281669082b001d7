import { oneLine, word } from '../../core/context/fence.ts';
import { whichTasks } from '../../tasks/shapes/task.ts';
import { instant, operation, optional, ref, status, text, words, z } from '../operation.ts';

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
    command: 'list',
    flag: ['finished', 'finished tasks as they stood then, newest first; with --json: {"history":[…]}'],
    aliases: ['history'],
    words: ['text+'],
    flags: { ref: '--task <task>', text: '--text <words>', since: '--since <date>' },
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
    text: optional(text(), 'only tasks that fit these words, as of a list'),
    ...whichTasks(),
    status: optional(words(status()), 'only these: done, canceled'),
    since: optional(text(), 'only what was finished since this date: 2026-12-24, monday, 3d'),
    limit: optional(z.int().min(1), 'at most this many; 20 when absent'),
  }),
  output: () => ({ history: z.array(historyLine()) }),
  run: async (on, options) => ({
    history: await (await import('../../tasks/views/read-history.ts')).readTaskHistory(on, options),
  }),
});
