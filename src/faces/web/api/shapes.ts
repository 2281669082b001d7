// What the API answers, as types: those of its document, and of what has none there. Nothing here reaches the bundle.
import type { RoomEvent } from '../../../core/events.ts';
import type { AgentEvent } from '../../../core/rules/agent-event.ts';
import type { components, operations } from '../../../remote/http-document.d.ts';

type Schemas = components['schemas'];

export type TaskRow = Schemas['Task'];
export type TaskDetail = Schemas['TaskDetail'];
export type Turn = Schemas['Turn'];
export type InboxItem = Schemas['InboxItem'];
export type Chore = Schemas['Chore'];
export type Job = Schemas['Job'];
export type Plan = Schemas['Plan'];
export type PlanDetail = Schemas['PlanDetail'];
export type RoomStatus = Schemas['RoomStatus'];
export type HistoryLine =
  operations['taskHistory']['responses'][200]['content']['application/json']['history'][number];
export type Status = TaskRow['status'];
export type Question = Schemas['Question'];
export type { AgentEvent };

export type TaskList = Schemas['TaskList'];

export type Agent = Schemas['Agent'] & {
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

export type Worker = Schemas['Worker'];
export type Mirror = Schemas['Mirror'];
export type Conflict = Schemas['Conflict'];

export type Figures = Schemas['Figures'];
