// Every command by name, in the order of the help. Only the code of the one that is asked for is loaded.
import { GROUPS, SUMMARIES } from '../../operations/summaries.ts';
import type { Beside, CommandEntry } from './command.ts';

type Row = readonly [name: string, summary: string, load: CommandEntry['load']];

/** Made of what its operations declare. */
function declared(command: string, beside?: () => Promise<Beside>): Row {
  const load = async () => ({
    command: await (await import('./declared-command.ts')).declaredCommand(command, await beside?.()),
  });
  return [command, SUMMARIES[command]!, load];
}

const ROOM: readonly Row[] = [
  ['init', 'make a room in a folder', () => import('./commands/init.ts')],
  ['up', 'run the room in the foreground', () => import('./commands/up.ts')],
  ['once', 'run what is due, then end', () => import('./commands/once.ts')],
  declared('status'),
  ['top', 'the room live on your terminal', () => import('./commands/top.ts')],
  declared('inbox'),
  declared('accept'),
  ['open', 'the board in your browser', () => import('./commands/open.ts')],
  ['stop', 'stop the daemon of the room', () => import('./commands/stop.ts')],
  ['mcp', 'serve the tools to a coding agent', () => import('./commands/mcp.ts')],
  ['service', 'print a unit that keeps the room running', () => import('./commands/service.ts')],
  ['completion', 'print completions for your shell', () => import('./commands/completion.ts')],
  ['worker', 'run turns of a room on another machine', () => import('./commands/worker.ts')],
  declared('workers'),
  declared('token'),
  ['doctor', 'look for what is wrong, and how to mend it', () => import('./commands/doctor.ts')],
];

const TASKS: readonly Row[] = [
  declared('new', async () => (await import('./commands/new.ts')).beside),
  declared('list'),
  declared('show'),
  ['edit', 'open a task in your editor', () => import('./commands/edit.ts')],
  declared('set', async () => (await import('./commands/set.ts')).beside),
  declared('describe'),
  declared('done'),
  declared('cancel'),
  declared('reopen'),
  declared('pause'),
  declared('resume'),
  declared('delete'),
  declared('archive'),
  declared('bulk'),
  declared('sub'),
  declared('block'),
  declared('unblock'),
  declared('resource'),
  declared('plan'),
  declared('scope'),
];

const REPORTS: readonly Row[] = [
  declared('comment'),
  declared('progress'),
  declared('outcome'),
  declared('ask'),
  declared('answer'),
  ['step', 'tick, rename or add steps', () => import('./commands/step.ts')],
  declared('notify'),
  declared('notices'),
];

const TURNS: readonly Row[] = [
  ['run', 'ask for a turn now', () => import('./commands/run.ts')],
  declared('turns'),
  ['log', "show a turn's output", () => import('./commands/log.ts')],
  declared('kill'),
  declared('job'),
  declared('history'),
  declared('stats'),
  declared('context'),
];

const MIRRORS: readonly Row[] = [
  declared('chores'),
  ['sync', 'sync mirrors with their trackers now', () => import('./commands/sync.ts')],
  declared('mirrors'),
  declared('link'),
  declared('publish'),
  declared('hooks'),
  declared('settle'),
  declared('unlink'),
];

const LISTED = { Room: ROOM, Tasks: TASKS, Reports: REPORTS, Turns: TURNS, Mirrors: MIRRORS } as const;

const NAMES = new Set(Object.values(LISTED).flatMap((rows) => rows.map(([name]) => name)));

/** Declared commands that have no place of their own above come last in their group. */
function others(group: string): Row[] {
  return Object.keys(GROUPS)
    .filter((command) => GROUPS[command] === group && !NAMES.has(command))
    .map((command) => declared(command));
}

export const COMMANDS: readonly CommandEntry[] = Object.entries(LISTED).flatMap(([group, rows]) =>
  [...rows, ...others(group)].map(([name, summary, load]) => ({
    ...{ name, summary, load },
    group: group as CommandEntry['group'],
  })),
);
