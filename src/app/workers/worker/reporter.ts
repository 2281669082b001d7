// The reports of one attempt, in order. A report is in the turn's journal before it goes up, and goes up until the host answers; the next worker
// in this folder sends what a worker that died did not. Output stands in a file of its own, and the journal names its bytes.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../../agents/runner.ts';
import { isRoomError, RoomError, valueOr } from '../../../core/errors.ts';
import { type Effects, sleep } from '../../../effects.ts';
import { onDisk } from '../../../store/room.ts';
import { NOT_YOURS, type ReportAnswer, type WorkerReport } from '../../worker-protocol.ts';
import { readAt } from '../host/turn-files.ts';
import type { Job } from '../queue/pg-boss-queue.ts';
import { createBackoff, type Host } from './host.ts';

interface ReporterOptions {
  effects: Effects;
  host: Host;
  job: Job;
  onLost(error: RoomError): void; // The attempt belongs to another worker, or is over.
  /** Told when the disk refuses the journal (reports go up all the same), and of a host of another version. */
  onTrouble(error: unknown): void;
  answered?: number; // Number of reports of the attempt that were answered before.
}

type Pending = { report: WorkerReport; answer: PromiseWithResolvers<ReportAnswer> };

const MOST_AT_ONCE = 32;
const MOST_BYTES = 700 * 1024; // The host takes requests of a megabyte.
/** A host of another version refuses reports until it is updated: they are sent less often. */
const REFUSED_REST_MS = 10_000;

export type Reporter = ReturnType<typeof createReporter>;

export function createReporter(options: ReporterOptions) {
  const { effects, job, onTrouble } = options;
  const closed = new AbortController();
  const pending: Pending[] = [];
  const backoff = createBackoff(effects, 100, 2_000);
  const journal = createJournal(job, onTrouble);
  const send = createSend(options, closed.signal, close);
  let told = options.answered ?? 0;
  let isSending = false;

  function close(): void {
    closed.abort();
    for (const { answer } of pending.splice(0)) answer.reject(lost());
  }

  async function sendAll(): Promise<void> {
    if (isSending) return;
    isSending = true;
    // A report keeps its number and its batch when it is sent again.
    for (let batch = batchOf(pending); batch.length > 0 && !closed.signal.aborted; ) {
      const answers = await send(told, batch);
      if (answers.length === 0) {
        await backoff.rest(closed.signal);
        continue;
      }
      backoff.reset();
      told += answers.length;
      journal.keep({ answered: told });
      pending.splice(0, answers.length);
      for (const [at, answer] of answers.entries()) batch[at]!.answer.resolve(answer);
      batch = answers.length === batch.length ? batchOf(pending) : batch.slice(answers.length);
    }
    isSending = false;
  }

  return {
    /** Resolves with the answer. @throws RoomError `gone` when the attempt is lost, or the reporter closed */
    report(report: WorkerReport): Promise<ReportAnswer> {
      if (closed.signal.aborted) return Promise.reject(lost());
      journal.keep({ report: withoutData(report) });
      const answer = Promise.withResolvers<ReportAnswer>();
      pending.push({ report, answer });
      void sendAll();
      return answer.promise;
    },
    /** From now on reports are kept in that turn's folder before they go up. @throws RoomError `io` */
    keepIn: journal.open,
    /** Keeps how the agent's program ended, before its branch and its end are reported. */
    ran: (outcome: Outcome) => journal.keep({ ran: outcome }),
    close,
  };
}

/** Sends a batch whose first report has that number. Returns the answers; none where it is to be sent again. */
function createSend(options: ReporterOptions, signal: AbortSignal, close: () => void) {
  const { effects, host, job, onLost, onTrouble } = options;
  const { turn, attempt } = job;
  let isRefused = false;
  return async (first: number, batch: readonly Pending[]): Promise<ReportAnswer[]> => {
    try {
      const reports = batch.map(({ report }) => report);
      return (await host('report', { turn, attempt, first, reports }, signal)).answers;
    } catch (error) {
      if (isRoomError(error) && NOT_YOURS.includes(error.code)) {
        close();
        onLost(error);
      } else if (isRoomError(error, 'bad_input')) {
        if (!isRefused) onTrouble(error);
        isRefused = true;
        await sleep(effects, REFUSED_REST_MS, signal);
      }
      return [];
    }
  };
}

function batchOf(pending: readonly Pending[]): Pending[] {
  let bytes = 0;
  const isOver = ({ report }: Pending, at: number) => {
    if (report.kind === 'output') bytes += report.data.length;
    else bytes += report.kind === 'request' ? report.text.length * 2 : 1024;
    return at > 0 && bytes > MOST_BYTES;
  };
  const end = pending.findIndex(isOver);
  return pending.slice(0, Math.min(MOST_AT_ONCE, end < 0 ? pending.length : end));
}

const lost = () =>
  new RoomError('gone', 'this attempt is not the one at work any more: what it reports is not taken');

const JOURNAL = 'reports.jsonl';

type JournalHead = { worker: string; job: Job };
type KeptReport =
  | Exclude<WorkerReport, { kind: 'output' }>
  | { kind: 'output'; offset: number; bytes: number };
type Line = { report: KeptReport } | { answered: number } | { ran: Outcome };

function createJournal(job: Job, onTrouble: ReporterOptions['onTrouble']) {
  let path = '';
  return {
    open(dir: string, worker: string): void {
      const file = join(dir, JOURNAL);
      const head: JournalHead = { worker, job };
      onDisk(file, () => writeFileSync(file, `${JSON.stringify(head)}\n`, { mode: 0o600 }));
      path = file;
    },
    keep(line: Line): void {
      try {
        if (path !== '') onDisk(path, () => appendFileSync(path, `${JSON.stringify(line)}\n`));
      } catch (error) {
        path = '';
        onTrouble(error);
      }
    },
  };
}

function withoutData(report: WorkerReport): KeptReport {
  if (report.kind !== 'output') return report;
  return { kind: report.kind, offset: report.offset, bytes: Buffer.byteLength(report.data, 'base64') };
}

export type UnsentReports = NonNullable<ReturnType<typeof readUnsent>>;

/** The reports of the turn in that folder that are left to send; null where none can be. @throws RoomError `io` */
export function readUnsent(dir: string) {
  const path = join(dir, JOURNAL);
  if (!existsSync(path)) return null;
  const [first, ...rest] = onDisk(path, () => readFileSync(path, 'utf8')).split('\n');
  const head = parse<JournalHead>(first ?? '');
  if (head === null) return null;
  let answered = 0;
  let ran: Outcome | null = null;
  let output = 0;
  const kept: KeptReport[] = [];
  for (const text of rest) {
    // The report of a last line that was cut off never went up.
    const line = parse<Line>(text);
    if (line === null) break;
    if ('ran' in line) ran = line.ran;
    else if ('answered' in line) answered = line.answered;
    else kept.push(line.report);
  }
  for (const each of kept) if (each.kind === 'output') output = Math.max(output, each.offset + each.bytes);
  return {
    ...head,
    answered,
    /** Those without an answer, in order. */
    reports: kept.slice(answered).map((each): WorkerReport => {
      if (each.kind !== 'output') return each;
      const { kind, offset, bytes } = each;
      return { kind, offset, data: readOutput(dir, offset, bytes).toString('base64') };
    }),
    /** Bytes of the output that were reported. */
    output,
    /** The agent's requests, answered or not. */
    requests: new Set(kept.flatMap((each) => (each.kind === 'request' ? [each.text] : []))),
    /** The repositories whose branches were reported. */
    handed: kept.flatMap((each) => (each.kind === 'branch' && each.by === 'bundle' ? [each.repository] : [])),
    isEnded: kept.some(({ kind }) => kind === 'end'),
    /** How the agent's program ended; null where it did not. */
    ran,
  };
}

const parse = <T>(line: string): T | null => valueOr(null, () => JSON.parse(line) as T);

/** The turn's output from a byte on; empty at its end. @throws RoomError `io` */
export function readOutput(dir: string, offset: number, most: number): Buffer {
  const path = join(dir, 'output.log');
  return existsSync(path) ? readAt(path, offset, most).data : Buffer.alloc(0);
}
