// What the API answers, as types: those of its document, and of what has none there. Nothing here reaches the bundle.
import type { RoomEvent } from '../../../core/events.ts';
import type { AgentEvent } from '../../../core/rules/agent-event.ts';
import type { OutputOf } from '../../../operations/client.ts';
import type { OtherAnswers } from './other-routes.ts';

export type TaskList = OtherAnswers['list'];
export type TaskRow = TaskList['tasks'][number];
export type TaskDetail = OutputOf<'show'>;
export type Turn = OutputOf<'showTurn'>;
export type InboxItem = OutputOf<'inbox'>['inbox'][number];
export type Chore = OutputOf<'listChores'>['chores'][number];
export type Job = OutputOf<'listJobs'>['jobs'][number];
export type Plan = OutputOf<'listPlans'>['plans'][number];
export type PlanDetail = OutputOf<'showPlan'>;
export type RoomStatus = OtherAnswers['status'];
export type HistoryLine = OutputOf<'history'>['history'][number];
export type Status = TaskRow['status'];
export type Question = TaskDetail['questions'][number];
export type { AgentEvent };

export type Agent = OtherAnswers['agents']['agents'][number] & {
  open_tasks?: number;
  problem?: string | null;
};

/** An event as the stream tells it: names in snake_case. */
export interface ToldEvent {
  at: string;
  type: RoomEvent['type'];
  id?: string | null;
  name?: string;
  turn?: string;
  status?: Status;
  done?: number;
  total?: number;
}

export type Worker = OutputOf<'listWorkers'>['workers'][number];
export type Mirror = OutputOf<'listMirrors'>['mirrors'][number];
export type Conflict = Mirror['conflicts'][number];

export type Figures = OutputOf<'stats'>;
