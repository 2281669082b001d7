// Every command by name, in the order of the help. Only the code of the one that is asked for is loaded.
import { SUMMARIES, UNLISTED } from '../operations/summaries.ts';
import type { Beside, Call, CommandEntry } from './command.ts';

/** By group: those of a person's first week, then the rest. Declared commands without a place here come last among those of tasks. */
const ORDER: Readonly<Record<CommandEntry['group'], readonly [first: string, rest: string]>> = {
  Room: [
    'init up status top inbox open stop doctor',
    'once accept mcp service completion worker token explain',
  ],
  Tasks: [
    'new list show edit set done cancel delete undo',
    'archive restore describe reopen pause resume bulk sub resource plan scope',
  ],
  Reports: ['comment answer', 'progress outcome ask step notify'],
  Turns: ['run turns log tell kill', 'job diff merge pr discard stats context'],
  Mirrors: ['sync', 'chores mirror'],
};

/** Those that are no operation, or more than one. */
const OWN: Readonly<Record<string, readonly [summary: string, load: CommandEntry['load']]>> = {
  init: ['make a room in a folder', () => import('./commands/init.ts')],
  up: ['run the room in the foreground', () => import('./commands/up.ts')],
  once: ['run what is due, then end', () => import('./commands/once.ts')],
  top: ['the room live on your terminal', () => import('./commands/top.ts')],
  open: ['the board in your browser', () => import('./commands/open.ts')],
  stop: ['stop the daemon of the room', () => import('./commands/stop.ts')],
  mcp: ['serve the tools to a coding agent', () => import('./commands/mcp.ts')],
  service: ['print a unit that keeps the room running', () => import('./commands/service.ts')],
  explain: ['what a key, a setting or a command is', () => import('./commands/explain.ts')],
  completion: ['print completions for your shell', () => import('./commands/completion.ts')],
  worker: ['run turns of a room on another machine', () => import('./commands/worker.ts')],
  doctor: ['look for what is wrong, and how to mend it', () => import('./commands/doctor.ts')],
  edit: ['open a task in your editor', () => import('./commands/edit.ts')],
  step: ['tick, rename or add steps', () => import('./commands/step.ts')],
  run: ['ask for a turn now', () => import('./commands/run.ts')],
  log: ["show a turn's output", () => import('./commands/log.ts')],
  sync: ['sync mirrors with their trackers now', () => import('./commands/sync.ts')],
};

const BESIDE: Readonly<Record<string, () => Promise<{ beside: Beside }>>> = {
  new: () => import('./commands/new.ts'),
  diff: () => import('./commands/diff.ts'),
  set: () => import('./commands/set.ts'),
};

/** Of a command that is no operation alone: which calls mean its operation. */
const DECLARED: Readonly<Record<string, (call: Call) => boolean>> = {
  worker: ({ words }) => words.length > 0,
  doctor: ({ options }) => options.flag('hooks'),
};

async function loadOwn(name: string, load: CommandEntry['load']) {
  const { command } = await load();
  const isDeclared = DECLARED[name];
  if (isDeclared === undefined) return { command };
  const run = async (call: Call) =>
    isDeclared(call) ? (await loadDeclared(name)).command.run(call) : command.run(call);
  return { command: { ...command, run } };
}

async function loadDeclared(command: string) {
  const { declaredCommand } = await import('./declared-command.ts');
  return { command: await declaredCommand(command, (await BESIDE[command]?.())?.beside) };
}

const entryOf = (name: string, group: CommandEntry['group'], isFirst: boolean): CommandEntry => {
  const own = OWN[name];
  const load = () => (own === undefined ? loadDeclared(name) : loadOwn(name, own[1]));
  return { name, summary: own?.[0] ?? SUMMARIES[name] ?? '', load, group, isFirst };
};

const placed = new Set(Object.values(ORDER).flatMap((names) => names.join(' ').split(' ')));
const unplaced = Object.keys(SUMMARIES).filter((name) => !placed.has(name));

export const COMMANDS: readonly CommandEntry[] = Object.entries(ORDER).flatMap(([key, [first, rest]]) => {
  const group = key as CommandEntry['group'];
  return [
    ...first.split(' ').map((name) => entryOf(name, group, true)),
    ...[...rest.split(' '), ...(group === 'Tasks' ? unplaced : [])].map((name) =>
      entryOf(name, group, false),
    ),
  ];
});

/** The command that a name means, listed or not, and the words that follow it then; null for none. */
export function commandOf(name: string, rest: readonly string[]) {
  const listed = COMMANDS.find((each) => each.name === name);
  if (listed !== undefined) return { entry: listed, rest: [...rest] };
  const alias = [`${name} ${rest[0]}`, name].find((each) => Object.hasOwn(UNLISTED, each));
  if (alias === undefined) return null;
  const [first = '', ...words] = UNLISTED[alias]!.split(' ');
  const entry = COMMANDS.find((each) => each.name === first) ?? entryOf(first, 'Tasks', false);
  return { entry, rest: [...words, ...rest.slice(alias === name ? 0 : 1)] };
}
