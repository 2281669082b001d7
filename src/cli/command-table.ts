// Every command by name, in the order of the help. Only the code of the one that is asked for is loaded.
import { SUMMARIES } from '../operations/summaries.ts';
import type { Beside, CommandEntry } from './command.ts';

/** By group. Declared commands that have no place here come last among those of tasks. */
const ORDER: Readonly<Record<CommandEntry['group'], string>> = {
  Room: 'init up once status top inbox accept open stop mcp service completion worker workers token doctor',
  Tasks:
    'new list show edit set describe done cancel reopen pause resume delete archive bulk sub block unblock resource plan scope',
  Reports: 'comment progress outcome ask answer step notify notices',
  Turns: 'run turns log kill job history stats context diff merge discard',
  Mirrors: 'chores sync mirrors link publish hooks settle unlink',
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
  completion: ['print completions for your shell', () => import('./commands/completion.ts')],
  worker: ['run turns of a room on another machine', () => import('./commands/worker.ts')],
  doctor: ['look for what is wrong, and how to mend it', () => import('./commands/doctor.ts')],
  edit: ['open a task in your editor', () => import('./commands/edit.ts')],
  step: ['tick, rename or add steps', () => import('./commands/step.ts')],
  run: ['ask for a turn now', () => import('./commands/run.ts')],
  log: ["show a turn's output", () => import('./commands/log.ts')],
  sync: ['sync mirrors with their trackers now', () => import('./commands/sync.ts')],
};

/** What a declared command has beside its operations. */
const BESIDE: Readonly<Record<string, () => Promise<{ beside: Beside }>>> = {
  new: () => import('./commands/new.ts'),
  diff: () => import('./commands/diff.ts'),
  set: () => import('./commands/set.ts'),
};

async function loadDeclared(command: string) {
  const { declaredCommand } = await import('./declared-command.ts');
  return { command: await declaredCommand(command, (await BESIDE[command]?.())?.beside) };
}

const placed = new Set(Object.values(ORDER).flatMap((names) => names.split(' ')));
const unplaced = Object.keys(SUMMARIES).filter((name) => !placed.has(name));

export const COMMANDS: readonly CommandEntry[] = Object.entries(ORDER).flatMap(([group, order]) =>
  [...order.split(' '), ...(group === 'Tasks' ? unplaced : [])].map((name) => {
    const [summary, load] = OWN[name] ?? [SUMMARIES[name]!, () => loadDeclared(name)];
    return { name, summary, load, group: group as CommandEntry['group'] };
  }),
);
