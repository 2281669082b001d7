// What must be true after a storm over workers, by the files, the ledger and what agents left on record. Each broken promise
// is one line.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf } from '../e2e/room.ts';
import { foldersIn, judgeBranches } from './worker-branches.ts';
import { formatMove } from './worker-moves.ts';
import { lastRun, type Run, readRuns } from './worker-runs.ts';
import { linesOf, type StormSite } from './worker-site.ts';
import type { StormEnd } from './worker-storm.ts';

interface TurnRow {
  id: string;
  thread: string;
  state: string;
  reason: string;
  revision: string;
  started_at: number;
  ended_at: number;
}

export interface Verdict {
  problems: string[];
  /** Turns on record, starts of agents, reports that came too late. */
  figures: { turns: number; runs: number; moved: number; late: number };
}

/** What the issue promises of a worker that died. */
const MOVED_WITHIN_MS = 15_000;
/** Until a kill has reached the agent at its worker. */
const KILLED_WITHIN_MS = 5_000;

/** Judges what is left once workers and host were stopped. @param codes their exit codes */
export function judge(on: StormSite, end: StormEnd, codes: readonly (number | null)[]): Verdict {
  const { room } = on.site;
  const { runs, met, refused } = readRuns(room.dir);
  const turns = room.sql('SELECT * FROM turns ORDER BY started_at') as unknown as TurnRow[];
  const problems = [
    ...met.map((line) => `two agents were at one task at once: ${line}`),
    ...[...end.rounds].flatMap(([task, rounds]) => judgeTask(room.read(`tasks/${task}.md`), task, rounds)),
    ...[...end.rounds].flatMap(([task, rounds]) => judgeTurns(turns, task, rounds)),
    ...runs.flatMap((run) =>
      judgeReports(room.read(`tasks/${run.task}.md`), run, isLast(run, runs) && !wasDone(on, run)),
    ),
    ...turns.flatMap((turn) => judgeOutput(room.at(`.taskroom/turns/${turn.id}`), turn, runs)),
    ...refused.map((line) => `a git did not commit: ${line}`),
    ...judgeBranches(on, turns.filter(isWhole), runs),
    ...turns.filter(({ state }) => state === 'running').map(({ id }) => `still on record as running: ${id}`),
    ...end.moves
      .filter(({ began }) => began === null || began > MOVED_WITHIN_MS)
      .map((move) => `a dead worker's turn ran elsewhere too late: ${formatMove(move)}`),
    ...end.killedMs
      .filter((ms) => ms > KILLED_WITHIN_MS)
      .map((ms) => `an agent lived on for ${ms} ms after its turn was killed`),
    ...codes.filter((code) => code !== 0).map((code) => `a worker, or the host, ended with ${code}`),
    ...on.daemons.map((daemon) => daemon.stderr()).filter((said) => said !== ''),
    ...leftProcesses(on).map((pid) => `a process is left: ${pid} ${commandOf(pid)}`),
  ];
  const late = turns.reduce(
    (n, { id }) => n + linesOf(room.at(`.taskroom/turns/${id}/late.jsonl`)).length,
    0,
  );
  const moved = runs.length - new Set(runs.map(({ turn }) => turn)).size;
  return { problems, figures: { turns: turns.length, runs: runs.length, moved, late } };
}

function judgeTask(text: string, task: string, rounds: number): string[] {
  const isDone = /^status: done$/m.test(text) && text.includes(`Round ${rounds}.`);
  return isDone ? [] : [`${task} is not done with its round ${rounds}:\n${text.slice(0, 600)}`];
}

const isWhole = ({ reason }: TurnRow) => reason === 'ok' || reason === 'done';

/** Serial, and each round completed once. */
function judgeTurns(turns: readonly TurnRow[], task: string, rounds: number): string[] {
  const own = turns.filter(({ thread }) => thread === `task:local:${task}`);
  const whole = own.filter(isWhole);
  const problems = own.flatMap((turn, at) => {
    const before = own[at - 1];
    const isSerial = before === undefined || before.ended_at <= turn.started_at;
    return isSerial ? [] : [`${turn.id} of ${task} began before ${before.id} had ended`];
  });
  const revisions = new Set(whole.map(({ revision }) => revision));
  if (whole.length !== rounds || revisions.size !== rounds)
    problems.push(
      `${task}: ${rounds} rounds, ${whole.length} completed turns, ${revisions.size} of them different`,
    );
  return problems;
}

/** Whether what it said is the turn's: the worker of any other run lost the turn, with what it had not told yet. */
function isLast({ run, turn, endedAtMs, startedAtMs }: Run, runs: readonly Run[]): boolean {
  const after = runs.some(
    (other) => other.turn === turn && other.run !== run && other.startedAtMs > startedAtMs,
  );
  return endedAtMs !== null && !after;
}

/** An attempt before had finished the task when its worker was lost: of the next one everything is refused, as of any agent. */
function wasDone(on: StormSite, { turn, run }: Run): boolean {
  const { mine, refused } = sayings(outputOf(on.site.room.at(`.taskroom/turns/${turn}`)));
  return refused && mine.startsWith(`out ${run} `);
}

/** What the agent itself printed, and whether the room refused it since its task is over. */
function sayings(output: string): { mine: string; refused: boolean } {
  const mine = output.replace(/^taskroom: \S+ is done: an agent can't change it any more\n.*\n/gm, '');
  return { mine, refused: mine !== output };
}

function outputOf(dir: string): string {
  try {
    return readFileSync(join(dir, 'output.log'), 'utf8');
  } catch {
    return '';
  }
}

/** What a run said stands there once, in order; of one that lost its turn some may be missing. */
function judgeReports(text: string, { run, task, turn }: Run, saidAll: boolean): string[] {
  const problems: string[] = [];
  const words = [`said ${run} 1`, `step ${run}`, `said ${run} 2`];
  for (const word of words) {
    const times = text.split('\n').filter((line) => line.includes(word)).length;
    if (times > 1 || (times === 0 && saidAll))
      problems.push(`${task}: "${word}" of ${turn} stands there ${times} times`);
  }
  if (text.indexOf(words[0]!) > text.indexOf(words[2]!) && text.includes(words[2]!))
    problems.push(`${task}: what ${run} said is not in order`);
  return problems;
}

/** The output of a turn is that of its last run, byte for byte. */
function judgeOutput(dir: string, { id, reason }: TurnRow, runs: readonly Run[]): string[] {
  const last = lastRun(runs, id);
  if (reason !== 'ok' || last === undefined) return [];
  const expected = `out ${last.run} 1\nout ${last.run} 2\n`;
  const whole = outputOf(dir);
  const output = runs.filter(({ turn }) => turn === id).length > 1 ? sayings(whole).mine : whole;
  return output === expected
    ? []
    : [`output of ${id}: ${JSON.stringify(output)}, not ${JSON.stringify(expected)}`];
}

function leftProcesses(on: StormSite): number[] {
  const folders = on.homes.flatMap((home) => [join(home, 'cache'), ...foldersIn(join(home, 'cache'))]);
  return [on.site.room.dir, ...folders].flatMap((dir) => processesOf(dir));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
