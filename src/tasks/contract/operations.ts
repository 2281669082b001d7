// Every operation on tasks, once, with permission and validation: the faces are thin over this interface, which is put
// together from its subjects. Implemented by `createOperations` (tasks/create-operations.ts).
import type { ReadingOperations } from './reading.ts';

export * from './list-shapes.ts';
export type * from './question-shapes.ts';
export type * from './task-shapes.ts';

/** References are an id, a unique prefix of one, or a file name. All throw RoomError `not_found` / `ambiguous`. */
export interface Operations extends ReadingOperations {}
