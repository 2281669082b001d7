// Finds and ends every process a turn started: TERM, a grace time, KILL (B4). A signal goes only to processes known to be the
// turn's own, by a group whose leader was watched or still has its recorded start time, or by the turn's marks in a
// process's environment; never to a number alone.
import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import { type ProcStat, parseProcStat, readEnvironment, readProc } from './proc-files.ts';
import { bootId, isAlive, isDead, type ProcessIdentity, readIdentity } from './process-identity.ts';

const GRACE_MS = 5000; // How long a process may take to end after TERM (B4).
const GIVE_UP_MS = 15_000; // What is still there then is stuck in the kernel, or another user's.
const FIRST_POLL_MS = 10;
const POLL_MS = 250;

interface TurnProcesses {
  leader: ProcessIdentity | null; // The wrapper, leader of the turn's process group; null when it is unknown.
  /** True when this runtime saw the leader alive without a break: its group's number can't be another's. */
  watched: boolean;
  /** `NAME=value` entries that all stand in the environment of the turn's processes and of no others. */
  marks: readonly string[];
  graceMs?: number;
}

interface OwnProcess {
  pid: number;
  ticks: number;
  /** In the group of the wrapper, so that one signal reaches it together with what it forks meanwhile. */
  member: boolean;
}

/** `NAME=value` entries of the environment of everything a turn starts, in this room's folder where one is given. */
export function turnMarks(turn: string, room?: string): string[] {
  return [`TASKROOM_TURN=${turn}`, ...(room === undefined ? [] : [`AGENT_ROOM=${room}`])];
}

/** Ends all processes of a turn and waits until they are gone.
 * @param whileWaiting called again and again until they are
 * @returns pids that could not be ended */
export async function endProcesses(
  turn: TurnProcesses,
  effects: Effects,
  whileWaiting: () => Promise<void> = async () => undefined,
): Promise<number[]> {
  const { graceMs = GRACE_MS } = turn;
  const begun = effects.monotonicMs();
  const asked = new Set<string>();
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, POLL_MS)) {
    const living = findProcesses(turn);
    if (living.length === 0) return [];
    const age = effects.monotonicMs() - begun;
    if (age >= GIVE_UP_MS) return living.map(({ pid }) => pid);
    if (age < graceMs) askToEnd(turn, living, asked);
    else signalAll(turn, living, 'SIGKILL');
    await whileWaiting();
    await sleep(effects, age < graceMs ? Math.min(pollMs, graceMs - age) : pollMs);
  }
}

// Some programs take a second TERM as "now": each process is asked once.
function askToEnd(turn: TurnProcesses, living: readonly OwnProcess[], asked: Set<string>): void {
  const fresh = living.filter(({ pid, ticks }) => !asked.has(`${pid} ${ticks}`));
  const groupAsked = asked.size > 0;
  signalAll(turn, groupAsked ? fresh.map((row) => ({ ...row, member: false })) : fresh, 'SIGTERM');
  for (const { pid, ticks } of fresh) asked.add(`${pid} ${ticks}`);
}

function signalAll(turn: TurnProcesses, living: readonly OwnProcess[], signal: NodeJS.Signals): void {
  if (living.some(({ member }) => member)) trySignal(-turn.leader!.pid, signal);
  for (const { pid, ticks, member } of living) {
    // The number may have changed hands since the list was made.
    if (!member && parseProcStat(readProc(pid, 'stat'))?.ticks === ticks) trySignal(pid, signal);
  }
}

// The living processes of a turn: its group and, on Linux, the rest of its session and those that left it but still
// carry its marks.
function findProcesses(turn: TurnProcesses): OwnProcess[] {
  if (bootId() === null) return findGroup(turn);
  const table = readProcessTable();
  const group = turn.leader?.pid ?? -1;
  const start = /^linux (\d+) (\S+)$/.exec(turn.leader?.start ?? '');
  // Recorded before the last boot: nothing of it can live.
  if (start && start[2] !== bootId()) return [];
  const since = start ? Number(start[1]) : 0;
  const leader = table.find(({ pid }) => pid === group);
  const ours = leader && start ? leader.ticks === since : turn.watched;
  return table
    .filter(({ pid, state, ticks }) => ticks >= since && pid !== process.pid && !isDead(state))
    .filter((row) => (ours && row.session === group) || hasMarks(row.pid, turn.marks))
    .map((row) => ({ pid: row.pid, ticks: row.ticks, member: ours && row.group === group }));
}

// Without /proc the group is asked whether it exists. EPERM: only zombies (macOS) or other users' processes are left.
function findGroup(turn: TurnProcesses): OwnProcess[] {
  const alive = turn.leader !== null && turn.watched && trySignal(-turn.leader.pid, 0);
  return alive ? [{ pid: turn.leader!.pid, ticks: 0, member: true }] : [];
}

function hasMarks(pid: number, marks: readonly string[]): boolean {
  const entries = readEnvironment(pid);
  return marks.length > 0 && marks.every((mark) => entries.includes(mark));
}

function readProcessTable(): ProcStat[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => parseProcStat(readProc(Number(pid), 'stat'))).filter((row) => row !== null);
}

function trySignal(target: number, signal: NodeJS.Signals | 0): boolean {
  if (target === -1 || target === 0 || target === 1) throw new Error(`refusing to signal ${target}`);
  try {
    return process.kill(target, signal);
  } catch (error) {
    if (hasCode(error, 'ESRCH', 'EPERM')) return false;
    throw error;
  }
}

/** Ends everything a turn started whose runtime died.
 * @param room absolute path of the room: a copy's processes are not this room's
 * @param dir absolute path of the turn's folder, by which its processes are found again
 * @returns pids that could not be ended */
export async function endOrphan(
  room: string,
  dir: string,
  turn: string,
  effects: Effects,
  graceMs = GRACE_MS,
): Promise<number[]> {
  const marks = turnMarks(turn, room);
  const recorded = await readIdentity(dir);
  // Where environments can be read, they tell a copied room's record from its own process.
  const leader = recorded !== null && (bootId() === null || hasMarks(recorded.pid, marks)) ? recorded : null;
  const watched = leader !== null && (await isAlive(leader));
  return endProcesses({ leader, watched, marks, graceMs }, effects);
}

/** Folder in a turn's own for the programs that its runner starts one after another, each in a folder of its own. */
export const PROGRAMS_DIR = 'programs';

/** As `endOrphan`, with the programs that the turn's runner itself started. */
export async function endTurn(...[room, dir, ...rest]: Parameters<typeof endOrphan>): Promise<number[]> {
  const left = await endOrphan(room, dir, ...rest);
  // Where environments can be read the turn's marks have found them all.
  if (bootId() !== null) return left;
  const folders = await readdir(join(dir, PROGRAMS_DIR)).catch(() => []);
  const ends = folders.map((name) => endOrphan(room, join(dir, PROGRAMS_DIR, name), ...rest));
  return [...left, ...(await Promise.all(ends)).flat()];
}
