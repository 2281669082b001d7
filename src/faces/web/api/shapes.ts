// What the API answers, as types: those of the room's own shapes, and of what has none there. Nothing here reaches the bundle.
import type { RoomEvent } from '../../../core/events.ts';
import type { AgentEvent } from '../../../core/rules/agent-event.ts';
import type { choreJson } from '../../shapes/chore-json.ts';
import type { components } from '../../shapes/http-document.d.ts';
import type { jobJson, jobReadingJson } from '../../shapes/job-json.ts';
import type { detailJson, historyJson, taskJson, turnJson } from '../../shapes/json-shapes.ts';
import type { shownText } from '../../shapes/shown-text.ts';
import type { statusJson } from '../../shapes/status-json.ts';

export type TaskRow = ReturnType<typeof taskJson>;
export type TaskDetail = ReturnType<typeof detailJson> & ReturnType<typeof shownText>;
export type Turn = ReturnType<typeof turnJson>;
export type InboxItem = components['schemas']['InboxItem'];
export type Chore = ReturnType<typeof choreJson>;
export type Job = ReturnType<typeof jobJson>;
export type JobReading = ReturnType<typeof jobReadingJson>;
export type RoomStatus = ReturnType<typeof statusJson>;
export type HistoryLine = ReturnType<typeof historyJson>;
export type Status = TaskRow['status'];
export type Question = TaskDetail['questions'][number];
export type { AgentEvent };

export type TaskList = Omit<components['schemas']['TaskList'], 'tasks' | 'in_flight'> & {
  tasks: TaskRow[];
  in_flight: Turn[];
};

export type Agent = components['schemas']['Agent'] & {
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

export type Mirror = components['schemas']['Mirror'];
export type Conflict = components['schemas']['Conflict'];

export interface Plan {
  name: string;
  title: string | null;
  path: string;
  stage: string;
  owner: string | null;
  sprint: string | null;
  scope: string | null;
  created_by: string | null;
  steps: number;
  tasks: { done: number; total: number };
  problem: string | null;
}

export interface PlanDetail extends Plan {
  step_list: { title: string; details: string; done: boolean; task: string | null; status: Status | null }[];
  text: string;
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
