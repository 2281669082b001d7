// The keys of a task's front matter, each declared once: what it holds, who may set it, whether lists show it, and what the
// documentation says of it. `Task`, the row of a list, what may be set, the schema of the file and the table of docs/spec.md
// follow from it. key-kinds.ts reads each kind of value, key-shapes.ts has its shape.
import { type Camel, camelOf } from '../plain-data.ts';
import { type FileKeys, KINDS, type Kind, keyValue, type ValueOf } from './key-kinds.ts';

interface KeyFacts {
  kind: Kind;
  listed?: true;
  filter?: { as: string; about: string }; // The name of the list filter for it.
  /** Callers may set it with a new task and change it, by its name; this text describes it to them. */
  input?: string;
  notForAgents?: true; // Who asked for a task decides what may be trusted: no agent sets this.
  accepts: string; // For docs/spec.md and the schema of the file: what it accepts, and who writes it.
  writtenBy: string;
}

const keys = <const Keys extends Readonly<Record<string, KeyFacts>>>(all: Keys) => all;

export const TASK_KEYS = keys({
  id: {
    ...{ kind: 'id', listed: true },
    accepts: 'letters, digits, `.`, `-` and `_`, at most 64, the first a letter or digit',
    writtenBy: 'the runtime, once, when missing: 8 of `0-9a-z`. No command sets it',
  },
  requester: {
    ...{ kind: 'requester', listed: true, notForAgents: true },
    accepts:
      '`owner` is the person of the room, `agent:<id>` an agent; any other name is an outsider, such as `github:alice`',
    writtenBy: "`new`, a sync; an agent can't set it",
  },
  status: {
    ...{ kind: 'status', listed: true },
    filter: {
      as: 'status',
      about: 'only these: draft, todo, doing, done, canceled, the room’s own; a comma list',
    },
    accepts:
      '`draft`, `todo`, `doing`, `done`, `canceled`, [your own](tasks.md#statuses-of-your-own), and the other words below',
    writtenBy: 'you, commands; the runtime makes it `doing` when a turn starts',
  },
  paused: {
    ...{ kind: 'flag', listed: true },
    accepts: 'true/false, yes/no, on/off, in any case',
    writtenBy: 'you, commands; the runtime when it gives up, a runner refuses, or the loop guard strikes',
  },
  title: {
    ...{ kind: 'line', listed: true },
    accepts: "one text; shown in place of the name; of a mirrored task the issue's, to the letter",
    writtenBy: 'you; `new` when the name had to change to become a file name',
  },
  owner: {
    ...{ kind: 'agent', listed: true },
    input: 'the agent that takes it',
    filter: { as: 'owner', about: 'only tasks of this agent' },
    accepts: 'a folder under `agents/`; commands check it, a file with an unknown one waits',
    writtenBy: 'you, `new`, `set`',
  },
  priority: {
    ...{ kind: 'priority', listed: true },
    input: 'high, medium or low',
    filter: { as: 'priority', about: 'only these: high, medium, low; a comma list' },
    accepts: '`high`, `medium`, `low`, in any case',
    writtenBy: 'you, `new`, `set`',
  },
  blocked_by: {
    ...{ kind: 'tasks', listed: true },
    input: 'tasks it waits for',
    accepts: 'references (below); a list, or one text with commas',
    writtenBy: 'you, `new`, `set`',
  },
  parent: {
    ...{ kind: 'task', listed: true },
    input: 'the task it is a part of',
    filter: { as: 'parent', about: 'only subtasks of this task' },
    accepts: "one reference; that task's owner is woken when this one finishes",
    writtenBy: 'you, `new`, `set`',
  },
  base: {
    ...{ kind: 'line', notForAgents: true },
    input: 'the branch, tag or pull request that its work begins at',
    accepts:
      'a branch, a tag, a commit, or `pull/12`, of the project; counts when its [workspace](workspaces.md) is made',
    writtenBy: 'you, `new`, `set`',
  },
  repositories: {
    ...{ kind: 'list', notForAgents: true },
    input: 'the git repositories that its work is in',
    accepts:
      "addresses, or paths from the room: its [workspace](workspaces.md#several-repositories) has a worktree of each, instead of the agent's",
    writtenBy: 'you, `new`, `set`',
  },
  sprint: {
    ...{ kind: 'line', listed: true },
    input: 'the sprint it belongs to',
    filter: { as: 'sprint', about: 'only tasks of this sprint' },
    accepts: 'any text; `list --sprint`',
    writtenBy: 'you, `new`, `set`',
  },
  artifact: {
    ...{ kind: 'line', listed: true },
    input: 'the document in artifacts/ that it comes from',
    filter: { as: 'artifact', about: 'only tasks linked to this document in artifacts/' },
    accepts: 'the name of a document in `artifacts/`; follows it when that is renamed',
    writtenBy: 'you, or from a [plan](plans.md)',
  },
  labels: {
    ...{ kind: 'list', listed: true },
    input: 'words to find it by',
    filter: { as: 'label', about: 'only tasks with this label' },
    accepts: 'a list of texts, or one text with commas; `list --label`',
    writtenBy: 'you, `new`, `set`',
  },
  resources: {
    ...{ kind: 'resources' },
    accepts: 'each a URL, a path, `{url: …, label: …}` or `{file: …, label: …}`',
    writtenBy: 'you, [`resource`](tasks.md#resources)',
  },
  due: {
    ...{ kind: 'date', listed: true },
    input: 'a date, such as 2026-12-24, tomorrow, friday or +3d',
    filter: { as: 'due', about: 'only tasks due on this day, or with < and > before and after it: <friday' },
    accepts:
      '`2026-12-24`, or with a time `2026-12-24T18:00` (and a zone: `Z`, `+01:00`). Shown, sorted by, `overdue` when it is over (a day at its end); starts nothing. `set` and `new` also take `tomorrow`, `friday`, `+3d` and write the date; other text in a file is shown as no date',
    writtenBy: 'you',
  },
  created_by: {
    ...{ kind: 'line', notForAgents: true },
    accepts: '`owner` for you, `agent:<id>` for an agent',
    writtenBy: "what makes the task, once; an agent can't set it",
  },
  completed_by: {
    ...{ kind: 'line', notForAgents: true },
    accepts: '`owner` for you, `agent:<id>` for an agent',
    writtenBy: "what makes the task done; gone when it is reopened by a command; an agent can't set it",
  },
  created: {
    ...{ kind: 'line', listed: true, notForAgents: true },
    accepts: 'any text; kept',
    writtenBy: "what makes the task; an agent can't set it",
  },
  updated: {
    ...{ kind: 'line', listed: true },
    accepts: 'a day, or a day and time',
    writtenBy: 'commands that change the file, only in a file that has the key, in the form it has',
  },
  remote: {
    ...{ kind: 'remote', notForAgents: true },
    accepts:
      "`task:<provider>:<ref>`, as `task:github:acme/web#12`: the issue it mirrors ([mirrors.md](mirrors.md)); the task counts as an outsider's. What can't be read as such starts no turn",
    writtenBy: "a sync, `link`, `publish`, `unlink`; an agent can't set it",
  },
  checks: {
    ...{ kind: 'checks', notForAgents: true },
    accepts: "a done of the task's turn counts when they pass: [checks.md](checks.md)",
    writtenBy: "you; an agent can't set it",
  },
  budget: {
    ...{ kind: 'budget', notForAgents: true },
    accepts:
      'what it may use before it is paused: `turns`, `minutes`, `tokens`, `cost` ([limits.md](limits.md))',
    writtenBy: 'you',
  },
  scope: {
    ...{ kind: 'line', listed: true },
    input: 'the set of tasks it belongs to',
    filter: { as: 'scope', about: 'only tasks of this scope' },
    accepts: 'the set of tasks it belongs to: [scopes.md](scopes.md)',
    writtenBy: 'you, or with the task',
  },
  sort: {
    ...{ kind: 'number', listed: true },
    input: 'its place among others: the smaller, the earlier',
    accepts: 'a number; `list` puts lower ones first, those without last',
    writtenBy: 'you, `set`',
  },
  active_form: {
    ...{ kind: 'line', listed: true },
    input: 'what is being done, shown while it runs',
    accepts: 'any text; `list` shows it while a turn runs',
    writtenBy: 'you, `set`',
  },
});

export type TaskKey = keyof typeof TASK_KEYS;
type KindOf<K extends TaskKey> = (typeof TASK_KEYS)[K]['kind'];
export type KeyValues<K extends TaskKey = TaskKey> = { [Key in K as Camel<Key>]: ValueOf<KindOf<Key>> };
export type KeyRow<K extends TaskKey> = { [Key in K]: ValueOf<KindOf<Key>> };

export const KNOWN_KEYS = Object.keys(TASK_KEYS) as TaskKey[];
export const isKnownKey = (key: string): key is TaskKey => Object.hasOwn(TASK_KEYS, key);
export const factsOf = (key: TaskKey): KeyFacts => TASK_KEYS[key];

export type ListedKey = {
  [K in TaskKey]: (typeof TASK_KEYS)[K] extends { listed: true } ? K : never;
}[TaskKey];

export type FilterKey = {
  [K in TaskKey]: (typeof TASK_KEYS)[K] extends { filter: object } ? K : never;
}[TaskKey];
const isFilter = (key: TaskKey): key is FilterKey => factsOf(key).filter !== undefined;
export const FILTER_KEYS = KNOWN_KEYS.filter(isFilter);
export type FilterName<K extends FilterKey> = (typeof TASK_KEYS)[K]['filter']['as'];

export type InputKey = {
  [K in TaskKey]: (typeof TASK_KEYS)[K] extends { input: string } ? K : never;
}[TaskKey];
const isInput = (key: TaskKey): key is InputKey => factsOf(key).input !== undefined;
export const INPUT_KEYS = KNOWN_KEYS.filter(isInput);
export const isListed = (key: TaskKey): key is ListedKey => factsOf(key).listed === true;
export const LISTED_KEYS = KNOWN_KEYS.filter(isListed);

// An object that has all its properties from the start is quicker to fill and to copy.
/** What a file without keys says. */
export const NOTHING_SAID: Readonly<KeyValues> = JSON.parse(
  JSON.stringify(
    Object.fromEntries(KNOWN_KEYS.map((key) => [camelOf(key), KINDS[factsOf(key).kind].missing])),
  ),
);
const READERS = KNOWN_KEYS.map((key) => ({
  key,
  property: camelOf(key),
  read: KINDS[factsOf(key).kind].read,
}));

/** What all keys of a file say; what of them can't be read is reported. */
export function readKeys(keys: FileKeys): KeyValues {
  const values: Record<string, unknown> = { ...NOTHING_SAID };
  for (const { key, property, read } of READERS) {
    const found = keyValue(keys, key);
    if (found !== null) values[property] = read(keys, key, found);
  }
  return values as unknown as KeyValues;
}
