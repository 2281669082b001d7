// Runs one claimed turn on a worker, with the same runner and wrapper as beside the room; all that it does to its task goes up as reports.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../../../agents/process/output-log.ts';
import { endTurn } from '../../../agents/process/terminate.ts';
import type { Outcome, RunInput, Runner, TurnServices } from '../../../agents/runner.ts';
import type { RunnerName } from '../../../core/config/agent-config.ts';
import { isRoomError, RoomError } from '../../../core/errors.ts';
import type { TurnId } from '../../../core/ids.ts';
import { createRounds } from '../../../core/keyed-mutex.ts';
import type { Effects } from '../../../effects.ts';
import { type BridgeAnswer, fromErrorRecord, keyIn, toErrorRecord } from '../../../remote/protocol.ts';
import { onDisk } from '../../../store/room.ts';
import { forgetSecret, openBridgeFolder, TURN_PROGRAM } from '../../bridge/bridge-folder.ts';
import { type ClaimedTurn, OUTPUT_PIECE, TASK_SERVICES } from '../../worker-protocol.ts';
import { type Reporter, readOutput } from './reporter.ts';
import type { WorkerWorkspaces, WorkspaceUser } from './workspace/worker-workspaces.ts';

interface TurnRun extends WorkspaceUser {
  worker: string; // Id of the worker.
  room: string; // The folder that stands for the room.
  cwd: string; // Where an agent without a workspace works.
  workspaces: Pick<WorkerWorkspaces, 'run'>;
  runners: ReadonlyMap<RunnerName, Runner>;
  effects: Effects;
  onTrouble(error: unknown): void;
}

/** Resolves with how the turn ended, once all its reports but the end are up. @throws RoomError `gone` when the attempt is lost */
export async function runClaimedTurn(run: TurnRun): Promise<Outcome> {
  const { claimed, reporter, dir, effects, room, workspaces } = run;
  // A folder that is still there is of an attempt before this one, whose programs may run.
  if (existsSync(dir)) {
    await endTurn(room, dir, claimed.turn, effects);
    rmSync(dir, { recursive: true, force: true });
  }
  onDisk(dir, () => mkdirSync(dir, { recursive: true, mode: 0o700 }));
  reporter.keepIn(dir, run.worker);
  if (claimed.workspaces.length === 0) return runIn(run, async () => {});
  return workspaces.run(run, claimed.workspaces, (cwd, afterRun) =>
    runIn({ ...run, cwd }, async (outcome) => {
      const fault = await afterRun();
      if (fault !== null && claimed.subject.kind === 'task')
        unwaited(servicesOver(reporter).note(fault, 'after_run'));
      reporter.ran(outcome);
    }),
  );
}

/** @param onRan runs when the agent's program has ended, before its last reports are up */
async function runIn(run: TurnRun, onRan: (outcome: Outcome) => Promise<void>): Promise<Outcome> {
  const { claimed, runners, reporter } = run;
  const { agent } = claimed;
  const runner = runners.get(agent.runner);
  const unknown = `this worker knows no runner ${agent.runner}: it is another version than the room`;
  if (runner === undefined) return failure('refused', unknown);
  const startsPrograms = runner.startsPrograms?.(agent) ?? true;
  const input = layOut(run, startsPrograms);
  const { drain, close, ...reached } = openWorkerBridge(run, startsPrograms);
  const sendOutput = createOutput(run);
  try {
    const running = runner.run({ ...input, ...reached } as RunInput);
    for (;;) {
      const { done, value } = await running.next();
      if (done) {
        await onRan(value);
        await sendOutput();
        await drain();
        return value;
      }
      if (value.type === 'output') void sendOutput();
      else if (value.type === 'started') unwaited(reporter.report({ kind: 'started' }));
      else if (value.type === 'session') unwaited(reporter.report({ kind: 'session', id: value.id }));
      else unwaited(reporter.report({ kind: 'usage', usage: value.usage }));
    }
  } finally {
    close();
  }
}

function layOut(run: TurnRun, startsPrograms: boolean): Omit<RunInput, 'reach'> {
  const { claimed, dir, cwd, room, reporter, signal, effects } = run;
  const { subject, session } = claimed;
  const prompt = withPathsHere(claimed.prompt, run);
  const context = JSON.parse(withPathsHere(JSON.stringify(claimed.context), run));
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
      ? { task: subject.task, services: () => servicesOver(reporter) }
      : { chore: subject.chore }),
  } as Omit<RunInput, 'reach'>;
}

/** Replaces the host's paths in a text by those here; the longest counts, since one may lie in the other. */
function withPathsHere(text: string, { claimed: { paths }, dir, cwd, room }: TurnRun): string {
  const here = new Map([
    [paths.program, TURN_PROGRAM],
    [paths.room, room],
    [paths.cwd, cwd],
    [paths.turn, dir],
  ]);
  const longestFirst = [...here.keys()].sort((a, b) => b.length - a.length);
  const escaped = longestFirst.map((path) => path.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return text.replaceAll(new RegExp(escaped.join('|'), 'g'), (path) => here.get(path)!);
}

/** What a runner may do to its task, done by the host. */
function servicesOver(reporter: Reporter): TurnServices {
  const call =
    (name: string) =>
    async (...args: unknown[]) => {
      const answer = await reporter.report({ kind: 'service', name, args });
      if (answer.kind === 'failed') throw fromErrorRecord(answer.error);
      return answer.kind === 'service' ? answer.result : undefined;
    };
  return Object.fromEntries(TASK_SERVICES.map((name) => [name, call(name)])) as never;
}

/** For a report whose answer nobody needs; the reporter tells itself when the attempt is lost. */
function unwaited(answer: Promise<unknown>): void {
  answer.catch(() => {});
}

/** Sends what the turn printed, from where the host is; calls run one after another. */
function createOutput({ dir, reporter, onTrouble }: TurnRun): () => Promise<void> {
  let sent = 0;
  return createRounds(async () => {
    try {
      for (;;) {
        const piece = readOutput(dir, sent, OUTPUT_PIECE);
        if (piece.length === 0) return;
        const data = piece.toString('base64');
        const answer = await reporter.report({ kind: 'output', offset: sent, data });
        if (answer.kind === 'failed') throw fromErrorRecord(answer.error);
        if (answer.kind === 'output') sent = answer.size;
      }
    } catch (error) {
      if (!isRoomError(error, 'gone')) onTrouble(error);
    }
  }).ask;
}

type BridgeTurn = Pick<TurnRun, 'reporter' | 'dir' | 'effects' | 'onTrouble'> & {
  claimed: Pick<ClaimedTurn, 'turn' | 'caller' | 'token'>;
};

/** The bridge of a turn on a worker: each request goes up to the host, in order, and waits in the spool while the host is away.
 * @param hasSpool whether programs are to reach it */
export function openWorkerBridge(run: BridgeTurn, hasSpool: boolean) {
  const { claimed, reporter, dir, effects, onTrouble } = run;
  const { turn, caller, token } = claimed;
  const bridge = join(dir, 'bridge');
  let sent = 0;
  const { line, spool, ...reached } = openBridgeFolder({
    ...{ dir: bridge, turn: turn as TurnId, caller, secret: token, hasSpool, effects, onTrouble },
    handle: (_key, text) => forward(reporter, text),
    async send(op, input) {
      sent += 1;
      const key = `${effects.now().toString(36)}${sent.toString(36)}`.padEnd(12, '0');
      const answer = await forward(reporter, JSON.stringify({ key, token, op, input }));
      if (answer.ok) return answer.result;
      throw fromErrorRecord(answer.error);
    },
  });
  return {
    ...reached,
    /** Lets no more requests in; resolves when all that came before have their answers. */
    async drain() {
      await line.settled();
      await spool?.drain();
    },
    close() {
      spool?.close();
      forgetSecret(bridge);
    },
  };
}

/** Never rejects: what went wrong is in the answer. */
async function forward(reporter: Reporter, text: string): Promise<BridgeAnswer> {
  try {
    const answer = await reporter.report({ kind: 'request', text });
    if (answer.kind === 'request') return answer.answer;
    if (answer.kind === 'failed') return { key: keyIn(text), ok: false, error: answer.error };
    throw new RoomError('bug', `the host answered a request with ${answer.kind}`);
  } catch (error) {
    return { key: keyIn(text), ok: false, error: toErrorRecord(error) };
  }
}
