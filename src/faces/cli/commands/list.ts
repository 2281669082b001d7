// `taskroom list`: lists the tasks, filtered.

import { suggest } from '../../../core/document/suggest.ts';
import { RoomError } from '../../../core/errors.ts';
import { parseStatus, STATUSES, type Status } from '../../../core/task/status.ts';
import type { ListFilter } from '../../../tasks/operations.ts';
import { listJsonChunks } from '../../shapes/json-shapes.ts';
import type { CommandModule, Options } from '../command.ts';

export const command: CommandModule = {
  about:
    "Shows the tasks: ☐ todo, ⠋ doing, ✓ done, ▸ blocked, ⏸ paused, ✎ draft, ✗ canceled, and files that can't be read.",
  arguments: [],
  options: [
    {
      flags: '--status <status>',
      about: 'only these: draft, todo, doing, done, canceled; a comma list, or repeated',
      many: true,
    },
    { flags: '--owner <agent>', about: 'only tasks of this agent' },
    { flags: '--label <label>', about: 'only tasks with this label' },
    { flags: '--sprint <sprint>', about: 'only tasks of this sprint' },
    { flags: '--text <words>', about: 'only tasks whose name or title holds these words' },
    { flags: '--ready', about: 'only tasks that a turn could start on now' },
    { flags: '--all', about: 'every finished task, not only the newest few' },
  ],
  examples: [
    ['taskroom list', 'what is open, and what was finished lately'],
    ['taskroom list --status todo,doing --label web', 'open tasks with a label'],
    ["taskroom list --json | jq -r '.tasks[] | select(.blocked) | .name'", 'names of blocked tasks'],
  ],
  notes: 'With --json: {"tasks":[…],"invalid":[…],"odd":[…]} with every task that fits the filter.',
  async run({ options, json, terminal, paint, openRoom }) {
    const filter = readFilter(options);
    const { tasks } = await openRoom({ readOnly: true });
    if (json) {
      const ready = Object.keys(filter).length === 0 ? await tasks.listAsJson() : null;
      for (const chunk of listJsonChunks(ready ?? (await tasks.list(filter)))) {
        terminal.write(chunk);
        // Let go here, a pipe takes on the rest of this piece while the next one is made.
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      return;
    }
    const list = await tasks.list(filter);
    const { renderTaskList } = await import('../lines/task-lines.ts');
    const all = options.flag('all') || filter.status !== undefined;
    terminal.write(renderTaskList(list, { paint, columns: terminal.columns(), all }));
  },
};

function readFilter(options: Options): ListFilter {
  const filter: ListFilter = {};
  const status = options.texts('status').map(readStatus);
  if (status.length > 0) filter.status = status;
  for (const key of ['owner', 'label', 'sprint', 'text'] as const) {
    const value = options.text(key);
    if (value !== null) filter[key] = value;
  }
  if (options.flag('ready')) filter.ready = true;
  return filter;
}

function readStatus(word: string): Status {
  const status = parseStatus(word);
  if (status !== null) return status;
  const near = suggest(word, STATUSES);
  const hint = `${near ? `did you mean ${near}? ` : ''}known: ${STATUSES.join(', ')}`;
  throw new RoomError('bad_input', `unknown status ${JSON.stringify(word)}`, { hint });
}
