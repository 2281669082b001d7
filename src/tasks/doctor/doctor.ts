// What can be wrong with a room, and how to mend it. Nothing is changed; a probe file is written and removed again.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatProblem, type Problem } from '../../core/errors.ts';
import { isFinal, STEPS_HINT } from '../../core/task/artifact.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Effects } from '../../effects.ts';
import { createChoreFiles } from '../../store/files/chore-files.ts';
import { runScan, type Skipped } from '../../store/files/scan.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { Room } from '../../store/room.ts';
import { listPlans } from '../plans/artifact-file.ts';
import type { TaskRow } from '../shapes/task.ts';
import type { Finding, RoomHandle } from '../task-room.ts';
import { findTasks } from '../views/list.ts';
import { showTask } from '../views/task-detail.ts';
import { findBlockerFaults } from '../views/why-not.ts';

type Found = Omit<Finding, 'name'>;

interface OutsideChecks {
  checkAgents(): Promise<Problem[]>;
  examineAgents(): Promise<Found[]>;
  checkMirrors(): Promise<{ count: number; found: Found[] }>;
  checkWorkspaces(): Promise<Found[]>;
  examineQueue(): Promise<Found[]>;
}

/** Lines of one kind of trouble, with what mends them. */
type Fault = [state: 'warn' | 'fail', texts: readonly string[], hint: string];

/** @throws RoomError `io` */
export async function examineRoom(deps: RoomHandle, outside: OutsideChecks): Promise<Finding[]> {
  const { room, ledger, effects, config } = deps;
  const { holder, problems, trouble } = deps.ports.standing!();
  const list = await findTasks(deps);
  const agents = deps.agents();
  const known = [...agents.keys()].join(', ') || 'none';
  const hasAgent = (id: string) => agents.has(id);
  const { skipped } = runScan(room, new Map(), () => true);
  const { defaultAgent } = config();
  const missing = `the default agent ${defaultAgent} has no readable agents/${defaultAgent}/agent.json`;
  const ownerless = list.tasks.flatMap(({ path, owner, status }) =>
    owner === null || isFinished(status) || hasAgent(owner) ? [] : [noAgent(path, owner)],
  );
  return [
    { name: 'room', state: 'ok', text: room.dir, hint: null },
    ...named(
      'trouble',
      trouble.map(({ message, hint }): Found => ({ state: 'warn', text: message, hint })),
    ),
    ...verdict('settings', `room.yaml and ${agents.size} agent(s) can be read`, [
      ['fail', problems.map(formatProblem), 'mend the file; a running room reads it again by itself'],
      [
        'fail',
        hasAgent(defaultAgent) ? [] : [missing],
        'write it, or name another default_agent in room.yaml; taskroom init writes the runbook agent',
      ],
    ]),
    ...verdict('agents', `ready: ${known}`, [
      [
        'fail',
        (await outside.checkAgents()).map(formatProblem),
        'install the program, or change the agent.json',
      ],
    ]),
    ...named('agents', await outside.examineAgents()),
    ...verdict('permissions', 'tasks/ and .taskroom/ can be written', [
      ['fail', refusedFolders(room, effects), 'check the owner and mode of the folder, and free space'],
    ]),
    ...checkWatcher('/proc/sys/fs/inotify'),
    ...checkFiles(list),
    ...verdict('owners', null, [['warn', ownerless, `agents here: ${known}; taskroom set <task> owner=…`]]),
    ...(await checkBlockers(deps, list.tasks)),
    ...(await examinePlans(deps, hasAgent)),
    ...(await checkChores(deps, hasAgent)),
    ...(await checkMirrors(outside)),
    ...named('workspaces', await outside.checkWorkspaces()),
    ...named('queue', await outside.examineQueue()),
    ...(holder === null ? checkTurns(ledger) : []),
    ...checkSkipped(skipped),
    ...checkLeftovers(room, effects.now()),
  ];
}

const named = (name: string, found: readonly Found[]) => found.map((one): Finding => ({ name, ...one }));
const MAX_LISTED = 20;

/** What a check found, the lines beyond MAX_LISTED counted; `fine` where it found nothing, and nothing where that is null. */
function verdict(name: string, fine: string | null, faults: readonly Fault[]): Finding[] {
  const found = faults.flatMap(([state, texts, hint]) => {
    const shown = texts.slice(0, MAX_LISTED).map((text): Found => ({ state, text, hint }));
    const more = texts.length - shown.length;
    return more > 0 ? [...shown, { state, text: `and ${more} more`, hint: null }] : shown;
  });
  const isFine = found.length === 0 && fine !== null;
  return named(name, isFine ? [{ state: 'ok', text: fine, hint: null }] : found);
}

/** Why `tasks/` or `.taskroom/` can't be written. */
function refusedFolders(room: Room, effects: Effects): string[] {
  const own = existsSync(room.ownDir) ? room.ownDir : room.dir;
  return [room.tasksDir, own].flatMap((dir) => {
    const file = join(dir, `.taskroom-probe-${Buffer.from(effects.randomBytes(6)).toString('hex')}.tmp`);
    try {
      writeFileSync(file, 'probe', { flag: 'wx' });
      return [];
    } catch (error) {
      return [`can't write in ${dir}: ${(error as Error).message}`];
    } finally {
      rmSync(file, { force: true });
    }
  });
}

/** One watch a folder: a room has a handful, but the limits are shared by every program of the user. */
const LEAST = { max_user_watches: 1024, max_user_instances: 16, max_queued_events: 1024 };

/** The limits of the watcher, where the system has such. */
export function checkWatcher(folder: string): Finding[] {
  const limit = (key: string): number | null => {
    const file = join(folder, key);
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : null;
  };
  const low = Object.entries(LEAST).flatMap(([key, least]): Fault[] => {
    const value = limit(key);
    if (value === null || value >= least) return [];
    const text = `fs.inotify.${key} is ${value}; changes may be seen only by the sweep`;
    return [['warn', [text], `sudo sysctl fs.inotify.${key}=${least * 8}`]];
  });
  const watches = limit('max_user_watches');
  const fine =
    watches === null ? 'no limits known here' : `${watches} watches allowed, one a folder is needed`;
  return verdict('watcher', fine, low);
}

function checkFiles({ tasks, invalid, odd }: Awaited<ReturnType<typeof findTasks>>): Finding[] {
  const ofId = Map.groupBy(tasks, ({ id }) => id);
  const twice = [...ofId].filter(([id, list]) => id !== null && list.length > 1);
  const texts = twice.map(([id, list]) => `id ${id} stands in ${list.map(({ path }) => path).join(' and ')}`);
  const fine = texts.length > 0 ? null : `${tasks.length} task file(s) can be read`;
  const own = 'a running room gives the copy an id of its own; or remove the id line from the copy';
  return [
    ...verdict('files', fine, [
      ['fail', linesOf(invalid), 'mend the file at that place: taskroom edit <file>'],
    ]),
    ...verdict('ids', null, [['warn', texts, own]]),
    ...verdict('odd', null, [['warn', linesOf(odd), 'mend it, or leave it when it is meant so']]),
  ];
}

const ISSUE = /^(?:task:)?(?!local:)[a-z][a-z0-9-]*:/;

/** Circles among these tasks, and references to what is not among them. */
export async function checkBlockers(deps: RoomHandle, tasks: readonly TaskRow[]): Promise<Finding[]> {
  const lost: string[] = [];
  const outside: string[] = [];
  const named = new Map<string, string>();
  for (const { path, ref } of findBlockerFaults(tasks).unknown.slice(0, MAX_LISTED * 5)) {
    // What is not in tasks/ may be in the archive, or named by its issue: the task itself knows.
    const { blockers } = await showTask(deps, path);
    const blocker = blockers.find((one) => one.ref === ref);
    if (blocker && blocker.status !== null) named.set(ref, blocker.name ?? ref);
    else if (blocker && ISSUE.test(ref)) outside.push(`${path} waits for ${ref}, which is not mirrored here`);
    else if (blocker) lost.push(`${path} waits for ${ref}, which is no task here`);
  }
  const nameOf = (ref: string) => named.get(ref) ?? ref;
  const links = tasks.map((task) => ({ ...task, blocked_by: task.blocked_by.map(nameOf) }));
  const circles = findBlockerFaults(links).cycles.map((cycle) => `a circle: ${cycle.join(' → ')}`);
  return verdict('blockers', null, [
    ['fail', circles, 'none of them can ever run: taskroom set <task> blocked_by= frees one'],
    ['warn', lost, 'it stays blocked: mend its blocked_by, or write that task'],
    ['warn', outside, 'it waits until a whole sync, one a day, finds that issue closed'],
  ]);
}

/** Files that can't be read, final plans of which no tasks could be made, and owners that are no agents. */
export async function examinePlans(deps: RoomHandle, hasAgent: (id: string) => boolean) {
  const { plans, invalid } = await listPlans(deps);
  const empty = plans.filter((plan) => isFinal(plan) && plan.steps === 0);
  const unmade = plans.filter((plan) => plan.problem !== null && !empty.includes(plan));
  const bare = empty.map(({ path }) => `${path} is final and has no steps that tasks could be made of`);
  const ownerless = plans.filter(
    ({ owner, problem }) => owner !== null && !hasAgent(owner) && problem === null,
  );
  return verdict('plans', plans.length === 0 ? null : `${plans.length} plan(s) can be read`, [
    ['fail', linesOf(invalid), 'mend the file; nothing is made of it before'],
    [
      'fail',
      unmade.map(({ path, problem }) => `${path}: ${problem}`),
      'mend the plan and save it: its tasks are made then',
    ],
    ['warn', bare, STEPS_HINT],
    [
      'warn',
      ownerless.map(({ path, owner }) => noAgent(path, owner!)),
      'name an agent of the room as its owner, or leave that out',
    ],
  ]);
}

/** Files that can't be read, and chores that no agent can take. */
async function checkChores(deps: RoomHandle, hasAgent: (id: string) => boolean) {
  const { chores, invalid, skipped } = await createChoreFiles(deps).read();
  const ownerless = [...chores.values()].flatMap(({ chore: { path, mirror, owner: own } }) => {
    const owner = mirror === null ? own : mirror.owner;
    return owner === null || hasAgent(owner) ? [] : [noAgent(path, owner)];
  });
  return verdict('chores', chores.size === 0 ? null : `${chores.size} chore(s) can be read`, [
    ['fail', linesOf(invalid), 'mend the file; a running room reads it again by itself'],
    ['warn', ownerless, 'name another owner, or add that agent'],
    ['warn', oddFiles(skipped), 'it is no chore; move it out of chores/, or rename it to end in .md'],
  ]);
}

async function checkMirrors(outside: OutsideChecks): Promise<Finding[]> {
  const { count, found } = await outside.checkMirrors();
  const fine = found.length > 0 || count === 0 ? null : `${count} mirror(s), none needs you`;
  const more = found.length - MAX_LISTED;
  const rest: Found = { state: 'warn', text: `and ${more} more`, hint: 'taskroom mirror list' };
  const shown = more > 0 ? [...found.slice(0, MAX_LISTED), rest] : found;
  return [...verdict('mirrors', fine, []), ...named('mirrors', shown)];
}

/** Turns and jobs on record as running, where no daemon is there. */
function checkTurns({ turns, jobs }: Ledger): Finding[] {
  const active = jobs.active().filter(({ state }) => state === 'running');
  const texts = [...turns.list({ state: 'running', limit: 1000 }), ...active].map(
    ({ id, description }) => `turn ${id} (${description}) is recorded as running, and no daemon is there`,
  );
  const hint = 'taskroom up or once finds out how it ended; taskroom kill <turn> ends it';
  return verdict('turns', null, [['warn', texts, hint]]);
}

const isUsual = ({ reason }: Skipped) => reason === 'editor file' || reason === 'hidden file';

const oddFiles = (skipped: readonly Skipped[]): string[] =>
  skipped.filter((file) => !isUsual(file)).map(({ path, reason }) => `${path}: ${reason}`);

function checkSkipped(skipped: readonly Skipped[]): Finding[] {
  const usual = skipped.filter((file) => isUsual(file) && !file.path.endsWith('.tmp'));
  const names = usual.slice(0, 5).map(({ path, reason }) => `${path} (${reason})`);
  const more = usual.length > 5 ? ` and ${usual.length - 5} more` : '';
  const hint = 'it is no task; move it out of tasks/, or make it a file tasks/NAME.md';
  return [
    ...verdict('passed over', null, [['warn', oddFiles(skipped), hint]]),
    ...verdict('passed over', usual.length === 0 ? null : `${names.join(', ')}${more}`, []),
  ];
}

const TEMP_AGE_MS = 60_000;

function checkLeftovers(room: Room, nowMs: number): Finding[] {
  const namesIn = (dir: string) => (existsSync(dir) ? readdirSync(dir) : []);
  const isOld = (file: string) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat !== undefined && nowMs - stat.mtimeMs > TEMP_AGE_MS;
  };
  const temps = namesIn(room.tasksDir).filter(
    (name) => name.startsWith('.') && name.endsWith('.tmp') && isOld(join(room.tasksDir, name)),
  );
  const damaged = namesIn(room.ownDir).filter((name) => /\.damaged-\d+$/.test(name));
  return verdict('leftovers', null, [
    [
      'warn',
      temps.map((name) => `tasks/${name} was left by a write that was cut short`),
      'the next taskroom up removes it',
    ],
    [
      'warn',
      damaged.map((name) => `.taskroom/${name} is a damaged record that was set aside`),
      'delete it when you do not need it any more',
    ],
  ]);
}

const noAgent = (path: string, owner: string): string => `${path}: owner ${owner} is no agent of this room`;

const linesOf = (files: readonly { problems: Problem[] }[]): string[] =>
  files.flatMap(({ problems }) => problems.map(formatProblem));
