// Where the page asks for what is no declared operation yet, by the name it has as one, and what it is answered.
import type * as z from 'zod';
import type { HttpPlace } from '../../../operations/operation.ts';
import type * as room from '../../http/answers/room-answers.ts';
import type * as tasks from '../../http/answers/task-answers.ts';
import type * as turns from '../../http/answers/turn-answers.ts';

/** What each answers. */
export interface OtherAnswers {
  list: z.output<typeof tasks.taskListAnswer>;
  show: z.output<typeof tasks.detailAnswer>;
  update: z.output<typeof tasks.detailAnswer>;
  turns: z.output<typeof turns.turnsAnswer>;
  turn: z.output<typeof turns.turnAnswer>;
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
  show: get('/api/tasks/{ref}'),
  update: { method: 'patch', path: '/api/tasks/{ref}' },
  turns: get('/api/turns'),
  turn: get('/api/turns/{turn}'),
  output: get('/api/turns/{turn}/output'),
  follow: get('/api/turns/{turn}/follow'),
  kill: post('/api/turns/{turn}/stop'),
  status: get('/api/status'),
  agents: get('/api/agents'),
};
