// The storm: rounds of work are given to every thread, the next once the one before is on record, while one fault after the
// other happens. It ends when all rounds are done, or when nothing gets done any more.
import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, planFaults } from './worker-faults.ts';
import { killAlone, type Move } from './worker-moves.ts';
import { isAlive } from './worker-runs.ts';
import { AGENT, linesOf, SLEEPER, type StormSite } from './worker-site.ts';

export interface StormOptions {
  seed: number;
  threads: number;
  /** Turns in all. */
  turns: number;
  say(line: string): void;
}

export interface StormEnd {
  /** Rounds that each thread was given, by the id of its task. */
  rounds: Map<string, number>;
  faults: Record<string, number>;
  /** Turns whose worker died alone. */
  moves: Move[];
  /** How long the agent of a turn that a person killed lived on, ms. */
  killedMs: number[];
  seconds: number;
}

const LOOK_MS = 200;
/** Of a whole storm in which no round gets done. */
const STUCK_MS = 180_000;

const pathOf = (task: string) => `tasks/${task}.md`;
const statusOf = (text: string) => /^status: (\w+)/m.exec(text)?.[1];

/** One thread in ten works in a branch that is pushed, and one in one that comes as a file. */
function ownerOf(thread: number): string {
  return thread % 10 === 3 ? 'pusher' : thread % 10 === 4 ? 'bundler' : AGENT;
}

export async function runStorm(on: StormSite, options: StormOptions): Promise<StormEnd> {
  const { seed, threads, say } = options;
  const { room } = on.site;
  const began = performance.now();
  const rounds = new Map<string, number>();
  for (let at = 0; at < threads; at += 1) {
    const task = `thread${String(at).padStart(2, '0')}`;
    rounds.set(task, 1);
    room.save(pathOf(task), `---\nid: ${task}\nstatus: todo\nowner: ${ownerOf(at)}\n---\n\nRound 1.\n`);
  }
  const working = giveRounds(on, options, rounds);
  const faults: Record<string, number> = {};
  const moves: Move[] = [];
  const killedMs: number[] = [];
  const hurt = createHurt(on, moves, killedMs);
  const plan = planFaults(seed, on.names.length);
  while (!working.isOver()) {
    const { afterMs, fault } = plan.next().value;
    await pause(afterMs);
    if (working.isOver()) break;
    faults[fault.kind] = (faults[fault.kind] ?? 0) + 1;
    await hurt.by(fault, working.isOver);
  }
  on.mend();
  await hurt.settled();
  await working.over;
  say(`${working.count()} rounds were given`);
  return { rounds, faults, moves, killedMs, seconds: (performance.now() - began) / 1000 };
}

/** Gives each thread its next round; over when all are done, and nothing runs. */
function giveRounds(on: StormSite, { turns, say }: StormOptions, rounds: Map<string, number>) {
  const { room } = on.site;
  let given = rounds.size;
  let isOver = false;
  let movedAt = performance.now();
  const look = async (): Promise<void> => {
    const running = await on.running();
    if (running === null) return;
    let open = 0;
    for (const [task, round] of rounds) {
      const isBusy = running.some((turn) => turn.task === task);
      if (isBusy || statusOf(room.read(pathOf(task))) !== 'done') open += 1;
      else if (given < turns) {
        given += 1;
        open += 1;
        movedAt = performance.now();
        rounds.set(task, round + 1);
        room.edit(pathOf(task), (text) =>
          text.replace(/^status: \w+/m, 'status: todo').replace(`Round ${round}.`, `Round ${round + 1}.`),
        );
        if (given % 50 === 0) say(`${given} of ${turns} rounds given`);
      }
    }
    const isStuck = performance.now() - movedAt > STUCK_MS;
    if (isStuck) say(`nothing gets done any more: ${open} tasks are open`);
    isOver = open === 0 || isStuck;
  };
  const over = (async () => {
    while (!isOver) {
      await look();
      await pause(LOOK_MS);
    }
  })();
  return { over, isOver: () => isOver, count: () => given };
}

function createHurt(on: StormSite, moves: Move[], killedMs: number[]) {
  const down = new Map<string, Promise<void>>();
  const broken: unknown[] = [];
  /** What is down already is not killed again before it is back. */
  function takeDown(name: string, kill: () => Promise<void>, start: () => Promise<void>, downMs: number) {
    if (down.has(name)) return;
    const back = (async () => {
      await kill();
      await pause(downMs);
      await start();
    })().catch((error: unknown) => void broken.push(error));
    down.set(
      name,
      back.finally(() => down.delete(name)),
    );
  }
  /** Resolves when all is up again. @throws what kept something from coming up */
  const settled = async () => {
    await Promise.all(down.values());
    if (broken.length > 0) throw broken[0];
  };
  async function by(fault: Fault, isOver: () => boolean): Promise<void> {
    switch (fault.kind) {
      case 'cut':
        return on.cut(fault.line, fault.worker, fault.how, fault.downMs);
      case 'host':
        return takeDown('host', on.killHost, on.startHost, fault.downMs);
      case 'postgres':
        return takeDown('postgres', on.killPostgres, on.startPostgres, fault.downMs);
      case 'worker': {
        const { worker, downMs } = fault;
        const name = on.names[worker]!;
        return takeDown(
          name,
          () => on.killWorker(worker),
          () => on.startWorker(worker),
          downMs,
        );
      }
      case 'lone kill':
        on.mend();
        await settled();
        killedMs.push(await killTurn(on, killedMs.length));
        return;
      case 'lone worker':
        on.mend();
        await settled();
        moves.push(...(await killAlone(on, fault.worker, isOver)));
    }
  }
  return { by, settled };
}

/** Has a turn begin that would sleep, and kills it as a person does; resolves with how long its agent lived on. */
async function killTurn({ site: { room } }: StormSite, count: number): Promise<number> {
  const task = `sleeper${count}`;
  room.save(
    pathOf(task),
    `---\nid: ${task}\nstatus: todo\nowner: ${SLEEPER}\npriority: high\n---\n\nSleep.\n`,
  );
  const pid = () => linesOf(room.at(`sleeps-${task}`))[0];
  while (pid() === undefined) await pause(20);
  const killedAt = performance.now();
  await room.ok('kill', task);
  while (isAlive(pid()!)) await pause(10);
  const livedMs = performance.now() - killedAt;
  await room.ok('cancel', task);
  return livedMs;
}
