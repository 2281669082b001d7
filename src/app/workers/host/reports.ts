// Reports of workers, applied in order, each once: the ledger keeps how many of an attempt were applied, with the last answers, so that a
// worker that lost an answer asks again and gets the same. A report of a superseded attempt changes nothing, and is kept beside its turn.
import { appendFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../../agents/runner.ts';
import { RoomError } from '../../../core/errors.ts';
import { toWireError } from '../../../remote/wire.ts';
import type { WorkerRow } from '../../../store/ledger/turns/jobs.ts';
import type { ApiToken } from '../../../tasks/room/tokens.ts';
import {
  type CallInput,
  type ReportAnswer,
  TASK_SERVICES,
  type WorkerReport,
} from '../../worker-protocol.ts';
import type { RemoteTurn } from './remote-runner.ts';
import { appendAt, takeBranch } from './turn-files.ts';
import { knownWorker, reportingTurn, runningTurn, type WorkerHost } from './worker-auth.ts';

type Reports = CallInput<'report'>;

/** @throws RoomError `not_allowed`, `conflict`, `gone`, `unavailable` */
export async function report(host: WorkerHost, token: ApiToken, reports: Reports): Promise<ReportAnswer[]> {
  const { table, registry } = host;
  const worker = knownWorker(host, token, reports.worker);
  registry.seen(worker);
  const turn = runningTurn(host, token, reports.turn);
  const assertOwn = () => {
    const row = table.get(turn.id)!;
    if (row.attempt !== reports.attempt || row.worker !== reports.worker) refuseLate(host, reports, worker);
  };
  assertOwn();
  if (table.get(turn.id)!.ended !== null) return answersAgain(host, reports);
  const remote = reportingTurn(host, turn);
  return remote.line.add(async () => {
    assertOwn();
    return applyAll(host, remote, reports);
  });
}

/** A record, not a log: a worker that reports for ever does not fill the disk. */
const MAX_LATE_BYTES = 1024 * 1024;

function refuseLate({ deps }: WorkerHost, reports: Reports, { name }: WorkerRow): never {
  const { turn, attempt } = reports;
  const dir = join(deps.room.turnsDir, turn);
  const path = join(dir, 'late.jsonl');
  const at = new Date(deps.effects.now()).toISOString();
  if (existsSync(dir) && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= MAX_LATE_BYTES)
    appendFileSync(path, `${JSON.stringify({ at, name, ...reports })}\n`, { mode: 0o600 });
  deps.events.emit({ type: 'turn.late_report', turn: turn as never, worker: name, attempt });
  throw new RoomError(
    'conflict',
    `attempt ${attempt} of turn ${turn} is not this worker's any more: what it says is kept, and changes nothing`,
  );
}

/** The answers that reports of a turn which is over had before. */
function answersAgain({ table }: WorkerHost, { turn, first, reports }: Reports): ReportAnswer[] {
  const { applied, answers } = table.get(turn)!;
  const last: ReportAnswer[] = JSON.parse(answers ?? '[]');
  if (first + reports.length === applied && last.length >= reports.length)
    return last.slice(last.length - reports.length);
  throw new RoomError('gone', `turn ${turn} is over`);
}

async function applyAll(
  host: WorkerHost,
  remote: RemoteTurn,
  { turn, attempt, first, reports }: Reports,
): Promise<ReportAnswer[]> {
  const { table, deps } = host;
  const { applied, answers: known } = table.get(turn)!;
  if (first > applied)
    throw new RoomError('bad_input', `reports go on at ${applied}, and these begin at ${first}`);
  const before: ReportAnswer[] = JSON.parse(known ?? '[]');
  if (applied - first > before.length)
    throw new RoomError('conflict', `reports before ${applied} were answered, and their answers are gone`);
  const answers = before.slice(before.length - (applied - first)).slice(0, reports.length);
  const repeated = answers.length;
  let ended: Outcome | null = null;
  for (const each of reports.slice(repeated)) {
    const answer = await apply(host, remote, each, `worker:${attempt}:${first + answers.length}`);
    // What could not be done now is asked for again, from here on.
    if (answer.kind === 'failed' && PASSING.has(answer.error.code)) break;
    answers.push(answer);
    if (each.kind === 'end') ended = each.end;
  }
  if (answers.length === repeated) return answers;
  // Reports that a host applied and died before this commit come again, with the same names and so the same effect.
  const noted = { applied: first + answers.length, answers: JSON.stringify(answers) };
  await deps.ledger.together(() =>
    table.update(turn, ended === null ? noted : { ...noted, ended: JSON.stringify(ended) }),
  );
  if (ended !== null) remote.end(ended);
  return answers;
}

const PASSING = new Set(['unavailable', 'io', 'locked', 'room_gone']);

/**
 * @param name of this report among all of the turn: where the host died before it was on record, its effect is there once
 * @throws what is no RoomError
 */
async function apply(
  { table, bridges, workspaces }: WorkerHost,
  remote: RemoteTurn,
  report: WorkerReport,
  name: string,
): Promise<ReportAnswer> {
  const { turn, dir } = remote.input;
  try {
    switch (report.kind) {
      case 'request': {
        const bridge = bridges.get(turn.id);
        if (bridge === undefined) throw new RoomError('unavailable', `turn ${turn.id} is not taken up yet`);
        return { kind: 'request', answer: await bridge.carry(report.text) };
      }
      case 'service':
        return { kind: 'service', result: (await serve(remote, report, name)) ?? null };
      case 'output': {
        const size = appendAt(join(dir, 'output.log'), report.offset, Buffer.from(report.data, 'base64'));
        remote.tell({ type: 'output', bytes: size });
        return { kind: 'output', size };
      }
      case 'started':
        remote.tell({ type: 'started', pid: null });
        break;
      case 'session':
        remote.tell({ type: 'session', id: report.id });
        break;
      case 'usage':
        remote.tell({ type: 'usage', usage: report.usage });
        break;
      case 'branch':
        await takeBranch(workspaces, table.get(turn.id)!, remote.input, report);
        break;
      case 'left':
        table.update(turn.id, { worker: null });
        break;
      case 'end':
        // On record together with its answer.
        break;
    }
    return { kind: 'done' };
  } catch (error) {
    if (!(error instanceof RoomError)) throw error;
    return { kind: 'failed', error: toWireError(error) };
  }
}

async function serve(
  { input }: RemoteTurn,
  { name, args }: Extract<WorkerReport, { kind: 'service' }>,
  request: string,
): Promise<unknown> {
  const known = TASK_SERVICES.find((each) => each === name);
  if (known === undefined || input.services === undefined)
    throw new RoomError('not_allowed', `${JSON.stringify(name)} is nothing a runner does to its task`);
  const services = input.servicesFor?.(request) ?? input.services;
  const call = services[known] as (...args: unknown[]) => Promise<unknown>;
  return call(...args);
}
