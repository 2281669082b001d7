// The views of outputs for people, where a line is not enough.
import type { OperationName, OutputOf } from '../../operations/client.ts';
import type { Call } from '../command.ts';
import type { ViewStyle } from '../lines/row.ts';

type View<Name extends OperationName> = (output: OutputOf<Name>, style: ViewStyle, call: Call) => string[];

const work = () => import('./work-views.ts');
const room = () => import('./room-views.ts');

/** By the name of the operation; each is loaded when it is shown. */
export const VIEWS: { readonly [Name in OperationName]?: () => Promise<View<Name>> } & Readonly<
  Record<string, undefined | (() => Promise<View<never>>)>
> = {
  list: async () => (await import('../lines/task-lines.ts')).listLines,
  show: async () => (await import('./task-view.ts')).taskLines,
  status: async () => (await import('./status-view.ts')).statusLines,
  stats: async () => (await import('./status-view.ts')).statsLines,
  listTurns: async () => (await work()).turnLines,
  listJobs: async () => (await work()).jobLines,
  showJob: async () => (await work()).jobDetailLines,
  listNotices: async () => (await work()).noticeLines,
  listResources: async () => (await work()).resourceLines,
  inbox: async () => (await work()).inboxLines,
  accept: async () => (await work()).acceptedLines,
  history: async () => (await work()).historyLines,
  context: async () => (await work()).contextLines,
  listChores: async () => (await room()).choreLines,
  listMirrors: async () => (await room()).mirrorLines,
  listConflicts: async () => (await room()).conflictLines,
  checkHooks: async () => (await room()).hookLines,
  listWorkers: async () => (await room()).workerLines,
  listPlans: async () => (await room()).planLines,
  showPlan: async () => (await room()).planDetailLines,
  listScopes: async () => (await room()).scopeLines,
  listTokens: async () => (await room()).tokenLines,
  createToken: async () => (await room()).newTokenLines,
};
