// The shape of what a turn with origin = task is given (T7): exactly these two objects, plus optional
// top-level siblings an agent can use. Built by context.ts; documented in docs/spec.md.
import type { Resource, Step } from '../task/task.ts';
import type { Trust } from './fence.ts';
import type { AroundAgent, AroundJob, TaskGroup } from './services-section.ts';

// Keeps a turn's context below a number of bytes: what is cut first is fixed, and every cut leaves a line in its place.
// The newest comments and progress, and the beginning and the end of the body, are what an agent needs most.
const LEAST_BODY = 2000; // Characters of the body that stay whatever else has to go.
const LINE_REACH = 200; // How far a cut may move to end with a whole line.
const SIBLINGS = [
  'agents',
  'group',
  'extra',
  'jobs',
  'resources',
  'blocked_by',
  'subtasks',
  'steps',
] as const;

type Fits = (candidate: TurnContext) => boolean;

/** A copy of a context that does not fit, cut by the rule stated at `buildContext`. */
export function cutToBudget(context: TurnContext, fits: Fits): TurnContext {
  let cut = context;
  for (const step of [cutComments, cutProgress, cutBodyAndSiblings]) {
    if (fits(cut)) return cut;
    cut = step(cut, fits);
  }
  return cut;
}

function cutComments(context: TurnContext, fits: Fits): TurnContext {
  const comments = context.comments ?? [];
  return dropOldest(comments, fits, context, 'comments', (dropped) => {
    const text = `${leftOut(dropped, 'older comment')}; the task file has them`;
    return { author: 'taskroom', role: null, at: comments[dropped - 1]!.at, text };
  });
}

function cutProgress(context: TurnContext, fits: Fits): TurnContext {
  const noteOf = (dropped: number) => `(${leftOut(dropped, 'older progress entry')}; the task file has them)`;
  return dropOldest(context.progress ?? [], fits, context, 'progress', noteOf);
}

function leftOut(count: number, what: string): string {
  const plural = what.endsWith('y') ? `${what.slice(0, -1)}ies` : `${what}s`;
  return `${count} ${count === 1 ? what : plural} left out to keep this short`;
}

/** Drops as few of the oldest entries as it takes, with a note in their place; all of them when even that is not enough. */
function dropOldest<Entry>(
  entries: readonly Entry[],
  fits: Fits,
  context: TurnContext,
  key: 'comments' | 'progress',
  noteOf: (dropped: number) => Entry,
): TurnContext {
  if (entries.length === 0) return context;
  const drop = (dropped: number) => ({ ...context, [key]: [noteOf(dropped), ...entries.slice(dropped)] });
  return drop(least(entries.length, (dropped) => fits(drop(dropped))));
}

/** Cuts the middle of the body; where its least is not enough, whole siblings go and the body gets what that frees. */
function cutBodyAndSiblings(context: TurnContext, fits: Fits): TurnContext {
  const left: TurnContext = { ...context };
  const gone: string[] = [];
  let cut = cutBodyFor(left, fits, gone);
  for (const key of SIBLINGS) {
    if (fits(cut)) break;
    if (left[key] === undefined) continue;
    delete left[key];
    gone.push(key);
    cut = cutBodyFor(left, fits, gone);
  }
  return cut;
}

function cutBodyFor(context: TurnContext, fits: Fits, gone: readonly string[]): TurnContext {
  const { body } = context.task;
  const withBody = (text: string): TurnContext => ({ ...context, task: { ...context.task, body: text } });
  const whole =
    gone.length === 0 ? context : withBody(`${body}\n\n[taskroom: left out: ${gone.join(', ')}]\n`);
  if (body.length <= LEAST_BODY || fits(whole)) return whole;
  const cut = (dropped: number) => withBody(cutMiddle(body, dropped, gone));
  return cut(least(body.length - LEAST_BODY, (dropped) => fits(cut(dropped))));
}

/** Takes at least `dropped` characters out of the middle, at ends of lines where one is near. */
function cutMiddle(body: string, dropped: number, gone: readonly string[]): string {
  const kept = body.length - dropped;
  const headEnd = Math.ceil((kept * 2) / 3);
  const tailStart = headEnd + dropped;
  const lineEnd = body.lastIndexOf('\n', headEnd - 1) + 1;
  const head = body.slice(0, lineEnd > headEnd - LINE_REACH ? lineEnd : headEnd);
  const nextLine = body.indexOf('\n', tailStart) + 1;
  const tail = body.slice(nextLine > 0 && nextLine < tailStart + LINE_REACH ? nextLine : tailStart);
  const count = body.length - head.length - tail.length;
  const also = gone.length === 0 ? '' : `; also left out: ${gone.join(', ')}`;
  const note = `[taskroom: ${count} characters left out here to keep this short; the task file has them${also}]`;
  // A cut through a surrogate pair would leave half a character on either side.
  return `${head.toWellFormed()}\n\n${note}\n\n${tail.toWellFormed()}`;
}

/** The least number in [1, to] that passes, by halving; `to` when none does. */
function least(to: number, passes: (value: number) => boolean): number {
  let low = 1;
  let high = to;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export type TaskServices = { read: boolean; write: boolean; comment: boolean };
export type MissingService = { service: keyof TaskServices; what: string; how: string };

export interface TurnContext {
  task: {
    provider: string; // `local`, `github`, `linear`, `taskwarrior`, or a provider of the room's own.
    ref: string;
    name: string;
    body: string;
    status: string;
    requester: string;
    thread_id: string;
  };
  task_services: TaskServices;
  /** What was answered since the last turn that dealt with answers. `author` is null for what was typed by hand. */
  answers?: {
    key: string;
    question: { author: string; at: string; text: string };
    answers: { author: string | null; role: string | null; at: string | null; text: string }[];
    withdrawn: boolean; // The question was taken out of the file unanswered.
  }[];
  steps?: Step[];
  /** `outcome` is what a finished one wrote last, cut to 600 characters. */
  subtasks?: { id: string; name: string; status: string; owner: string | null; outcome?: string }[];
  blocked_by?: { ref: string; name: string | null; status: string | null }[];
  resources?: Resource[];
  /** `trust` says who really wrote it. */
  comments?: { author: string; role: string | null; at: string; text: string; trust?: Trust }[];
  progress?: string[];
  missing?: MissingService[];
  jobs?: AroundJob[]; // Background jobs that run, and those that ended since the last turn.
  group?: TaskGroup;
  agents?: AroundAgent[];
  extra?: Record<string, unknown>;
}
