// Names of what the operations answer, all taken from their declarations. Nothing here reaches the bundle.
import type { RoomEvent } from '../../core/events.ts';
import type { Answer } from './calls.ts';

export type TaskList = Answer<'list'>;
export type TaskRow = TaskList['tasks'][number];
export type TaskDetail = Answer<'show'>;
export type Status = TaskRow['status'];
export type Turn = Answer<'showTurn'>;
export type InboxItem = Answer<'inbox'>['inbox'][number];
export type Chore = Answer<'listChores'>['chores'][number];
export type Job = Answer<'listJobs'>['jobs'][number];
export type Mirror = Answer<'listMirrors'>['mirrors'][number];
export type Figures = Answer<'stats'>;
export type Agent = Answer<'listAgents'>['agents'][number] & { problem?: string | null };

/** What the page takes of an event of the stream. */
export type RoomEventJson = Pick<RoomEvent, 'type'>;
