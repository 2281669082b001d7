// Where the page asks for what is no declared operation yet, by the name it has as one, and what it is answered.
import type * as z from 'zod';
import type { HttpPlace } from '../../../operations/operation.ts';
import type { TaskDetail } from '../../../tasks/shapes/task.ts';
import type { TurnJson } from '../../../tasks/shapes/turn.ts';
import type * as room from '../../http/answers/room-answers.ts';
import type * as tasks from '../../http/answers/task-answers.ts';
import type * as turns from '../../http/answers/turn-answers.ts';

/** What each answers. */
export interface OtherAnswers {
  list: z.output<typeof tasks.taskListAnswer>;
  update: TaskDetail;
  turns: z.output<typeof turns.turnsAnswer>;
  turn: TurnJson;
  output: z.output<typeof turns.outputAnswer>;
  follow: unknown;
  kill: unknown;
  status: z.output<typeof room.statusAnswer>;
  agents: { agents: z.output<typeof tasks.agentAnswer>[] };
}

const get = (path: string): HttpPlace => ({ method: 'get', path });
const post = (path: string): HttpPlace => ({ method: 'post', path });

export const OTHER_ROUTES: Readonly<Record<keyof OtherAnswers, HttpPlace>> = {
  list: get('/api/tasks'),
  update: { method: 'patch', path: '/api/tasks/{ref}' },
  turns: get('/api/turns'),
  turn: get('/api/turns/{turn}'),
  output: get('/api/turns/{turn}/output'),
  follow: get('/api/turns/{turn}/follow'),
  kill: post('/api/turns/{turn}/stop'),
  status: get('/api/status'),
  agents: get('/api/agents'),
};
