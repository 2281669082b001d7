// The public API: open a room, work with its tasks, run its loop, listen to its events.
export {
  findRoom,
  type OpenRoom,
  openRuntime,
  type Pulse,
  type PulseOptions,
  type RuntimeOptions,
} from './app/open-room.ts';

export type { RoomConfig } from './core/config/room-config.ts';
export type { TurnContext } from './core/context/context-shape.ts';
export { ERROR_CODES, type ErrorCode, formatProblem, type Problem, RoomError } from './core/errors.ts';
export type { RoomEvent, RoomEventType } from './core/events.ts';
export type { TaskId, ThreadId, TurnId } from './core/ids.ts';
export type { TurnReason, TurnState } from './core/rules/turn.ts';
export { STATUSES, type Status } from './core/task/status.ts';
export type { Task } from './core/task/task.ts';
export type { Effects, Timer } from './effects.ts';
export { createNodeEffects } from './node.ts';
export type {
  Attempt,
  Cursor,
  Field,
  MissingConfig,
  Page,
  Profile,
  Provider,
  ProviderFactory,
  RemoteChange,
  RemoteComment,
  RemoteDraft,
  RemoteRef,
  RemoteTask,
  SourceConfig,
  Usage,
} from './providers/provider.ts';
export type { NewTask } from './tasks/shapes/change.ts';
export type { ListFilter, TaskDetail, TaskList, TaskRow } from './tasks/shapes/task.ts';
export type { Actor } from './tasks/task-room.ts';
