// What every implementation of `Client` owes its caller: the same answers and the same files as the operations that
// run in the room itself. Each case runs on both, in rooms that were alike, and whatever differs fails it. A way to the
// operations is tested by a driver of its own; the cases are the same for all.
import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { isRoomError } from '../../src/core/errors.ts';
import type { Client, InputOf, OperationName } from '../../src/operations/client.ts';
import type { Actor } from '../../src/tasks/task-room.ts';
import { openTestRoom, type TestRoom } from '../tasks/test-room.ts';
import { CASES, type Case, SEED_IDS, seedRoom } from './operations/cases.ts';

export { seedRoom } from './operations/cases.ts';

/** One room behind the way that is tested. */
export interface OperationsUnderTest {
  /** Those it has; a case that calls another is left out. */
  tasks: Partial<Client>;
  /** Holds what `seedRoom` makes, and where an agent asks a running turn of its task `abc12345`. */
  room: TestRoom;
  /** Who asks: for whom the room itself is asked too. */
  actor: Actor;
  close(): Promise<void>;
}

export interface OperationsDriver {
  open(): Promise<OperationsUnderTest>;
  /**
   * How much it carries: `whole` is the same data; with `outcome` whether it was done, or the code it was refused with.
   * Files are always the same.
   */
  answers: 'whole' | 'outcome';
}

/** Every case of the suite as tests. */
export function testOperations({ open, answers }: OperationsDriver): void {
  test.for(Object.entries(CASES))('%s', async ([, run], { skip }) => {
    const here = openTestRoom();
    const there = await open();
    onTestFinished(() => here.close());
    onTestFinished(() => there.close());
    seedRoom(here);
    if (there.actor.kind === 'agent') here.runTurn('b11111111', 'abc12345');
    const found = await outcomeOf(there.room, run, onlyThose(there.tasks), there.actor);
    if (found instanceof Lacking) skip(`it has no ${found.operation}`);
    const expected = await outcomeOf(here, run, here.tasks, there.actor);
    if (found instanceof Lacking || expected instanceof Lacking) throw new Error('unreachable');
    expect(asCarried(found, answers)).toEqual(asCarried(expected, answers));
  });
}

/** Thrown by a driver for an operation, or an input of one, that its way does not carry. */
export class Lacking extends Error {
  readonly operation: string;
  constructor(operation: string) {
    super(`no ${operation}`);
    this.operation = operation;
  }
}

type Asked = { [Name in OperationName]?: (input: InputOf<Name>) => Promise<unknown> };

/** Calls of a driver by the names of the operations; any other is lacking. */
export function byName(asked: Asked): Client['call'] {
  return async (name, input) => {
    const run = asked[name] as ((given: unknown) => Promise<never>) | undefined;
    if (run === undefined) throw new Lacking(name);
    return run(input);
  };
}

function onlyThose(tasks: Partial<Client>): Client {
  return new Proxy(tasks, {
    get(target, name) {
      const found = target[name as keyof Client];
      if (found === undefined) throw new Lacking(String(name));
      return found;
    },
  }) as Client;
}

type Outcome = { answer: unknown; files: unknown };

function asCarried({ answer, files }: Outcome, answers: OperationsDriver['answers']): Outcome {
  if (answers === 'whole') return { answer, files };
  const code = (answer as { refused?: string } | null)?.refused;
  return { answer: code === undefined ? 'done' : code, files };
}

/** What came of it: the answer or the failure, and all files; made ids and tags are one word. */
async function outcomeOf(room: TestRoom, run: Case, tasks: Client, actor: Actor): Promise<Outcome | Lacking> {
  // One that is lacking may throw before there is a promise.
  const answer = await (async () => run((name, input) => tasks.call(name, input, actor), actor))().catch(
    (error: unknown) => {
      if (error instanceof Lacking) return error;
      if (!isRoomError(error)) throw error;
      const { code, message, hint, problems } = error;
      return { refused: code, message, hint, problems };
    },
  );
  if (answer instanceof Lacking) return answer;
  const files = readdirSync(`${room.dir}/tasks`)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => [name, room.read(`tasks/${name}`)]);
  const text = JSON.stringify({ answer: plain(answer), files });
  const ids = [...text.matchAll(/id(?:\\?"|):\s*\\?"?([0-9a-z]{8})\b/g)].map(([, id]) => id!);
  const made = [...new Set(ids)].filter((id) => !SEED_IDS.includes(id));
  return JSON.parse(
    made
      .reduce((rest, id) => rest.replaceAll(id, 'ID'), text)
      .replaceAll(room.dir, 'ROOM')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
      .replace(/<!-- ([cq]):\w+ -->/g, '<!-- $1:TAG -->')
      .replace(/"question":"[0-9a-z]{10}"/g, '"question":"TAG"'),
  );
}

/** As JSON has it, a map by its entries. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, each) => (each instanceof Map ? [...each] : each)) ?? 'null',
  );
}
