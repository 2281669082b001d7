// Every route that asks for a token. Of two that fit an address the first one has it.
import type { Route } from './gate/route.ts';
import { TASK_LISTS } from './routes/task-lists.ts';

export const ROUTES: readonly Route[] = [...TASK_LISTS];
