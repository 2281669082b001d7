// What the page asks for by another form of a declared operation, and what it is answered.
import type { HttpPlace } from '../../operations/operation.ts';
import type { TaskDetail } from '../../tasks/shapes/task.ts';

/** What each answers. */
export interface OtherAnswers {
  update: TaskDetail;
  follow: unknown;
}

export const OTHER_ROUTES: Readonly<Record<keyof OtherAnswers, HttpPlace>> = {
  update: { method: 'patch', path: '/api/tasks/{ref}' },
  follow: { method: 'get', path: '/api/turns/{turn}/follow' },
};
