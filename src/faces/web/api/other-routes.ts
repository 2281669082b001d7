// Where the page asks for what is no declared operation yet, by the name it has as one, and what it is answered.
import type * as z from 'zod';
import type { HttpPlace } from '../../../operations/operation.ts';
import type { TaskDetail } from '../../../tasks/shapes/task.ts';
import type * as room from '../../http/answers/room-answers.ts';
import type * as tasks from '../../http/answers/task-answers.ts';

/** What each answers. */
export interface OtherAnswers {
  list: z.output<typeof tasks.taskListAnswer>;
  update: TaskDetail;
  follow: unknown;
  status: z.output<typeof room.statusAnswer>;
  agents: { agents: z.output<typeof tasks.agentAnswer>[] };
}

const get = (path: string): HttpPlace => ({ method: 'get', path });

export const OTHER_ROUTES: Readonly<Record<keyof OtherAnswers, HttpPlace>> = {
  list: get('/api/tasks'),
  update: { method: 'patch', path: '/api/tasks/{ref}' },
  follow: get('/api/turns/{turn}/follow'),
  status: get('/api/status'),
  agents: get('/api/agents'),
};
