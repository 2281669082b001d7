// Reports of workers, applied in order, each once: the ledger keeps how many of an attempt were applied, with the last answers, so that a
// worker that lost an answer asks again and gets the same. A report of a superseded attempt changes nothing, and is kept beside its turn.
import { appendFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RoomError } from '../../../core/errors.ts';
import { toErrorRecord } from '../../../remote/protocol.ts';
import type { WorkerRow } from '../../../store/ledger/turns/jobs.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import type { CallInput, ReportAnswer, WorkerReport } from '../../worker-protocol.ts';
import { TASK_SERVICES } from '../../worker-protocol.ts';
import type { Dispatching, RemoteTurn } from './remote-runner.ts';
import { appendAt, takeBranch } from './turn-files.ts';

type Reports = CallInput<'report'>;

/** @throws RoomError `conflict` for the attempt of another worker, `gone`, `unavailable` */
export async function applyReports(host: Dispatching, worker: WorkerRow, turn: TurnRecord, reports: Reports) {
  const rowNow = () => {
    const row = host.table.get(turn.id)!;
    if (row.attempt !== reports.attempt || row.worker !== worker.id) refuseLate(host, reports, worker.name);
    return row;
  };
  const { ended, applied, answers } = rowNow();
  if (ended !== null) {
    // A worker that lost the last answers gets them again.
    const last: ReportAnswer[] = JSON.parse(answers ?? '[]');
    const count = reports.reports.length;
    if (reports.first + count === applied && last.length >= count) return last.slice(last.length - count);
    throw new RoomError('gone', `turn ${turn.id} is over`);
  }
  const remote = followedTurn(host, turn);
  return remote.line.add(async () => {
    rowNow();
    return applyAll(host, remote, reports);
  });
}

/** The turn as this host follows it; one that is told to stop still reports how it ended. @throws RoomError `gone`, `unavailable` */
export function followedTurn({ remoteTurns }: Dispatching, turn: TurnRecord): RemoteTurn {
  if (turn.state !== 'running') throw new RoomError('gone', `turn ${turn.id} is over`);
  const remote = remoteTurns.get(turn.id);
  if (remote === undefined) throw new RoomError('unavailable', `turn ${turn.id} is not taken up yet`);
  return remote;
}

const MAX_LATE_BYTES = 1024 * 1024; // A worker that reports for ever does not fill the disk.

function refuseLate({ deps }: Dispatching, reports: Reports, name: string): never {
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

const PASSING = new Set(['unavailable', 'io', 'locked', 'room_gone']);

async function applyAll(host: Dispatching, remote: RemoteTurn, { turn, attempt, first, reports }: Reports) {
  const { table, deps } = host;
  const { applied, answers: known } = table.get(turn)!;
  if (first > applied)
    throw new RoomError('bad_input', `reports go on at ${applied}, and these begin at ${first}`);
  const before: ReportAnswer[] = JSON.parse(known ?? '[]');
  if (applied - first > before.length)
    throw new RoomError('conflict', `reports before ${applied} were answered, and their answers are gone`);
  const answers = before.slice(before.length - (applied - first)).slice(0, reports.length);
  const repeated = answers.length;
  for (const report of reports.slice(repeated)) {
    const answer = await apply(host, remote, report, `worker:${attempt}:${first + answers.length}`);
    // The worker sends reports again from the first that can't be applied now.
    if (answer.kind === 'failed' && PASSING.has(answer.error.code)) break;
    answers.push(answer);
  }
  if (answers.length === repeated) return answers;
  const end = reports.slice(repeated, answers.length).findLast(({ kind }) => kind === 'end');
  const ended = end?.kind === 'end' ? end.end : null;
  // A host that dies before this commit applies the reports again under the same names, with the same effect.
  const noted = { applied: first + answers.length, answers: JSON.stringify(answers) };
  await deps.ledger.together(() =>
    table.update(turn, ended === null ? noted : { ...noted, ended: JSON.stringify(ended) }),
  );
  if (ended !== null) remote.end(ended);
  return answers;
}

/** @param name of this report among all of the turn: the same name has its effect once */
async function apply(
  { table, bridges, workspaces }: Dispatching,
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
        return { kind: 'service', result: (await callService(remote, report, name)) ?? null };
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
        // Recorded together with its answer.
        break;
    }
    return { kind: 'done' };
  } catch (error) {
    if (!(error instanceof RoomError)) throw error;
    return { kind: 'failed', error: toErrorRecord(error) };
  }
}

async function callService(
  { input }: RemoteTurn,
  { name, args }: Extract<WorkerReport, { kind: 'service' }>,
  request: string,
): Promise<unknown> {
  const known = TASK_SERVICES.find((each) => each === name);
  if (known === undefined || input.services === undefined)
    throw new RoomError('not_allowed', `${JSON.stringify(name)} is nothing a runner does to its task`);
  return (input.services(request)[known] as (...args: unknown[]) => Promise<unknown>)(...args);
}
