// What can be wrong with a room, looked at without changing it (one probe file is written and removed again).
// Every finding says how to mend it.
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { RoomConfig } from '../../core/config/room-config.ts';
import { formatProblem, type Problem } from '../../core/errors.ts';
import { isFinished } from '../../core/task/status.ts';
import type { InvalidFile } from '../../core/task/task.ts';
import type { Effects } from '../../effects.ts';
import { runScan, type Skipped } from '../../store/files/scan.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { Room } from '../../store/room.ts';
import type { listPlans } from '../plans/artifact-file.ts';
import type { Finding, RoomStanding } from '../room-handle.ts';
import type { TaskDetail, TaskRow } from '../shapes/task.ts';
import { examineBlockers } from './blocker-faults.ts';
import {
  each,
  examineChores,
  examinePlans,
  type Fault,
  isUsual,
  linesOf,
  MAX_LISTED,
  noAgent,
  oddFiles,
  verdict,
} from './faults.ts';

export type { Finding } from '../room-handle.ts';

export interface RoomUnderExam extends RoomStanding {
  readonly room: Room;
  readonly ledger: Ledger;
  list(): Promise<{ tasks: readonly TaskRow[]; invalid: InvalidFile[]; odd: InvalidFile[] }>;
  show(ref: string): Promise<Pick<TaskDetail, 'blockers'>>;
  plans(): ReturnType<typeof listPlans>;
  config(): RoomConfig;
  agents(): ReadonlyMap<string, AgentConfig>;
  checkAgents(): Promise<Problem[]>;
  examineAgents(): Promise<Omit<Finding, 'name'>[]>;
  checkMirrors(): Promise<{ count: number; found: Omit<Finding, 'name'>[] }>;
  checkWorkspaces(): Promise<Omit<Finding, 'name'>[]>;
  examineQueue(): Promise<Omit<Finding, 'name'>[]>;
}

const TEMP_AGE_MS = 60_000;
// One watch a folder: a room has a handful, but the limits are shared by every program of the user.
const FEW_WATCHES = 1024;
const FEW_INSTANCES = 16;
const FEW_EVENTS = 1024;

export async function examineRoom(exam: RoomUnderExam, effects: Effects): Promise<Finding[]> {
  const { room } = exam;
  const list = await exam.list();
  const hasAgent = (id: string) => exam.agents().has(id);
  const { skipped } = runScan(room, new Map(), () => true);
  return [
    { name: 'room', state: 'ok', text: room.dir, hint: null },
    ...exam.trouble.map(
      ({ message, hint }): Finding => ({ name: 'trouble', state: 'warn', text: message, hint }),
    ),
    ...checkSettings(exam),
    ...(await checkPrograms(exam)),
    ...(await exam.examineAgents()).map((found) => ({ name: 'agents', ...found })),
    ...checkWritable(room, effects),
    ...checkWatcher('/proc/sys/fs/inotify'),
    ...checkFiles(list),
    ...checkOwners(list.tasks, exam),
    ...(await checkBlockers(list.tasks, exam)),
    ...(await examinePlans(exam.plans, hasAgent)),
    ...(await examineChores({ ...exam, effects }, hasAgent)),
    ...(await checkMirrors(exam)),
    ...(await exam.checkWorkspaces()).map((found): Finding => ({ name: 'workspaces', ...found })),
    ...(await exam.examineQueue()).map((found): Finding => ({ name: 'queue', ...found })),
    ...(await checkTurns(exam)),
    ...checkSkipped(skipped),
    ...checkLeftovers(room, effects.now()),
  ];
}

function checkSettings(exam: RoomUnderExam): Finding[] {
  const { defaultAgent: id } = exam.config();
  const missing = exam.agents().has(id)
    ? []
    : [`the default agent ${id} has no readable agents/${id}/agent.json`];
  return verdict('settings', `room.yaml and ${exam.agents().size} agent(s) can be read`, [
    ['fail', exam.problems.map(formatProblem), 'mend the file; a running room reads it again by itself'],
    [
      'fail',
      missing,
      'write it, or name another default_agent in room.yaml; taskroom init writes the runbook agent',
    ],
  ]);
}

async function checkPrograms(exam: RoomUnderExam): Promise<Finding[]> {
  const texts = (await exam.checkAgents()).map(formatProblem);
  return verdict('agents', `ready: ${[...exam.agents().keys()].join(', ') || 'none'}`, [
    ['fail', texts, 'install the program, or change the agent.json'],
  ]);
}

function checkWritable(room: Room, effects: Effects): Finding[] {
  const own = existsSync(room.ownDir) ? room.ownDir : room.dir;
  const refused: string[] = [];
  for (const dir of [room.tasksDir, own]) {
    const file = join(dir, `.taskroom-probe-${Buffer.from(effects.randomBytes(6)).toString('hex')}.tmp`);
    try {
      const handle = openSync(file, 'wx');
      try {
        writeSync(handle, 'probe');
      } finally {
        closeSync(handle);
        rmSync(file, { force: true });
      }
    } catch (error) {
      refused.push(`can't write in ${dir}: ${(error as Error).message}`);
    }
  }
  return verdict('permissions', 'tasks/ and .taskroom/ can be written', [
    ['fail', refused, 'check the owner and mode of the folder, and free space'],
  ]);
}

/** The limits of the watcher, where the system has such. */
export function checkWatcher(folder: string): Finding[] {
  const limit = (key: string): number | null => {
    const file = join(folder, key);
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : null;
  };
  const wanted = [
    ['max_user_watches', FEW_WATCHES],
    ['max_user_instances', FEW_INSTANCES],
    ['max_queued_events', FEW_EVENTS],
  ] as const;
  const low = wanted.flatMap(([key, least]): Fault[] => {
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

function checkFiles({ tasks, invalid, odd }: Awaited<ReturnType<RoomUnderExam['list']>>): Finding[] {
  const ofId = Map.groupBy(
    tasks.filter(({ id }) => id !== null),
    ({ id }) => id,
  );
  const twice = [...ofId]
    .filter(([, list]) => list.length > 1)
    .map(([id, list]) => `id ${id} stands in ${list.map(({ path }) => path).join(' and ')}`);
  const ids = each(
    'ids',
    'warn',
    twice,
    'a running room gives the copy an id of its own; or remove the id line from the copy',
  );
  const fine = ids.length > 0 ? null : `${tasks.length} task file(s) can be read`;
  return [
    ...verdict('files', fine, [
      ['fail', linesOf(invalid), 'mend the file at that place: taskroom edit <file>'],
    ]),
    ...ids,
    ...each('odd', 'warn', linesOf(odd), 'mend it, or leave it when it is meant so'),
  ];
}

function checkOwners(tasks: readonly TaskRow[], exam: RoomUnderExam): Finding[] {
  const lost = tasks.filter(
    ({ owner, status }) => owner !== null && !isFinished(status) && !exam.agents().has(owner),
  );
  const known = [...exam.agents().keys()].join(', ');
  const texts = lost.map(({ path, owner }) => noAgent(path, owner!));
  return each('owners', 'warn', texts, `agents here: ${known || 'none'}; taskroom set <task> owner=…`);
}

async function checkBlockers(views: readonly TaskRow[], exam: RoomUnderExam): Promise<Finding[]> {
  const { cycles, lost, outside } = await examineBlockers(views, exam, MAX_LISTED * 5);
  const circles = cycles.map((cycle) => `a circle: ${cycle.join(' → ')}`);
  return verdict('blockers', null, [
    ['fail', circles, 'none of them can ever run: taskroom set <task> blocked_by= frees one'],
    ['warn', lost, 'it stays blocked: mend its blocked_by, or write that task'],
    ['warn', outside, 'it waits until a whole sync, one a day, finds that issue closed'],
  ]);
}

async function checkMirrors(exam: RoomUnderExam): Promise<Finding[]> {
  const { count, found } = await exam.checkMirrors();
  if (found.length === 0)
    return verdict('mirrors', count === 0 ? null : `${count} mirror(s), none needs you`, []);
  const more = found.length - MAX_LISTED;
  const shown = found.slice(0, MAX_LISTED).map((one): Finding => ({ name: 'mirrors', ...one }));
  return more > 0
    ? [...shown, { name: 'mirrors', state: 'warn', text: `and ${more} more`, hint: 'taskroom mirrors' }]
    : shown;
}

async function checkTurns(exam: RoomUnderExam): Promise<Finding[]> {
  if (exam.holder !== null) return [];
  const { turns, jobs } = exam.ledger;
  const running = [
    ...turns.list({ state: 'running', limit: 1000 }),
    ...jobs.active().filter(({ state }) => state === 'running'),
  ];
  const texts = running.map(
    ({ id, description }) => `turn ${id} (${description}) is recorded as running, and no daemon is there`,
  );
  return each(
    'turns',
    'warn',
    texts,
    'taskroom up or once finds out how it ended; taskroom kill <turn> ends it',
  );
}

function checkSkipped(skipped: readonly Skipped[]): Finding[] {
  const usual = skipped.filter((file) => isUsual(file) && !file.path.endsWith('.tmp'));
  const names = usual.slice(0, 5).map(({ path, reason }) => `${path} (${reason})`);
  const more = usual.length > 5 ? ` and ${usual.length - 5} more` : '';
  const odd = oddFiles(skipped);
  return [
    ...each('passed over', 'warn', odd, 'it is no task; move it out of tasks/, or rename it to end in .md'),
    ...(usual.length > 0 ? verdict('passed over', `${names.join(', ')}${more}`, []) : []),
  ];
}

function checkLeftovers(room: Room, nowMs: number): Finding[] {
  const temps = listDir(room.tasksDir)
    .filter(
      (name) => name.startsWith('.') && name.endsWith('.tmp') && isOld(join(room.tasksDir, name), nowMs),
    )
    .map((name) => `tasks/${name} was left by a write that was cut short`);
  const damaged = listDir(room.ownDir)
    .filter((name) => /\.damaged-\d+$/.test(name))
    .map((name) => `.taskroom/${name} is a damaged record that was set aside`);
  return verdict('leftovers', null, [
    ['warn', temps, 'the next taskroom up removes it'],
    ['warn', damaged, 'delete it when you do not need it any more'],
  ]);
}

function listDir(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir) : [];
}

function isOld(file: string, nowMs: number): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && nowMs - stat.mtimeMs > TEMP_AGE_MS;
}
