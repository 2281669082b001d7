// What the API answers, as types: those of the room's own shapes, and of what has none there. Nothing here reaches the bundle.
import type { RoomEvent } from '../../../core/events.ts';
import type { AgentEvent } from '../../../core/rules/agent-event.ts';
import type { choreJson } from '../../shapes/chore-json.ts';
import type { detailJson, historyJson, inboxJson, taskJson, turnJson } from '../../shapes/json-shapes.ts';
import type { shownText } from '../../shapes/shown-text.ts';
import type { statusJson } from '../../shapes/status-json.ts';

export type TaskRow = ReturnType<typeof taskJson>;
export type TaskDetail = ReturnType<typeof detailJson> & ReturnType<typeof shownText>;
export type Turn = ReturnType<typeof turnJson>;
export type InboxItem = ReturnType<typeof inboxJson>;
export type Chore = ReturnType<typeof choreJson>;
export type RoomStatus = ReturnType<typeof statusJson>;
export type HistoryLine = ReturnType<typeof historyJson>;
export type Status = TaskRow['status'];
export type Question = TaskDetail['questions'][number];
export type { AgentEvent };

export interface TaskList {
  tasks: TaskRow[];
  in_flight: Turn[];
  invalid: { path: string; problems: { message: string; line: number; col: number }[] }[];
  total: number;
}

export interface Spending {
  turns: number;
  seconds: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
}

export interface Agent {
  id: string;
  name: string;
  runner: string;
  access: string;
  is_default: boolean;
  waits_until: string | null;
  taken_by: string | null;
  /** Absent from a server of another version. */
  preset?: string | null;
  model?: string | null;
  limit?: number | null;
  budget?: {
    turns: number | null;
    minutes: number | null;
    tokens: number | null;
    cost: number | null;
  } | null;
  today?: Spending;
  open_tasks?: number;
  fallback?: string | null;
  problem?: string | null;
}

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

export interface Conflict {
  id: string;
  task: string;
  field: string;
  at: string | null;
  /** Whose text lost. */
  lost_side: 'local' | 'remote';
  /** What the file says now. */
  standing: string;
  lost: string;
  version: string;
}

export interface Mirror {
  provider: string;
  ref: string;
  url: string | null;
  task: string;
  name: string | null;
  chore: string;
  state: 'in_sync' | 'pending' | 'conflict' | 'detached' | 'untrusted' | 'error';
  message: string | null;
  synced_at: string | null;
  waiting: number;
  due_at: string | null;
  conflicts?: Conflict[];
}

interface TurnFigures {
  turns: number;
  failed: number;
  ms: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
}

export interface Figures {
  weeks: {
    week: string;
    from: string;
    done: number;
    canceled: number;
    turns: TurnFigures;
    /** Absent from a server of another version. */
    sync?: { syncs: number; failed: number; requests: number };
  }[];
  agents: {
    agent: string;
    tasks: { open: number; done: number; canceled: number };
    turns: TurnFigures;
  }[];
}
