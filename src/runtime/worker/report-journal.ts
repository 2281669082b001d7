// What a worker told of one attempt, on its disk before it goes up: whatever ends the worker, what the host did not answer yet
// can be told by the next one in the same folder. Output stands in its own file and is only pointed at.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../runners/runner.ts';
import { onDisk } from '../../store/room.ts';
import { readAt } from '../dispatch/turn-files.ts';
import type { Job } from '../work-queue/work-queue.ts';
import type { WorkerReport } from '../worker-protocol.ts';

/** Which attempt it is about, and which worker had it. */
export interface JournalHead {
  worker: string;
  job: Job;
}

export interface UnsentReports extends JournalHead {
  /** How many reports were answered. */
  answered: number;
  /** The others, in order. */
  reports: WorkerReport[];
  /** Bytes of the output that were told of. */
  output: number;
  /** What was asked for by the agent, answered or not. */
  requests: ReadonlySet<string>;
  /** That the branch comes as a file is among what was told. */
  hasBranch: boolean;
  /** How its agent's program ended; null where it did not. */
  ran: Outcome | null;
  /** The end of the turn is among what was told. */
  isEnded: boolean;
}

const JOURNAL = 'reports.jsonl';
const OUTPUT_FILE = 'output.log';

type KeptReport =
  | Exclude<WorkerReport, { kind: 'output' }>
  | { kind: 'output'; offset: number; bytes: number };

type Line = { report: KeptReport } | { answered: number } | { ran: Outcome };

export type ReportJournal = ReturnType<typeof openReportJournal>;

/** @param dir the turn's folder. @throws RoomError `io` */
export function openReportJournal(dir: string, head: JournalHead) {
  const path = join(dir, JOURNAL);
  onDisk(path, () => writeFileSync(path, `${JSON.stringify(head)}\n`, { mode: 0o600 }));
  const append = (line: Line) => onDisk(path, () => appendFileSync(path, `${JSON.stringify(line)}\n`));
  return {
    /** @throws RoomError `io` */
    add: (report: WorkerReport) => append({ report: withoutData(report) }),
    /** So many reports have their answers. @throws RoomError `io` */
    answered: (count: number) => append({ answered: count }),
    /** The agent's program has ended so; what is left is to hand its branch over, and to tell. @throws RoomError `io` */
    ran: (end: Outcome) => append({ ran: end }),
  };
}

function withoutData(report: WorkerReport): KeptReport {
  if (report.kind !== 'output') return report;
  return { kind: report.kind, offset: report.offset, bytes: Buffer.byteLength(report.data, 'base64') };
}

/** What is left to tell of the turn in that folder; null where nothing of it can be told. @throws RoomError `io` */
export function readUnsent(dir: string): UnsentReports | null {
  const path = join(dir, JOURNAL);
  if (!existsSync(path)) return null;
  const [first, ...rest] = onDisk(path, () => readFileSync(path, 'utf8')).split('\n');
  const head = parse<JournalHead>(first ?? '');
  if (head === null) return null;
  let answered = 0;
  let ran: Outcome | null = null;
  const kept: KeptReport[] = [];
  for (const text of rest) {
    // The last line may have been cut off: its report never went up.
    const line = parse<Line>(text);
    if (line === null) break;
    if ('ran' in line) ran = line.ran;
    else if ('answered' in line) answered = line.answered;
    else kept.push(line.report);
  }
  const output = kept.reduce((most, each) => Math.max(most, each.kind === 'output' ? endOf(each) : 0), 0);
  const reports = kept.slice(answered).map((each) => (each.kind === 'output' ? withData(dir, each) : each));
  const requests = new Set(kept.flatMap((each) => (each.kind === 'request' ? [each.text] : [])));
  const isEnded = kept.some(({ kind }) => kind === 'end');
  const hasBranch = kept.some((each) => each.kind === 'branch' && each.by === 'bundle');
  return { ...head, answered, reports, output, requests, hasBranch, isEnded, ran };
}

function endOf({ offset, bytes }: { offset: number; bytes: number }): number {
  return offset + bytes;
}

function parse<T>(line: string): T | null {
  try {
    return JSON.parse(line) as T;
  } catch {
    return null;
  }
}

function withData(dir: string, { offset, bytes }: { offset: number; bytes: number }): WorkerReport {
  return { kind: 'output', offset, data: readOutput(dir, offset, bytes).toString('base64') };
}

/** What the turn printed from a byte on; empty where there is no more. @throws RoomError `io` */
export function readOutput(dir: string, offset: number, most: number): Buffer {
  const path = join(dir, OUTPUT_FILE);
  return existsSync(path) ? readAt(path, offset, most).data : Buffer.alloc(0);
}
