// What a worker tells of one attempt at a turn, in order, each once: a report goes up again until its answer is here, however
// long the host is away. An attempt that the host gave to somebody else has nothing more to tell.
import { isRoomError, RoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import { type InHand, NOT_YOURS, type ReportAnswer, type WorkerReport } from '../worker-protocol.ts';
import type { Host } from './host.ts';
import type { ReportJournal } from './report-journal.ts';

/** Sends reports of an attempt, the first of which has that number. */
export async function tell(
  host: Host,
  { turn, attempt }: InHand,
  first: number,
  reports: WorkerReport[],
  signal: AbortSignal,
): Promise<ReportAnswer[]> {
  return (await host('report', { turn, attempt, first, reports }, signal)).answers;
}

export interface ReporterOptions {
  effects: Effects;
  /** Sends reports, the first of which has that number. */
  send(first: number, reports: WorkerReport[], signal: AbortSignal): Promise<ReportAnswer[]>;
  /** The attempt is somebody else's, or over. */
  onLost(error: RoomError): void;
  /** What the disk refuses to keep goes up all the same. */
  onTrouble(error: unknown): void;
  /** How many reports of the attempt were answered before. */
  answered?: number;
}

interface Pending {
  report: WorkerReport;
  bytes: number;
  resolve(answer: ReportAnswer): void;
  reject(error: unknown): void;
}

const MOST_AT_ONCE = 32;
/** Of one request to the host, which takes a megabyte. */
const MOST_BYTES = 700 * 1024;
const FIRST_REST_MS = 100;
const LONGEST_REST_MS = 2_000;
const REFUSED_REST_MS = 10_000;

export type Reporter = ReturnType<typeof createReporter>;

export function createReporter(options: ReporterOptions) {
  const { effects, send, onLost } = options;
  const closed = new AbortController();
  const pending: Pending[] = [];
  let told = options.answered ?? 0;
  const journal = createKeeping(options);
  let isSending = false;
  const refused = createRefused(options);

  function giveUp(): void {
    closed.abort();
    for (const each of pending.splice(0)) each.reject(lost());
  }

  async function sendAll(): Promise<void> {
    if (isSending) return;
    isSending = true;
    let restMs = FIRST_REST_MS;
    // What went up once goes up again with the same number.
    for (let batch = batchOf(pending); batch.length > 0 && !closed.signal.aborted; ) {
      try {
        const answers = await send(told, reportsOf(batch), closed.signal);
        told += answers.length;
        if (answers.length > 0) journal.keep((on) => on.answered(told));
        pending.splice(0, answers.length);
        for (const [at, answer] of answers.entries()) batch[at]!.resolve(answer);
        batch = answers.length === batch.length ? batchOf(pending) : batch.slice(answers.length);
        if (answers.length > 0) restMs = FIRST_REST_MS;
        if (answers.length > 0) continue;
      } catch (error) {
        if (isRoomError(error) && NOT_YOURS.includes(error.code)) {
          giveUp();
          onLost(error);
          break;
        }
        await refused(error, closed.signal);
      }
      await sleep(effects, restMs, closed.signal);
      restMs = Math.min(restMs * 2, LONGEST_REST_MS);
    }
    isSending = false;
  }

  return {
    /** Resolves with the answer. @throws RoomError `gone` when the attempt is lost, or was let go of */
    report(report: WorkerReport): Promise<ReportAnswer> {
      if (closed.signal.aborted) return Promise.reject(lost());
      journal.keep((on) => on.add(report));
      return new Promise((resolve, reject) => {
        pending.push({ report, bytes: sizeOf(report), resolve, reject });
        void sendAll();
      });
    },
    /** From now on what is told is on disk before it goes up. */
    keepIn: journal.open,
    /** From now on nothing is told any more. */
    close: giveUp,
  };
}

const reportsOf = (batch: readonly Pending[]) => batch.map(({ report }) => report);

/** A host of another version refuses it until it is the same again: told once, kept, and sent less often. */
function createRefused({ effects, onTrouble }: ReporterOptions) {
  let isTold = false;
  return async (error: unknown, signal: AbortSignal) => {
    if (!isRoomError(error, 'bad_input')) return;
    if (!isTold) onTrouble(error);
    isTold = true;
    await sleep(effects, REFUSED_REST_MS, signal);
  };
}

function createKeeping({ onTrouble }: ReporterOptions) {
  let journal: ReportJournal | null = null;
  return {
    open(opened: ReportJournal) {
      journal = opened;
    },
    keep(write: (journal: ReportJournal) => void) {
      try {
        if (journal !== null) write(journal);
      } catch (error) {
        journal = null;
        onTrouble(error);
      }
    },
  };
}

function batchOf(pending: readonly Pending[]): Pending[] {
  const batch: Pending[] = [];
  let bytes = 0;
  for (const each of pending.slice(0, MOST_AT_ONCE)) {
    bytes += each.bytes;
    if (batch.length > 0 && bytes > MOST_BYTES) break;
    batch.push(each);
  }
  return batch;
}

function sizeOf(report: WorkerReport): number {
  if (report.kind === 'output') return report.data.length;
  return report.kind === 'request' ? report.text.length * 2 : 1024;
}

function lost(): RoomError {
  return new RoomError('gone', 'this attempt is not the one at work any more: what it reports is not taken');
}
