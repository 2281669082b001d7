// Claims and reports of a worker's turns, joined: what several turns ask of the host at the same moment is one request. What may
// take its time there, or is large, goes alone, so that no other turn waits for it.
import { RoomError } from '../../core/errors.ts';
import { fromWireError, type WireError } from '../../remote/wire.ts';
import type {
  ClaimedTurn,
  InHand,
  ManyAnswers,
  ManyTurns,
  ReportAnswer,
  WorkerReport,
  WorkerReports,
} from '../../remote/worker-wire.ts';
import { createBatches } from '../work-queue/batches.ts';

export interface JoinedCalls {
  claim(claim: InHand, signal: AbortSignal): Promise<ClaimedTurn>;
  report(reports: Omit<WorkerReports, 'worker'>, signal: AbortSignal): Promise<ReportAnswer[]>;
  /** Whether these may go with those of other turns. */
  fits(reports: readonly WorkerReport[]): boolean;
}

const MOST_AT_ONCE = 60;
/** Of the output in one turn's reports: all together stay below what a request may have. */
const MOST_OUTPUT = 8 * 1024;
/** The host answers these without waiting for anything but its own record. */
const QUICK: ReadonlySet<WorkerReport['kind']> = new Set([
  'started',
  'session',
  'usage',
  'output',
  'end',
  'left',
]);

type Asked = { claim: InHand } | { reports: Omit<WorkerReports, 'worker'> };
type Answer = ManyAnswers['claims'][number] | ManyAnswers['reports'][number];

/** @param send one request. Rejects with RoomError `unavailable`, as it does for each that was in it */
export function createJoinedCalls(
  send: (asked: Omit<ManyTurns, 'worker'>) => Promise<ManyAnswers>,
): JoinedCalls {
  const ask = createBatches(async (all: Asked[]): Promise<Answer[]> => {
    const claims = all.flatMap((each) => ('claim' in each ? [each.claim] : []));
    const reports = all.flatMap((each) => ('reports' in each ? [each.reports] : []));
    const answers = await send({ claims, reports });
    const left = { claims: [...answers.claims], reports: [...answers.reports] };
    return all.map((each) => ('claim' in each ? left.claims.shift()! : left.reports.shift()!));
  }, MOST_AT_ONCE);
  return {
    async claim(claim, signal) {
      const answer = await until(signal, ask({ claim }));
      if ('claimed' in answer) return answer.claimed;
      throw refused(answer);
    },
    async report(reports, signal) {
      const answer = await until(signal, ask({ reports }));
      if ('answers' in answer) return answer.answers;
      throw refused(answer);
    },
    fits: (reports) =>
      reports.every(({ kind }) => QUICK.has(kind)) &&
      reports.reduce((sum, each) => sum + (each.kind === 'output' ? each.data.length : 0), 0) <= MOST_OUTPUT,
  };
}

function refused(answer: Answer): unknown {
  return 'error' in answer ? fromWireError(answer.error as WireError) : mixedUp();
}

function mixedUp(): RoomError {
  return new RoomError('bug', 'the host answered something else than it was asked');
}

/** The others that are in the same request go on. */
function until<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = () => reject(new RoomError('unavailable', 'it is not asked for any more'));
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  return promise;
}
