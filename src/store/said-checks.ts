// Who said the checks that a file names. Only a person's word counts: a change that was made while a turn of any agent
// ran is remembered as seen and not as said, until a person says it again (`taskroom set <task> checks=…`).
import { statSync } from 'node:fs';
import type { AgentConfig } from '../core/config/agent-config.ts';
import { joinChecks, rememberedChecks } from '../core/rules/checks.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { CheckSource } from './ledger/tasks/checks.ts';
import type { Room } from './room.ts';

/** When a file was last changed, and by whom as far as that is known. */
export interface CheckedFile {
  /** The inode's own change time, epoch ms: no program can set it back. */
  changedAtMs: number;
  /** Our writer wrote last: what it wrote on may be older. */
  isOwnWrite?: boolean;
  /** A mirror or an agent made the file. */
  isOthers?: boolean;
}

// What lies in a file is looked at within two sweeps: before that our writer may have written on it.
const BEFORE_OWN_WRITE_MS = 60_000;

/** Takes in what a file says about checks now. */
export function rememberChecks(
  { checks }: Pick<Ledger, 'checks'>,
  source: CheckSource,
  now: readonly string[],
  { changedAtMs, isOwnWrite = false, isOthers = false }: CheckedFile,
): void {
  const known = checks.saidBy(source);
  if (known === null && now.length === 0) return;
  const fromMs = isOwnWrite ? changedAtMs - BEFORE_OWN_WRITE_MS : changedAtMs;
  const turnRan = checks.turnRan(fromMs, changedAtMs);
  const next = rememberedChecks({ known, now, turnRan, isOthers });
  if (next !== null) checks.setSaid(source, next);
}

/** The same of the agents' files as they were read. */
export function rememberAgentChecks(room: Room, ledger: Ledger, agents: Iterable<AgentConfig>): void {
  for (const { id, checks } of agents) {
    const stat = statSync(room.at(`agents/${id}/agent.json`), { throwIfNoEntry: false });
    if (stat) rememberChecks(ledger, `agent:${id}`, checks, { changedAtMs: stat.ctimeMs });
  }
}

/** The checks that count for a task: its agent's, its mirror's chore's and its own, each as a person said them. */
export function checksThatCount(
  { checks, mirrors }: Pick<Ledger, 'checks' | 'mirrors'>,
  task: string,
  agent: string,
): string[] {
  const said = (source: CheckSource): string[] => checks.saidBy(source)?.said ?? [];
  const chore = mirrors.byTask(task)?.chore;
  return joinChecks(
    said(`agent:${agent}`),
    chore === undefined ? [] : said(`chore:${chore}`),
    said(`task:${task}`),
  );
}
