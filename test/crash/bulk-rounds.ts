// `kill -9` in the middle of a change of several tasks: each round a process dies at another step of it, now and then a
// second one dies putting that right, a person edits a file meanwhile or makes one unreadable. Then the next command, or
// the next start of the room, goes on. All of the change is made, or nothing of it; what a person typed stands.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BulkChange } from '../../src/tasks/shapes/change.ts';
import { createRoom, type E2eRoom } from '../e2e/room.ts';
import { createRandom } from '../support/random.ts';
import type { BulkJob } from './bulk-child.ts';

/** As `bulk-child.ts` has it, which is a program. */
const SPOILED = 'labels: [nope';

export type BulkRounds = { rounds: number; seed: number; say(line: string): void };

const FILES = {
  A: '---\nid: aaaa1111\nstatus: draft # mine\n---\nDo A.\n',
  B: '---\nid: bbbb1111\nstatus: todo\npaused: true\n---\nDo B.\n',
  C: '---\nid: cccc1111\nstatus: done\n---\nDid C.\n',
  D: '---\nid: dddd1111\nstatus: done\n---\nDid D.\n',
};
type Name = keyof typeof FILES;

const CHANGES: BulkChange[] = [
  { do: 'create', name: 'New', status: 'draft', description: 'Words.', blocked_by: ['Later'] },
  { do: 'update', ref: 'A', keys: { priority: 'high' } },
  { do: 'complete', ref: 'B', outcome: 'It works.' },
  { do: 'delete', ref: 'C' },
  { do: 'create', name: 'Later', status: 'draft' },
  { do: 'delete', ref: 'D' },
];
const REQUEST = 'crash1';

/** What happens in one round. */
interface Round {
  dieAt: number;
  request?: string;
  /** Of a second process, which begins by putting right what the first one left; null: there is none. */
  dieAgainAt: number | null;
  spoil?: { at: number; path: string };
  typed: boolean;
  heal: 'command' | 'start' | 'same request';
}

/** @returns what was broken, one line each */
export async function runBulkRounds({ rounds, seed, say }: BulkRounds): Promise<string[]> {
  const random = createRandom(seed);
  const steps = await countSteps();
  say(`a bulk has ${steps} steps to die at`);
  const problems: string[] = [];
  for (let at = 0; at < rounds; at += 1) {
    // Spread over all steps, so that few rounds see the beginning, the middle and the end.
    const dieAt = 1 + Math.floor(((at + random()) / rounds) * steps);
    const round = drawRound(random, dieAt, steps);
    const found = await playRound(round);
    problems.push(...found.map((problem) => `round ${at} ${JSON.stringify(round)}: ${problem}`));
    if ((at + 1) % 10 === 0) say(`${at + 1} of ${rounds} bulks killed, ${problems.length} broken promises`);
  }
  return problems;
}

function drawRound(random: () => number, dieAt: number, steps: number): Round {
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  const request = random() < 0.4 ? { request: REQUEST } : {};
  const spoil = random() < 0.4 ? { spoil: { at: upTo(dieAt), path: 'tasks/B.md' } } : {};
  const heals = ['command', 'start', ...('request' in request ? ['same request' as const] : [])] as const;
  return {
    dieAt,
    ...request,
    ...spoil,
    dieAgainAt: random() < 0.4 ? upTo(steps) : null,
    typed: random() < 0.5,
    heal: heals[Math.floor(random() * heals.length)]!,
  };
}

async function openRoom(): Promise<E2eRoom> {
  const room = await createRoom();
  for (const [name, text] of Object.entries(FILES)) room.save(`tasks/${name}.md`, text);
  await room.ok('progress', 'A', 'Seen.');
  room.save('tasks/A.md', FILES.A);
  return room;
}

async function countSteps(): Promise<number> {
  const room = await openRoom();
  const { answer, steps } = JSON.parse(
    (await runChild({ dir: room.dir, changes: CHANGES, dieAt: null })).stdout,
  );
  if (!Array.isArray(answer)) throw new Error(`the bulk was refused: ${answer}`);
  await room.close();
  return steps;
}

async function playRound({ dieAt, dieAgainAt, request, spoil, typed, heal }: Round): Promise<string[]> {
  const room = await openRoom();
  const job: BulkJob = { dir: room.dir, changes: CHANGES, dieAt, ...(request && { request }) };
  await runChild({ ...job, ...(spoil && { spoil }) });
  const wasRecorded = openBulks(room) > 0;
  if (dieAgainAt !== null)
    await runChild({
      dir: room.dir,
      changes: [{ do: 'create', name: 'Other', status: 'draft' }],
      dieAt: dieAgainAt,
    });
  if (typed) room.edit('tasks/A.md', (text) => text.replace(/Do A\..*\n/, 'Do A well.\n'));
  if (heal === 'command') await room.ok('comment', 'A', 'The next command.');
  else if (heal === 'start') await room.ok('once');
  else await runChild({ ...job, dieAt: null });
  const told = { typed, spoil: spoil !== undefined, wasRecorded, again: heal === 'same request' };
  const halves = spoil === undefined ? [] : judge(room, told);
  // Whoever made it unreadable sees that, and mends it.
  if (room.read('tasks/B.md').includes(SPOILED)) {
    room.edit('tasks/B.md', (text) => text.replace(`${SPOILED}\n`, ''));
    await room.ok('comment', 'A', 'The next command.');
  }
  const problems = [...halves, ...judge(room, told)];
  if (problems.length === 0) await room.close();
  return problems.map((problem) => `${problem} (${room.dir})`);
}

type Ended = { signal: string | null; stdout: string };

async function runChild(job: BulkJob): Promise<Ended> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bulk-child.ts'), JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = [text(child.stdout), text(child.stderr)] as const;
  const [[code, signal], stdout, stderr] = await Promise.all([once(child, 'close'), ...printed]);
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`the bulk ended with ${code ?? signal}: ${stderr}`);
  return { signal, stdout };
}

const openBulks = (room: E2eRoom): number =>
  (room.sql("SELECT count(*) AS open FROM bulks WHERE state <> 'done'") as [{ open: number }])[0].open;

function namesIn(room: E2eRoom, folder: string): string[] {
  return existsSync(room.at(folder))
    ? readdirSync(room.at(folder)).filter((name) => name.endsWith('.md'))
    : [];
}

type Told = { typed: boolean; spoil: boolean; wasRecorded: boolean; again: boolean };

function judge(room: E2eRoom, { typed, spoil, wasRecorded, again }: Told): string[] {
  const problems: string[] = [];
  const should = (holds: boolean, what: string): void => void (holds || problems.push(what));
  const names = namesIn(room, 'tasks').map((name) => name.replace('.md', ''));
  const textOf = (name: Name) => (names.includes(name) ? room.read(`tasks/${name}.md`) : '');
  const isSpoiled = textOf('B').includes(SPOILED);
  const signs = {
    New: names.includes('New'),
    Later: names.includes('Later'),
    'A is changed': textOf('A').includes('priority: high'),
    'C is gone': !names.includes('C'),
    'D is gone': !names.includes('D'),
    // Of a file that nobody can read nothing is said.
    ...(isSpoiled ? {} : { 'B is done': textOf('B').includes('status: done') }),
  };
  const made = Object.values(signs).filter(Boolean).length;
  should(made === 0 || made === Object.keys(signs).length, `half of it: ${JSON.stringify(signs)}`);
  const isMade = made > 0;
  // What nobody stood in the way of is finished; a request that is repeated is carried out.
  if (wasRecorded && !spoil) should(isMade, 'it was on record, and came to nothing');
  if (again && !spoil) should(isMade, 'it was asked for again, and came to nothing');
  should(openBulks(room) === 0 || isSpoiled, 'it is still on record');
  if (isMade && !isSpoiled)
    should(textOf('B').split('It works.').length === 2, 'the outcome stands not once');
  if (!isMade) should(!textOf('B').includes('It works.'), 'the outcome stands, and nothing else');
  if (typed) should(textOf('A').includes('Do A well.'), 'what was typed is lost');
  else should(textOf('A').includes('Do A.'), 'words of A are lost');
  should(textOf('A').includes('# mine'), 'a comment of A is lost');
  if (!isMade && !isSpoiled) should(textOf('B') === FILES.B, 'B is not what it was');
  const attic = namesIn(room, '.taskroom/attic').filter((name) => /-[CD]( \(\d+\))?\.md$/.test(name));
  const kept = attic.filter((name) => room.read(`.taskroom/attic/${name}`).includes('Did'));
  should(kept.length === (isMade ? 2 : 0), `${kept.length} deleted files are kept`);
  return problems;
}
