// A route as data, from which come the validation of each request and the OpenAPI document.
import type * as z from 'zod';
import type { ApiToken } from '../../app/open-room.ts';
import type { Client } from '../../operations/client.ts';
import type { Actor } from '../../tasks/task-room.ts';
import type { HttpRoom } from '../room/http-room.ts';

export type Caller = { token: ApiToken; actor: Actor };

/** `look` changes nothing; `change` changes a task; `person` needs full access; `worker` needs the token of a worker. */
export type RouteNeeds = 'look' | 'change' | 'person' | 'worker';

export interface Exchange {
  room: HttpRoom;
  caller: Caller;
  tasks: Client; // The operations as this caller has them: they refuse what it may not do.
  headers: Headers;
  request: Request; // Its body is read already if the route has one.
  drop(): void;
  signal: AbortSignal; // Aborted when the caller is gone.
  origin: string; // The address that the caller used: `http://127.0.0.1:7420`.
}

export interface Answer {
  status?: number;
  body: unknown; // A text is JSON already.
  headers?: Readonly<Record<string, string>>;
}

export interface AnswerSpec {
  about: string;
  schema?: z.ZodType;
  media?: string; // `application/json` when absent.
}

type Shape = z.ZodType<Record<string, unknown>>;
type TaskOf<Given> = (input: Given, room: HttpRoom) => string | null | Promise<string | null>;
export type Input<Params, Query, Body> = { params: Params; query: Query; body: Body };

export interface Route {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  path: string; // With `:name` for a parameter.
  id: string;
  about: string;
  group: string;
  needs: RouteNeeds;
  params?: Shape;
  query?: Shape;
  body?: z.ZodType;
  isRaw?: true; // Its run validates the input: the schemas here are for the document.
  /** The task of the input, which a token for some tasks must name; such a token is refused when absent. `any`: no check. */
  task?: 'any' | TaskOf<Input<never, never, never>>;
  headers?: Readonly<Record<string, string>>; // Request headers with what they do.
  answers: Readonly<Record<number, AnswerSpec>>;
  run(on: Exchange, input: Input<never, never, never>): Promise<Answer | Response>;
}

/** Checks that the run fits the schemas. */
export function route<
  Params extends Shape = z.ZodType<Record<string, never>>,
  Query extends Shape = z.ZodType<Record<string, never>>,
  Body extends z.ZodType = z.ZodType<undefined>,
>(
  said: Omit<Route, 'params' | 'query' | 'body' | 'task' | 'run'> & {
    params?: Params;
    query?: Query;
    body?: Body;
    task?: 'any' | TaskOf<Input<z.infer<Params>, z.infer<Query>, z.infer<Body>>>;
    run(
      on: Exchange,
      input: Input<z.infer<Params>, z.infer<Query>, z.infer<Body>>,
    ): Promise<Answer | Response>;
  },
): Route {
  return said as unknown as Route;
}
