// What opens rights, and who said it: whole files (room.yaml, agents, chores, providers) and the checks of tasks. Only a
// person's word counts: a change that was made while a turn of any agent ran is remembered as seen and not as said, and what
// was said before stays in force until a person says otherwise (`taskroom accept`).
import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { rememberedWords } from '../../core/rules/checks.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SaidSource } from '../ledger/tasks/waits.ts';
import type { Room } from '../room.ts';

interface CheckedFile {
  changedAtMs: number; // The inode's own change time, epoch ms: no program can set it back.
  isOwnWrite?: boolean; // Our writer wrote last: what it wrote on may be older.
  isOthers?: boolean;
}

// What lies in a file is looked at within two sweeps: before that our writer may have written on it.
export const BEFORE_OWN_WRITE_MS = 60_000;

export function rememberChecks(
  { saidWords, turns }: Pick<Ledger, 'saidWords' | 'turns'>,
  source: SaidSource,
  now: readonly string[],
  { changedAtMs, isOwnWrite = false, isOthers = false }: CheckedFile,
): void {
  const known = saidWords.get(source);
  if (known === null && now.length === 0) return;
  const fromMs = isOwnWrite ? changedAtMs - BEFORE_OWN_WRITE_MS : changedAtMs;
  const turnRan = turns.agentsRan(fromMs, changedAtMs).length > 0;
  const next = rememberedWords({ known, now, turnRan, isOthers });
  if (next !== null) saidWords.put({ source, ...next });
}

/** What counts of a file that opens rights. */
export type TextInForce = (path: string, text: string | null) => string | null;

/**
 * Takes in what such a file says now, and returns the text that counts.
 * @returns a function of the file's path, relative to the room or absolute, and its text, null for a file that is not there;
 *   it answers null where no text of the file counts
 */
export function textsInForce(
  room: Room,
  { saidWords, turns }: Pick<Ledger, 'saidWords' | 'turns'>,
): TextInForce {
  return (path, text) => {
    const source = `file:${path}` as const;
    const now = text === null ? [] : [text];
    const known = saidWords.get(source);
    const turnRan = () => changeTimes(resolve(room.dir, path)).some((at) => turns.agentsRan(at).length > 0);
    const isNews = known === null ? text !== null : text !== (known.seen[0] ?? null);
    const next = isNews ? rememberedWords({ known, now, turnRan: turnRan(), isOthers: false }) : null;
    if (next !== null) saidWords.put({ source, ...next });
    return (next ?? known)?.said[0] ?? null;
  };
}

/** When a file became what it is: itself, a link to it, or a folder or link in whose place it came. A folder that was changed
 * before its file was is as it was when somebody wrote into the file. */
function changeTimes(file: string): number[] {
  const timeOf = (stat: Stats | undefined) => stat?.ctimeMs ?? 0;
  const quiet = { throwIfNoEntry: false };
  const own = [lstatSync(file, quiet), statSync(file, quiet)].map(timeOf);
  const folder = timeOf(lstatSync(dirname(file), quiet));
  return [...own, ...(folder >= Math.max(...own) ? [folder] : [])].filter((at) => at > 0);
}

/** The checks that count for a task: its agent's, its mirror's chore's and its own, each as a person said them. */
export function checksThatCount(
  { saidWords, mirrors }: Pick<Ledger, 'saidWords' | 'mirrors'>,
  task: string,
  agent: { checks: readonly string[] } | undefined,
): string[] {
  const said = (source: SaidSource) => saidWords.get(source)?.said ?? [];
  const chore = mirrors.get(task)?.chore;
  const ofChore = chore === undefined ? [] : said(`chore:${chore}`);
  return [...new Set([...(agent?.checks ?? []), ...ofChore, ...said(`task:${task}`)])];
}
