// What Linux tells of a process in /proc; nothing elsewhere. Small, since every command of a person loads it.
import { readFileSync } from 'node:fs';
import { valueOr } from '../../core/errors.ts';

export type ProcStat = NonNullable<ReturnType<typeof parseProcStat>>;

/** Reads `/proc/<pid>/stat`; the command name in it may hold spaces and parentheses. */
export function parseProcStat(text: string | null) {
  const close = text?.lastIndexOf(') ') ?? -1;
  if (!text || close < 0) return null;
  const fields = text.slice(close + 2).split(' ');
  return {
    pid: Number.parseInt(text, 10),
    state: fields[0]!,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    ticks: Number(fields[19]), // Start, in clock ticks since boot.
  };
}

/** `NAME=value` entries a process was started with; none where that can't be read (elsewhere than on Linux). */
export const readEnvironment = (pid: number): string[] => readProc(pid, 'environ')?.split('\0') ?? [];

/** The leader of a process's session, which outlives the parents between; null without /proc. */
export function readSessionLeader(pid: number): number | null {
  const session = parseProcStat(readProc(pid, 'stat'))?.session ?? 0;
  return session > 1 ? session : null;
}

/** The processes this one descends from, the nearest first; none where there is no /proc. */
export function readAncestors(pid: number): number[] {
  const pids: number[] = [];
  for (let at = pid; ; at = pids.at(-1)!) {
    const { parent } = parseProcStat(readProc(at, 'stat')) ?? { parent: 0 };
    if (parent <= 1 || pids.includes(parent)) return pids;
    pids.push(parent);
  }
}

/** Null for what is gone, or another user's: not ours either way. */
export const readProc = (pid: number, file: 'stat' | 'environ'): string | null =>
  valueOr(null, () => readFileSync(`/proc/${pid}/${file}`, 'utf8'));
