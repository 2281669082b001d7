// The shape of what a turn with origin = task is given (T7): exactly these two objects, plus optional
// top-level siblings an agent can use. Built by context.ts; documented in docs/spec.md.
import type { Resource, Step } from '../task/task.ts';
import type { AroundAgent, AroundJob, TaskGroup } from './around-section.ts';
import type { Trust } from './fence.ts';

export interface TaskServices {
  read: boolean;
  write: boolean;
  comment: boolean;
}

export interface MissingService {
  service: keyof TaskServices;
  what: string;
  how: string;
}

export interface TurnContext {
  task: {
    /** `local`, `github`, `linear`, `taskwarrior`, or a provider of the room's own. */
    provider: string;
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
    /** The question was taken out of the file unanswered. */
    withdrawn: boolean;
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
  /** Background jobs that run, and those that ended since the last turn. */
  jobs?: AroundJob[];
  group?: TaskGroup;
  agents?: AroundAgent[];
  extra?: Record<string, unknown>;
}
