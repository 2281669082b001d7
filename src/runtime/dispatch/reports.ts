// Reports of workers, each applied once and in order: which were stands in the ledger with their answers. One of an attempt that
// somebody else took over changes nothing, and is kept beside its turn.
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { WorkerRow } from '../../store/ledger/turns/jobs.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { ApiToken } from '../../tasks/tokens/tokens.ts';
import type { CallInput, ReportAnswer, WorkerReport } from '../worker-protocol.ts';
import { applyReport } from './apply-report.ts';
import type { RemoteTurn } from './remote-turns.ts';
import { keepLate } from './turn-files.ts';
import { knownWorker, reportingTurn, runningTurn, type WorkerHost } from './worker-auth.ts';

/** @throws RoomError `not_allowed`, `conflict`, `gone`, `unavailable` */
export async function report(
  options: WorkerHost,
  token: ApiToken,
  reports: CallInput<'report'>,
): Promise<ReportAnswer[]> {
  const { table, registry } = options;
  const worker = knownWorker(options, token, reports.worker);
  registry.seen(worker);
  const turn = runningTurn(options, token, reports.turn);
  const isLate = () => {
    const row = table.get(turn.id)!;
    return row.attempt !== reports.attempt || row.worker !== reports.worker;
  };
  if (isLate()) return refuseLate(options, turn, reports, worker);
  if (table.get(turn.id)!.ended !== null) return repeatOrRefuse(options, reports);
  const remote = reportingTurn(options, turn);
  return remote.line.add(async () =>
    isLate() ? refuseLate(options, turn, reports, worker) : applyAll(options, remote, reports),
  );
}

function refuseLate(
  { deps }: WorkerHost,
  turn: TurnRecord,
  reports: CallInput<'report'>,
  worker: WorkerRow,
): never {
  const at = new Date(deps.effects.now()).toISOString();
  keepLate(join(deps.room.turnsDir, turn.id), { at, name: worker.name, ...reports });
  deps.events.emit({
    type: 'turn.late_report',
    turn: turn.id,
    worker: worker.name,
    attempt: reports.attempt,
  });
  throw new RoomError(
    'conflict',
    `attempt ${reports.attempt} of turn ${turn.id} is not this worker's any more: what it says is kept, and changes nothing`,
  );
}

/** What was applied before gets the answers it had. */
function repeatOrRefuse(
  { table }: WorkerHost,
  { turn, first, reports }: CallInput<'report'>,
): ReportAnswer[] {
  const { applied, answers } = table.get(turn)!;
  const last: ReportAnswer[] = JSON.parse(answers ?? '[]');
  if (first + reports.length === applied && last.length >= reports.length)
    return last.slice(last.length - reports.length);
  throw new RoomError('gone', `turn ${turn} is over`);
}

async function applyAll(
  options: WorkerHost,
  remote: RemoteTurn,
  { turn, attempt, first, reports }: CallInput<'report'>,
): Promise<ReportAnswer[]> {
  const { table, deps } = options;
  const { applied, answers: known } = table.get(turn)!;
  if (first > applied)
    throw new RoomError('bad_input', `reports go on at ${applied}, and these begin at ${first}`);
  const before: ReportAnswer[] = JSON.parse(known ?? '[]');
  const done = before.slice(Math.max(0, before.length - (applied - first)));
  if (applied - first > before.length)
    throw new RoomError('conflict', `reports before ${applied} were answered, and their answers are gone`);
  const answers = [...done.slice(0, reports.length)];
  const note = () =>
    table.update(turn, { applied: first + answers.length, answers: JSON.stringify(answers) });
  let noted = answers.length;
  for (const each of reports.slice(answers.length)) {
    const answer = await applyReport(options, remote, each, `worker:${attempt}:${first + answers.length}`);
    // What could not be done now is asked for again, from here on.
    if (answer.kind === 'failed' && PASSING.has(answer.error.code)) break;
    answers.push(answer);
    if (REPEATABLE.has(each.kind)) continue;
    const { end = null } = each.kind === 'end' ? each : {};
    await deps.ledger.together(() => {
      if (end !== null) table.update(turn, { ended: JSON.stringify(end) });
      note();
    });
    noted = answers.length;
    if (end !== null) remote.end(end);
  }
  if (noted < answers.length) await deps.ledger.together(note);
  return answers;
}

/** Told twice, they have the same effect as once: they are on record with what follows. */
const REPEATABLE: ReadonlySet<WorkerReport['kind']> = new Set([
  'started',
  'session',
  'usage',
  'output',
  'left',
]);

const PASSING = new Set(['unavailable', 'io', 'locked', 'room_gone']);
