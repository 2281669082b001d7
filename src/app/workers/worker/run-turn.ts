// One turn on a worker, from what the host said of it to its last report: the same runner under the same wrapper as beside
// the room. Whatever ends it, nothing of it is left running and its folder is gone.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endTurn } from '../../../agents/process/terminate.ts';
import { failure } from '../../../agents/process/turn-outcome.ts';
import type { Outcome, RunInput, Runner, TurnServices } from '../../../agents/runner.ts';
import type { RunnerName } from '../../../core/config/agent-config.ts';
import { isRoomError, RoomError } from '../../../core/errors.ts';
import type { TurnId } from '../../../core/ids.ts';
import { createSerialQueue } from '../../../core/keyed-mutex.ts';
import { createRounds, type Effects } from '../../../effects.ts';
import { type BridgeAnswer, fromWireError, keyIn, toWireError } from '../../../remote/wire.ts';
import { onDisk } from '../../../store/room.ts';

import {
  forgetSecret,
  makeBridgeFolder,
  turnMcp,
  turnProgram,
  turnReach,
} from '../../bridge/bridge-folder.ts';
import { openSpool } from '../../bridge/spool.ts';
import { type ClaimedTurn, OUTPUT_PIECE, TASK_SERVICES } from '../../worker-protocol.ts';
import { type Reporter, readOutput } from './reporter.ts';
import type { WorkerWorkspaces, WorkspaceUser } from './workspace/worker-workspaces.ts';

interface TurnRun extends WorkspaceUser {
  /** Id of the worker. */
  worker: string;
  /** Stands for the room. */
  room: string;
  /** Where an agent without a workspace works. */
  cwd: string;
  workspaces: Pick<WorkerWorkspaces, 'run'>;
  runners: ReadonlyMap<RunnerName, Runner>;
  effects: Effects;
  onTrouble(error: unknown): void;
}

/** Runs it; resolves with how it ended, once all it reported is up. @throws RoomError `gone` when the attempt is lost */
export async function runClaimedTurn(run: TurnRun): Promise<Outcome> {
  const { claimed, reporter, dir, effects, room, workspaces } = run;
  // Where its folder is gone nothing of it is left: the folder goes last.
  if (existsSync(dir)) {
    await endTurn(room, dir, claimed.turn, effects);
    rmSync(dir, { recursive: true, force: true });
  }
  onDisk(dir, () => mkdirSync(dir, { recursive: true, mode: 0o700 }));
  reporter.keepIn(dir, run.worker);
  if (claimed.workspace === null) return runIn(run, async () => {});
  return workspaces.run(run, claimed.workspace, (cwd, afterRun) =>
    runIn({ ...run, cwd }, async (outcome) => {
      const fault = await afterRun();
      if (fault !== null && claimed.subject.kind === 'task')
        unwaited(servicesOver(reporter).note(fault, 'after_run'));
      reporter.ran(outcome);
    }),
  );
}

/** @param onRan done when the agent's program has ended, before what it told last is up */
async function runIn(run: TurnRun, onRan: (outcome: Outcome) => Promise<void>): Promise<Outcome> {
  const { agent } = run.claimed;
  const runner = run.runners.get(agent.runner);
  if (runner === undefined)
    return failure(
      'refused',
      `this worker knows no runner ${agent.runner}: it is another version than the room`,
    );
  const startsPrograms = runner.startsPrograms?.(agent) ?? true;
  const input = layOut(run, startsPrograms);
  const bridge = openWorkerBridge(run, startsPrograms);
  const { reach, mcp, tools } = bridge;
  try {
    const sendOutput = createOutput(run);
    const running = runner.run({ ...input, reach, mcp, tools } as RunInput);
    const outcome = await follow(run, running, sendOutput);
    await onRan(outcome);
    await sendOutput();
    await bridge.drain();
    return outcome;
  } finally {
    bridge.close();
  }
}

function layOut(run: TurnRun, startsPrograms: boolean): Omit<RunInput, 'reach'> {
  const { claimed, dir, cwd, room, reporter, signal, effects } = run;
  const { subject, session } = claimed;
  const prompt = moved(claimed.prompt, run);
  const context = JSON.parse(moved(JSON.stringify(claimed.context), run));
  onDisk(dir, () => {
    mkdirSync(cwd, { recursive: true, mode: 0o700 });
    if (!startsPrograms) return;
    writeFileSync(join(dir, 'prompt.md'), prompt);
    writeFileSync(join(dir, 'context.json'), `${JSON.stringify(context, null, 2)}\n`);
  });
  return {
    ...{ turn: { id: claimed.turn as TurnId, attempt: claimed.tries }, dir, room, prompt, signal },
    ...{ agent: { ...claimed.agent, cwd }, adopt: false, session, effects, context },
    ...(subject.kind === 'task'
      ? { task: subject.task, services: servicesOver(reporter) }
      : { chore: subject.chore }),
  } as Omit<RunInput, 'reach'>;
}

/** The host's paths in a text, as they are here: the longest counts, since one may lie in the other. */
function moved(text: string, { claimed: { paths }, dir, cwd, room }: TurnRun): string {
  const here = new Map([
    [paths.program, turnProgram()],
    [paths.room, room],
    [paths.cwd, cwd],
    [paths.turn, dir],
  ]);
  const longestFirst = [...here.keys()].sort((a, b) => b.length - a.length);
  const escaped = longestFirst.map((path) => path.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return text.replaceAll(new RegExp(escaped.join('|'), 'g'), (path) => here.get(path)!);
}

/** What a runner writes into its task, done by the host. */
function servicesOver(reporter: Reporter): TurnServices {
  const call =
    (name: string) =>
    async (...args: unknown[]) => {
      const answer = await reporter.report({ kind: 'service', name, args });
      if (answer.kind === 'failed') throw fromWireError(answer.error);
      return answer.kind === 'service' ? answer.result : undefined;
    };
  return Object.fromEntries(TASK_SERVICES.map((name) => [name, call(name)])) as never;
}

/** What is told on the way is in order with the rest, and nobody waits for its answer. */
async function follow(
  { reporter }: TurnRun,
  running: ReturnType<Runner['run']>,
  sendOutput: () => Promise<void>,
): Promise<Outcome> {
  for (;;) {
    const { done, value } = await running.next();
    if (done) return value;
    if (value.type === 'output') void sendOutput();
    else if (value.type === 'started') unwaited(reporter.report({ kind: 'started' }));
    else if (value.type === 'session') unwaited(reporter.report({ kind: 'session', id: value.id }));
    else unwaited(reporter.report({ kind: 'usage', usage: value.usage }));
  }
}

/** A lost attempt is told otherwise. */
function unwaited(answer: Promise<unknown>): void {
  answer.catch(() => {});
}

/** Sends what the turn printed, from where the host is; one call runs after another. */
function createOutput({ dir, reporter, onTrouble }: TurnRun): () => Promise<void> {
  let sent = 0;
  async function sendAll(): Promise<void> {
    for (;;) {
      const piece = readOutput(dir, sent, OUTPUT_PIECE);
      if (piece.length === 0) return;
      const data = piece.toString('base64');
      const answer = await reporter.report({ kind: 'output', offset: sent, data });
      if (answer.kind === 'failed') throw fromWireError(answer.error);
      if (answer.kind === 'output') sent = answer.size;
    }
  }
  return createRounds(() =>
    sendAll().catch((error) => {
      if (!isRoomError(error, 'gone')) onTrouble(error);
    }),
  ).ask;
}

type BridgeTurn = Pick<TurnRun, 'reporter' | 'dir' | 'effects' | 'onTrouble'> & {
  claimed: Pick<ClaimedTurn, 'turn' | 'caller' | 'token'>;
};

/**
 * A turn's bridge on a worker: the same folder and spool as beside the room, for the same program. Every request goes up to the host, in
 * order; one that lies in the spool waits there while the host is away.
 * @param startsPrograms whether programs are to reach it
 */
export function openWorkerBridge(
  { claimed: { turn, caller, token }, reporter, dir: turnDir, effects, onTrouble }: BridgeTurn,
  startsPrograms: boolean,
) {
  const dir = join(turnDir, 'bridge');
  const line = createSerialQueue();
  if (startsPrograms) makeBridgeFolder(dir, caller, token);
  const carryOut = (_key: string, text: string) => forwardTo(reporter, text);
  const spool = startsPrograms ? openSpool({ dir, effects, line, carryOut, onTrouble }) : null;
  let asked = 0;
  const send = async (op: string, input: object) => {
    asked += 1;
    const key = `${effects.now().toString(36)}${asked.toString(36)}`.padEnd(12, '0');
    const text = JSON.stringify({ key, token, op, input });
    const answer = await line.add(() => forwardTo(reporter, text));
    if (answer.ok) return answer.result;
    throw fromWireError(answer.error);
  };
  return {
    reach: turnReach(dir),
    mcp: turnMcp(dir),
    tools: async () =>
      (await import('../../agents/agent-tools.ts')).toolsOfTurn(caller, turn as TurnId, send),
    /** Lets nothing more in; resolves when all that came before has its answer. */
    async drain() {
      await line.settled();
      await spool?.drain();
    },
    close() {
      spool?.close();
      forgetSecret(dir);
    },
  };
}

/** Never rejects: what went wrong is in the answer. */
async function forwardTo(reporter: Reporter, text: string): Promise<BridgeAnswer> {
  try {
    const answer = await reporter.report({ kind: 'request', text });
    if (answer.kind === 'request') return answer.answer;
    if (answer.kind === 'failed') return { key: keyIn(text), ok: false, error: answer.error };
    throw new RoomError('bug', `the host answered a request with ${answer.kind}`);
  } catch (error) {
    return { key: keyIn(text), ok: false, error: toWireError(error) };
  }
}
