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
import { each, type Finding, ok, type RoomStanding } from '../room-handle.ts';
import type { TaskDetail, TaskRow } from '../shapes/task.ts';
import { examineBlockers } from './blocker-faults.ts';
import { examinePlans, findChoreFaults } from './faults.ts';

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

const MAX_LISTED = 20;
const TEMP_AGE_MS = 60_000;
// One watch a folder: a room has a handful, but the limits are shared by every program of the user.
const FEW_WATCHES = 1024;
const FEW_INSTANCES = 16;
const FEW_EVENTS = 1024;

export async function examineRoom(exam: RoomUnderExam, effects: Effects): Promise<Finding[]> {
  const { room } = exam;
  const list = await exam.list();
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
    ...(await examinePlans(exam.plans, (id) => exam.agents().has(id))),
    ...(await checkChores(exam, effects)),
    ...(await checkMirrors(exam)),
    ...(await exam.checkWorkspaces()).map((found): Finding => ({ name: 'workspaces', ...found })),
    ...(await exam.examineQueue()).map((found): Finding => ({ name: 'queue', ...found })),
    ...(await checkTurns(exam)),
    ...checkSkipped(skipped),
    ...checkLeftovers(room, effects.now()),
  ];
}

function checkSettings(exam: RoomUnderExam): Finding[] {
  const texts = exam.problems.map(formatProblem);
  const { defaultAgent } = exam.config();
  const missing: Finding[] = exam.agents().has(defaultAgent)
    ? []
    : [
        {
          name: 'settings',
          state: 'fail',
          text: `the default agent ${defaultAgent} has no readable agents/${defaultAgent}/agent.json`,
          hint: 'write it, or name another default_agent in room.yaml; taskroom init writes the runbook agent',
        },
      ];
  const found = [
    ...each('settings', 'fail', texts, 'mend the file; a running room reads it again by itself'),
    ...missing,
  ];
  return found.length > 0
    ? found
    : ok('settings', `room.yaml and ${exam.agents().size} agent(s) can be read`);
}

async function checkPrograms(exam: RoomUnderExam): Promise<Finding[]> {
  const texts = (await exam.checkAgents()).map(formatProblem);
  if (texts.length > 0) return each('agents', 'fail', texts, 'install the program, or change the agent.json');
  return ok('agents', `ready: ${[...exam.agents().keys()].join(', ') || 'none'}`);
}

function checkWritable(room: Room, effects: Effects): Finding[] {
  const own = existsSync(room.ownDir) ? room.ownDir : room.dir;
  const findings: Finding[] = [];
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
      const text = `can't write in ${dir}: ${(error as Error).message}`;
      findings.push({
        name: 'permissions',
        state: 'fail',
        text,
        hint: 'check the owner and mode of the folder, and free space',
      });
    }
  }
  return findings.length > 0 ? findings : ok('permissions', 'tasks/ and .taskroom/ can be written');
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
  const low = wanted.flatMap(([key, least]): Finding[] => {
    const value = limit(key);
    if (value === null || value >= least) return [];
    const text = `fs.inotify.${key} is ${value}; changes may be seen only by the sweep`;
    return [{ name: 'watcher', state: 'warn', text, hint: `sudo sysctl fs.inotify.${key}=${least * 8}` }];
  });
  const watches = limit('max_user_watches');
  if (low.length > 0) return low;
  return ok(
    'watcher',
    watches === null ? 'no limits known here' : `${watches} watches allowed, one a folder is needed`,
  );
}

function checkFiles({ tasks, invalid, odd }: Awaited<ReturnType<RoomUnderExam['list']>>): Finding[] {
  const broken = invalid.flatMap((file) => file.problems.map(formatProblem));
  const paths = new Map<string, string[]>();
  for (const { id, path } of tasks) if (id !== null) paths.set(id, [...(paths.get(id) ?? []), path]);
  const twice = [...paths]
    .filter(([, list]) => list.length > 1)
    .map(([id, list]) => `id ${id} stands in ${list.join(' and ')}`);
  const found = [
    ...each('files', 'fail', broken, 'mend the file at that place: taskroom edit <file>'),
    ...each(
      'ids',
      'warn',
      twice,
      'a running room gives the copy an id of its own; or remove the id line from the copy',
    ),
  ];
  const keys = odd.flatMap((file) => file.problems.map(formatProblem));
  const doubts = each('odd', 'warn', keys, 'mend it, or leave it when it is meant so');
  return [...(found.length > 0 ? found : ok('files', `${tasks.length} task file(s) can be read`)), ...doubts];
}

function checkOwners(tasks: readonly TaskRow[], exam: RoomUnderExam): Finding[] {
  const lost = tasks.filter(
    ({ owner, status }) => owner !== null && !isFinished(status) && !exam.agents().has(owner),
  );
  const known = [...exam.agents().keys()].join(', ');
  const texts = lost.map(({ path, owner }) => `${path}: owner ${owner} is no agent of this room`);
  return each('owners', 'warn', texts, `agents here: ${known || 'none'}; taskroom set <task> owner=…`);
}

async function checkBlockers(views: readonly TaskRow[], exam: RoomUnderExam): Promise<Finding[]> {
  const { cycles, lost, outside } = await examineBlockers(views, exam, MAX_LISTED * 5);
  const circles = cycles.map((cycle) => `a circle: ${cycle.join(' → ')}`);
  return [
    ...each(
      'blockers',
      'fail',
      circles,
      'none of them can ever run: taskroom set <task> blocked_by= frees one',
    ),
    ...each('blockers', 'warn', lost, 'it stays blocked: mend its blocked_by, or write that task'),
    ...each('blockers', 'warn', outside, 'it waits until a whole sync, one a day, finds that issue closed'),
  ];
}

async function checkChores(exam: RoomUnderExam, effects: Effects): Promise<Finding[]> {
  const faults = await findChoreFaults({ ...exam, effects }, (id) => exam.agents().has(id));
  const { count, broken, ownerless, odd } = faults;
  const found = [
    ...each('chores', 'fail', broken, 'mend the file; a running room reads it again by itself'),
    ...each('chores', 'warn', ownerless, 'name another owner, or add that agent'),
    ...each('chores', 'warn', odd, 'it is no chore; move it out of chores/, or rename it to end in .md'),
  ];
  return found.length > 0 || count === 0 ? found : ok('chores', `${count} chore(s) can be read`);
}

async function checkMirrors(exam: RoomUnderExam): Promise<Finding[]> {
  const { count, found } = await exam.checkMirrors();
  if (found.length === 0) return count === 0 ? [] : ok('mirrors', `${count} mirror(s), none needs you`);
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
  const expected = (reason: string) => reason === 'editor file' || reason === 'hidden file';
  const odd = skipped
    .filter(({ reason }) => !expected(reason))
    .map(({ path, reason }) => `${path}: ${reason}`);
  const usual = skipped.filter(({ path, reason }) => expected(reason) && !path.endsWith('.tmp'));
  const names = usual
    .slice(0, 5)
    .map(({ path, reason }) => `${path} (${reason})`)
    .join(', ');
  const more = usual.length > 5 ? ` and ${usual.length - 5} more` : '';
  return [
    ...each('passed over', 'warn', odd, 'it is no task; move it out of tasks/, or rename it to end in .md'),
    ...(usual.length > 0 ? ok('passed over', `${names}${more}`) : []),
  ];
}

function checkLeftovers(room: Room, nowMs: number): Finding[] {
  const temps = listDir(room.tasksDir).filter(
    (name) => name.startsWith('.') && name.endsWith('.tmp') && isOld(join(room.tasksDir, name), nowMs),
  );
  const damaged = listDir(room.ownDir).filter((name) => /\.damaged-\d+$/.test(name));
  return [
    ...each(
      'leftovers',
      'warn',
      temps.map((name) => `tasks/${name} was left by a write that was cut short`),
      'the next taskroom up removes it',
    ),
    ...each(
      'leftovers',
      'warn',
      damaged.map((name) => `.taskroom/${name} is a damaged record that was set aside`),
      'delete it when you do not need it any more',
    ),
  ];
}

function listDir(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir) : [];
}

function isOld(file: string, nowMs: number): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && nowMs - stat.mtimeMs > TEMP_AGE_MS;
}
