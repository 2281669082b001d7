// Plans: documents in artifacts/ whose steps become tasks when they are final.
import type { Problem } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { Status } from '../../core/task/status.ts';
import type { Step } from '../../core/task/task.ts';
import type { Actor } from '../task-room.ts';

export interface NewPlan {
  name: string;
  title?: string;
  /** Stands above its steps. */
  body?: string;
  /** Titles have at most 60 characters. */
  steps?: { title: string; details?: string }[];
  /** `draft` when absent; with `final` its tasks are made at once. */
  stage?: string;
  /** Given to its tasks. */
  owner?: string;
  sprint?: string;
  scope?: string;
}

export interface PlanView {
  /** Of its file, without `.md`: what `artifact:` of its tasks says. */
  name: string;
  title: string | null;
  path: string;
  stage: string;
  owner: string | null;
  sprint: string | null;
  scope: string | null;
  createdBy: string | null;
  steps: number;
  /** Those its steps are linked to. */
  tasks: { done: number; total: number };
  /** Why no tasks could be made of it; null when nothing is wrong. */
  problem: string | null;
}

export interface PlanDetail extends PlanView {
  /** `status` is that of the step's task; null where it has none. */
  stepList: (Step & { status: Status | null })[];
  /** The whole file. */
  text: string;
}

export interface PlanList {
  plans: PlanView[];
  /** Documents that can't be read. */
  invalid: { path: string; problems: Problem[] }[];
}

export interface PlanChanged {
  name: string;
  path: string;
  stage: string;
  changed: boolean;
  /** Tasks that were made of its steps now. */
  made: { id: TaskId; name: string }[];
}

export interface PlanRemoved {
  name: string;
  path: string;
  /** Where the file lies now, relative to the room; null when it was gone already. */
  attic: string | null;
  /** How many tasks named it and do no more. */
  unlinked: number;
}

/** A plan is named by its file, with or without folder and `.md`. All throw RoomError `not_found` for the name. */
export interface PlanOperations {
  /** @throws RoomError `conflict` when the file exists, `bad_input` for a name, owner or step that can't be written */
  createPlan(plan: NewPlan, actor: Actor): Promise<PlanChanged>;
  plans(): Promise<PlanList>;
  plan(name: string): Promise<PlanDetail>;
  /** With `final` each step that has no task yet gets one. @throws RoomError `refused` for a plan without steps */
  setPlanStage(name: string, stage: string, actor: Actor): Promise<PlanChanged>;
  /**
   * Moves the file to the attic; its tasks stay and no longer name it.
   * @throws RoomError `not_allowed` for an agent that did not make it
   */
  removePlan(name: string, actor: Actor): Promise<PlanRemoved>;
}
