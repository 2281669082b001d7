// The pictures that people are shown of what an operation answers, where a line is not enough.
import type { OperationName, OutputOf } from '../../../operations/client.ts';
import type { Call } from '../command.ts';
import type { Paint } from '../paint.ts';

type View<Name extends OperationName> = (
  output: OutputOf<Name>,
  paint: Paint,
  columns: number | null,
  nowMs: number,
  call: Call,
) => string[];

/** By the name of the operation; each is loaded when it is shown. */
export const VIEWS: { readonly [Name in OperationName]?: () => Promise<View<Name>> } & Readonly<
  Record<string, undefined | (() => Promise<View<never>>)>
> = {
  list: async () => (await import('../lines/task-lines.ts')).listLines,
  listPlans: async () => (await import('./plan-view.ts')).planLines,
  showPlan: async () => (await import('./plan-view.ts')).planDetailLines,
  listTurns: async () => (await import('./turns-view.ts')).turnLines,
  listJobs: async () => (await import('./job-view.ts')).jobLines,
  showJob: async () => (await import('./job-view.ts')).jobDetailLines,
  listNotices: async () => (await import('./notices-view.ts')).noticeLines,
  stats: async () => (await import('./stats-view.ts')).statsLines,
  accept: async () => (await import('./inbox-view.ts')).acceptedLines,
  context: async () => (await import('./context-view.ts')).contextLines,
  show: async () => (await import('./task-view.ts')).taskLines,
  history: async () => (await import('./history-view.ts')).historyLines,
  inbox: async () => (await import('./inbox-view.ts')).inboxLines,
  listChores: async () => (await import('./chores-view.ts')).choreLines,
  listMirrors: async () => (await import('./mirrors-view.ts')).mirrorLines,
  checkHooks: async () => (await import('./hooks-view.ts')).hookLines,
  listWorkers: async () => (await import('./workers-view.ts')).workersLines,
  listScopes: async () => (await import('./scope-view.ts')).scopeLines,
};
