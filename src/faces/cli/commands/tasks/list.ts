// `taskroom list`: lists the tasks, filtered.

import { suggest } from '../../../../core/document/suggest.ts';
import { RoomError } from '../../../../core/errors.ts';
import { parseStatus, STATUSES, type Status } from '../../../../core/task/status.ts';
import { type ListFilter, SORT_KEYS, type SortKey } from '../../../../tasks/contract/operations.ts';
import { listJsonChunks } from '../../../shapes/json-shapes.ts';
import type { CommandModule, Options } from '../../command.ts';
import { readPriority } from '../../parse/priority.ts';

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
    { flags: '--artifact <name>', about: 'only tasks linked to this document in artifacts/' },
    { flags: '--scope <scope>', about: 'only tasks of this scope' },
    {
      flags: '--priority <priority>',
      about: 'only these: high, medium, low; a comma list, or repeated',
      many: true,
    },
    { flags: '--parent <task>', about: 'only subtasks of this task' },
    {
      flags: '--text <words>',
      about: 'only tasks that hold these words in name, title or text; archived ones too',
    },
    { flags: '--ready', about: 'only tasks that a turn could start on now' },
    { flags: '--sort <key>', about: `by ${SORT_KEYS.join(', ')}` },
    { flags: '--limit <number>', about: 'at most this many' },
    { flags: '--all', about: 'every finished task, not only the newest few' },
  ],
  examples: [
    ['taskroom list --status todo,doing --label web', 'open tasks with a label'],
    ['taskroom list --sort due --limit 5', 'what is due next'],
    ["taskroom list --json | jq -r '.tasks[] | select(.blocked) | .name'", 'names of blocked tasks'],
  ],
  notes: 'With --json: {"tasks":[…],"invalid":[…],"odd":[…]} with every task that fits the filter.',
  async run({ options, json, terminal, paint, effects, openRoom }) {
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
    const { renderTaskList } = await import('../../lines/task-lines.ts');
    const { status, text, sort, limit } = filter;
    const all = [status, text, sort, limit].some((asked) => asked !== undefined) || options.flag('all');
    const style = {
      paint,
      columns: terminal.columns(),
      all,
      nowMs: effects.now(),
      asGiven: sort !== undefined,
    };
    terminal.write(renderTaskList(list, style));
  },
};

function readFilter(options: Options): ListFilter {
  const filter: ListFilter = {};
  const status = options.texts('status').map(readStatus);
  if (status.length > 0) filter.status = status;
  for (const key of ['owner', 'label', 'sprint', 'artifact', 'scope', 'parent', 'text'] as const) {
    const value = options.text(key);
    if (value !== null) filter[key] = value;
  }
  const priority = options.texts('priority').map(readPriority);
  if (priority.length > 0) filter.priority = priority;
  const sort = options.text('sort');
  if (sort !== null) filter.sort = readSortKey(sort);
  const limit = options.whole('limit', 1);
  if (limit !== null) filter.limit = limit;
  if (options.flag('ready')) filter.ready = true;
  return filter;
}

function readSortKey(word: string): SortKey {
  const found = SORT_KEYS.find((key) => key === word.trim().toLowerCase());
  if (found !== undefined) return found;
  throw new RoomError('bad_input', `can't sort by ${JSON.stringify(word)}`, {
    hint: `known: ${SORT_KEYS.join(', ')}`,
  });
}

function readStatus(word: string): Status {
  const status = parseStatus(word);
  if (status !== null) return status;
  const near = suggest(word, STATUSES);
  const hint = `${near ? `did you mean ${near}? ` : ''}known: ${STATUSES.join(', ')}`;
  throw new RoomError('bad_input', `unknown status ${JSON.stringify(word)}`, { hint });
}
